//! The default of access for a whole service: what a resource leaves out, and what it states.

use crud_runtime::access::{Access, AccessRules};
use crud_runtime::prelude::*;
use crud_tests::http::on_each_backend as on_each_http_backend;
use crud_tests::{Api, on_each_backend};
use reqwest::Method;
use serde_json::json;

use crate::support::{anonymous, caller, secured};

/// States nothing.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, batch(mode(partial)), audit)]
struct Silent {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// States the deletes.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, batch(mode(partial)), audit, access(delete(role("admin"))))]
struct Kept {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// States a read.
#[derive(Debug, Clone, Resource)]
#[crud(audit, export, aggregate(group_by(level)), access(get(role("auditor"))))]
struct Secret {
    id: i64,
    #[crud(default = 0)]
    level: i32,
}

const STAFF: Access = Access::Role("staff");

#[test]
fn default_is_the_rule_of_what_resources_leave_out() {
    on_each_backend(async |database| {
        let service = secured(database.service().await.resource::<Silent>().resource::<Kept>());
        let service =
            service.access(|access| access.default_access(AccessRules::everything(STAFF).read(Access::Authenticated)));
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let (staff, reader) = (caller(&api, "1", &["staff"], &[]), caller(&api, "2", &[], &[]));
        for prefix in ["/silents", "/kepts"] {
            let created = staff.post(prefix, &json!({})).await.created();
            let path = format!("{prefix}/{}", created["id"]);
            reader.get(&path).await.ok();
            reader.get(format!("{path}/history")).await.ok();
            reader.post(prefix, &json!({})).await.problem("permission_denied");
            reader.delete(&path).await.problem("permission_denied");
            anonymous(&api).get(&path).await.problem("authentication_failed");
        }
        staff.delete("/silents/1").await.ok();
        staff.delete("/silents/1/permanent").await.ok();
        // A resource's own rules apply, with the operations that follow them.
        for (method, path) in [
            (Method::DELETE, "/kepts/1"),
            (Method::DELETE, "/kepts/1/permanent"),
            (Method::POST, "/kepts/1/restore"),
            (Method::POST, "/kepts/batch/delete"),
        ] {
            staff.request(method, path, &json!({ "ids": [1] })).await.problem("permission_denied");
        }
        caller(&api, "3", &["admin"], &[]).delete("/kepts/1").await.ok();
        api.stop().await;
    });
}

#[test]
fn open_default_opens_nothing_below_what_is_stated() {
    on_each_backend(async |database| {
        let service = secured(database.service().await.resource::<Silent>().resource::<Kept>().resource::<Secret>());
        let service = service.access(|access| access.default_access(Access::Public));
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let stranger = anonymous(&api);
        let silent = stranger.post("/silents", &json!({})).await.created();
        stranger.get(format!("/silents/{}", silent["id"])).await.ok();
        let secrets = ["/secrets", "/secrets/export", "/secrets/aggregate", "/secrets/1", "/secrets/1/history"];
        for path in secrets.into_iter().chain(["/kepts"]) {
            stranger.get(path).await.problem("authentication_failed");
        }
        stranger.post("/kepts", &json!({})).await.problem("authentication_failed");
        let user = caller(&api, "1", &[], &[]);
        user.post("/secrets", &json!({})).await.created();
        // Lists, aggregates and histories show what `get` refuses.
        for path in secrets {
            user.get(path).await.problem("permission_denied");
        }
        caller(&api, "2", &["auditor"], &[]).get("/secrets").await.ok();
        let invalid = api.get("/silents").header("authorization", "Bearer x").await;
        assert_eq!(invalid.status(), 200, "the answer is the same for every principal");
        api.stop().await;
    });
}

#[test]
fn table_and_document_state_the_effective_rule() {
    on_each_http_backend(async |database| {
        let service = secured(database.service().await.resource::<Kept>().resource::<Secret>());
        let service = service.access(|access| access.default_access(STAFF));
        let table = service.model().expect("the table").access_table();
        let rule = |method: &str, path: &str| {
            let route = table.routes().iter().find(|route| route.method == method && route.path == path);
            let route = route.unwrap_or_else(|| panic!("no {method} {path}"));
            (route.access.clone(), route.stated_by.clone())
        };
        let expected = |access: &str, stated_by: &str| (access.to_owned(), stated_by.to_owned());
        assert_eq!(rule("POST", "/kepts"), expected(r#"role("staff")"#, "default_access"));
        assert_eq!(rule("DELETE", "/kepts/{id}/permanent"), expected(r#"role("admin")"#, "Kept: delete"));
        assert_eq!(rule("GET", "/secrets"), expected(r#"role("auditor")"#, "Secret: get"));
        assert_eq!(rule("GET", "/secrets/aggregate"), expected(r#"role("auditor")"#, "Secret: get"));
        let staff = table.names().iter().find(|name| name.name == "staff").expect("the name");
        assert_eq!(staff.places, ["default_access"]);
        let document = service.openapi_json().expect("the document");
        let access = |method: &str, path: &str| document["paths"][path][method]["x-access"].clone();
        assert_eq!(access("post", "/kepts"), r#"role("staff")"#);
        assert_eq!(access("get", "/secrets"), r#"role("auditor")"#);
        let description = document["paths"]["/kepts"]["post"]["description"].as_str().expect("a description");
        assert!(description.contains("Requires the role `staff`."), "{description}");
    });
}

#[test]
fn default_other_than_public_needs_authentication() {
    on_each_http_backend(async |database| {
        let service = async || database.service().await.resource::<Silent>();
        let error = service()
            .await
            .access(|access| access.default_access(STAFF))
            .into_router()
            .expect_err("no authentication")
            .to_string();
        assert!(error.contains(r#"`default_access` states `role("staff")`"#), "{error}");
        assert!(service().await.access(|access| access.default_access(Access::Public)).into_router().is_ok());
        assert!(service().await.access(|access| access.default_access(STAFF)).without_auth().into_router().is_ok());
    });
}

#[test]
fn own_route_has_the_default_of_what_it_resembles() {
    use crud_runtime::axum::Json;
    use crud_runtime::routing::{Context, post};
    async fn ping(_: Context) -> crud_runtime::Result<Json<bool>> {
        Ok(Json(true))
    }
    on_each_http_backend(async |database| {
        let service =
            secured(database.service().await.resource::<Silent>()).access(|access| access.default_access(STAFF));
        let service = service.route("/silents/ping", post(ping));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        caller(&api, "1", &[], &[]).post("/silents/ping", &json!({})).await.problem("permission_denied");
        caller(&api, "1", &["staff"], &[]).post("/silents/ping", &json!({})).await.expect(200);
        api.stop().await;
    });
}
