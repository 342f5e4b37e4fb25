//! [`SeenField`]: a field, as far as a caller may see it.

use crud_runtime::access::Access;
use crud_runtime::auth::Principal;
use crud_runtime::column::{Kind, Value};
use crud_runtime::descriptor::{ColumnDescriptor, Descriptor, Literal, Operation, Role, Rule, Transition};
use crud_runtime::{Model, ServedResource};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::file::SeenFile;
use super::is_false;
use crate::place::words;

/// A field, as far as a caller may see it.
#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact for itself")]
pub(super) struct SeenField {
    name: String,
    label: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    doc: &'static str,
    kind: String,
    #[serde(skip_serializing_if = "is_false")]
    nullable: bool,
    #[serde(skip_serializing_if = "is_false")]
    required: bool,
    /// Whether bodies cannot set the field.
    #[serde(skip_serializing_if = "is_false")]
    read_only: bool,
    /// Whether the field is computed when the record is read.
    #[serde(skip_serializing_if = "is_false")]
    computed: bool,
    /// Whether answers leave the field out.
    #[serde(skip_serializing_if = "is_false")]
    write_only: bool,
    /// Whether the service sets the field from the caller, as for an owner or a tenant.
    #[serde(skip_serializing_if = "is_false")]
    assigned: bool,
    #[serde(skip_serializing_if = "is_false")]
    immutable: bool,
    #[serde(skip_serializing_if = "is_false")]
    deprecated: bool,
    /// The role of a column that the service manages: `id`, `created_at`, `updated_at`, `deleted_at` or `is_deleted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// The values of an enum.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    values: &'static [&'static str],
    /// The labels of an enum's values.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'static [&'static str],
    /// The operators of filters by this field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ops: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refers: Option<Refers>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    rules: Map<String, Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transitions: Vec<SeenTransition>,
    /// The limits of files, if the field holds files.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<SeenFile>,
}

/// The resource that a field refers to.
#[derive(Serialize)]
struct Refers {
    resource: &'static str,
    /// The name of the referenced record in `expand`.
    expand: Option<&'static str>,
    /// For a key of several fields: the fields that refer to it together, in the order of the key.
    by: Vec<&'static str>,
}

/// A transition between states.
#[derive(Serialize)]
struct SeenTransition {
    name: &'static str,
    label: String,
    from: Vec<Json>,
    to: Json,
    can: bool,
}

impl SeenField {
    /// The field of a column; `None` if it is in neither bodies nor answers of the caller.
    pub(super) fn of(
        model: &Model,
        resource: ServedResource<'_>,
        index: usize,
        caller: Option<&Principal>,
    ) -> Option<Self> {
        let descriptor = resource.descriptor();
        let column = &descriptor.columns[index];
        let is_shown = resource.shows(index, caller);
        if column.hidden || !is_shown && !column.write_only {
            return None;
        }
        let refers = column.references.map(|reference| {
            let target = (reference.target)();
            let is_listed = model.resource(target).is_some_and(|target| target.admits(Operation::List, caller));
            let by = if reference.by.len() > 1 { reference.by } else { &[] };
            Refers {
                resource: target.name,
                expand: reference.relation.filter(|_| reference.expand && is_listed),
                by: by.iter().map(|column| descriptor.columns[*column].json).collect(),
            }
        });
        let is_assigned = is_assigned(descriptor, index, caller);
        let label = match column.json.strip_suffix("_id").or_else(|| column.json.strip_suffix("Id")) {
            Some(short) if refers.is_some() && !short.is_empty() => words(short),
            _ => words(column.json),
        };
        Some(Self {
            name: column.json.to_owned(),
            label,
            doc: column.doc,
            kind: kind(column.kind),
            nullable: column.nullable,
            required: column.is_required() && !column.read_only,
            read_only: column.read_only || column.is_managed() || column.is_computed() || is_assigned,
            computed: column.is_computed(),
            assigned: is_assigned,
            write_only: column.write_only,
            immutable: column.immutable,
            deprecated: column.deprecated,
            role: role(column),
            values: if let Kind::Enum(texts) = column.kind { texts } else { &[] },
            labels: column.labels,
            ops: if is_shown { resource.operators(index) } else { Vec::new() },
            refers,
            rules: rules(column),
            default: column.default.filter(|_| !is_moment(column.kind)).map(|default| json_of(&default())),
            scale: (column.kind == Kind::Decimal).then_some(column.scale),
            transitions: column.transitions.iter().map(|it| transition(it, resource, caller)).collect(),
            file: None,
        })
    }

    /// Sets the limits of files, if the field holds files.
    pub(super) fn with_file(self, file: Option<SeenFile>) -> Self {
        let kind = if file.is_some() { "file".to_owned() } else { self.kind };
        Self { kind, file, ..self }
    }

    /// The field as a filter for lists of another resource, which refers to this one by a relation.
    pub(super) fn of_relation(self, relation: &str) -> Self {
        let label = format!("{}: {}", words(relation), self.label.to_lowercase());
        Self { name: format!("{relation}.{}", self.name), label, ..self }
    }
}

/// Whether a body can set the column only to the caller's own subject or tenant.
fn is_assigned(descriptor: &Descriptor, index: usize, caller: Option<&Principal>) -> bool {
    let admits = |access: Option<Access>| access.is_some_and(|access| access.admits(caller));
    let of_tenant = descriptor.tenant.filter(|tenant| tenant.column == index);
    let of_owner = descriptor.owner.filter(|owner| owner.column == index);
    of_tenant.is_some_and(|tenant| !admits(tenant.except))
        || of_owner.is_some_and(|owner| !admits(owner.except) && !admits(owner.assign))
}

fn transition(it: &Transition, resource: ServedResource<'_>, caller: Option<&Principal>) -> SeenTransition {
    SeenTransition {
        name: it.name,
        label: words(it.name),
        from: it.from.iter().map(|from| json_of(&from())).collect(),
        to: json_of(&(it.to)()),
        can: !resource.descriptor().presentation.read_only && resource.admits_transition(it.name, caller),
    }
}

/// Whether defaults of the kind differ each time, such as the current time.
const fn is_moment(kind: Kind) -> bool {
    matches!(kind, Kind::DateTime | Kind::Date | Kind::Time | Kind::NaiveDateTime | Kind::Uuid)
}

fn role(column: &ColumnDescriptor) -> Option<&'static str> {
    match column.role {
        Role::Plain => None,
        Role::Id => Some("id"),
        Role::CreatedAt => Some("created_at"),
        Role::UpdatedAt => Some("updated_at"),
        Role::DeletedAt => Some("deleted_at"),
        Role::IsDeleted => Some("is_deleted"),
    }
}

/// The page's name of a kind. For a list, it is the kind of its items with brackets.
fn kind(kind: Kind) -> String {
    match kind {
        Kind::Bool => "bool".to_owned(),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => "int".to_owned(),
        Kind::F32 | Kind::F64 => "float".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::DateTime => "datetime".to_owned(),
        Kind::Date => "date".to_owned(),
        Kind::Time => "time".to_owned(),
        Kind::NaiveDateTime => "local_datetime".to_owned(),
        Kind::Uuid => "uuid".to_owned(),
        Kind::Decimal => "decimal".to_owned(),
        Kind::Json => "json".to_owned(),
        Kind::Bytes => "bytes".to_owned(),
        Kind::TextList => "text[]".to_owned(),
        Kind::List(item) => format!("{}[]", self::kind(*item)),
        Kind::Enum(_) => "enum".to_owned(),
    }
}

/// The rules of a column's values, for attributes of inputs.
fn rules(column: &ColumnDescriptor) -> Map<String, Json> {
    let rules = column.rules.iter().filter_map(|rule| {
        let (name, value) = match rule {
            Rule::Min(least) => ("min", literal(least)),
            Rule::Max(greatest) => ("max", literal(greatest)),
            Rule::MinLength(length) => ("min_length", json!(length)),
            Rule::MaxLength(length) => ("max_length", json!(length)),
            Rule::Pattern(pattern) => ("pattern", json!(pattern)),
            Rule::Email => ("email", json!(true)),
            Rule::Url => ("url", json!(true)),
            Rule::OneOf(values) => ("one_of", values.iter().map(literal).collect()),
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
fn json_of(value: &Value) -> Json {
    match value {
        Value::Null | Value::Default => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value),
        Value::Json(value) => value.clone(),
        Value::TextList(values) => json!(values),
        Value::List(values) => values.iter().map(json_of).collect(),
        other => json!(other.to_string()),
    }
}
