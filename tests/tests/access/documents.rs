//! Access rules in the OpenAPI document.

use serde_json::{Value, json};

use crate::support::on_service;

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
