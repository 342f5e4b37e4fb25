//! Access rules in the OpenAPI document.

use crud_runtime::access::Access;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, ListParameters, get};
use crud_runtime::{Page, Result};
use crud_tests::fixtures::now;
use crud_tests::query;
use serde_json::{Value, json};

use crate::support::{anonymous, caller, on_resources, on_service};

/// Public, but for deleted records, past states and what a create may change.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter,
    pagination,
    soft_delete,
    audit,
    upsert(code),
    import,
    export,
    access(all(public), update(role("editor")), restore(role("editor")), history(role("editor")))
)]
struct Leaflet {
    id: i64,
    #[crud(unique)]
    code: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A poster that everyone writes and publishes, and editors reopen.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(upsert(code), access(all(public)))]
struct Poster {
    id: i64,
    #[crud(unique)]
    code: String,
    #[crud(default(Stage::Draft), transitions(publish(Draft, Published), reopen(Published, Draft, role("editor"))))]
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Stage {
    Draft,
    Published,
}

async fn recent(ctx: Context, parameters: ListParameters<Leaflet>) -> Result<Page<Leaflet>> {
    ctx.store::<Leaflet>().page(parameters.select()).await
}

#[test]
fn document_declares_the_refusals_that_a_parameter_alone_brings() {
    let with_recent = |service: Service| {
        let recent = get(recent).access(Access::Public);
        service.resource::<Leaflet>().route("/leaflets/recent", recent)
    };
    // Each answer is checked against the document.
    on_resources(with_recent, async |api| {
        let (reader, editor) = (caller(api, "1", &[], &[]), caller(api, "2", &["editor"], &[]));
        let leaflet = json!({ "code": "a" });
        let path = format!("/leaflets/{}", anonymous(api).post("/leaflets", &leaflet).await.created()["id"]);
        let deleted = |path: &str| query(path, [("include_deleted", "true")]);
        for target in [
            deleted("/leaflets"),
            query("/leaflets", [("only_deleted", "true")]),
            deleted("/leaflets/export"),
            deleted("/leaflets/recent"),
            deleted(&path),
            query(&path, [("as_of", now().as_str())]),
        ] {
            anonymous(api).get(&target).await.problem("authentication_failed");
            reader.get(&target).await.problem("permission_denied");
            editor.get(&target).await.expect(200);
        }
        for (target, media_type) in [
            ("/leaflets?on_conflict=code", "application/json"),
            ("/leaflets/import?mode=partial&on_conflict=code", "application/x-ndjson"),
        ] {
            anonymous(api).send(target, media_type, &leaflet.to_string()).await.problem("authentication_failed");
            reader.send(target, media_type, &leaflet.to_string()).await.problem("permission_denied");
            editor.send(target, media_type, &leaflet.to_string()).await.expect(200);
        }

        let document = api.get("/openapi.json").await.ok();
        let mut restricted = Vec::new();
        for (path, operations) in document["paths"].as_object().expect("the paths") {
            for operation in operations.as_object().expect("the operations").values() {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let names = parameters.filter_map(|one| one["x-access"].as_str().and(one["name"].as_str()));
                let names: Vec<&str> = names.collect();
                if !names.is_empty() {
                    let responses = &operation["responses"];
                    assert!(responses["401"].is_object() && responses["403"].is_object(), "{path}: {names:?}");
                    assert_eq!(operation["security"], json!([{}, { "bearerAuth": [] }]), "{path}");
                    restricted.push((path.as_str(), names.len()));
                }
            }
        }
        restricted.sort_unstable();
        let expected = [
            ("/leaflets", 1),
            ("/leaflets", 2),
            ("/leaflets/export", 2),
            ("/leaflets/import", 1),
            ("/leaflets/recent", 2),
            ("/leaflets/{id}", 2),
        ];
        assert_eq!(restricted, expected);
    });
}

#[test]
fn document_declares_security_of_protected_routes_only() {
    on_service(async |api| {
        let document = api.get("/openapi.json").await.ok();
        let operation = |path: &str, method: &str| document["paths"][path][method].clone();
        let secured = |operation: &Value| operation["security"] == json!([{ "bearerAuth": [] }]);
        let answers = |operation: &Value, status: &str| operation["responses"].get(status).is_some();

        let list = operation("/opens", "get");
        assert!(list["security"] == json!([]) && !answers(&list, "401") && !answers(&list, "403"), "{list}");
        let with_deleted = operation("/rules", "get");
        assert_eq!(with_deleted["security"], json!([{}, { "bearerAuth": [] }]));
        assert!(answers(&with_deleted, "401") && answers(&with_deleted, "403"), "{with_deleted}");
        let create = operation("/rules", "post");
        assert!(secured(&create) && answers(&create, "401") && !answers(&create, "403"), "{create}");
        let delete = operation("/rules/{id}", "delete");
        assert!(secured(&delete) && answers(&delete, "401") && answers(&delete, "403"), "{delete}");
        let description = delete["description"].as_str().expect("a description");
        assert!(
            description.ends_with("Requires the role `editor` and the permission `rules:delete`."),
            "{description}"
        );
        let batch = operation("/rules/batch", "put");
        let description = batch["description"].as_str().expect("a description");
        assert!(
            description.contains("the permission `rules:batch` and the role `editor` or the permission `rules:update`"),
            "{description}"
        );
        let log = operation("/audit-logs", "get");
        assert!(
            secured(&log)
                && log["description"].as_str().is_some_and(|description| description.contains("the role `admin`")),
            "{log}"
        );
        assert_eq!(document["components"]["securitySchemes"]["bearerAuth"]["scheme"], "bearer");
    });
}

#[test]
fn document_omits_fields_with_restricted_visibility() {
    on_service(async |api| {
        let document = api.get("/openapi.json").await.ok();
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        for name in ["Ware", "WareCreate", "WarePatch", "WareBatchItem"] {
            let fields = schemas[name]["properties"].as_object().expect("fields");
            assert!(!fields.contains_key("cost") && !fields.contains_key("grade"), "{name}: {fields:?}");
        }
        let parameters = document["paths"]["/wares"]["get"]["parameters"].to_string();
        assert!(!parameters.contains("cost"), "{parameters}");
    });
}

#[test]
fn document_declares_the_refusals_of_an_upsert_that_makes_a_transition() {
    on_resources(Service::resource::<Poster>, async |api| {
        let id = anonymous(api).post("/posters", &json!({ "code": "a" })).await.created()["id"].clone();
        anonymous(api).post(format!("/posters/{id}/publish"), &json!({})).await.ok();
        let (upsert, poster) = ("/posters?on_conflict=code", json!({ "code": "a", "stage": "Draft" }));
        anonymous(api).post(upsert, &poster).await.problem("authentication_failed");
        caller(api, "1", &[], &[]).post(upsert, &poster).await.problem("permission_denied");
        assert_eq!(caller(api, "2", &["editor"], &[]).post(upsert, &poster).await.ok()["stage"], "Draft");
    });
}
