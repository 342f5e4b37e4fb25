//! `update`: new values of a record.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use serde_json::{Value as Json, json};

use super::arguments::Arguments;
use super::get::answer;
use super::{Call, Tool, id_schema, resource_schema};

pub(super) static TOOL: Tool = Tool {
    name: "update",
    title: "Update a record",
    description: "Changes the stated fields of a record in the name of your user, and returns it. Others stay as they are.",
    writes: true,
    is_idempotent: true,
    properties: || {
        json!({
            "resource": resource_schema(),
            "id": id_schema(),
            "values": { "type": "object", "description": "New values by the names of fields; null removes one." },
            "version": version_schema(),
        })
    },
    required: &["resource", "id", "values"],
    run: |call, arguments| -> BoxFuture<'_, _> { Box::pin(run(call, arguments)) },
};

/// The schema of the argument with a version.
pub(super) fn version_schema() -> Json {
    json!({
        "type": "string",
        "description": "`version` of the record as you have read it: the call fails if the record has changed since.",
    })
}

async fn run(call: &Call<'_>, mut arguments: Arguments) -> Result<Json, Problem> {
    let (resource, mut records) = call.records(&mut arguments)?;
    if let Some(version) = arguments.optional_text("version")? {
        records = records.if_match(&version);
    }
    let (id, values) = (arguments.id()?, arguments.object("values")?);
    call.visible().check_values(resource.descriptor(), &values)?;
    Ok(answer(call, &records.update(id, values).await?, &[]))
}
