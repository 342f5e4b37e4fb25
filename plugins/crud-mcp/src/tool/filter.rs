//! The argument `filter`, converted to query parameters of lists.

use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use serde_json::{Map, Value as Json};

use crate::access::{Visible, refused};

/// Query parameters of lists that are no filters: arguments of the tool set them.
const ARGUMENTS: [&str; 6] = ["q", "sort", "limit", "skip", "cursor", "expand"];

/// The query parameter of lists with a condition in JSON.
const CONDITION: &str = "where";

/// The parameters of a filter: `{"price__gte": 5, "status__in": ["open", "doing"]}` is `price__gte=5&status__in=open,doing`.
///
/// # Errors
/// `validation_failed` for a value that is null or an object, and for a name in `ARGUMENTS`.
pub(super) fn parameters(filter: Map<String, Json>) -> Result<Vec<(String, String)>, Problem> {
    filter.into_iter().map(|(name, value)| parameter(&name, &value).map(|value| (name, value))).collect()
}

/// Refuses filters on records of hidden resources.
///
/// # Errors
/// `validation_failed`, as for an unknown filter.
pub(super) fn check(
    visible: Visible<'_>,
    resource: &'static Descriptor,
    parameters: &[(String, String)],
) -> Result<(), Problem> {
    visible.check_paths(resource, "filter", parameters.iter().map(|(name, _)| name.as_str()))?;
    let conditions = parameters.iter().filter(|(name, _)| name == CONDITION);
    // Lists refuse a text that is not JSON.
    let mut parsed = conditions.filter_map(|(_, text)| serde_json::from_str(text).ok());
    parsed.try_for_each(|condition: Json| visible.check_condition(resource, &condition))
}

fn parameter(name: &str, value: &Json) -> Result<String, Problem> {
    if ARGUMENTS.contains(&name) {
        let argument = if name == "q" { "search" } else { name };
        return Err(refused(name, "reserved", format!("is not a filter: it is the argument `{argument}`")));
    }
    match value {
        Json::Null => {
            Err(refused(name, "type", format!("is null: `{name}__isnull` with true finds records without it")))
        }
        Json::Object(_) => Err(refused(name, "type", "is an object: expected a value, or an array for `__in`")),
        Json::Array(items) => {
            items.iter().map(|item| listed(name, item)).collect::<Result<Vec<_>, _>>().map(|all| all.join(","))
        }
        Json::String(text) => Ok(text.clone()),
        other => Ok(other.to_string()),
    }
}

/// An item of an array as text; in quotes if it has a comma or a quote.
fn listed(name: &str, item: &Json) -> Result<String, Problem> {
    match item {
        Json::String(text) if text.contains([',', '"']) => Ok(format!("\"{}\"", text.replace('"', "\"\""))),
        Json::String(text) => Ok(text.clone()),
        Json::Number(_) | Json::Bool(_) => Ok(item.to_string()),
        _ => Err(refused(name, "type", "has an item that is not a text, a number or a boolean")),
    }
}
