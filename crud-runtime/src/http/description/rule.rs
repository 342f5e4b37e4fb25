//! Rules of a field: as JSON Schema keywords, and in words.

use serde_json::{Value, json};

use super::json_schema::Schema;
use crate::model::descriptor::{ColumnDescriptor, Literal, Rule, Transition};
use crate::model::value::Kind;

/// Adds the keywords of a field's rules to the schema of its kind.
pub(crate) fn apply(schema: &mut Schema, column: &ColumnDescriptor) {
    // Values that satisfy these rules satisfy the kind's own pattern.
    if column.rules.iter().any(|rule| matches!(rule, Rule::Email | Rule::Url | Rule::OneOf(_))) {
        schema.remove("pattern");
    }
    if column.rules.iter().any(|rule| matches!(rule, Rule::OneOf(_))) {
        schema.remove("minimum");
        schema.remove("maximum");
    }
    for rule in column.rules {
        match (rule, column.kind) {
            // JSON Schema has no bounds for a number in a string: `note` states them.
            (Rule::Min(_) | Rule::Max(_), Kind::Decimal) | (Rule::Custom(_) | Rule::AnyLength, _) => {}
            (Rule::Min(bound), _) => narrow(schema, "minimum", *bound),
            (Rule::Max(bound), _) => narrow(schema, "maximum", *bound),
            (Rule::MinLength(length), Kind::Bytes) => schema.set("minLength", base64_length(*length)),
            (Rule::MaxLength(length), Kind::Bytes) => schema.set("maxLength", base64_length(*length)),
            (Rule::MinLength(length), Kind::TextList | Kind::List(_)) => schema.set("minItems", *length),
            (Rule::MaxLength(length), Kind::TextList | Kind::List(_)) => schema.set("maxItems", *length),
            (Rule::MinLength(length), _) => schema.set("minLength", *length),
            (Rule::MaxLength(length), _) => schema.set("maxLength", *length),
            (Rule::Pattern(pattern), _) => and_pattern(schema, pattern),
            (Rule::Email, _) => schema.set("format", "email"),
            (Rule::Url, _) => schema.set("format", "uri"),
            (Rule::OneOf(values), _) => schema.set("enum", values.iter().map(literal).collect::<Vec<_>>()),
        }
    }
}

/// The constraints that JSON Schema cannot express, in words.
pub(crate) fn note(column: &ColumnDescriptor) -> String {
    if column.kind == Kind::Json {
        return "No string or name in it may contain a NUL character.".to_owned();
    }
    let (from, to) = column.rules.iter().fold((None, None), |(from, to), rule| match (rule, column.kind) {
        (Rule::Min(bound), Kind::Decimal) => (Some(text(bound)), to),
        (Rule::Max(bound), Kind::Decimal) => (from, Some(text(bound))),
        (Rule::MinLength(length), Kind::Bytes) => (Some(length.to_string()), to),
        (Rule::MaxLength(length), Kind::Bytes) => (from, Some(length.to_string())),
        _ => (from, to),
    });
    let unit = if column.kind == Kind::Bytes { " bytes" } else { "" };
    match (from, to) {
        (None, None) => String::new(),
        (Some(from), None) => format!("At least {from}{unit}."),
        (None, Some(to)) => format!("At most {to}{unit}."),
        (Some(from), Some(to)) => format!("From {from} to {to}{unit}."),
    }
}

/// The transitions of a state in words; empty where the field is not a state.
pub(crate) fn transitions(column: &ColumnDescriptor) -> String {
    let transitions = column.transitions.iter();
    let lines: Vec<_> = transitions.map(|transition| format!("`{}` {}", transition.name, states(transition))).collect();
    if lines.is_empty() { String::new() } else { format!("Changes by transitions: {}.", lines.join(", ")) }
}

pub(crate) fn states(transition: &Transition) -> String {
    let from: Vec<_> = transition.from.iter().map(|from| format!("`{}`", from())).collect();
    format!("from {} to `{}`", from.join(" or "), (transition.to)())
}

/// Sets a bound, unless the kind's own is narrower.
fn narrow(schema: &mut Schema, bound: &str, value: Literal) {
    let is_wider = match (schema.get(bound).and_then(Value::as_i64), value) {
        (Some(old), Literal::Int(new)) if bound == "minimum" => new < old,
        (Some(old), Literal::Int(new)) => new > old,
        _ => false,
    };
    if !is_wider {
        schema.set(bound, literal(&value));
    }
}

/// Sets the field's pattern, in addition to the kind's own.
fn and_pattern(schema: &mut Schema, pattern: &str) {
    if let Some(own) = schema.get("pattern").cloned() {
        schema.set("allOf", json!([{ "pattern": own }]));
    }
    schema.set("pattern", pattern);
}

/// The length of the base64 text of this number of bytes.
const fn base64_length(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

fn literal(value: &Literal) -> Value {
    match value {
        Literal::Int(value) => (*value).into(),
        Literal::Float(value) => (*value).into(),
        Literal::Text(value) => (*value).into(),
    }
}

fn text(value: &Literal) -> String {
    match value {
        Literal::Text(value) => (*value).to_owned(),
        number => literal(number).to_string(),
    }
}
