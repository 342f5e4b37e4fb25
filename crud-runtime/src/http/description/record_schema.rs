//! The schemas of a resource's records: in responses, and in the bodies of creates and changes.

use crud_shared::operation::{AGGREGATE, SEGMENTS};
use serde_json::{Value, json};

use super::documented_resource::{DocumentedResource, documented};
use super::json_schema::Schema;
use super::page::{has_cursors, page};
use super::relation::documented_columns;
use super::value_schema::{Direction, field_schema, is_path_text, kind_schema, value_schema};
use super::wording;
use super::wording::sentence;
use super::{relation, rule, sample};
use crate::http::body::nested_item;
use crate::http::render::unreadable;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Operation, Role};
use crate::query::expansion::relation as referenced;
use crate::store::mounted::options::ResourceOptions;

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
        schemas.push((names.schema("List"), page(&names.record(), has_cursors(options))));
    }
    schemas
}

/// A body with the service's length limit on texts that no rule bounds.
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

/// The body of a transition: an update without the state, which the route sets, and without nested records.
fn transition(descriptor: &'static Descriptor) -> Schema {
    let is_state = |column: &ColumnDescriptor| !column.transitions.is_empty();
    // With several states, a transition of one may come with a transition of another.
    let has_one_state = descriptor.columns.iter().filter(|column| is_state(column)).count() == 1;
    let description = format!("The fields of {} to change with its state.", wording::with_article(descriptor.name));
    body_with(descriptor, |column| !(has_one_state && is_state(column)), patch_property).about(&description)
}

/// A body with nested records.
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
        let items = Schema::array(item(&options, children.column)).with("maxItems", nested_item::most(&options));
        body.optional(children.name, items.about(about))
    })
}

/// A nested record in the body of a create.
fn nested_create(options: &ResourceOptions, reference: usize) -> Schema {
    let (descriptor, reference) = (options.descriptor, options.descriptor.columns[reference].json);
    let body = body_of(descriptor, create_property);
    let others = documented_columns(descriptor).filter(|column| column.json != reference);
    bounded(with_required(body, others), options)
}

/// A nested record in the body of an update.
fn nested_patch(options: &ResourceOptions, reference: usize) -> Schema {
    let descriptor = options.descriptor;
    let body = body_of(descriptor, patch_property);
    let key = descriptor.key().iter().filter(|column| **column != reference);
    let body = key.map(|column| &descriptor.columns[*column]).fold(body, |body, column| {
        let about = "The key of a record to change. Without it, a record is created.";
        body.optional(column.json, value_schema(column).about(about))
    });
    let delete = Schema::boolean().about("True with the key alone: the record is deleted.");
    bounded(body.optional(nested_item::DELETE, delete), options)
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

/// An object of the fields that clients may send.
fn body_of(descriptor: &'static Descriptor, property: fn(&ColumnDescriptor) -> Schema) -> Schema {
    body_with(descriptor, |_| true, property)
}

/// An object of these fields, without those that clients may not send.
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
        return ignored_property(column);
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
        _ if column.is_managed() => ignored_property(column),
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

/// A field that clients may send back but not set: the service ignores its value.
fn ignored_property(column: &ColumnDescriptor) -> Schema {
    let mut schema = managed_property(column, ignored(column));
    for bound in ["pattern", "minimum", "maximum"] {
        schema.remove(bound);
    }
    schema
}

fn managed_property(column: &ColumnDescriptor, note: &str) -> Schema {
    let schema = field_schema(column, kind_schema(column, Direction::Response));
    annotated(schema, column, note).with("readOnly", true)
}

/// Sets the description: the doc comment and a note.
fn annotated(schema: Schema, column: &ColumnDescriptor, note: &str) -> Schema {
    schema.about(&format!("{}\n\n{note}", column.doc.trim()))
}
