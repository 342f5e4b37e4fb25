//! `get`: one record.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use crud_runtime::routing::RecordsAnswer;
use serde_json::{Value as Json, json};

use super::arguments::Arguments;
use super::list::{chosen, noted};
use super::{Call, Tool, expand_schema, fields_schema, id_schema, resource_schema};
use crate::budget;

pub(super) static TOOL: Tool = Tool {
    name: "get",
    title: "Get a record",
    description: "Reads one record by its key, with its `version` for `update` and `act`.",
    writes: false,
    is_idempotent: true,
    properties: || {
        json!({
            "resource": resource_schema(),
            "id": id_schema(),
            "expand": expand_schema(),
            "fields": fields_schema(),
        })
    },
    required: &["resource", "id"],
    run: |call, arguments| -> BoxFuture<'_, _> { Box::pin(run(call, arguments)) },
};

async fn run(call: &Call<'_>, mut arguments: Arguments) -> Result<Json, Problem> {
    let (resource, records) = call.records(&mut arguments)?;
    let (id, fields, expand) = (arguments.id()?, arguments.texts("fields")?, arguments.texts("expand")?);
    call.visible().check_paths(resource.descriptor(), "expand", expand.iter().map(String::as_str))?;
    let expand = (!expand.is_empty()).then(|| ("expand", expand.join(",")));
    let read = records.parameters(expand).get(id).await?;
    Ok(answer(call, &read, &fields))
}

/// The answer with a record and its version.
pub(super) fn answer(call: &Call<'_>, read: &RecordsAnswer, fields: &[String]) -> Json {
    let (record, notes) = budget::record(chosen(read.json(), fields), call.endpoint.answer_bytes);
    let mut answer = json!({ "record": record });
    if let Some(version) = read.etag() {
        answer["version"] = json!(version);
    }
    noted(answer, &notes)
}
