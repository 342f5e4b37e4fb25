//! Searches: conditions in JSON as a parameter and in a body.

use serde_json::{Map, Value, json};

use super::name::Names;
use super::{DocumentedResource, parameter, reference, relation, schema};
use crate::model::descriptor::Operation;
use crate::query::parse::MAX_CONDITIONS;
use crate::store::resource_options::ResourceOptions;

/// The schemas of a condition, where a filter is documented, and of a search.
pub(crate) fn resource_schemas(resource: &DocumentedResource<'_>) -> Vec<(String, Value)> {
    let DocumentedResource { options, names, .. } = resource;
    let descriptor = options.descriptor;
    if !resource.offers(Operation::List) || !parameter::has_searches(descriptor) {
        return Vec::new();
    }
    if !parameter::has_filters(descriptor) {
        return vec![(names.search(), search(options, names))];
    }
    let mut of_records = Map::new();
    let mut schemas = Vec::new();
    for (name, columns) in relation::conditions(descriptor) {
        let schema = names.relation_condition(name);
        let members = parameter::filter_members(columns.into_iter()).collect();
        of_records.insert(name.to_owned(), reference("schemas", &schema));
        schemas.push((schema.clone(), condition(&schema, members)));
    }
    let mut members: Map<_, _> = parameter::filter_members(parameter::filterable(descriptor)).collect();
    members.extend(of_records);
    schemas.push((names.condition(), condition(&names.condition(), members)));
    schemas.push((names.search(), search(options, names)));
    schemas
}

/// The schema of this name: a condition of these filters.
fn condition(name: &str, mut properties: Map<String, Value>) -> Value {
    let condition = reference("schemas", name);
    let list = |description: &str| {
        json!({
            "description": description,
            "type": "array",
            "items": condition,
            "minItems": 1,
            "maxItems": MAX_CONDITIONS,
        })
    };
    properties.insert("and".to_owned(), list("All of these conditions hold."));
    properties.insert("or".to_owned(), list("One of these conditions holds."));
    properties.insert("not".to_owned(), condition.clone());
    json!({
        "description": "A condition: all of its members hold.",
        "type": "object",
        "minProperties": 1,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn search(options: &ResourceOptions, names: &Names) -> Value {
    let descriptor = options.descriptor;
    let sort = parameter::sort_parameter(descriptor);
    let page = options.pagination.into_iter().flat_map(parameter::page_parameters);
    let mut properties = Map::new();
    if parameter::has_filters(descriptor) {
        properties.insert("where".to_owned(), reference("schemas", &names.condition()));
    }
    let text = parameter::text(descriptor);
    for mut parameter in text
        .into_iter()
        .chain(sort)
        .chain(parameter::expand(descriptor))
        .chain(page)
        .chain(parameter::scope_flags(descriptor))
    {
        let mut schema = parameter["schema"].take();
        schema["description"] = parameter["description"].take();
        schema::state_default(&mut schema);
        properties.insert(parameter["name"].as_str().unwrap_or_default().to_owned(), schema);
    }
    let mut schema = json!({
        "description": "A list: a condition, an order, a page.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if let Some(limit) = options.pagination.map(|pages| pages.default_limit) {
        schema["examples"] = json!([{ "limit": limit }]);
    }
    schema
}
