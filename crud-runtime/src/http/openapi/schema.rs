//! The schemas of a resource: its records, what creates one, what changes one, a page of them.

use serde_json::{Map, Value, json};

use super::example::Examples;
use super::wording;
use super::wording::sentence;
use super::{Mounted, describe, reference, rule, sample, shown};
use crate::http::body::RESERVED_IDS;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Operation, Role};
use crate::model::value::Kind;

/// The largest single-precision float, as it is written: a little more than it is.
const F32_MAX: f64 = 3.402_823_5e38;
/// Text without NUL.
pub(super) const PLAIN_TEXT: &str = r"^[^\u0000]*$";
/// Base64 with padding, and without bits that say nothing (RFC 4648 section 3.5).
const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$";
/// Seconds with a fraction of which six digits say something; no leap second.
const SECONDS: &str = r"[0-5][0-9](\.[0-9]{1,6}0*)?";

/// Which way a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// In a request: everything that is accepted.
    Request,
    /// In an answer: the one form that is written.
    Answer,
}

/// The schemas of a resource, by name.
pub(super) fn of_resource(resource: &Mounted<'_>) -> Vec<(String, Value)> {
    let Mounted { options, names, .. } = resource;
    let descriptor = options.descriptor;
    let examples = Examples::of(descriptor);
    let mut schemas = Vec::new();
    if Operation::ALL.into_iter().any(|operation| resource.offers(operation)) {
        schemas.push((names.record(), record(descriptor, &examples)));
    }
    if resource.offers(Operation::Create) {
        schemas.push((names.create(), create(descriptor, &examples)));
    }
    if resource.offers(Operation::Update) {
        schemas.push((names.patch(), patch(descriptor, &examples)));
    }
    if resource.offers(Operation::List) && options.pagination.is_some() {
        schemas.push((names.list(), page(&names.record())));
    }
    schemas
}

/// A record as answers have it.
fn record(descriptor: &'static Descriptor, examples: &Examples) -> Value {
    let columns = || shown(descriptor).filter(|column| column.is_returned());
    let mut schema = json!({
        "type": "object",
        "required": columns().map(|column| column.json).collect::<Vec<_>>(),
        "properties": columns().map(|column| (column.json.to_owned(), answered(column))).collect::<Map<_, _>>(),
    });
    describe(&mut schema, descriptor.doc);
    exemplify(&mut schema, examples.record());
    schema
}

/// What a create takes.
fn create(descriptor: &'static Descriptor, examples: &Examples) -> Value {
    let required = shown(descriptor).filter(|column| column.is_required() && !column.hidden);
    let mut schema = json!({
        "description": sentence(&format!("{} to create.", wording::one(descriptor.name))),
        "type": "object",
        "required": required.map(|column| column.json).collect::<Vec<_>>(),
        "properties": accepted_columns(descriptor, created),
        "additionalProperties": false,
    });
    exemplify(&mut schema, examples.create());
    schema
}

/// What an update takes.
fn patch(descriptor: &'static Descriptor, examples: &Examples) -> Value {
    let mut schema = json!({
        "description": format!("The fields of {} to change; what is left out stays as it is.", wording::one(descriptor.name)),
        "type": "object",
        "properties": accepted_columns(descriptor, patched),
        "additionalProperties": false,
    });
    exemplify(&mut schema, examples.patch());
    schema
}

/// What an update in a batch takes: the fields to change, and the key of the record.
pub(super) fn item(descriptor: &'static Descriptor) -> Value {
    let id = descriptor.id_column();
    let mut properties = accepted_columns(descriptor, patched);
    let mut key = value(id);
    describe(&mut key, "Which record.");
    properties.insert(id.json.to_owned(), key);
    json!({
        "description": format!("The fields of {} to change, and its key.", wording::one(descriptor.name)),
        "type": "object",
        "required": [id.json],
        "properties": properties,
        "additionalProperties": false,
    })
}

/// A page of records.
pub(super) fn page(record: &str) -> Value {
    json!({
        "description": "A page of records.",
        "type": "object",
        "required": ["data", "total", "page", "pages", "limit", "skip"],
        "properties": {
            "data": {
                "description": "The records of the page.",
                "type": "array",
                "items": reference("schemas", record),
            },
            "total": {
                "description": "How many records match; null when the request prefers `count=none`.",
                "type": ["integer", "null"],
                "format": "int64",
                "minimum": 0,
            },
            "page": {
                "description": "The page's number, from 1.",
                "type": "integer",
                "format": "int64",
                "minimum": 1,
            },
            "pages": {
                "description": "How many pages there are; null when the request prefers `count=none`.",
                "type": ["integer", "null"],
                "format": "int64",
                "minimum": 0,
            },
            "limit": {
                "description": "How many records a page has at most.",
                "type": "integer",
                "format": "int64",
                "minimum": 1,
            },
            "skip": {
                "description": "How many records stand before the page.",
                "type": "integer",
                "format": "int64",
                "minimum": 0,
            },
        },
    })
}

fn accepted_columns(descriptor: &'static Descriptor, property: fn(&ColumnDescriptor) -> Value) -> Map<String, Value> {
    let columns = shown(descriptor).filter(|column| !column.hidden);
    columns.map(|column| (column.json.to_owned(), property(column))).collect()
}

/// A field of an answer.
fn answered(column: &ColumnDescriptor) -> Value {
    let mut schema = nullable(column, kind(column, Side::Answer));
    describe(&mut schema, column.doc);
    schema
}

/// A field of a create.
fn created(column: &ColumnDescriptor) -> Value {
    if column.is_managed() {
        return managed(column, "Set by the service: ignored.");
    }
    let mut schema = settable(column);
    if is_chosen_key(column) {
        schema["minLength"] = 1.into();
        // Clients take dots out of a path.
        let no_keys = [&RESERVED_IDS[..], &[".", ".."]].concat();
        schema["not"] = json!({ "enum": no_keys });
    }
    if let Some(default) = column.default {
        schema["default"] = sample::json(column, default().borrow());
    }
    schema
}

/// A field of an update.
fn patched(column: &ColumnDescriptor) -> Value {
    match column.role {
        Role::Id => managed(column, "Not to be changed: the same as in the path, or left out."),
        _ if column.is_managed() => managed(column, "Set by the service: ignored."),
        _ if column.immutable => managed(column, "Not to be changed: the value it has, or left out."),
        _ => settable(column),
    }
}

/// A field that clients set.
fn settable(column: &ColumnDescriptor) -> Value {
    let mut schema = kind(column, Side::Request);
    rule::apply(&mut schema, column);
    let mut schema = nullable(column, schema);
    annotate(&mut schema, column, &rule::note(column));
    if column.write_only {
        schema["writeOnly"] = true.into();
    }
    schema
}

/// A field that clients may send, because they read it, and that is not theirs to set.
fn managed(column: &ColumnDescriptor, note: &str) -> Value {
    let mut schema = nullable(column, kind(column, Side::Answer));
    annotate(&mut schema, column, note);
    schema["readOnly"] = true.into();
    schema
}

/// Whether it is a key that the client gives.
pub(super) fn is_chosen_key(column: &ColumnDescriptor) -> bool {
    column.role == Role::Id && !column.is_managed()
}

/// Sets the description: the doc comment and what there is to add.
fn annotate(schema: &mut Value, column: &ColumnDescriptor, note: &str) {
    describe(schema, &format!("{}\n\n{note}", column.doc.trim()));
}

fn exemplify(schema: &mut Value, example: Option<Value>) {
    if let Some(example) = example {
        schema["examples"] = json!([example]);
    }
}

/// A single value in a query string or a path: whatever the field's rules, any value of its kind can be asked for.
pub(super) fn value(column: &ColumnDescriptor) -> Value {
    kind(column, Side::Request)
}

/// What the kind alone says of a value that is not null.
fn kind(column: &ColumnDescriptor, side: Side) -> Value {
    match column.kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::I16 => integer(column.kind, "int16"),
        Kind::I32 => integer(column.kind, "int32"),
        Kind::I64 => integer(column.kind, "int64"),
        Kind::U32 => integer(column.kind, "uint32"),
        Kind::F32 => json!({ "type": "number", "format": "float", "minimum": -F32_MAX, "maximum": F32_MAX }),
        Kind::F64 => json!({ "type": "number", "format": "double" }),
        Kind::Text if side == Side::Answer => json!({ "type": "string" }),
        Kind::Text => json!({ "type": "string", "pattern": PLAIN_TEXT }),
        Kind::Enum(texts) => json!({ "type": "string", "enum": texts }),
        Kind::DateTime => json!({ "type": "string", "format": "date-time", "pattern": date_time_pattern(side) }),
        Kind::Date => json!({ "type": "string", "format": "date" }),
        Kind::Time => json!({ "type": "string", "format": "time-local", "pattern": time_pattern(side) }),
        Kind::NaiveDateTime => {
            json!({ "type": "string", "format": "date-time-local", "pattern": naive_date_time_pattern(side) })
        }
        Kind::Uuid => json!({ "type": "string", "format": "uuid" }),
        Kind::Decimal => json!({ "type": "string", "format": "decimal", "pattern": decimal_pattern(column) }),
        Kind::Json => json!({}),
        Kind::Bytes if side == Side::Answer => json!({ "type": "string", "contentEncoding": "base64" }),
        Kind::Bytes => json!({ "type": "string", "contentEncoding": "base64", "pattern": BASE64 }),
        Kind::TextList if side == Side::Answer => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::TextList => json!({ "type": "array", "items": { "type": "string", "pattern": PLAIN_TEXT } }),
    }
}

/// Lets a schema take null too, where the field does.
fn nullable(column: &ColumnDescriptor, mut schema: Value) -> Value {
    if column.nullable && schema.get("type").is_some() {
        schema["type"] = json!([schema["type"], "null"]);
        if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            values.push(Value::Null);
        }
    }
    schema
}

fn integer(kind: Kind, format: &str) -> Value {
    let (least, most) = kind.integer_range().unwrap_or((i64::MIN, i64::MAX));
    json!({ "type": "integer", "format": format, "minimum": least, "maximum": most })
}

fn date_time_pattern(side: Side) -> String {
    match side {
        Side::Answer => r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$".to_owned(),
        Side::Request => {
            format!(
                r"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[Tt][0-9]{{2}}:[0-9]{{2}}:{SECONDS}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})$"
            )
        }
    }
}

/// Days that the month has, leap days whatever the year.
fn naive_date_time_pattern(side: Side) -> String {
    let long = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])";
    let short = "(0[469]|11)-(0[1-9]|[12][0-9]|30)";
    let february = "02-(0[1-9]|[12][0-9])";
    format!("^[0-9]{{4}}-({long}|{short}|{february})T{}", &time_pattern(side)[1..])
}

fn time_pattern(side: Side) -> String {
    match side {
        Side::Answer => r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}$".to_owned(),
        Side::Request => format!("^([01][0-9]|2[0-3]):[0-5][0-9]:{SECONDS}$"),
    }
}

/// Zeros behind the last digit say nothing, so there can be any number of them.
fn decimal_pattern(column: &ColumnDescriptor) -> String {
    let whole = match column.precision.saturating_sub(column.scale) {
        0 => "0".to_owned(),
        1 => "[0-9]".to_owned(),
        digits => format!("(0|[1-9][0-9]{{0,{}}})", digits - 1),
    };
    match column.scale {
        0 => format!(r"^-?{whole}(\.0+)?$"),
        scale => format!(r"^-?{whole}(\.[0-9]{{1,{scale}}}0*)?$"),
    }
}
