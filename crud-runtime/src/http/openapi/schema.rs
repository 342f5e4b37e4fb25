//! The schemas of a resource: record, create, patch, page.

use crud_shared::operation::{AGGREGATE, SEGMENTS};
use serde_json::{Value, json};
use utoipa::openapi::path::ParameterIn;

use super::documented_resource::{DocumentedResource, documented};
use super::example::Examples;
use super::json_schema::Schema;
use super::relation::documented_columns;
use super::wording;
use super::wording::sentence;
use super::words::ParameterObject;
use super::{relation, rule, sample};
use crate::http::operation::nested;
use crate::http::render::unreadable;
use crate::model::descriptor::{ColumnDescriptor, Count, Descriptor, Operation, Role};
use crate::model::list_text::item_column;
use crate::model::value::Kind;
use crate::query::expansion::relation as referenced;
use crate::store::mounted::options::ResourceOptions;

/// The largest single-precision float as JSON has it: rounded up.
const F32_MAX: f64 = 3.402_823_5e38;
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
) -> Vec<(String, Schema)> {
    let DocumentedResource { options, names, examples, .. } = resource;
    let descriptor = options.descriptor;
    let mut schemas = vec![(names.record(), record(descriptor, resources).example(examples.record()))];
    if resource.offers(Operation::Create) {
        let create = bounded(create(descriptor), options).example(examples.create());
        schemas.push((names.schema("Create"), with_nested(create, descriptor, resources, nested_create)));
    }
    if resource.offers(Operation::Update) {
        let patch = bounded(patch(descriptor), options).example(examples.patch());
        schemas.push((names.schema("Patch"), with_nested(patch, descriptor, resources, nested_patch)));
        if descriptor.transitions().next().is_some() {
            schemas.push((names.schema("Transition"), bounded(transition(descriptor), options)));
        }
    }
    if resource.offers(Operation::List) && options.pagination.is_some() {
        let page = page(&names.record(), has_cursors(options)).example(page_example(options, examples));
        schemas.push((names.schema("List"), page));
    }
    schemas
}

/// A body, with the service's bound of texts that no rule bounds.
fn bounded(mut schema: Schema, options: &ResourceOptions) -> Schema {
    for column in options.descriptor.columns.iter().filter(|column| column.has_text_limit()) {
        schema.change(column.json, |field| match field.get("readOnly") {
            Some(Value::Bool(true)) => field,
            _ => field.with("maxLength", options.text_limit),
        });
    }
    schema
}

/// A record in a response.
pub(crate) fn record(descriptor: &'static Descriptor, resources: &[DocumentedResource<'_>]) -> Schema {
    let columns = || documented_columns(descriptor).filter(|column| column.is_returned());
    let object = Schema::object().about(descriptor.doc);
    let object = columns().fold(object, |object, column| object.member(column.json, response_property(column)));
    let expanded = columns().filter_map(referenced).map(|(name, target)| (name, expanded_one(target, resources)));
    let unreadable = Schema::array(Schema::text())
        .about("JSON pointers of the fields whose stored values cannot be read: those are null, whatever their type.");
    let children = relation::children(descriptor);
    let children = children.map(|of| {
        let about = "The first records that refer to this one, if `expand` asks for them.";
        (of.name, expanded_many((of.resource)(), of.limit, resources).about(about))
    });
    let linked = relation::links(descriptor).map(|(many, junction)| {
        let about = "The first records that are linked to this one, if `expand` asks for them.";
        (many.name, expanded_many(junction.target, many.limit, resources).about(about))
    });
    let members = expanded.chain([(unreadable::MEMBER, unreadable)]).chain(children).chain(linked);
    members.fold(object, |object, (name, schema)| object.optional(name, schema))
}

/// The record that a field refers to, where a request asks for it; null where the principal does not see it.
fn expanded_one(target: &'static Descriptor, resources: &[DocumentedResource<'_>]) -> Schema {
    let known = documented(resources, target).map(|known| known.record().or_null());
    let record = known.unwrap_or_else(|| Schema::object().nullable());
    record.about("The record that is referred to, if `expand` asks for it.")
}

/// The first records of an expanded list.
pub(crate) fn expanded_many(target: &'static Descriptor, most: u32, resources: &[DocumentedResource<'_>]) -> Schema {
    let record = documented(resources, target).map_or_else(Schema::object, DocumentedResource::record);
    let limit = Schema::integer().with("format", "int64");
    Schema::object()
        .member("data", Schema::array(record).with("maxItems", most).about("The records."))
        .member("limit", limit.about("How many there are at most."))
        .member("more", Schema::boolean().about("Whether there are more."))
}

/// The body of a create.
pub(crate) fn create(descriptor: &'static Descriptor) -> Schema {
    let description = sentence(&format!("{} to create.", wording::with_article(descriptor.name)));
    let mut body = body_of(descriptor, create_property).about(&description);
    if let ([key], Some(_)) = (descriptor.key(), descriptor.aggregate) {
        body.change(descriptor.columns[*key].json, |key| match key.get("not") {
            Some(_) => key.with("not", reserved_keys(&[AGGREGATE])),
            None => key,
        });
    }
    with_required(body, documented_columns(descriptor))
}

/// The body of a route of the program.
pub(crate) fn body(descriptor: &'static Descriptor) -> Schema {
    let description = descriptor.doc.trim();
    let description = if description.is_empty() { "The body of a request." } else { description };
    with_required(body_of(descriptor, create_property).about(description), descriptor.columns.iter())
}

fn with_required(schema: Schema, columns: impl Iterator<Item = &'static ColumnDescriptor>) -> Schema {
    let required = columns.filter(|column| column.is_required() && !column.hidden).map(|column| column.json);
    schema.with("required", required.collect::<Vec<_>>())
}

/// The body of an update.
pub(crate) fn patch(descriptor: &'static Descriptor) -> Schema {
    let record = wording::with_article(descriptor.name);
    let description = format!("The fields of {record} to change; absent fields keep their values.");
    body_of(descriptor, patch_property).about(&description)
}

/// The body of a transition: of an update, without the state, which the route sets, and without nested records.
fn transition(descriptor: &'static Descriptor) -> Schema {
    let is_state = |column: &ColumnDescriptor| !column.transitions.is_empty();
    // A transition of one state may come with that of another.
    let has_one_state = descriptor.columns.iter().filter(|column| is_state(column)).count() == 1;
    let description = format!("The fields of {} to change with its state.", wording::with_article(descriptor.name));
    body_with(descriptor, |column| !(has_one_state && is_state(column)), patch_property).about(&description)
}

/// A body with the records that refer to its own.
fn with_nested(
    body: Schema,
    descriptor: &'static Descriptor,
    resources: &[DocumentedResource<'_>],
    item: fn(&ResourceOptions, usize) -> Schema,
) -> Schema {
    let nested = descriptor.children.iter().filter(|children| children.nested);
    nested.fold(body, |body, children| {
        let target = (children.resource)();
        let known = documented(resources, target);
        let options = known.map_or_else(|| ResourceOptions::new(target), |known| known.options.clone());
        let about =
            "Records that refer to this one, which are written with it. Not in a batch, an import or an upsert.";
        let items = Schema::array(item(&options, children.column)).with("maxItems", nested::most(&options));
        body.optional(children.name, items.about(about))
    })
}

/// A record in the body of the one that it refers to, of a create.
fn nested_create(options: &ResourceOptions, reference: usize) -> Schema {
    let (descriptor, reference) = (options.descriptor, options.descriptor.columns[reference].json);
    let body = body_of(descriptor, create_property);
    let others = documented_columns(descriptor).filter(|column| column.json != reference);
    bounded(with_required(body, others), options)
}

/// A record in the body of the one that it refers to, of an update.
fn nested_patch(options: &ResourceOptions, reference: usize) -> Schema {
    let descriptor = options.descriptor;
    let body = body_of(descriptor, patch_property);
    let key = descriptor.key().iter().filter(|column| **column != reference);
    let body = key.map(|column| &descriptor.columns[*column]).fold(body, |body, column| {
        let about = "The key of a record to change. Without it, a record is created.";
        body.optional(column.json, value_schema(column).about(about))
    });
    let delete = Schema::boolean().about("True with the key alone: the record is deleted.");
    bounded(body.optional(nested::DELETE, delete), options)
}

/// An item of a batch update: the fields to change and the key.
pub(crate) fn batch_item(options: &ResourceOptions) -> Schema {
    let descriptor = options.descriptor;
    let description = format!("The fields of {} to change, and its key.", wording::with_article(descriptor.name));
    let body = body_of(descriptor, patch_property).about(&description);
    let columns = descriptor.key().iter().map(|column| &descriptor.columns[*column]);
    let about =
        if descriptor.composite.is_empty() { "The key of the record." } else { "A part of the key of the record." };
    let body = columns.fold(body, |body, column| body.member(column.json, value_schema(column).about(about)));
    bounded(body, options)
}

/// A page of records.
pub(crate) fn page(record: &str, has_cursors: bool) -> Schema {
    let count = || Schema::count().nullable();
    let relation = Schema::choice(["eq", "gte"]).nullable();
    let number = Schema::at_least(1, "int64");
    let number = if has_cursors {
        number.nullable().about("The page's number, from 1; null by a cursor.")
    } else {
        number.about("The page's number, from 1.")
    };
    let total = "The number of matching records, or a lower bound of it; null when they are not counted.";
    let exact = "`eq` for an exact total, `gte` for a lower bound; null when they are not counted.";
    let page = Schema::object()
        .about("A page of records.")
        .member("data", Schema::array(Schema::reference(record)).about("The records of the page."))
        .member("total", count().about(total))
        .member("total_relation", relation.about(exact))
        .member("page", number)
        .member("pages", count().about("The number of pages; null unless the total is exact."))
        .member("limit", Schema::at_least(1, "int64").about("The maximum number of records on a page."))
        .member("skip", Schema::count().about("The number of records before the page."));
    if !has_cursors {
        return page;
    }
    let cursor =
        |which: &str| Schema::text().nullable().about(&format!("The `cursor` of the {which} page; null at the end."));
    page.member("next_cursor", cursor("next")).member("prev_cursor", cursor("previous"))
}

/// The page of a list with one record, all of whose records are counted.
pub(crate) fn page_of_one(record: &Value, limit: u64) -> Value {
    json!({
        "data": [record], "total": 1, "total_relation": "eq", "page": 1, "pages": 1, "limit": limit, "skip": 0,
    })
}

/// The page of a list with one record.
fn page_example(options: &ResourceOptions, examples: &Examples) -> Option<Value> {
    let pagination = options.pagination?;
    let mut page = page_of_one(&examples.record()?, pagination.default_limit.into());
    if pagination.count == Count::None {
        for member in ["total", "total_relation", "pages"] {
            page[member] = Value::Null;
        }
    }
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

/// An object of the fields that clients may send.
fn body_of(descriptor: &'static Descriptor, property: fn(&ColumnDescriptor) -> Schema) -> Schema {
    body_with(descriptor, |_| true, property)
}

/// An object of these of the fields that clients may send.
fn body_with(
    descriptor: &'static Descriptor,
    is_part: impl Fn(&ColumnDescriptor) -> bool,
    property: fn(&ColumnDescriptor) -> Schema,
) -> Schema {
    let columns = documented_columns(descriptor).filter(|column| !column.hidden && is_part(column));
    columns.fold(Schema::object().closed(), |body, column| body.optional(column.json, property(column)))
}

/// A field in a response.
fn response_property(column: &ColumnDescriptor) -> Schema {
    let schema = field_schema(column, kind_schema(column, Direction::Response));
    let schema = if column.computed.is_some() { schema.with("readOnly", true) } else { schema };
    annotated(schema, column, &rule::transitions(column))
}

/// A field in a create.
fn create_property(column: &ColumnDescriptor) -> Schema {
    if column.is_managed() {
        return managed_property(column, ignored(column));
    }
    let mut schema = settable_property(column);
    if is_path_text(column) {
        schema.set("minLength", 1);
        schema.set("not", reserved_keys(&[]));
    }
    if let Some(initial) = column.initial_state() {
        schema.set("enum", vec![sample::json(column, initial.borrow())]);
    }
    if let Some(default) = column.default {
        schema.set("default", sample::json(column, default().borrow()));
    }
    if column.database_default {
        return annotated(schema, column, "Filled in by the database where it is left out.");
    }
    state_default(schema)
}

/// The schema of texts that no key can be: the segments of paths, and `.` and `..`, which clients remove from a path.
fn reserved_keys(more: &[&str]) -> Value {
    let keys = [&SEGMENTS[..], &[".", ".."], more].concat();
    json!({ "enum": keys })
}

/// Moves the default of a member that clients may leave out into its description: generators take a member with a
/// `default` for one that is always there.
pub(crate) fn state_default(mut schema: Schema) -> Schema {
    let Some(default) = schema.remove("default") else { return schema };
    let description = format!("{}\n\nDefault: `{default}`.", schema.description());
    schema.about(&description)
}

/// A field in an update.
fn patch_property(column: &ColumnDescriptor) -> Schema {
    match column.role {
        Role::Id => managed_property(column, "Immutable: must equal the id in the path, or be absent."),
        _ if column.is_managed() => managed_property(column, ignored(column)),
        _ if column.immutable => managed_property(column, "Immutable: must equal the stored value, or be absent."),
        _ => settable_property(column),
    }
}

/// A field that clients may set.
fn settable_property(column: &ColumnDescriptor) -> Schema {
    let mut schema = kind_schema(column, Direction::Request);
    rule::apply(&mut schema, column);
    let notes = [rule::note(column), rule::transitions(column)].concat();
    let schema = annotated(field_schema(column, schema), column, &notes);
    if column.write_only { schema.with("writeOnly", true) } else { schema }
}

/// The note of a field that bodies do not set.
const fn ignored(column: &ColumnDescriptor) -> &'static str {
    if column.computed.is_some() { "Computed: ignored." } else { "Set by the service: ignored." }
}

/// A field that clients may send back but not set.
fn managed_property(column: &ColumnDescriptor, note: &str) -> Schema {
    let schema = field_schema(column, kind_schema(column, Direction::Response));
    annotated(schema, column, note).with("readOnly", true)
}

/// Whether the column is a text that is a whole segment of a path.
fn is_path_text(column: &ColumnDescriptor) -> bool {
    column.role == Role::Id && !column.is_managed() && !column.given && column.kind == Kind::Text
}

/// The record's key, in the path.
pub(crate) fn id_parameter(descriptor: &Descriptor) -> ParameterObject {
    let mut schema = key_schema(descriptor);
    let description = match descriptor.key() {
        [column] => {
            if is_path_text(&descriptor.columns[*column]) {
                schema.set("minLength", 1);
            }
            format!("The `{}` of the record.", descriptor.columns[*column].json)
        }
        _ => format!("The key of the record: {}", parts_of_key(descriptor)),
    };
    ParameterObject::new(ParameterIn::Path, "id", description, schema)
}

/// A key as a value: of several columns, its text.
pub(crate) fn key_schema(descriptor: &Descriptor) -> Schema {
    match descriptor.key() {
        [column] => value_schema(&descriptor.columns[*column]),
        columns => {
            let text = Schema::text().about(&sentence(&parts_of_key(descriptor)));
            text.with("pattern", format!("^[^,]*(,[^,]*){{{}}}$", columns.len().saturating_sub(1)))
        }
    }
}

/// The parts of the text of a composite key.
fn parts_of_key(descriptor: &Descriptor) -> String {
    let names = descriptor.key_names().replace(',', "`,`");
    format!("`{names}`, each percent-encoded, with commas between them.")
}

/// Sets the description: the doc comment and a note.
fn annotated(schema: Schema, column: &ColumnDescriptor, note: &str) -> Schema {
    schema.about(&format!("{}\n\n{note}", column.doc.trim()))
}

/// A value of a group of records.
pub(crate) fn result(column: &ColumnDescriptor) -> Schema {
    field_schema(column, kind_schema(column, Direction::Response)).about(column.doc)
}

/// A single value in a query string or a path: any value of the field's kind, whatever its rules.
pub(crate) fn value_schema(column: &ColumnDescriptor) -> Schema {
    kind_schema(column, Direction::Request)
}

/// A parameter of a route of the program: a value of the field's kind that its rules allow.
pub(crate) fn parameter(column: &ColumnDescriptor) -> Schema {
    let mut schema = kind_schema(column, Direction::Request);
    rule::apply(&mut schema, column);
    if let Some(default) = column.default {
        schema.set("default", sample::json(column, default().borrow()));
    }
    schema
}

/// The schema of a kind's values other than null.
fn kind_schema(column: &ColumnDescriptor, direction: Direction) -> Schema {
    let is_response = direction == Direction::Response;
    let text = |format: &str| Schema::text().with("format", format);
    match column.kind {
        Kind::Bool => Schema::boolean(),
        Kind::I16 => integer_schema(column.kind, "int16"),
        Kind::I32 => integer_schema(column.kind, "int32"),
        Kind::I64 => integer_schema(column.kind, "int64"),
        Kind::U32 => integer_schema(column.kind, "uint32"),
        Kind::F32 => Schema::number().with("format", "float").with("minimum", -F32_MAX).with("maximum", F32_MAX),
        Kind::F64 => Schema::number().with("format", "double"),
        Kind::Text if is_response => Schema::text(),
        Kind::Text => Schema::plain_text(),
        Kind::Enum(texts) => Schema::choice(texts.iter().copied()),
        Kind::DateTime => Schema::date_time().with("pattern", date_time_pattern(direction)),
        Kind::Date => text("date"),
        Kind::Time => text("time-local").with("pattern", time_pattern(direction)),
        Kind::NaiveDateTime => text("date-time-local").with("pattern", naive_date_time_pattern(direction)),
        Kind::Uuid => text("uuid"),
        Kind::Decimal => text("decimal").with("pattern", decimal_pattern(column)),
        Kind::Json => Schema::any(),
        Kind::Bytes if is_response => Schema::text().with("contentEncoding", "base64"),
        Kind::Bytes => Schema::text().with("contentEncoding", "base64").with("pattern", BASE64),
        Kind::TextList if is_response => Schema::array(Schema::text()),
        Kind::TextList => Schema::array(Schema::plain_text()),
        Kind::List(_) => Schema::array(kind_schema(&item_column(column), direction)),
    }
}

/// The schema of a field: allows null where it is nullable, and says where it is deprecated.
fn field_schema(column: &ColumnDescriptor, schema: Schema) -> Schema {
    let schema = if column.is_returned_nullable() { schema.nullable() } else { schema };
    if column.deprecated { schema.with("deprecated", true) } else { schema }
}

fn integer_schema(kind: Kind, format: &str) -> Schema {
    let (min, max) = kind.integer_range().unwrap_or((i64::MIN, i64::MAX));
    Schema::integer().with("format", format).with("minimum", min).with("maximum", max)
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
