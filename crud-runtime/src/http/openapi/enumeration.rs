//! The values of enum fields: each is a schema of the document, so that generated clients have a type for it.

use std::collections::HashMap;

use serde_json::Value;

use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::Path;
use crate::http::description::relation;
use crate::http::description::relation::documented_columns;
use crate::model::descriptor::Descriptor;
use crate::model::value::Kind;

/// An enum of the document.
#[derive(Clone)]
struct Enumeration {
    name: String,
    texts: &'static [&'static str],
    schema: Schema,
}

/// Replaces the values of enum fields by references that define their schemas. Fields of one resource with equal values
/// share the schema of the first; fields of another resource have their own, so that no resource renames another's
/// schemas.
pub(crate) fn share(paths: &mut [Path], schemas: &mut [(String, Schema)], resources: &[DocumentedResource<'_>]) {
    let own: Vec<Vec<Enumeration>> = resources.iter().map(of_resource).collect();
    let known: Vec<Vec<Enumeration>> =
        resources.iter().map(|resource| with_related(resource, resources, &own)).collect();
    let owners: HashMap<String, usize> = resources
        .iter()
        .enumerate()
        .flat_map(|(index, resource)| {
            resource.names.schemas(resource.options).into_iter().map(move |name| (name, index))
        })
        .collect();
    for path in paths {
        if let Some(index) = path.resource.and_then(|of| position(resources, of)) {
            path.visit(&mut |schema: &mut Schema| refer(schema, &known[index]));
        }
    }
    for (name, schema) in schemas {
        if let Some(index) = owners.get(name) {
            schema.visit(&mut |schema: &mut Schema| refer(schema, &known[*index]));
        }
    }
}

fn position(resources: &[DocumentedResource<'_>], descriptor: &Descriptor) -> Option<usize> {
    resources.iter().position(|resource| std::ptr::eq(resource.options.descriptor, descriptor))
}

/// The enums of a resource's fields.
fn of_resource(resource: &DocumentedResource<'_>) -> Vec<Enumeration> {
    let others = resource.names.own_schemas(resource.options);
    let mut enumerations: Vec<Enumeration> = Vec::new();
    for column in documented_columns(resource.options.descriptor) {
        let Kind::Enum(texts) = column.kind else { continue };
        let name = resource.names.enumeration(column.json);
        if others.contains(&name) || enumerations.iter().any(|known| known.texts == texts) {
            continue;
        }
        let mut schema = Schema::choice(texts.iter().copied());
        if !column.labels.is_empty() {
            schema.set("x-enum-descriptions", column.labels.to_vec());
        }
        enumerations.push(Enumeration { name, texts, schema });
    }
    enumerations
}

/// The enums of a resource, and those of the records that conditions are on.
fn with_related(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    own: &[Vec<Enumeration>],
) -> Vec<Enumeration> {
    let descriptor = resource.options.descriptor;
    let referenced = relation::relations(descriptor).map(|(.., target)| target);
    let listed = relation::lists(descriptor).map(|(_, target)| target);
    let of_lists = relation::lists(descriptor).flat_map(|(_, target)| relation::relations(target).map(|(.., of)| of));
    let related = std::iter::once(descriptor).chain(referenced).chain(listed).chain(of_lists);
    related.filter_map(|of| position(resources, of)).flat_map(|index| own[index].clone()).collect()
}

/// Replaces the type and the values of this schema, if they are those of an enum, with or without null.
fn refer(schema: &mut Schema, enumerations: &[Enumeration]) {
    let Some(Value::Array(values)) = schema.get("enum") else { return };
    let nullable = values.last() == Some(&Value::Null);
    let values = &values[..values.len() - usize::from(nullable)];
    let Some(found) = enumerations.iter().find(|known| values == known.texts) else { return };
    let named = Schema::named(&found.name, found.schema.clone());
    schema.remove("type");
    schema.remove("enum");
    for (keyword, value) in if nullable { named.or_null() } else { named }.keywords() {
        schema.set(keyword, value.clone());
    }
}
