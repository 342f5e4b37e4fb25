//! [`Contract`]: what clients of a service rely on.

use std::error::Error;
use std::fmt;

use serde_json::{Map, Value as Json, json};

use crate::change::Changes;
use crate::compare;
use crate::layout;
use crate::schema;

/// The methods of routes, in the order of HTTP's registry.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "query"];

/// The interface of a service: its routes with their parameters, bodies, answers and access. Descriptions, examples and
/// errors are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    pub(crate) json: Json,
}

/// Error of a text that is not a contract.
#[derive(Debug)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Unreadable {}

impl Contract {
    /// The contract of an OpenAPI document.
    pub fn of_document(document: &Json) -> Self {
        let mut routes: Vec<(String, Json)> = Vec::new();
        for (path, item) in members(&document["paths"]) {
            for method in METHODS {
                if let Some(operation) = item.get(method) {
                    let shared = item.get("parameters");
                    routes.push((format!("{path} {}", method.to_uppercase()), route(document, operation, shared)));
                }
            }
        }
        routes.sort_by(|one, other| one.0.cmp(&other.0));
        let mut types: Vec<_> = members(&document["components"]["schemas"]).collect();
        types.sort_by_key(|(name, _)| *name);
        let types: Map<String, Json> =
            types.into_iter().map(|(name, it)| (name.clone(), schema::reduced(it))).collect();
        let routes: Map<String, Json> = routes.into_iter().collect();
        Self { json: json!({ "format": 1, "routes": routes, "types": used(&routes, types) }) }
    }

    /// The contract of a lock file or an OpenAPI document.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let json: Json = serde_json::from_str(text).map_err(|error| Unreadable(format!("it is not JSON: {error}")))?;
        if json.get("openapi").is_some() {
            return Ok(Self::of_document(&json));
        }
        match json["format"].as_u64() {
            Some(1) if json["routes"].is_object() && json["types"].is_object() => Ok(Self { json }),
            Some(format) if format != 1 => {
                Err(Unreadable(format!("it has the format {format}: a newer `crud` reads it")))
            }
            _ => Err(Unreadable("it is neither a lock file nor an OpenAPI document".to_owned())),
        }
    }

    /// The text of the lock file: in a fixed order, with a line for each field and parameter.
    pub fn to_text(&self) -> String {
        layout::text(&self.json)
    }

    /// Number of routes.
    pub fn routes(&self) -> usize {
        self.json["routes"].as_object().map_or(0, Map::len)
    }

    /// The changes from this contract to a newer one, the breaking ones first.
    pub fn changes_to(&self, newer: &Self) -> Changes {
        compare::contracts(&self.json, &newer.json)
    }
}

pub(crate) fn members(json: &Json) -> impl Iterator<Item = (&String, &Json)> {
    json.as_object().into_iter().flatten()
}

/// The part of an operation on which clients rely.
fn route(document: &Json, operation: &Json, shared: Option<&Json>) -> Json {
    let mut route = Map::new();
    if let Some(access) = operation.get("x-access") {
        route.insert("access".to_owned(), access.clone());
    }
    let own = operation["parameters"].as_array().into_iter().chain(shared.and_then(Json::as_array)).flatten();
    let mut parameters: Vec<_> = own.map(|it| parameter(resolved(document, it))).collect();
    parameters.sort_by(|one, other| one.0.cmp(&other.0));
    if !parameters.is_empty() {
        route.insert("parameters".to_owned(), Json::Object(parameters.into_iter().collect()));
    }
    if let Some(body) = operation.get("requestBody") {
        let body = resolved(document, body);
        let mut reduced = content(body);
        if body["required"] == true {
            reduced["required"] = json!(true);
        }
        route.insert("body".to_owned(), reduced);
    }
    let answers = members(&operation["responses"]).filter(|(status, _)| status.starts_with('2'));
    let answers = answers.map(|(status, answer)| (status.clone(), content(resolved(document, answer))));
    route.insert("answers".to_owned(), Json::Object(answers.collect()));
    Json::Object(route)
}

/// `"query limit": { "type": "integer", "default": 20 }`
fn parameter(parameter: &Json) -> (String, Json) {
    let name = |key: &str| parameter[key].as_str().unwrap_or_default();
    let mut reduced = schema::reduced(&parameter["schema"]);
    if parameter["required"] == true && name("in") != "path" {
        reduced["required"] = json!(true);
    }
    if let Some(access) = parameter.get("x-access") {
        reduced["access"] = access.clone();
    }
    (format!("{} {}", name("in"), name("name")), reduced)
}

/// The schema of each media type.
fn content(described: &Json) -> Json {
    let types =
        members(&described["content"]).map(|(media, content)| (media.clone(), schema::reduced(&content["schema"])));
    Json::Object(types.collect())
}

/// The component that a reference names, or the value itself.
fn resolved<'d>(document: &'d Json, value: &'d Json) -> &'d Json {
    let pointer = value.get("$ref").and_then(Json::as_str).and_then(|it| it.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

/// The types that routes use, directly or through other types.
fn used(routes: &Map<String, Json>, mut types: Map<String, Json>) -> Map<String, Json> {
    let mut names = Vec::new();
    routes.values().for_each(|route| references(route, &mut names));
    let mut known = 0;
    while known < names.len() {
        if let Some(of_type) = types.get(&names[known]) {
            references(of_type, &mut names);
        }
        known += 1;
    }
    types.retain(|name, _| names.contains(name));
    types
}

fn references(json: &Json, names: &mut Vec<String>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| references(item, names)),
        Json::Object(all) => {
            if let Some(Json::String(name)) = all.get("$ref")
                && !names.contains(name)
            {
                names.push(name.clone());
            }
            all.values().for_each(|value| references(value, names));
        }
        _ => {}
    }
}
