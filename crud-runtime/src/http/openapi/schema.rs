//! The schemas of a resource: record, create, patch, page.

use serde_json::{Map, Value, json};

use super::documented_column::documented_columns;
use super::example::{self, Examples};
use super::wording;
use super::wording::sentence;
use super::{DocumentedResource, describe, reference, relation, rule, sample, transition};
use crate::http::body::RESERVED_IDS;
use crate::model::descriptor::{Children, ColumnDescriptor, Count, Descriptor, Operation, Role};
use crate::model::value::Kind;
use crate::query::expansion::relation as referenced;
use crate::store::resource_options::ResourceOptions;

/// The largest single-precision float as JSON has it: rounded up.
const F32_MAX: f64 = 3.402_823_5e38;
/// Text without NUL.
pub(crate) const PLAIN_TEXT: &str = r"^[^\u0000]*$";
/// Base64 with padding and zero pad bits (RFC 4648 section 3.5).
const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$";
/// Seconds with at most six significant fraction digits; no leap second.
const SECONDS: &str = r"[0-5][0-9](\.[0-9]{1,6}0*)?";

/// The direction of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// In a request: every accepted form.
    Request,
    /// In a response: the one canonical form.
    Response,
}

/// The schemas of a resource by name.
pub(crate) fn resource_schemas(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
) -> Vec<(String, Value)> {
    let DocumentedResource { options, names, examples, .. } = resource;
    let descriptor = options.descriptor;
    let mut schemas = Vec::new();
    if Operation::ALL.into_iter().any(|operation| resource.offers(operation)) {
        schemas.push((names.record(), record(descriptor, resources, examples)));
    }
    if resource.offers(Operation::Create) {
        schemas.push((names.create(), bounded(create(descriptor, examples), options)));
    }
    if resource.offers(Operation::Update) {
        schemas.push((names.patch(), bounded(patch(descriptor, examples), options)));
    }
    if resource.offers(Operation::List) && options.pagination.is_some() {
        let mut page = page(&names.record(), has_cursors(options));
        example::add(&mut page, page_example(options, examples));
        schemas.push((names.list(), page));
    }
    schemas
}

/// A body, with the service's bound of texts that no rule bounds.
fn bounded(mut schema: Value, options: &ResourceOptions) -> Value {
    for column in options.descriptor.columns.iter().filter(|column| column.has_text_limit()) {
        if let Some(property) =
            schema["properties"].get_mut(column.json).filter(|property| property["readOnly"] != true)
        {
            property["maxLength"] = options.text_limit.into();
        }
    }
    schema
}

/// A record in a response.
fn record(descriptor: &'static Descriptor, resources: &[DocumentedResource<'_>], examples: &Examples) -> Value {
    let columns = || documented_columns(descriptor).filter(|column| column.is_returned());
    let fields = columns().map(|column| (column.json.to_owned(), response_property(column)));
    let beside = columns().filter_map(referenced).map(|(name, target)| (name.to_owned(), beside(target, resources)));
    let children = relation::children(descriptor).map(|of| (of.name.to_owned(), children(of, resources)));
    let mut schema = json!({
        "type": "object",
        "required": columns().map(|column| column.json).collect::<Vec<_>>(),
        "properties": fields.chain(beside).chain(children).collect::<Map<_, _>>(),
    });
    describe(&mut schema, descriptor.doc);
    example::add(&mut schema, examples.record());
    schema
}

/// The record that a field refers to, where a request asks for it; null where the principal does not reach it.
fn beside(target: &'static Descriptor, resources: &[DocumentedResource<'_>]) -> Value {
    let description = "The record that is referred to, if `expand` asks for it.";
    let known = resources.iter().find(|other| std::ptr::eq(other.options.descriptor, target));
    match known {
        Some(known) => {
            let record = reference("schemas", &known.names.record());
            json!({ "description": description, "oneOf": [record, { "type": "null" }] })
        }
        None => json!({ "description": description, "type": ["object", "null"] }),
    }
}

/// The records that refer to this one, where a request asks for them.
fn children(children: &Children, resources: &[DocumentedResource<'_>]) -> Value {
    let known = resources.iter().find(|other| std::ptr::eq(other.options.descriptor, (children.resource)()));
    let record = known.map_or_else(|| json!({ "type": "object" }), |known| reference("schemas", &known.names.record()));
    json!({
        "description": "The first records that refer to this one, if `expand` asks for them.",
        "type": "object",
        "required": ["data", "limit", "more"],
        "properties": {
            "data": { "description": "The records.", "type": "array", "items": record, "maxItems": children.limit },
            "limit": { "description": "How many there are at most.", "type": "integer", "format": "int64" },
            "more": { "description": "Whether there are more.", "type": "boolean" },
        },
    })
}

/// The body of a create.
fn create(descriptor: &'static Descriptor, examples: &Examples) -> Value {
    let required = documented_columns(descriptor).filter(|column| column.is_required() && !column.hidden);
    let mut schema = json!({
        "description": sentence(&format!("{} to create.", wording::with_article(descriptor.name))),
        "type": "object",
        "required": required.map(|column| column.json).collect::<Vec<_>>(),
        "properties": body_properties(descriptor, create_property),
        "additionalProperties": false,
    });
    example::add(&mut schema, examples.create());
    schema
}

/// The body of a route of the program.
pub(crate) fn body(descriptor: &'static Descriptor) -> Value {
    let required = descriptor.columns.iter().filter(|column| column.is_required());
    let mut schema = json!({
        "type": "object",
        "required": required.map(|column| column.json).collect::<Vec<_>>(),
        "properties": body_properties(descriptor, create_property),
        "additionalProperties": false,
    });
    let description = descriptor.doc.trim();
    describe(&mut schema, if description.is_empty() { "The body of a request." } else { description });
    schema
}

/// The body of an update.
fn patch(descriptor: &'static Descriptor, examples: &Examples) -> Value {
    let mut schema = json!({
        "description": format!("The fields of {} to change; absent fields keep their values.", wording::with_article(descriptor.name)),
        "type": "object",
        "properties": body_properties(descriptor, patch_property),
        "additionalProperties": false,
    });
    example::add(&mut schema, examples.patch());
    schema
}

/// An item of a batch update: the fields to change and the key.
pub(crate) fn batch_item(options: &ResourceOptions) -> Value {
    let descriptor = options.descriptor;
    let id = descriptor.id_column();
    let mut properties = body_properties(descriptor, patch_property);
    let mut key = value_schema(id);
    describe(&mut key, "The key of the record.");
    properties.insert(id.json.to_owned(), key);
    let item = json!({
        "description": format!("The fields of {} to change, and its key.", wording::with_article(descriptor.name)),
        "type": "object",
        "required": [id.json],
        "properties": properties,
        "additionalProperties": false,
    });
    bounded(item, options)
}

/// A page of records.
pub(crate) fn page(record: &str, has_cursors: bool) -> Value {
    let mut page = json!({
        "description": "A page of records.",
        "type": "object",
        "required": ["data", "total", "total_relation", "page", "pages", "limit", "skip"],
        "properties": {
            "data": {
                "description": "The records of the page.",
                "type": "array",
                "items": reference("schemas", record),
            },
            "total": {
                "description": "The number of matching records, or a lower bound of it; null when they are not counted.",
                "type": ["integer", "null"],
                "format": "int64",
                "minimum": 0,
            },
            "total_relation": {
                "description": "`eq` for an exact total, `gte` for a lower bound; null when they are not counted.",
                "type": ["string", "null"],
                "enum": ["eq", "gte", null],
            },
            "page": {
                "description": "The page's number, from 1.",
                "type": "integer",
                "format": "int64",
                "minimum": 1,
            },
            "pages": {
                "description": "The number of pages; null unless the total is exact.",
                "type": ["integer", "null"],
                "format": "int64",
                "minimum": 0,
            },
            "limit": {
                "description": "The maximum number of records on a page.",
                "type": "integer",
                "format": "int64",
                "minimum": 1,
            },
            "skip": {
                "description": "The number of records before the page.",
                "type": "integer",
                "format": "int64",
                "minimum": 0,
            },
        },
    });
    if has_cursors {
        let cursor = |which: &str| json!({ "description": format!("The `cursor` of the {which} page; null at the end."), "type": ["string", "null"] });
        page["properties"]["page"]["type"] = json!(["integer", "null"]);
        page["properties"]["page"]["description"] = "The page's number, from 1; null by a cursor.".into();
        page["properties"]["next_cursor"] = cursor("next");
        page["properties"]["prev_cursor"] = cursor("previous");
        if let Some(required) = page["required"].as_array_mut() {
            required.extend(["next_cursor".into(), "prev_cursor".into()]);
        }
    }
    page
}

/// The page of a list with one record.
fn page_example(options: &ResourceOptions, examples: &Examples) -> Option<Value> {
    let pagination = options.pagination?;
    let is_counted = pagination.count != Count::None;
    let counted = |value: Value| if is_counted { value } else { Value::Null };
    let mut page = json!({
        "data": [examples.record()?],
        "total": counted(1.into()),
        "total_relation": counted("eq".into()),
        "page": 1,
        "pages": counted(1.into()),
        "limit": pagination.default_limit,
        "skip": 0,
    });
    if pagination.cursor {
        page["next_cursor"] = Value::Null;
        page["prev_cursor"] = Value::Null;
    }
    Some(page)
}

/// Whether the pages of a resource follow one another by cursors.
pub(crate) fn has_cursors(options: &ResourceOptions) -> bool {
    options.pagination.is_some_and(|pages| pages.cursor)
}

fn body_properties(descriptor: &'static Descriptor, property: fn(&ColumnDescriptor) -> Value) -> Map<String, Value> {
    let columns = documented_columns(descriptor).filter(|column| !column.hidden);
    columns.map(|column| (column.json.to_owned(), property(column))).collect()
}

/// A field in a response.
fn response_property(column: &ColumnDescriptor) -> Value {
    let mut schema = field_schema(column, kind_schema(column, Direction::Response));
    match transition::note(column) {
        note if note.is_empty() => describe(&mut schema, column.doc),
        note => annotate(&mut schema, column, &note),
    }
    schema
}

/// A field in a create.
fn create_property(column: &ColumnDescriptor) -> Value {
    if column.is_managed() {
        return managed_property(column, "Set by the service: ignored.");
    }
    let mut schema = settable_property(column);
    if is_client_key(column) {
        schema["minLength"] = 1.into();
        // Clients remove `.` and `..` segments from a path.
        let reserved_keys = [&RESERVED_IDS[..], &[".", ".."]].concat();
        schema["not"] = json!({ "enum": reserved_keys });
    }
    if let Some(initial) = column.initial_state() {
        schema["enum"] = json!([sample::json(column, initial.borrow())]);
    }
    if let Some(default) = column.default {
        schema["default"] = sample::json(column, default().borrow());
    }
    state_default(&mut schema);
    schema
}

/// Moves the default of a member that clients may leave out into its description: generators take a member with a
/// `default` for one that is always there.
pub(crate) fn state_default(schema: &mut Value) {
    let Some(default) = schema.as_object_mut().and_then(|schema| schema.shift_remove("default")) else { return };
    let said = schema["description"].as_str().unwrap_or_default();
    let description = format!("{said}\n\nDefault: `{default}`.");
    describe(schema, &description);
}

/// A field in an update.
fn patch_property(column: &ColumnDescriptor) -> Value {
    match column.role {
        Role::Id => managed_property(column, "Immutable: must equal the id in the path, or be absent."),
        _ if column.is_managed() => managed_property(column, "Set by the service: ignored."),
        _ if column.immutable => managed_property(column, "Immutable: must equal the stored value, or be absent."),
        _ => settable_property(column),
    }
}

/// A field that clients may set.
fn settable_property(column: &ColumnDescriptor) -> Value {
    let mut schema = kind_schema(column, Direction::Request);
    rule::apply(&mut schema, column);
    let mut schema = field_schema(column, schema);
    let notes = [rule::note(column), transition::note(column)].concat();
    annotate(&mut schema, column, &notes);
    if column.write_only {
        schema["writeOnly"] = true.into();
    }
    schema
}

/// A field that clients may send back but not set.
fn managed_property(column: &ColumnDescriptor, note: &str) -> Value {
    let mut schema = field_schema(column, kind_schema(column, Direction::Response));
    annotate(&mut schema, column, note);
    schema["readOnly"] = true.into();
    schema
}

/// Whether the column is a key that clients choose.
pub(crate) fn is_client_key(column: &ColumnDescriptor) -> bool {
    column.role == Role::Id && !column.is_managed()
}

/// Sets the description: the doc comment and a note.
fn annotate(schema: &mut Value, column: &ColumnDescriptor, note: &str) {
    describe(schema, &format!("{}\n\n{note}", column.doc.trim()));
}

/// A single value in a query string or a path: any value of the field's kind, whatever its rules.
pub(crate) fn value_schema(column: &ColumnDescriptor) -> Value {
    kind_schema(column, Direction::Request)
}

/// A parameter of a route of the program: a value of the field's kind that its rules allow.
pub(crate) fn parameter(column: &ColumnDescriptor) -> Value {
    let mut schema = kind_schema(column, Direction::Request);
    rule::apply(&mut schema, column);
    if let Some(default) = column.default {
        schema["default"] = sample::json(column, default().borrow());
    }
    schema
}

/// The schema of a kind's values other than null.
fn kind_schema(column: &ColumnDescriptor, direction: Direction) -> Value {
    match column.kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::I16 => integer_schema(column.kind, "int16"),
        Kind::I32 => integer_schema(column.kind, "int32"),
        Kind::I64 => integer_schema(column.kind, "int64"),
        Kind::U32 => integer_schema(column.kind, "uint32"),
        Kind::F32 => json!({ "type": "number", "format": "float", "minimum": -F32_MAX, "maximum": F32_MAX }),
        Kind::F64 => json!({ "type": "number", "format": "double" }),
        Kind::Text if direction == Direction::Response => json!({ "type": "string" }),
        Kind::Text => json!({ "type": "string", "pattern": PLAIN_TEXT }),
        Kind::Enum(texts) => json!({ "type": "string", "enum": texts }),
        Kind::DateTime => json!({ "type": "string", "format": "date-time", "pattern": date_time_pattern(direction) }),
        Kind::Date => json!({ "type": "string", "format": "date" }),
        Kind::Time => json!({ "type": "string", "format": "time-local", "pattern": time_pattern(direction) }),
        Kind::NaiveDateTime => {
            json!({ "type": "string", "format": "date-time-local", "pattern": naive_date_time_pattern(direction) })
        }
        Kind::Uuid => json!({ "type": "string", "format": "uuid" }),
        Kind::Decimal => json!({ "type": "string", "format": "decimal", "pattern": decimal_pattern(column) }),
        Kind::Json => json!({}),
        Kind::Bytes if direction == Direction::Response => json!({ "type": "string", "contentEncoding": "base64" }),
        Kind::Bytes => json!({ "type": "string", "contentEncoding": "base64", "pattern": BASE64 }),
        Kind::TextList if direction == Direction::Response => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::TextList => json!({ "type": "array", "items": { "type": "string", "pattern": PLAIN_TEXT } }),
    }
}

/// The schema of a field: allows null where it is nullable, and says where it is deprecated.
fn field_schema(column: &ColumnDescriptor, mut schema: Value) -> Value {
    if column.nullable && schema.get("type").is_some() {
        schema["type"] = json!([schema["type"], "null"]);
        if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            values.push(Value::Null);
        }
    }
    if column.deprecated {
        schema["deprecated"] = true.into();
    }
    schema
}

fn integer_schema(kind: Kind, format: &str) -> Value {
    let (min, max) = kind.integer_range().unwrap_or((i64::MIN, i64::MAX));
    json!({ "type": "integer", "format": format, "minimum": min, "maximum": max })
}

fn date_time_pattern(direction: Direction) -> String {
    match direction {
        Direction::Response => r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$".to_owned(),
        Direction::Request => {
            format!(
                r"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[Tt][0-9]{{2}}:[0-9]{{2}}:{SECONDS}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})$"
            )
        }
    }
}

/// With the days that each month has; February 29 in every year.
fn naive_date_time_pattern(direction: Direction) -> String {
    let long = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])";
    let short = "(0[469]|11)-(0[1-9]|[12][0-9]|30)";
    let february = "02-(0[1-9]|[12][0-9])";
    format!("^[0-9]{{4}}-({long}|{short}|{february})T{}", &time_pattern(direction)[1..])
}

fn time_pattern(direction: Direction) -> String {
    match direction {
        Direction::Response => r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}$".to_owned(),
        Direction::Request => format!("^([01][0-9]|2[0-3]):[0-5][0-9]:{SECONDS}$"),
    }
}

/// Any number of trailing zeros is accepted.
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
