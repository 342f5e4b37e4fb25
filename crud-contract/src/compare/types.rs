//! Types of JSON values: sets of them.

use serde_json::Value as Json;

/// The types that a schema admits; `None` for any.
pub(super) fn of(schema: &Json) -> Option<Vec<String>> {
    match &schema["type"] {
        Json::String(one) => Some(vec![one.clone()]),
        Json::Array(all) => Some(all.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()),
        _ => None,
    }
}

/// The types among these that the others do not admit: an integer is a number.
pub(super) fn beyond(these: Option<&[String]>, others: Option<&[String]>) -> Vec<String> {
    match (these, others) {
        (_, None) => Vec::new(),
        (None, Some(_)) => vec!["any value".to_owned()],
        (Some(these), Some(others)) => {
            let has = |name: &str| others.iter().any(|other| other == name || other == "number" && name == "integer");
            these.iter().filter(|name| !has(name)).cloned().collect()
        }
    }
}

/// Whether two schemas have no type but null in common, so that their other keywords cannot be compared.
pub(super) fn are_apart(one: &Json, other: &Json) -> bool {
    let (Some(one), Some(other)) = (of(one), of(other)) else { return false };
    let is_shared = |name: &String| name != "null" && beyond(Some(std::slice::from_ref(name)), Some(&other)).is_empty();
    !one.iter().any(is_shared)
}

/// Whether each value of one format is a value of the other.
pub(super) fn is_within(format: &str, other: &str) -> bool {
    format == other || matches!((format, other), ("int32", "int64") | ("float", "double"))
}
