//! Searches: conditions in JSON as a parameter and in a body.

use serde_json::{Map, Value, json};

use super::name::Names;
use super::{DocumentedResource, reference, relation, schema};
use crate::http::param::list::{self, MAX_CONDITIONS, Purpose};
use crate::model::descriptor::Operation;
use crate::store::resource_options::ResourceOptions;

/// The schemas of a condition, where a filter is documented, and of a search.
pub(crate) fn resource_schemas(resource: &DocumentedResource<'_>) -> Vec<(String, Value)> {
    let DocumentedResource { options, names, .. } = resource;
    let descriptor = options.descriptor;
    if !resource.offers(Operation::List) {
        return Vec::new();
    }
    if !list::has_filters(descriptor) {
        if descriptor.search.is_none() {
            return Vec::new();
        }
        return vec![(names.search(), search(options, names))];
    }
    let mut of_records = Map::new();
    let mut schemas = Vec::new();
    for (name, columns) in relation::conditions(descriptor) {
        let schema = names.relation_condition(name);
        let members = list::filter_members(columns.into_iter()).collect();
        of_records.insert(name.to_owned(), reference("schemas", &schema));
        schemas.push((schema.clone(), condition(&schema, members)));
    }
    let mut members: Map<_, _> = list::filter_members(list::filterable(descriptor)).collect();
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
    let condition = names.condition();
    let mut properties = Map::new();
    for mut parameter in list::documented_controls(options, Purpose::List, &condition) {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        let schema = if name == "where" {
            reference("schemas", &condition)
        } else {
            let mut schema = parameter["schema"].take();
            schema["description"] = parameter["description"].take();
            schema::state_default(&mut schema);
            schema
        };
        properties.insert(name, schema);
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
