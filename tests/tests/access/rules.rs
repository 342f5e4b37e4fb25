//! Rules on operations and groups, roles and permissions.

use crud_runtime::Service;
use serde_json::json;

use crate::resources::Archive;
use crate::support::{caller, on_resources, on_service};

#[test]
fn default_access_requires_a_token() {
    on_service(async |api| {
        let answer = api.get("/silents").await.expect(401);
        assert!(answer.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer")));
        answer.problem("authentication_failed");
        api.post("/silents", &json!({})).await.problem("authentication_failed");
        api.get("/silents/1").await.problem("authentication_failed");
        let user = caller(api, "1", &[], &[]);
        user.post("/silents", &json!({})).await.created();
        assert_eq!(user.get("/silents").await.ok()["total"], 1);
    });
}

#[test]
fn service_routes_are_public() {
    on_service(async |api| {
        for target in ["/", "/docs", "/openapi.json", "/health", "/ready"] {
            api.get(target).await.expect(200);
        }
    });
}

#[test]
fn operation_overrides_group_and_group_overrides_all() {
    on_service(async |api| {
        api.get("/rules").await.ok();
        let user = caller(api, "1", &[], &[]);
        api.post("/rules", &json!({ "name": "a" })).await.problem("authentication_failed");
        let path = format!("/rules/{}", user.post("/rules", &json!({ "name": "a" })).await.created()["id"]);
        api.get(&path).await.ok();
        api.get(format!("{path}/history")).await.problem("authentication_failed");
        user.get(format!("{path}/history")).await.ok();
        let change = json!({ "name": "b" });
        assert_eq!(user.put(&path, &change).await.problem("permission_denied").detail, "permission denied");
        caller(api, "2", &["editor"], &[]).put(&path, &change).await.ok();
        caller(api, "3", &["reader"], &["rules:update"]).put(&path, &json!({ "name": "c" })).await.ok();
    });
}

#[test]
fn all_requires_every_rule() {
    on_service(async |api| {
        let both = caller(api, "1", &["editor"], &["rules:delete"]);
        let path = format!("/rules/{}", both.post("/rules", &json!({ "name": "a" })).await.created()["id"]);
        caller(api, "2", &["editor"], &[]).delete(&path).await.problem("permission_denied");
        caller(api, "2", &[], &["rules:delete"]).delete(&path).await.problem("permission_denied");
        both.delete(&path).await.ok();
        caller(api, "2", &[], &[]).post(format!("{path}/restore"), &json!({})).await.problem("permission_denied");
        both.delete(format!("{path}/permanent")).await.problem("permission_denied");
        both.delete("/rules/deleted?all=true").await.problem("permission_denied");
        caller(api, "3", &["admin"], &[]).delete(format!("{path}/permanent")).await.ok();
    });
}

#[test]
fn batch_requires_its_own_access_and_that_of_its_operation() {
    on_service(async |api| {
        let items = json!({ "items": [{ "name": "a" }] });
        api.post("/rules/batch", &items).await.problem("authentication_failed");
        caller(api, "1", &[], &[]).post("/rules/batch", &items).await.problem("permission_denied");
        let clerk = caller(api, "1", &[], &["rules:batch"]);
        let id = clerk.post("/rules/batch", &items).await.ok()["items"][0]["id"].clone();
        clerk.put("/rules/batch", &json!({ "items": [{ "id": id, "name": "b" }] })).await.problem("permission_denied");
        clerk.post("/rules/batch/delete", &json!({ "ids": [id] })).await.problem("permission_denied");
        let editor = caller(api, "1", &["editor"], &["rules:batch", "rules:delete"]);
        editor.put("/rules/batch", &json!({ "items": [{ "id": id, "name": "b" }] })).await.ok();
        editor.post("/rules/batch/delete", &json!({ "ids": [id] })).await.ok();
    });
}

#[test]
fn deleted_records_require_restore_access() {
    on_service(async |api| {
        let editor = caller(api, "1", &["editor"], &["rules:delete"]);
        let path = format!("/rules/{}", editor.post("/rules", &json!({ "name": "a" })).await.created()["id"]);
        editor.delete(&path).await.ok();
        for target in ["/rules?include_deleted=true", "/rules?only_deleted=true"] {
            api.get(target).await.problem("authentication_failed");
            caller(api, "2", &[], &[]).get(target).await.problem("permission_denied");
            assert_eq!(editor.get(target).await.ok()["total"], 1);
        }
        api.get(format!("{path}?include_deleted=true")).await.problem("authentication_failed");
        editor.get(format!("{path}?include_deleted=true")).await.ok();
        assert_eq!(api.get("/rules").await.ok()["total"], 0);
    });
}

#[test]
fn access_is_checked_before_the_request_is_read() {
    on_service(async |api| {
        // The error reveals neither whether the record exists nor what is wrong with the request.
        let user = caller(api, "1", &[], &[]);
        user.delete("/rules/999").await.problem("permission_denied");
        user.delete("/rules/nonsense").await.problem("permission_denied");
        user.put("/rules/999", &json!({ "nonsense": 1 })).await.problem("permission_denied");
    });
}

#[test]
fn invalid_token_is_rejected_unless_access_is_public() {
    on_service(async |api| {
        api.get("/rules").header("authorization", "Bearer nonsense").await.problem("invalid_token");
        api.get("/wares").header("authorization", "Bearer nonsense").await.problem("invalid_token");
        // The response is the same for every caller.
        api.get("/opens").header("authorization", "Bearer nonsense").await.ok();
    });
}

#[test]
fn roles_in_a_body_or_query_are_ignored() {
    on_service(async |api| {
        let user = caller(api, "1", &[], &[]);
        let body = json!({ "name": "a", "roles": ["admin"] });
        assert_eq!(user.post("/rules", &body).await.problem("validation_failed").pointers(), ["/roles"]);
        api.get("/rules?access_token=x").await.problem("validation_failed");
    });
}

#[test]
fn list_of_active_records_never_needs_the_access_of_restore() {
    on_resources(Service::resource::<Archive>, async |api| {
        let user = caller(api, "1", &[], &[]);
        let id = user.post("/archives", &json!({})).await.created()["id"].clone();
        user.post("/archives", &json!({})).await.created();
        user.delete(format!("/archives/{id}")).await.ok();
        assert_eq!(user.get("/archives").await.ok()["total"], 2, "the attribute shows deleted records");
        assert_eq!(user.get("/archives?include_deleted=false").await.ok()["total"], 1);
        user.get("/archives?only_deleted=true").await.problem("permission_denied");
    });
}
