//! Rules on operations and groups, roles and permissions.

use serde_json::json;

use crate::support::{caller, on_service};

#[test]
fn everything_needs_a_token_where_nothing_is_said() {
    on_service(async |api| {
        let answer = api.get("/silents").await.expect(401);
        assert!(answer.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer")));
        answer.problem("authentication_failed");
        api.post("/silents", &json!({})).await.problem("authentication_failed");
        api.get("/silents/1").await.problem("authentication_failed");
        let anybody = caller(api, "1", &[], &[]);
        anybody.post("/silents", &json!({})).await.created();
        assert_eq!(anybody.get("/silents").await.ok()["total"], 1);
    });
}

#[test]
fn the_service_s_own_routes_need_none() {
    on_service(async |api| {
        for target in ["/", "/docs", "/openapi.json", "/health", "/ready"] {
            api.get(target).await.expect(200);
        }
    });
}

#[test]
fn a_group_is_less_specific_than_an_operation_and_all_than_a_group() {
    on_service(async |api| {
        api.get("/rules").await.ok();
        let anybody = caller(api, "1", &[], &[]);
        api.post("/rules", &json!({ "name": "a" })).await.problem("authentication_failed");
        let path = format!("/rules/{}", anybody.post("/rules", &json!({ "name": "a" })).await.created()["id"]);
        api.get(&path).await.ok();
        api.get(format!("{path}/history")).await.problem("authentication_failed");
        anybody.get(format!("{path}/history")).await.ok();
        let change = json!({ "name": "b" });
        assert_eq!(anybody.put(&path, &change).await.problem("permission_denied").detail, "permission denied");
        caller(api, "2", &["editor"], &[]).put(&path, &change).await.ok();
        caller(api, "3", &["reader"], &["rules:update"]).put(&path, &json!({ "name": "c" })).await.ok();
    });
}

#[test]
fn all_of_several_rules_must_hold() {
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
fn a_batch_needs_its_own_access_and_that_of_what_it_does() {
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
fn deleted_records_are_for_those_who_may_restore() {
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
fn access_is_asked_before_anything_is_read() {
    on_service(async |api| {
        // Neither whether there is such a record nor what is wrong with the request is told.
        let anybody = caller(api, "1", &[], &[]);
        anybody.delete("/rules/999").await.problem("permission_denied");
        anybody.delete("/rules/nonsense").await.problem("permission_denied");
        anybody.put("/rules/999", &json!({ "nonsense": 1 })).await.problem("permission_denied");
    });
}

#[test]
fn a_token_that_is_not_good_is_refused_where_the_answer_depends_on_it() {
    on_service(async |api| {
        api.get("/rules").header("authorization", "Bearer nonsense").await.problem("invalid_token");
        api.get("/wares").header("authorization", "Bearer nonsense").await.problem("invalid_token");
        // Unless the answer is the same to everybody.
        api.get("/opens").header("authorization", "Bearer nonsense").await.ok();
    });
}

#[test]
fn roles_of_a_body_are_no_roles() {
    on_service(async |api| {
        let anybody = caller(api, "1", &[], &[]);
        let body = json!({ "name": "a", "roles": ["admin"] });
        assert_eq!(anybody.post("/rules", &body).await.problem("validation_failed").pointers(), ["/roles"]);
        api.get("/rules?access_token=x").await.problem("validation_failed");
    });
}
