//! Descriptions of fields for models.

use crud_runtime::ServedResource;
use crud_runtime::column::{Kind, Value};
use crud_runtime::descriptor::{ColumnDescriptor, Literal, Rule};
use serde_json::{Map, Value as Json, json};

use crate::access::{Visible, name};
use crate::budget::shortened;

/// Longest description of a field, in characters.
const LONGEST: usize = 160;
/// Limit of listed values of an enum.
const MOST_VALUES: usize = 50;

/// The field of a column, unless the caller neither sees nor sets it.
pub(super) fn of_column(visible: Visible<'_>, resource: ServedResource<'_>, index: usize) -> Option<Json> {
    let column = &resource.descriptor().columns[index];
    let is_shown = resource.shows(index, visible.caller);
    if column.hidden || !is_shown && !column.write_only {
        return None;
    }
    let mut field = Map::new();
    let mut set = |key: &str, value: Json| field.insert(key.to_owned(), value);
    set("name", json!(column.json));
    set("type", json!(kind(column.kind)));
    if !column.doc.is_empty() {
        set("about", json!(shortened(column.doc, LONGEST)));
    }
    if let Kind::Enum(values) = column.kind {
        set("values", json!(&values[..values.len().min(MOST_VALUES)]));
    }
    let is_read_only = column.read_only || column.is_managed() || column.is_computed();
    for (key, is_so) in [
        ("nullable", column.nullable),
        ("required", column.is_required() && !is_read_only),
        ("read_only", is_read_only),
        ("write_only", column.write_only),
        ("set_once", column.immutable),
        ("deprecated", column.deprecated),
    ] {
        if is_so {
            set(key, json!(true));
        }
    }
    if let Some(default) = column.constant_default() {
        set("default", of_value(&default));
    }
    let rules = rules(column);
    if !rules.is_empty() {
        set("rules", Json::Object(rules));
    }
    if let Some(target) = refers_to(visible, column) {
        set("refers_to", json!(target));
    }
    let operators = if is_shown { resource.operators(index) } else { Vec::new() };
    if !operators.is_empty() {
        set("filter", json!(operators));
    }
    Some(Json::Object(field))
}

/// Name of the resource that a column refers to, if the caller may use that resource.
fn refers_to<'c>(visible: Visible<'c>, column: &ColumnDescriptor) -> Option<&'c str> {
    let target = (column.references?.target)();
    visible.resources().find(|it| std::ptr::eq(it.descriptor(), target)).map(name)
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Bool => "boolean".to_owned(),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => "integer".to_owned(),
        Kind::F32 | Kind::F64 => "number".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::DateTime => "time such as 2026-01-31T12:00:00Z".to_owned(),
        Kind::Date => "date such as 2026-01-31".to_owned(),
        Kind::Time => "time of day such as 12:00:00".to_owned(),
        Kind::NaiveDateTime => "local time such as 2026-01-31T12:00:00".to_owned(),
        Kind::Uuid => "UUID".to_owned(),
        Kind::Decimal => "decimal as text such as \"9.99\"".to_owned(),
        Kind::Json => "JSON".to_owned(),
        Kind::Bytes => "bytes in Base64".to_owned(),
        Kind::TextList => "array of text".to_owned(),
        Kind::List(item) => format!("array of {}", self::kind(*item)),
        Kind::Enum(_) => "one of `values`".to_owned(),
    }
}

fn rules(column: &ColumnDescriptor) -> Map<String, Json> {
    let rules = column.rules.iter().filter_map(|rule| {
        let (name, value) = match rule {
            Rule::Min(least) => ("min", literal(least)),
            Rule::Max(greatest) => ("max", literal(greatest)),
            Rule::MinLength(length) => ("min_length", json!(length)),
            Rule::MaxLength(length) => ("max_length", json!(length)),
            Rule::Pattern(pattern) => ("pattern", json!(shortened(pattern, LONGEST))),
            Rule::Email => ("email", json!(true)),
            Rule::Url => ("url", json!(true)),
            Rule::OneOf(values) => ("one_of", values.iter().take(MOST_VALUES).map(literal).collect()),
            Rule::AnyLength | Rule::Custom(_) => return None,
        };
        Some((name.to_owned(), value))
    });
    rules.collect()
}

fn literal(literal: &Literal) -> Json {
    match literal {
        Literal::Int(value) => json!(value),
        Literal::Float(value) => json!(value),
        Literal::Text(value) => json!(value),
    }
}

/// A value as JSON, as in records.
pub(super) fn of_value(value: &Value) -> Json {
    match value {
        Value::Null | Value::Default => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value),
        Value::Json(value) => value.clone(),
        Value::TextList(values) => json!(values),
        Value::List(values) => values.iter().map(of_value).collect(),
        other => json!(other.to_string()),
    }
}
