//! `create`: a new record.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use serde_json::{Value as Json, json};

use super::arguments::Arguments;
use super::get::answer;
use super::{Call, Tool, resource_schema};

pub(super) static TOOL: Tool = Tool {
    name: "create",
    title: "Create a record",
    description: "Creates a record in the name of your user, and returns it. A second call creates a second record.",
    writes: true,
    is_idempotent: false,
    properties: || {
        json!({
            "resource": resource_schema(),
            "values": { "type": "object", "description": "Values by the names of fields; `describe` says which are required." },
        })
    },
    required: &["resource", "values"],
    run: |call, arguments| -> BoxFuture<'_, _> { Box::pin(run(call, arguments)) },
};

async fn run(call: &Call<'_>, mut arguments: Arguments) -> Result<Json, Problem> {
    let (resource, records) = call.records(&mut arguments)?;
    let values = arguments.object("values")?;
    call.visible().check_values(resource.descriptor(), &values)?;
    let created = records.create(values).await?;
    Ok(answer(call, &created, &[]))
}
