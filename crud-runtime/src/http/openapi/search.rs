//! Searches: conditions in JSON as a parameter and in a body.

use serde_json::json;

use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::{Names, pascal};
use crate::http::description::operation_doc::ParameterObject;
use crate::http::description::relation::RelationCondition;
use crate::http::description::relation::has_search;
use crate::http::description::{record_schema, relation};
use crate::http::param::list::{self, MAX_CONDITIONS};
use crate::store::mounted::options::ResourceOptions;

/// The schemas of a condition, where a filter is documented, and of a search.
pub(crate) fn resource_schemas(
    resource: &DocumentedResource<'_>,
    resources: &[ResourceOptions],
) -> Vec<(String, Schema)> {
    let DocumentedResource { options, names, .. } = resource;
    let descriptor = options.descriptor;
    if !has_search(descriptor) {
        return Vec::new();
    }
    let mut schemas = Vec::new();
    if relation::has_filters(descriptor) {
        let mut members: Vec<_> = list::filter_members(Some(descriptor), relation::filterable(descriptor)).collect();
        for relation in relation::conditions(descriptor) {
            members.push(relation_member(relation, names, resources, &mut schemas));
        }
        schemas.push((names.schema("Where"), condition(&names.schema("Where"), members)));
    }
    schemas.push((names.schema("Search"), search(options, names)));
    schemas
}

/// The member of a condition on other records, whose schemas are added.
fn relation_member(
    relation: RelationCondition,
    names: &Names,
    resources: &[ResourceOptions],
    schemas: &mut Vec<(String, Schema)>,
) -> (String, Schema) {
    let schema = names.relation_condition(&relation, resources);
    let RelationCondition { name, target, columns, inside, .. } = relation;
    let mut filters: Vec<_> = list::filter_members(None, columns.into_iter()).collect();
    for relation in inside {
        filters.push(relation_member(relation, &Names::of_resource(target, resources), resources, schemas));
    }
    schemas.push((schema.clone(), condition(&schema, filters)));
    (name.to_owned(), Schema::reference(&schema))
}

/// The schema of this name: a condition of these filters.
fn condition(name: &str, filters: impl IntoIterator<Item = (String, Schema)>) -> Schema {
    let condition = || Schema::reference(name);
    let list = || Schema::array(condition()).with("minItems", 1).with("maxItems", MAX_CONDITIONS);
    let about = "A condition: all of its members hold, of `or` one.";
    let object = Schema::object().about(about).with("minProperties", 1).closed();
    let object = filters.into_iter().fold(object, |object, (name, filter)| object.optional(&name, filter));
    object.optional("and", list()).optional("or", list()).optional("not", condition())
}

fn search(options: &ResourceOptions, names: &Names) -> Schema {
    let condition = names.schema("Where");
    let object = Schema::object().about("A list: a condition, an order, a page.").closed();
    let controls = list::documented_controls(options, list::LIST, &condition);
    let object = controls.fold(object, |object, ParameterObject { name, description, schema, component, .. }| {
        let schema = match &*name {
            "where" => Schema::reference(&condition),
            // The parameter of the list says what the keys mean.
            "sort" => record_schema::state_default(schema),
            "skip" | "limit" | "cursor" => {
                let shared = record_schema::state_default(schema.about(&description));
                Schema::named(&format!("Search{}", pascal(component.as_deref().unwrap_or(&name))), shared)
            }
            _ => record_schema::state_default(schema.about(&description)),
        };
        object.optional(&name, schema)
    });
    object.example(options.pagination.map(|pages| json!({ "limit": pages.default_limit })))
}
