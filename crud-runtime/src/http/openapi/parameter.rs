//! The parameters of requests: path, query and headers.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::documented_columns;
use super::reference::reference;
use super::relation::{children, conditions, path_names, paths, relations};
use super::schema;
use super::schema::is_client_key;
use super::wording;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, OverLimit, Pagination};
use crate::model::value::Kind;
use crate::query::expansion::relation;
use crate::query::parse::{MAX_LIST, MAX_PATTERN, Operator};
use crate::query::words::{MAX_TEXT, MAX_WORDS};
use crate::query::{Comparison, QueryLimits};
use crate::store::resource_options::ResourceOptions;

/// A value of a comma-separated list of texts: bare, or in double quotes, which are doubled inside.
const LISTED_TEXT: &str = r#"^([^\u0000",][^\u0000,]*|"([^\u0000"]|"")*")?$"#;

/// The record's key, in the path.
pub(crate) fn id(descriptor: &Descriptor) -> Value {
    let column = descriptor.id_column();
    let mut schema = schema::value_schema(column);
    if is_client_key(column) {
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

/// A parameter in the path of a route of the program.
pub(crate) fn path(name: &str) -> Value {
    json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } })
}

/// The query parameters of a list.
pub(crate) fn list(options: &ResourceOptions, condition_schema: &str) -> Vec<Value> {
    let descriptor = options.descriptor;
    let page = options.pagination.into_iter().flat_map(page_parameters);
    let beside = expand(descriptor).into_iter().chain(scope_flags(descriptor));
    let of_page = text(descriptor).into_iter().chain(sort_parameter(descriptor)).chain(page).chain(beside);
    of_page.chain(filters_of_list(descriptor, condition_schema)).collect()
}

/// The query parameters of a list of the program's: without cursors, and what is beside the records.
pub(crate) fn of_list(options: &ResourceOptions, condition_schema: &str) -> Vec<Value> {
    let descriptor = options.descriptor;
    let pages = options.pagination.map(|pages| Pagination { cursor: false, ..pages });
    let of_page = sort_parameter(descriptor).into_iter().chain(pages.into_iter().flat_map(page_parameters));
    let of_list = text(descriptor).into_iter().chain(of_page).chain(scope_flags(descriptor));
    of_list.chain(filters_of_list(descriptor, condition_schema)).collect()
}

/// The conditions of a list.
fn filters_of_list(descriptor: &'static Descriptor, condition_schema: &str) -> impl Iterator<Item = Value> {
    let of_fields = all_filters(descriptor).chain(deletion_time_filters(descriptor));
    condition(descriptor, condition_schema).into_iter().chain(of_fields)
}

/// The query parameters of an export.
pub(crate) fn export(options: &ResourceOptions, condition_schema: &str) -> Vec<Value> {
    let descriptor = options.descriptor;
    let format = json!({ "type": "string", "enum": ["ndjson", "csv"], "default": "ndjson" });
    let raw = "Of CSV, whether texts are as they are: without, one that a spreadsheet would take for a formula begins with `'`.";
    let of_file = [
        query_parameter("format", "The format of the file.", &format),
        query_parameter("raw", raw, &json!({ "type": "boolean", "default": false })),
    ];
    let of_list = text(descriptor).into_iter().chain(sort_of_export(descriptor)).chain(scope_flags(descriptor));
    of_file.into_iter().chain(of_list).chain(filters_of_list(descriptor, condition_schema)).collect()
}

/// The query parameters of a get.
pub(crate) fn record(descriptor: &'static Descriptor) -> Vec<Value> {
    let mut parameters = Vec::new();
    if descriptor.soft_delete.is_some() {
        parameters.push(query_parameter(
            "include_deleted",
            "Whether to return a deleted record too.",
            &json!({ "type": "boolean", "default": false }),
        ));
    }
    parameters.extend(expand(descriptor));
    if descriptor.audit.is_some() {
        let then = "The time of the version to return, from the audit log.";
        parameters.push(query_parameter("as_of", then, &json!({ "type": "string", "format": "date-time" })));
    }
    parameters
}

/// The query parameters of a bulk restore or purge.
pub(crate) fn selection(descriptor: &'static Descriptor, condition_schema: &str) -> Vec<Value> {
    let all = query_parameter(
        "all",
        "All deleted records, instead of filters.",
        &json!({ "type": "boolean", "default": false }),
    );
    let of_list = text(descriptor).into_iter().chain(filters_of_list(descriptor, condition_schema));
    std::iter::once(all).chain(of_list).collect()
}

/// The filters of the deletion timestamp, which is always filterable among deleted records.
fn deletion_time_filters(descriptor: &'static Descriptor) -> impl Iterator<Item = Value> {
    let column = descriptor.soft_delete.map(|soft_delete| &descriptor.columns[soft_delete.deleted_at]);
    column
        .filter(|column| !column.filterable && column.is_returned() && column.visible.is_none())
        .into_iter()
        .flat_map(|column| filters(column, ""))
}

/// The filters of a resource, with those on the records that it refers to.
fn all_filters(descriptor: &'static Descriptor) -> impl Iterator<Item = Value> {
    let beside = relations(descriptor).flat_map(move |(index, name, target)| {
        paths(descriptor, index, target)
            .flat_map(move |column| filters(column, &format!("{name}.")).collect::<Vec<_>>())
    });
    filterable(descriptor).flat_map(|column| filters(column, "")).chain(beside)
}

/// The parameter `where`, where a filter is documented. Its value is a schema only for readers that know the extension:
/// generators stumble over parameters with a `content`.
fn condition(descriptor: &'static Descriptor, condition_schema: &str) -> Option<Value> {
    if !has_filters(descriptor) {
        return None;
    }
    let mut parameter = query_parameter(
        "where",
        "A condition in JSON that the records satisfy too: filters, `and`, `or` and `not`.",
        &json!({ "type": "string", "contentMediaType": "application/json" }),
    );
    parameter["schema"]["x-crud-schema"] = format!("#/components/schemas/{condition_schema}").into();
    Some(parameter)
}

/// Whether lists have filters in the document.
pub(crate) fn has_filters(descriptor: &'static Descriptor) -> bool {
    filterable(descriptor).next().is_some() || conditions(descriptor).next().is_some()
}

/// The parameters by which a create is an upsert, where it can be one.
pub(crate) fn upsert(descriptor: &'static Descriptor) -> Vec<Value> {
    let groups = descriptor.offered_upserts();
    if groups.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = groups.iter().map(|columns| descriptor.names_of(columns)).collect();
    let on_conflict = "The fields by which a record that has the same values is changed instead: of it, the fields in the \
                       body change.";
    vec![
        query_parameter("on_conflict", on_conflict, &json!({ "type": "string", "enum": names })),
        query_parameter(
            "conflict",
            "What becomes of that record: with `ignore`, it stays as it is. Needs `on_conflict`.",
            &json!({ "type": "string", "enum": ["update", "ignore"], "default": "update" }),
        ),
    ]
}

/// The parameter of an update that may create its record.
pub(crate) fn allow_missing() -> Value {
    let description = "Whether to create the record where there is none: the body must be a complete one then.";
    query_parameter("allow_missing", description, &json!({ "type": "boolean", "default": false }))
}

/// Whether lists by a body are in the document.
pub(crate) fn has_searches(descriptor: &'static Descriptor) -> bool {
    has_filters(descriptor) || descriptor.search.is_some()
}

/// The parameter `q`, where there is a full-text search.
pub(crate) fn text(descriptor: &'static Descriptor) -> Option<Value> {
    let search = descriptor.search?;
    let fields = search.columns.iter().map(|column| format!("`{}`", descriptor.columns[*column].json));
    let description = format!(
        "Words that the records hold in {}: each of them, the last one at least as the beginning of a word; at most \
         {MAX_WORDS}.",
        fields.collect::<Vec<_>>().join(" or ")
    );
    Some(query_parameter("q", &description, &json!({ "type": "string", "minLength": 1, "maxLength": MAX_TEXT })))
}

/// The parameter `expand`, where there are records that it can ask for.
pub(crate) fn expand(descriptor: &'static Descriptor) -> Option<Value> {
    let paths = expand_paths(descriptor, QueryLimits::default().expand_depth);
    if paths.is_empty() {
        return None;
    }
    let schema = json!({ "type": "array", "items": { "type": "string", "enum": paths }, "minItems": 1 });
    Some(comma_separated("expand", "The records to return beside each.", &schema))
}

/// The paths that lead to other records, at most so long.
fn expand_paths(descriptor: &'static Descriptor, depth: usize) -> Vec<String> {
    if depth == 0 {
        return Vec::new();
    }
    let children = children(descriptor).map(|children| (children.name, (children.resource)()));
    let relations = documented_columns(descriptor).filter_map(relation).chain(children);
    let paths = relations.flat_map(|(name, target)| {
        let longer = expand_paths(target, depth - 1).into_iter().map(move |path| format!("{name}.{path}"));
        std::iter::once(name.to_owned()).chain(longer)
    });
    paths.collect()
}

/// The flags that select active and deleted records.
pub(crate) fn scope_flags(descriptor: &Descriptor) -> impl Iterator<Item = Value> {
    let flags = descriptor.soft_delete.map(|soft_delete| {
        let by_default = soft_delete.include_deleted_by_default;
        [
            query_parameter(
                "include_deleted",
                "Whether to list deleted records too.",
                &json!({ "type": "boolean", "default": by_default }),
            ),
            query_parameter(
                "only_deleted",
                "Whether to list only deleted records.",
                &json!({ "type": "boolean", "default": false }),
            ),
        ]
    });
    flags.into_iter().flatten()
}

/// The filterable fields in the document.
pub(crate) fn filterable(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static ColumnDescriptor> {
    documented_columns(descriptor).filter(|column| column.filterable)
}

/// The names and the schemas of the filters of a resource, as the members of a condition have them.
pub(crate) fn filter_members(
    columns: impl Iterator<Item = &'static ColumnDescriptor>,
) -> impl Iterator<Item = (String, Value)> {
    columns.flat_map(|column| {
        operators(column).map(move |(name, operator)| {
            let mut schema = filter_schema(operator, column);
            if column.kind == Kind::Text && matches!(operator, Operator::In { .. }) {
                // In a JSON array, nothing is quoted.
                schema["items"] = schema::value_schema(column);
            }
            schema["description"] = filter_description(operator, column).into();
            (name, schema)
        })
    })
}

/// A field's filters, one for each operator of its type. Without an operator it is equality.
fn filters(column: &'static ColumnDescriptor, prefix: &str) -> impl Iterator<Item = Value> {
    operators(column).map(move |(name, operator)| {
        let name = format!("{prefix}{name}");
        let (description, schema) = (filter_description(operator, column), filter_schema(operator, column));
        let mut parameter = match operator {
            Operator::In { .. } => comma_separated(&name, &description, &schema),
            _ => query_parameter(&name, &description, &schema),
        };
        if column.deprecated {
            parameter["deprecated"] = true.into();
        }
        parameter
    })
}

/// The names of a field's filters, with their operators. Equality is documented once, by the field's bare name.
fn operators(column: &'static ColumnDescriptor) -> impl Iterator<Item = (String, Operator)> {
    let equals = |operator: &Operator| matches!(operator, Operator::Compare(Comparison::Eq));
    let named = Operator::ALL.into_iter().filter(move |(_, it)| it.applies(column) && !equals(it));
    let named = named.map(|(name, operator)| (format!("{}__{name}", column.json), operator));
    let equality = Operator::Compare(Comparison::Eq);
    let bare = equality.applies(column).then(|| (column.json.to_owned(), equality));
    bare.into_iter().chain(named)
}

fn filter_description(operator: Operator, column: &ColumnDescriptor) -> String {
    format!("Records whose `{}` {}.", column.json, predicate_text(operator))
}

fn filter_schema(operator: Operator, column: &ColumnDescriptor) -> Value {
    match operator {
        Operator::Compare(_) => schema::value_schema(column),
        Operator::Like { .. } | Operator::Contains { .. } | Operator::StartsWith => {
            let mut pattern = schema::value_schema(column);
            pattern["maxLength"] = MAX_PATTERN.into();
            pattern
        }
        Operator::In { .. } => list_schema(column),
        Operator::IsNull => json!({ "type": "boolean" }),
    }
}

const fn predicate_text(operator: Operator) -> &'static str {
    match operator {
        Operator::Compare(Comparison::Eq) => "equals the value",
        Operator::Compare(Comparison::Ne) => "differs from the value, and is not null",
        Operator::Compare(Comparison::Gt) => "is greater than the value",
        Operator::Compare(Comparison::Gte) => "is greater than the value or equal to it",
        Operator::Compare(Comparison::Lt) => "is less than the value",
        Operator::Compare(Comparison::Lte) => "is less than the value or equal to it",
        Operator::In { negated: false } => "is one of the values",
        Operator::In { negated: true } => "is not one of the values, and is not null",
        Operator::Like { ignore_case: false } => "matches the pattern, case-sensitively; `%` matches any text",
        Operator::Like { ignore_case: true } => "matches the pattern, case-insensitively; `%` matches any text",
        Operator::Contains { ignore_case: false } => "contains the text, case-sensitively",
        Operator::Contains { ignore_case: true } => "contains the text, case-insensitively",
        Operator::StartsWith => "begins with the text, case-sensitively",
        Operator::IsNull => "is null, or with `false` is not",
    }
}

fn list_schema(column: &ColumnDescriptor) -> Value {
    let mut items = schema::value_schema(column);
    if column.kind == Kind::Text {
        items["pattern"] = LISTED_TEXT.into();
    }
    json!({ "type": "array", "items": items, "minItems": 1, "maxItems": MAX_LIST })
}

pub(crate) fn sort_parameter(descriptor: &'static Descriptor) -> Option<Value> {
    let own = documented_columns(descriptor).filter(|column| column.sortable).map(|column| column.json.to_owned());
    let fields: Vec<String> = own.chain(path_names(descriptor, descriptor.sort_paths)).collect();
    if fields.is_empty() {
        return None;
    }
    let keys: Vec<String> = fields.iter().flat_map(|field| [field.clone(), format!("-{field}")]).collect();
    let mut schema = json!({ "type": "array", "items": { "type": "string", "enum": keys }, "minItems": 1 });
    // What generators call the keys: `-` is in no identifier.
    let names: Vec<String> = fields.iter().flat_map(|field| [constant(field), constant(field) + "_DESC"]).collect();
    if names.iter().collect::<HashSet<_>>().len() == names.len() {
        schema["items"]["x-enum-varnames"] = names.into();
    }
    let order = default_order(descriptor);
    if !order.is_empty() && order.iter().all(|key| keys.contains(key)) {
        schema["default"] = json!(order);
    }
    Some(comma_separated(
        "sort",
        "The fields to sort by, the most important first and each at most once; `-` for descending. \
         Nulls come first ascending and last descending. Ties are in the order of the key.",
        &schema,
    ))
}

/// The parameter `sort` of an export, without the default: openapi-generator's `go` writes it as code that does not
/// compile.
fn sort_of_export(descriptor: &'static Descriptor) -> Option<Value> {
    let mut parameter = sort_parameter(descriptor)?;
    parameter["schema"].as_object_mut()?.remove("default");
    Some(parameter)
}

/// The name as a constant, such as `CREATED_AT`.
fn constant(name: &str) -> String {
    wording::words(name).to_uppercase().replace(' ', "_")
}

fn default_order(descriptor: &Descriptor) -> Vec<String> {
    let keys = descriptor.default_sort.iter();
    keys.map(|key| format!("{}{}", if key.descending { "-" } else { "" }, descriptor.columns[key.column].json))
        .collect()
}

pub(crate) fn page_parameters(pagination: Pagination) -> Vec<Value> {
    let Pagination { default_limit, max_limit, over_limit, .. } = pagination;
    let (description, limit) = match over_limit {
        OverLimit::Reject => (
            "The maximum number of records to return.".to_owned(),
            json!({
                "type": "integer",
                "format": "int64",
                "minimum": 1,
                "maximum": max_limit,
                "default": default_limit,
            }),
        ),
        OverLimit::Clamp => (
            format!("The maximum number of records to return; a number above {max_limit} counts as {max_limit}."),
            json!({ "type": "integer", "minimum": 1, "default": default_limit }),
        ),
    };
    let skip = json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": i64::MAX, "default": 0 });
    let mut parameters = vec![
        query_parameter("skip", "The number of records to skip.", &skip),
        query_parameter("limit", &description, &limit),
    ];
    if pagination.cursor {
        let cursor = "The page after or before another one: its `next_cursor` or `prev_cursor`, with the same order and filters.";
        parameters.push(query_parameter("cursor", cursor, &json!({ "type": "string" })));
    }
    parameters
}

pub(crate) fn query_parameter(name: &str, description: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

/// A parameter of a route of the program.
pub(crate) fn of_query(column: &ColumnDescriptor) -> Value {
    let mut parameter = query_parameter(column.json, column.doc.trim(), &schema::parameter(column));
    if column.is_required() {
        parameter["required"] = true.into();
    }
    parameter
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

/// The parameters of a change whose response has a record: those of the components, and `expand`.
pub(crate) fn of_change(descriptor: &'static Descriptor, shared: &[&str]) -> Vec<Value> {
    let shared = shared.iter().map(|name| reference("parameters", name));
    shared.chain(expand(descriptor)).collect()
}

/// The request headers that operations share, as components.
///
/// Without examples, which Swagger UI would send with every request.
pub(crate) fn components() -> Map<String, Value> {
    let headers = [
        (
            "IfNoneMatch",
            "If-None-Match",
            "Entity tags of versions that the client has: the response to one of them is 304.",
        ),
        (
            "IfMatch",
            "If-Match",
            "Entity tags of versions, one of which the record must have: otherwise the response is 412.",
        ),
        (
            "PreferList",
            "Prefer",
            "`count=capped` counts up to a limit and `count=none` not at all, never more precisely than the resource does; \
             `handling=lenient` ignores unknown parameters (RFC 7240).",
        ),
        ("PreferChange", "Prefer", "`return=minimal` asks for a response without a body (RFC 7240)."),
    ];
    headers
        .into_iter()
        .map(|(key, name, description)| {
            let schema = json!({ "type": "string" });
            (key.to_owned(), json!({ "name": name, "in": "header", "description": description, "schema": schema }))
        })
        .collect()
}
