//! Expected values in the `params` of an error, from which clients write their own texts.

use serde_json::Value as Json;

use crate::model::value::Kind;

/// The parameters of an error about a value of this kind: its bounds for the code `range`, and for other codes the form
/// of its values.
pub(super) fn params(kind: Kind, code: &'static str) -> Vec<(&'static str, Json)> {
    match (code, kind.integer_range(), kind) {
        ("range", Some((min, max)), _) => vec![("min", min.into()), ("max", max.into())],
        ("range", None, _) => Vec::new(),
        (_, _, Kind::Enum(labels)) => vec![("expected", "enum".into()), ("values", labels.to_vec().into())],
        _ => vec![("expected", form(kind).into())],
    }
}

/// The form of a kind's values: a type of JSON, or the format of a text.
const fn form(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "boolean",
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => "integer",
        Kind::F32 | Kind::F64 => "number",
        Kind::Text => "string",
        Kind::Enum(_) => "enum",
        Kind::DateTime => "date-time",
        Kind::Date => "date",
        Kind::Time => "time",
        Kind::NaiveDateTime => "local-date-time",
        Kind::Uuid => "uuid",
        Kind::Decimal => "decimal",
        Kind::Json => "json",
        Kind::Bytes => "base64",
        Kind::TextList | Kind::List(_) => "array",
    }
}
