//! The audit log's readers and actors.

use serde_json::json;

use crate::support::{caller, on_service};

#[test]
fn audit_log_requires_the_admin_role() {
    on_service(async |api| {
        api.get("/audit-logs").await.problem("authentication_failed");
        caller(api, "1", &["editor"], &[]).get("/audit-logs").await.problem("permission_denied");
        caller(api, "1", &["admin"], &[]).get("/audit-logs").await.ok();
    });
}

#[test]
fn caller_is_recorded_as_the_actor() {
    on_service(async |api| {
        let ada = caller(api, "42", &[], &[]);
        let id = ada.post("/rules", &json!({ "name": "a" })).await.created()["id"].clone();
        caller(api, "bob", &["editor"], &[]).put(format!("/rules/{id}"), &json!({ "name": "b" })).await.ok();
        let history = ada.get(format!("/rules/{id}/history")).await.ok();
        let actor = |index: usize| (history["data"][index]["user_id"].clone(), history["data"][index]["actor"].clone());
        assert_eq!(actor(0), (json!(42), json!("42")));
        assert_eq!(actor(1), (json!(null), json!("bob")));
        let admin = caller(api, "1", &["admin"], &[]);
        assert_eq!(admin.get("/audit-logs?user_id=42").await.ok()["total"], 1);
    });
}
