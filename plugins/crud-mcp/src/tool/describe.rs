//! `describe`: a resource with its fields, filters and actions.

use crud_runtime::ServedResource;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use serde_json::{Value as Json, json};

use super::arguments::Arguments;
use super::field::{of_column, of_value};
use super::{Call, Tool, list, resource_schema};
use crate::access::{DELETE, RESTORE, Visible, name};
use crate::budget::shortened;

/// Longest description of a resource, in characters.
const LONGEST: usize = 1_000;

pub(super) static TOOL: Tool = Tool {
    name: "describe",
    title: "Describe a resource",
    description: "Describes a resource: its fields with types and rules, the filters and orders of its lists, and the actions \
                  on its records. Call it before `list`, `create`, `update` or `act` of a resource that you do not know yet.",
    writes: false,
    is_idempotent: true,
    properties: || json!({ "resource": resource_schema() }),
    required: &["resource"],
    run: |call, arguments| -> BoxFuture<'_, _> { Box::pin(std::future::ready(run(call, arguments))) },
};

fn run(call: &Call<'_>, mut arguments: Arguments) -> Result<Json, Problem> {
    let visible = call.visible();
    let resource = visible.find(&arguments.text("resource")?)?;
    let whole = described(visible, resource);
    let (bounded, notes) = crate::budget::record(whole, call.endpoint.answer_bytes);
    Ok(super::list::noted(bounded, &notes))
}

fn described(visible: Visible<'_>, resource: ServedResource<'_>) -> Json {
    let descriptor = resource.descriptor();
    let columns = 0..descriptor.columns.len();
    let fields: Vec<Json> = columns.filter_map(|index| of_column(visible, resource, index)).collect();
    let key: Vec<&str> = descriptor.key().iter().map(|column| descriptor.columns[*column].json).collect();
    json!({
        "resource": name(resource),
        "about": shortened(descriptor.doc, LONGEST),
        "key": key,
        "can": visible.operations(resource),
        "fields": fields,
        "list": lists(visible, resource),
        "actions": actions(visible, resource),
    })
}

/// The parameters that lists of the resource take.
fn lists(visible: Visible<'_>, resource: ServedResource<'_>) -> Json {
    let descriptor = resource.descriptor();
    let mut lists = json!({
        "search": descriptor.search.is_some(),
        "sort": sorts(visible, resource),
        "related_filters": related_filters(visible, descriptor),
        "expand": expands(visible, descriptor),
    });
    if let Some(pages) = resource.pagination() {
        lists["max_limit"] = json!(list::most(pages));
    }
    lists
}

fn sorts(visible: Visible<'_>, resource: ServedResource<'_>) -> Vec<&'static str> {
    let columns = resource.descriptor().columns.iter().enumerate();
    let sortable = columns.filter(|(index, column)| column.sortable && resource.shows(*index, visible.caller));
    sortable.map(|(_, column)| column.json).collect()
}

/// Filters on fields of referenced records, such as `category.name`.
fn related_filters(visible: Visible<'_>, descriptor: &Descriptor) -> Vec<String> {
    let paths = descriptor.paths.iter().filter_map(|path| {
        let reference = descriptor.columns[path.reference].references?;
        let target = (reference.target)();
        let seen = visible.resources().find(|it| std::ptr::eq(it.descriptor(), target))?;
        let is_shown = seen.shows(path.column, visible.caller);
        is_shown.then(|| Some(format!("{}.{}", reference.relation?, target.columns[path.column].json)))?
    });
    paths.collect()
}

/// Names of related records that a record can include.
fn expands(visible: Visible<'_>, descriptor: &'static Descriptor) -> Vec<&'static str> {
    let is_listed = |target: &'static Descriptor| {
        let mut seen = visible.resources();
        seen.any(|it| std::ptr::eq(it.descriptor(), target) && visible.admits(it, Operation::List))
    };
    let references = descriptor.columns.iter().filter_map(|column| column.references.filter(|it| it.expand));
    let parents = references.filter(|it| is_listed((it.target)())).filter_map(|it| it.relation);
    let children = descriptor.children.iter().filter(|it| is_listed((it.resource)())).map(|it| it.name);
    let linked = descriptor.many_to_many.iter();
    let linked = linked.filter(|it| it.junction(descriptor).is_some_and(|it| is_listed(it.target))).map(|it| it.name);
    parents.chain(children).chain(linked).collect()
}

/// The actions that the caller may use; for transitions, with the states before and after.
fn actions(visible: Visible<'_>, resource: ServedResource<'_>) -> Vec<Json> {
    let descriptor = resource.descriptor();
    let named = visible.actions(resource).into_iter().map(|action| match action {
        DELETE => json!({ "action": action, "about": "marks the record as deleted; `restore` undoes it" }),
        RESTORE => json!({ "action": action, "about": "undoes a deletion" }),
        action => {
            let found = descriptor.transitions().find(|(_, transition)| transition.name == action);
            let states = found.map(|(column, it)| {
                let from: Vec<Json> = it.from.iter().map(|from| of_value(&from())).collect();
                (descriptor.columns[column].json, from, of_value(&(it.to)()))
            });
            let (field, from, to) = states.unwrap_or_default();
            json!({ "action": action, "field": field, "from": from, "to": to })
        }
    });
    named.collect()
}
