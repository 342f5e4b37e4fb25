//! The parameters of requests: in the path, the query and the headers.

use serde_json::{Map, Value, json};

use crate::descriptor::{ColumnDescriptor, Descriptor, OverLimit, Pagination};
use crate::openapi::schema::{self, is_chosen_key};
use crate::options::ResourceOptions;
use crate::value::Kind;

/// How many values a list has at most.
const MAX_LISTED: u32 = 100;

/// A value of a comma-separated list of texts: bare, or in double quotes, which are doubled inside.
const LISTED_TEXT: &str = r#"^([^\u0000",]*|"([^\u0000"]|"")*")$"#;

/// What stands behind a field's name, for which fields, and what the parameter says of the field.
type Operator = (&'static str, fn(&ColumnDescriptor) -> bool, &'static str);

/// Every operator.
const OPERATORS: [Operator; 12] = [
    ("", is_comparable, "equals"),
    ("__eq", is_comparable, "equals"),
    ("__ne", is_comparable, "differs from"),
    ("__gt", is_ordered, "is greater than"),
    ("__gte", is_ordered, "is greater than or equal to"),
    ("__lt", is_ordered, "is less than"),
    ("__lte", is_ordered, "is less than or equal to"),
    ("__in", is_comparable, "is one of"),
    ("__nin", is_comparable, "is none of"),
    ("__like", is_text, "matches, case-sensitively, with `%` for any text"),
    ("__ilike", is_text, "matches, whatever the case, with `%` for any text"),
    ("__isnull", is_nullable, "is null, or is not"),
];

fn is_comparable(column: &ColumnDescriptor) -> bool {
    column.kind.is_comparable()
}

fn is_ordered(column: &ColumnDescriptor) -> bool {
    column.kind.is_ordered()
}

fn is_text(column: &ColumnDescriptor) -> bool {
    column.kind.is_text()
}

fn is_nullable(column: &ColumnDescriptor) -> bool {
    column.nullable
}

/// The key of a record, in the path.
pub(super) fn id(descriptor: &Descriptor) -> Value {
    let column = descriptor.id_column();
    let mut schema = schema::value(column);
    if is_chosen_key(column) {
        schema["minLength"] = 1.into();
    }
    json!({
        "name": "id",
        "in": "path",
        "required": true,
        "description": format!("The `{}` of the record.", column.json),
        "schema": schema,
    })
}

/// Everything that a list takes in its query string.
pub(super) fn list(options: &ResourceOptions) -> Vec<Value> {
    let filters = options.descriptor.filterable().flat_map(filters);
    let page = options.pagination.into_iter().flat_map(page);
    filters.chain(sort(options.descriptor)).chain(page).collect()
}

/// A field's filters, one for each operator that its type has.
fn filters(column: &'static ColumnDescriptor) -> impl Iterator<Item = Value> {
    OPERATORS.into_iter().filter(|(_, applies, _)| applies(column)).map(|(suffix, _, says)| {
        let name = format!("{}{suffix}", column.json);
        let description = format!("Records whose `{}` {says}.", column.json);
        match suffix {
            "__in" | "__nin" => comma_separated(&name, &description, &listed(column)),
            "__isnull" => query(&name, &description, &json!({ "type": "boolean" })),
            _ => query(&name, &description, &schema::value(column)),
        }
    })
}

fn listed(column: &ColumnDescriptor) -> Value {
    let mut items = schema::value(column);
    if column.kind == Kind::Text {
        items["pattern"] = LISTED_TEXT.into();
    }
    json!({ "type": "array", "items": items, "minItems": 1, "maxItems": MAX_LISTED })
}

fn sort(descriptor: &Descriptor) -> Option<Value> {
    let fields: Vec<&str> = descriptor.sortable().map(|column| column.json).collect();
    if fields.is_empty() {
        return None;
    }
    let keys: Vec<String> = fields.iter().flat_map(|field| [(*field).to_owned(), format!("-{field}")]).collect();
    let once = |field: &&str| json!({ "contains": { "enum": [field, format!("-{field}")] }, "minContains": 0, "maxContains": 1 });
    let mut schema = json!({
        "type": "array",
        "items": { "type": "string", "enum": keys },
        "minItems": 1,
        "uniqueItems": true,
        "allOf": fields.iter().map(once).collect::<Vec<_>>(),
    });
    let order = default_order(descriptor);
    if !order.is_empty() && order.iter().all(|key| keys.contains(key)) {
        schema["default"] = json!(order);
    }
    Some(comma_separated(
        "sort",
        "The fields to sort by, the most important first and each at most once; `-` for descending. \
         Nulls come first ascending and last descending. What is equal in all of them is in the order of the key.",
        &schema,
    ))
}

fn default_order(descriptor: &Descriptor) -> Vec<String> {
    let keys = descriptor.default_sort.iter();
    keys.map(|key| format!("{}{}", if key.descending { "-" } else { "" }, descriptor.columns[key.column].json))
        .collect()
}

fn page(pagination: Pagination) -> [Value; 2] {
    let Pagination { default_limit, max_limit, over_limit } = pagination;
    let mut limit = json!({
        "type": "integer",
        "format": "int64",
        "minimum": 1,
        "maximum": max_limit,
        "default": default_limit,
    });
    let mut description = "How many records to return at most.".to_owned();
    if over_limit == OverLimit::Clamp {
        limit["maximum"] = i64::MAX.into();
        description = format!("How many records to return at most; more than {max_limit} are {max_limit}.");
    }
    let skip = json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": i64::MAX, "default": 0 });
    [query("skip", "How many records to pass over.", &skip), query("limit", &description, &limit)]
}

fn query(name: &str, description: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

fn comma_separated(name: &str, description: &str, schema: &Value) -> Value {
    json!({
        "name": name,
        "in": "query",
        "description": description,
        "style": "form",
        "explode": false,
        "schema": schema,
    })
}

/// The request headers that operations share, as components.
pub(super) fn components() -> Map<String, Value> {
    let headers = [
        (
            "IfNoneMatch",
            "If-None-Match",
            "Entity tags of versions that the client has: for one of them the answer is 304.",
            "\"3f2c\"",
        ),
        (
            "IfMatch",
            "If-Match",
            "Entity tags of the versions that may be changed: for any other the answer is 412.",
            "\"3f2c\"",
        ),
        (
            "PreferList",
            "Prefer",
            "`count=none` leaves the total uncounted; `handling=lenient` passes over unknown parameters (RFC 7240).",
            "count=none",
        ),
        ("PreferChange", "Prefer", "`return=minimal` asks for an answer without a body (RFC 7240).", "return=minimal"),
    ];
    headers
        .into_iter()
        .map(|(key, name, description, example)| {
            (
                key.to_owned(),
                json!({
                    "name": name,
                    "in": "header",
                    "description": description,
                    "schema": { "type": "string" },
                    "example": example,
                }),
            )
        })
        .collect()
}
