//! `resources`: the resources that the caller may use.

use crud_runtime::ServedResource;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use serde_json::{Value as Json, json};

use super::arguments::Arguments;
use super::{Call, Tool};
use crate::access::{Visible, name};
use crate::budget::shortened;

/// Longest description of a resource in the list, in characters.
const LONGEST: usize = 100;

pub(super) static TOOL: Tool = Tool {
    name: "resources",
    title: "List resources",
    description: "Lists the resources of this service that you may use, such as products and orders, with what you may do \
                  with each. Call it first.",
    writes: false,
    is_idempotent: true,
    properties: || json!({ "search": { "type": "string", "description": "Only resources whose name or description has this text." } }),
    required: &[],
    run: |call, arguments| -> BoxFuture<'_, _> { Box::pin(std::future::ready(run(call, arguments))) },
};

fn run(call: &Call<'_>, mut arguments: Arguments) -> Result<Json, Problem> {
    let wanted = arguments.optional_text("search")?.unwrap_or_default().to_lowercase();
    let visible = call.visible();
    let is_wanted = |it: &ServedResource<'_>| {
        name(*it).to_lowercase().contains(&wanted) || it.descriptor().doc.to_lowercase().contains(&wanted)
    };
    let found: Vec<_> = visible.resources().filter(is_wanted).collect();
    let whole: Vec<Json> = found.iter().map(|it| listed(visible, *it)).collect();
    let size: usize = whole.iter().map(|it| it.to_string().len() + 1).sum();
    if size <= call.endpoint.answer_bytes {
        return Ok(json!({ "resources": whole }));
    }
    // Only the names, for a service with hundreds of resources.
    let names: Vec<&str> = found.iter().map(|it| name(*it)).collect();
    let note = "only names, as there are many: find some by `search`, and `describe` one";
    Ok(json!({ "resources": names, "note": note }))
}

fn listed(visible: Visible<'_>, resource: ServedResource<'_>) -> Json {
    let descriptor = resource.descriptor();
    let mut can = visible.operations(resource);
    if !visible.actions(resource).is_empty() {
        can.push("act");
    }
    let mut listed = json!({ "name": name(resource), "can": can });
    if !descriptor.doc.is_empty() {
        listed["about"] = json!(shortened(descriptor.doc.lines().next().unwrap_or_default(), LONGEST));
    }
    if descriptor.deprecation.is_some() {
        listed["deprecated"] = json!(true);
    }
    listed
}
