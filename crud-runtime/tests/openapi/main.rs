//! The OpenAPI document of every field type and option, without a database.
//!
//! | Promise | Modules |
//! |---|---|
//! | The resources of the document | `kitchen` |
//! | Each rule on a field is a constraint of its schema | `rules` |
//! | References, ids, servers, names, tags | the cases below |

mod kitchen;
mod rules;

use std::collections::HashSet;

use crud_runtime::adapter::Capabilities;
use crud_runtime::openapi::{Document, Info};
use serde_json::{Value, json};

fn document(mount: &str) -> Value {
    let mut info = Info::new("Kitchen sink", "1.0.0");
    info.description = "What *it* is.".into();
    serde_json::from_slice(
        &Document::new(&info, &kitchen::resources(), None, false, Capabilities::new().with_transactions()).json(mount),
    )
    .expect("the document is JSON")
}

/// The schema of a field in a body or a record.
fn field<'a>(document: &'a Value, schema: &str, field: &str) -> &'a Value {
    let found = &document["components"]["schemas"][schema]["properties"][field];
    assert!(found.is_object(), "{schema} has no {field}");
    found
}

/// Every value of a key, at any depth.
fn values_of<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get(key));
            object.values().for_each(|value| values_of(value, key, found));
        }
        Value::Array(items) => items.iter().for_each(|item| values_of(item, key, found)),
        _ => {}
    }
}

#[test]
fn every_reference_resolves() {
    let document = document("");
    let mut references = Vec::new();
    values_of(&document, "$ref", &mut references);
    assert!(references.len() > 100);
    for reference in references {
        let pointer = reference.as_str().and_then(|reference| reference.strip_prefix('#')).expect("a local reference");
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[test]
fn operation_ids_are_unique() {
    let document = document("");
    let paths = document["paths"].as_object().expect("paths").values();
    let operations = paths.filter_map(Value::as_object).flat_map(|item| item.values());
    // Links name operations too, deeper inside.
    let ids: Vec<_> = operations.filter_map(|operation| operation.get("operationId")?.as_str()).collect();
    let distinct: HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
}

#[test]
fn server_is_the_mount_path() {
    assert_eq!(document("")["servers"][0]["url"], "/");
    assert_eq!(document("/api \"v1\"")["servers"][0]["url"], "/api \"v1\"");
}

#[test]
fn disabled_operations_are_not_in_the_document() {
    let document = document("");
    let collection = document["paths"]["/problems"].as_object().expect("the path");
    assert_eq!(collection.keys().collect::<Vec<_>>(), ["get", "post"]);
    assert!(document["paths"].get("/problems/{id}").is_none());
    let schemas = document["components"]["schemas"].as_object().expect("the schemas");
    assert!(schemas.contains_key("TroubleCreate"));
    assert!(!schemas.contains_key("TroublePatch"));
}

#[test]
fn hidden_field_is_not_in_the_document() {
    assert!(!document("").to_string().contains("secret"));
}

#[test]
fn the_information_is_the_programs() {
    let info = json!({ "title": "Kitchen sink", "version": "1.0.0", "description": "What *it* is." });
    assert_eq!(document("")["info"], info);
}

#[test]
fn a_struct_whose_name_the_document_has_is_named_by_its_options() {
    let document = document("");
    let schemas = document["components"]["schemas"].as_object().expect("there are schemas");
    assert!(schemas["Problem"]["properties"].get("code").is_some(), "the document's own keeps its name");
    assert!(schemas["Trouble"]["properties"].get("sku").is_some());
    let returned = &document["paths"]["/problems"]["post"]["responses"]["201"]["content"]["application/json"]["schema"];
    assert_eq!(returned["$ref"], "#/components/schemas/Trouble");
}

#[test]
fn a_resource_that_is_mounted_twice_is_named_by_its_options() {
    let document = document("");
    for (path, list, get, schema) in [
        ("/accounts", "listAccounts", "getAccount", "Account"),
        ("/v2/accounts", "listFormerAccounts", "getFormerAccount", "FormerAccount"),
    ] {
        assert_eq!(document["paths"][path]["get"]["operationId"], list);
        let record = &document["paths"][format!("{path}/{{id}}")]["get"];
        assert_eq!(record["operationId"], get);
        let response = &record["responses"]["200"]["$ref"];
        let response = document.pointer(&response.as_str().expect("a reference")[1..]).expect("a response");
        let returned = &response["content"]["application/json"]["schema"];
        assert_eq!(returned["$ref"], format!("#/components/schemas/{schema}"), "{path}");
    }
}

#[test]
fn tags_are_those_of_the_mounted_resource() {
    let document = document("");
    assert_eq!(document["tags"], json!([{ "name": "people" }, { "name": "Service" }, { "name": "Old accounts" }]));
    assert_eq!(document["paths"]["/accounts"]["get"]["tags"], json!(["people", "Service"]));
    assert_eq!(document["paths"]["/v2/accounts"]["get"]["tags"], json!(["Old accounts"]));
    assert_eq!(document["paths"]["/dense"]["get"]["tags"], json!([]));
}

#[test]
fn a_maximum_makes_a_list_of_pages() {
    let document = document("");
    let limit = |path: &str| {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().expect("parameters");
        let mut shared = parameters.iter().filter_map(|parameter| document.pointer(&parameter["$ref"].as_str()?[1..]));
        shared.find(|parameter| parameter["name"] == "limit").cloned()
    };
    assert_eq!(limit("/accounts"), None);
    assert_eq!(limit("/v2/accounts").expect("a limit")["schema"]["maximum"], 5);
    let clamped = limit("/dense").expect("a limit");
    assert_eq!(clamped["schema"], json!({ "type": "integer", "minimum": 1, "default": 2 }));
    assert!(
        clamped["description"].as_str().is_some_and(|text| text.ends_with("a number above 3 counts as 3.")),
        "{clamped}"
    );
}

#[test]
fn a_documented_resource_has_its_text_in_its_schema() {
    let document = document("");
    let text = "A thing that may have much or little.\n\nMost have little.";
    assert_eq!(document["components"]["schemas"]["Sparse"]["description"], text);
}

#[test]
fn a_name_is_quoted_where_it_stands() {
    let document = document("");
    assert_eq!(document["components"]["schemas"]["Account"]["required"], json!(["id", "a/b~c", "score"]));
    assert_eq!(document["components"]["schemas"]["AccountSort"]["items"]["enum"], json!(["a/b~c", "-a/b~c"]));
    assert_eq!(field(&document, "AccountPatch", "a/b~c")["readOnly"], true);
}
