//! `act`: a transition of a record, or a deletion that can be undone.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use serde_json::{Value as Json, json};

use super::arguments::Arguments;
use super::get::answer;
use super::update::version_schema;
use super::{Call, Tool, id_schema, resource_schema};
use crate::access::{DELETE, RESTORE, refused};

pub(super) static TOOL: Tool = Tool {
    name: "act",
    title: "Act on a record",
    description: "Carries out an action on a record in the name of your user: a change of its state, such as `finish`, or `delete` \
                  and `restore` where deletions can be undone. `describe` lists the actions.",
    writes: true,
    is_idempotent: false,
    properties: || {
        json!({
            "resource": resource_schema(),
            "id": id_schema(),
            "action": { "type": "string", "description": "Name of an action, as `describe` lists it." },
            "values": { "type": "object", "description": "Other fields to set with a change of state." },
            "version": version_schema(),
        })
    },
    required: &["resource", "id", "action"],
    run: |call, arguments| -> BoxFuture<'_, _> { Box::pin(run(call, arguments)) },
};

async fn run(call: &Call<'_>, mut arguments: Arguments) -> Result<Json, Problem> {
    let (resource, mut records) = call.records(&mut arguments)?;
    let (id, action, values) = (arguments.id()?, arguments.text("action")?, arguments.object("values")?);
    call.visible().check_values(resource.descriptor(), &values)?;
    if let Some(version) = arguments.optional_text("version")? {
        records = records.if_match(&version);
    }
    let is_soft = resource.descriptor().soft_delete.is_some();
    if matches!(&*action, DELETE | RESTORE) && !values.is_empty() {
        return Err(refused("values", "unknown_parameter", format!("`{action}` takes no values")));
    }
    match &*action {
        DELETE if is_soft => {
            records.delete(&id).await?;
            Ok(json!({ "deleted": id, "note": "`act` with `restore` undoes this" }))
        }
        DELETE => Err(Problem::new(
            Code::MethodNotAllowed,
            "deletions of this resource cannot be undone: they are for people, not for agents",
        )),
        RESTORE => Ok(answer(call, &records.restore(id).await?, &[])),
        _ => {
            let known = call.visible().actions(resource);
            let is_known = resource.descriptor().transitions().any(|(_, it)| it.name == action);
            if !is_known {
                let expected = if known.is_empty() {
                    "it has none".to_owned()
                } else {
                    format!("expected `{}`", known.join("`, `"))
                };
                return Err(refused("action", "unknown", format!("the resource has no action `{action}`: {expected}")));
            }
            let moved = if values.is_empty() {
                records.transition(id, &action, ()).await?
            } else {
                records.transition(id, &action, values).await?
            };
            Ok(answer(call, &moved, &[]))
        }
    }
}
