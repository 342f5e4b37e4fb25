//! `/openapi.json` describes exactly the routes that exist, and `/docs` shows it without other hosts.

use crud_tests::http::{on_each_backend, on_kitchen, on_shop};
use crud_tests::{Api, untyped};
use serde_json::{Value, json};

/// The paths that an HTML page loads: its `src` and `href` values, except for fragments and data URLs.
pub(crate) fn loaded_paths(html: &str) -> Vec<String> {
    let values = ["src=\"", "href=\""].into_iter().flat_map(|key| html.split(key).skip(1));
    let values = values.filter_map(|rest| rest.split('"').next());
    values.filter(|value| !value.starts_with('#') && !value.starts_with("data:")).map(str::to_owned).collect()
}

#[test]
fn document_is_openapi_3_1_with_the_services_info() {
    on_shop(async |shop| {
        let document = shop.get("/openapi.json").await.ok();
        assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")), "{document}");
        assert_eq!(document["info"]["title"], "Shop API");
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(document["info"]["description"], "Categories, products and orders of a small shop.");
    });
}

#[test]
fn document_has_exactly_the_existing_routes() {
    on_shop(async |shop| {
        let document = shop.get("/openapi.json").await.ok();
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            let methods = ["get", "post", "put", "patch", "delete"];
            operations.extend(
                methods.into_iter().filter(|method| item.get(*method).is_some()).map(|m| format!("{m} {path}")),
            );
        }
        operations.sort_unstable();
        let service = ["/", "/audit-logs", "/docs", "/health", "/openapi.json", "/ready"];
        let mut expected: Vec<_> = service.iter().map(|path| format!("get {path}")).collect();
        for prefix in ["/categories", "/products", "/orders"] {
            expected.extend(["get", "post"].map(|method| format!("{method} {prefix}")));
            expected.extend(["get", "put", "patch", "delete"].map(|method| format!("{method} {prefix}/{{id}}")));
            expected.extend(["post", "put", "delete"].map(|method| format!("{method} {prefix}/batch")));
            expected.push(format!("post {prefix}/batch/delete"));
            expected.push(format!("post {prefix}/search"));
        }
        expected.extend(["get /products/export", "post /products/import"].map(str::to_owned));
        for prefix in ["/products", "/orders"] {
            expected.push(format!("post {prefix}/restore"));
            expected.push(format!("delete {prefix}/deleted"));
            expected.push(format!("post {prefix}/{{id}}/restore"));
            expected.push(format!("delete {prefix}/{{id}}/permanent"));
            expected.push(format!("get {prefix}/{{id}}/history"));
        }
        expected.sort_unstable();
        assert_eq!(operations, expected);
    });
}

#[test]
fn disabled_operations_are_not_in_the_document() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let item = document["paths"]["/fixed/{id}"].as_object().expect("the record's path");
        assert!(item.contains_key("get"));
        assert!(["put", "patch", "delete"].into_iter().all(|method| !item.contains_key(method)), "{item:?}");
    });
}

#[test]
fn operation_ids_are_unique() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let operations = document["paths"].as_object().expect("paths").values().filter_map(Value::as_object);
        let ids = operations.flat_map(|item| item.values()).filter_map(|operation| operation["operationId"].as_str());
        let mut ids: Vec<_> = ids.collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(count >= 15 * 4, "{count}");
    });
}

#[test]
fn every_reference_in_the_document_resolves() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for reference in found {
            let pointer = reference.strip_prefix('#').expect("a reference within the document");
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    });
}

#[test]
fn hidden_fields_are_not_in_the_document() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok().to_string();
        assert!(document.contains("\"password\""));
        assert!(!document.contains("\"note\""));
    });
}

#[test]
fn schemas_without_a_type_and_parameters_and_bodies_without_a_schema_are_found() {
    let content = json!({
        "application/json": { "schema": { "type": "array", "items": {} } },
        "text/html": {},
        "text/csv": { "schema": { "type": "string" } },
    });
    let nullable = json!({ "type": ["object", "null"] });
    let properties =
        json!({ "a": { "type": "object" }, "b": { "additionalProperties": true }, "c": {}, "d": nullable });
    let schemas = json!({ "A": { "type": "object", "properties": properties } });
    let parameters = json!([
        { "name": "a", "schema": {} },
        { "name": "b" },
        { "$ref": "#/components/parameters/C" },
        { "name": "d", "schema": { "oneOf": [{ "type": "null" }, {}], "examples": [{ "items": {} }] } },
    ]);
    let response = json!({ "content": content });
    let document = json!({ "response": response, "components": { "schemas": schemas }, "parameters": parameters });
    let mut found = untyped(&document);
    found.sort();
    let (schemas, content) = ("/components/schemas/A/properties", "/response/content");
    let expected = [
        format!("{schemas}/a"),
        format!("{schemas}/c"),
        format!("{schemas}/d"),
        "/parameters/0/schema".to_owned(),
        "/parameters/1".to_owned(),
        "/parameters/3/schema/oneOf/1".to_owned(),
        format!("{content}/application/json/schema/items"),
        format!("{content}/text/html"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn every_body_parameter_and_answer_has_a_type() {
    on_shop(async |shop| {
        let document = shop.get("/openapi.json").await.ok();
        assert_eq!(untyped(&document), [""; 0]);
    });
}

#[test]
fn text_parameters_have_no_media_type() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let parameters = document["paths"]["/notes"]["get"]["parameters"].as_array().expect("parameters");
        let resolved = parameters.iter().map(|parameter| match parameter["$ref"].as_str() {
            Some(reference) => document.pointer(reference.trim_start_matches('#')).expect("a component"),
            None => parameter,
        });
        let condition = resolved.into_iter().find(|parameter| parameter["name"] == "where").expect("a condition");
        assert_eq!(condition["schema"]["x-crud-schema"], "#/components/schemas/NoteWhere");
        assert_eq!(condition["schema"]["type"], "string");
        assert!(!document.to_string().contains("contentMediaType"), "Swagger UI draws a file chooser for it");
    });
}

#[test]
fn document_supports_conditional_requests() {
    on_shop(async |shop| {
        let answer = shop.get("/openapi.json").await.expect(200);
        if let Some(etag) = answer.header("etag") {
            shop.get("/openapi.json").header("if-none-match", etag).await.expect(304);
        }
    });
}

#[test]
fn docs_page_loads_everything_from_the_service() {
    on_shop(async |shop| {
        let docs = shop.get("/docs").await.expect(200);
        assert!(docs.require("content-type").starts_with("text/html"), "{docs}");
        let policy = docs.require("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe-eval") && !policy.contains("script-src 'self' 'unsafe-inline'"), "{policy}");
        let loaded = loaded_paths(&docs.text());
        assert!(loaded.iter().any(|path| path.contains(".js")), "{loaded:?}");
        for path in loaded {
            assert!(!path.starts_with("//") && !path.contains("://"), "loads {path} from elsewhere");
            let target = if path.starts_with('/') { path } else { format!("/{}", path.trim_start_matches("./")) };
            let asset = shop.get(&target).await.expect(200);
            assert!(!asset.body().is_empty() && !asset.require("content-type").is_empty(), "{target}");
        }
    });
}

#[test]
fn docs_page_has_no_inline_script() {
    on_shop(async |shop| {
        let docs = shop.get("/docs").await.expect(200).text();
        let inline = docs.split("<script").skip(1).any(|rest| {
            rest.split_once('>').is_some_and(|(attributes, body)| {
                !attributes.contains("src=") && !body.trim_start().starts_with("</script")
            })
        });
        assert!(!inline, "the policy forbids inline scripts: {docs}");
    });
}

#[test]
fn missing_asset_is_404() {
    on_shop(async |shop| {
        for target in ["/docs/nothing.js", "/docs/%2e%2e/Cargo.toml"] {
            shop.get(target).await.problem("route_not_found");
        }
    });
}

#[test]
fn schemas_state_validation_rules() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let body = &document["paths"]["/checked"]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let reference = body["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')).expect("a reference");
        let schema = document.pointer(reference).expect("the schema");
        for (field, facts) in [
            ("integer", vec!["\"minimum\":-5", "\"maximum\":10"]),
            ("float", vec!["\"minimum\":0", "\"maximum\":0.5"]),
            ("text", vec!["\"minLength\":2", "\"maxLength\":4"]),
            ("list", vec!["\"minItems\":1", "\"maxItems\":2"]),
            ("code", vec!["\"pattern\":\"^[A-Z]{3}-[0-9]+$\""]),
            ("email", vec!["\"format\":\"email\""]),
            ("url", vec!["\"format\":\"uri\""]),
            ("size", vec!["\"enum\":[", "\"small\"", "\"large\""]),
            ("handle", vec!["\"maxLength\":255"]),
        ] {
            let property = schema["properties"][field].to_string();
            assert!(facts.iter().all(|fact| property.contains(fact)), "{field}: {facts:?} in {property}");
        }
    });
}

#[test]
fn document_has_a_json_media_type() {
    on_shop(async |shop| {
        let answer = shop.get("/openapi.json").await.expect(200);
        assert!(answer.require("content-type").starts_with("application/"), "{answer}");
        assert_ne!(answer.into_json(), json!({}));
    });
}

#[test]
fn documentation_can_be_left_out() {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await)
            .openapi(crud_runtime::DocumentOptions::without_docs)
            .migrate()
            .await
            .expect("the shop's tables");
        let document = service.openapi_document().expect("the document");
        let has = |path: &str| document.paths.paths.keys().any(|known| known.starts_with(path));
        assert!(!has("/openapi.json") && !has("/docs"));
        let api = Api::start(database, service).await;
        for route in ["/openapi.json", "/docs", "/docs/start.js"] {
            api.get(route).await.problem("route_not_found");
        }
        assert!(api.get("/").await.ok()["docs"].is_null());
        api.stop().await;
    });
}

#[test]
fn role_for_the_documentation_needs_authentication() {
    on_each_backend(async |database| {
        let service = database.service().await.openapi(|document| document.docs_role("admin"));
        let error = service.into_router().expect_err("a mistake").to_string();
        assert!(error.contains("`docs_role` states the role `admin`"), "{error}");
    });
}
