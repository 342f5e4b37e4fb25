//! Validation rules as JSON Schema keywords.

use serde_json::{Value, json};

use crate::model::descriptor::{ColumnDescriptor, Literal, Rule};
use crate::model::value::Kind;

/// Adds the keywords of a field's rules to the schema of its kind.
pub(crate) fn apply(schema: &mut Value, column: &ColumnDescriptor) {
    // Values that satisfy these rules satisfy the kind's own pattern.
    if column.rules.iter().any(|rule| matches!(rule, Rule::Email | Rule::Url | Rule::OneOf(_))) {
        remove(schema, "pattern");
    }
    if column.rules.iter().any(|rule| matches!(rule, Rule::OneOf(_))) {
        remove(schema, "minimum");
        remove(schema, "maximum");
    }
    for rule in column.rules {
        match (rule, column.kind) {
            // JSON Schema has no bounds for a number in a string: `note` states them.
            (Rule::Min(_) | Rule::Max(_), Kind::Decimal) | (Rule::Custom(_) | Rule::AnyLength, _) => {}
            (Rule::Min(bound), _) => narrow(schema, "minimum", *bound),
            (Rule::Max(bound), _) => narrow(schema, "maximum", *bound),
            (Rule::MinLength(length), Kind::Bytes) => schema["minLength"] = base64_length(*length).into(),
            (Rule::MaxLength(length), Kind::Bytes) => schema["maxLength"] = base64_length(*length).into(),
            (Rule::MinLength(length), Kind::TextList) => schema["minItems"] = (*length).into(),
            (Rule::MaxLength(length), Kind::TextList) => schema["maxItems"] = (*length).into(),
            (Rule::MinLength(length), _) => schema["minLength"] = (*length).into(),
            (Rule::MaxLength(length), _) => schema["maxLength"] = (*length).into(),
            (Rule::Pattern(pattern), _) => and_pattern(schema, pattern),
            (Rule::Email, _) => schema["format"] = "email".into(),
            (Rule::Url, _) => schema["format"] = "uri".into(),
            (Rule::OneOf(values), _) => schema["enum"] = values.iter().map(literal).collect(),
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

/// Sets a bound, unless the kind's own is narrower.
fn narrow(schema: &mut Value, bound: &str, value: Literal) {
    let is_wider = match (schema[bound].as_i64(), value) {
        (Some(old), Literal::Int(new)) if bound == "minimum" => new < old,
        (Some(old), Literal::Int(new)) => new > old,
        _ => false,
    };
    if !is_wider {
        schema[bound] = literal(&value);
    }
}

/// Sets the field's pattern, in addition to the kind's own.
fn and_pattern(schema: &mut Value, pattern: &str) {
    if let Some(own) = schema.get("pattern").cloned() {
        schema["allOf"] = json!([{ "pattern": own }]);
    }
    schema["pattern"] = pattern.into();
}

fn remove(schema: &mut Value, key: &str) {
    if let Some(schema) = schema.as_object_mut() {
        schema.shift_remove(key);
    }
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
