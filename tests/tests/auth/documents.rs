//! Authentication in the OpenAPI document.

use crud_tests::{Api, on_each_backend};
use serde_json::json;

use crate::support::{ADA, PASSWORD, auth, login, on_service};

#[test]
fn authentication_routes_and_scheme_are_documented() {
    on_service(
        || auth().logout(),
        async |api, _| {
            let document = api.get("/openapi.json").await.ok();
            let scheme = &document["components"]["securitySchemes"]["bearerAuth"];
            assert_eq!(
                (&scheme["type"], &scheme["scheme"], &scheme["bearerFormat"]),
                (&json!("http"), &json!("bearer"), &json!("JWT"))
            );
            let paths = &document["paths"];
            for (path, method) in [("/auth/logout", "post"), ("/profile", "get")] {
                assert_eq!(paths[path][method]["security"], json!([{ "bearerAuth": [] }]), "{path}");
                assert!(paths[path][method]["responses"]["401"].is_object(), "{path}");
            }
            for path in ["/auth/login", "/auth/refresh"] {
                assert!(paths[path]["post"]["security"].is_null(), "{path}");
                assert!(paths[path]["post"]["requestBody"]["content"]["application/json"].is_object(), "{path}");
            }
            assert!(paths["/auth/login"]["post"]["responses"]["429"].is_object());
            assert!(paths["/auth/refresh"]["post"]["responses"]["429"].is_null());
            for schema in ["TokenRequest", "TokenResponse", "RefreshTokenRequest", "Profile"] {
                assert!(document["components"]["schemas"][schema].is_object(), "{schema}");
            }
        },
    );
}

#[test]
fn disabled_route_is_not_documented() {
    on_service(auth, async |api, _| {
        let document = api.get("/openapi.json").await.ok();
        assert!(document["paths"]["/auth/logout"].is_null());
    });
}

#[test]
fn every_reference_resolves() {
    on_service(
        || auth().logout(),
        async |api, _| {
            let document = api.get("/openapi.json").await.ok();
            let text = document.to_string();
            for (start, _) in text.match_indices("\"$ref\":\"#") {
                let pointer = text[start + 9..].split('"').next().expect("a pointer");
                assert!(document.pointer(pointer).is_some(), "{pointer}");
            }
        },
    );
}

#[test]
fn documentation_behind_a_role_needs_it() {
    on_each_backend(async |database| {
        let service = database.service().await.auth(auth().build().expect("the authentication")).docs_role("editor");
        let service = service.migrate().await.expect("the tables of authentication");
        let users = service.users();
        users.create_user(ADA, PASSWORD).await.expect("the user");
        let api = Api::start(database, service).await;
        let other = format!("Bearer {}", login(&api).await.access);
        users.set_roles(ADA, ["editor"]).await.expect("the user's roles");
        let editor = format!("Bearer {}", login(&api).await.access);
        for route in ["/openapi.json", "/docs", "/docs/start.js"] {
            api.get(route).await.expect(401).problem("authentication_failed");
            api.head(route).await.expect(401);
            api.get(route).header("authorization", &other).await.expect(403).problem("permission_denied");
            api.get(route).header("authorization", &editor).await.expect(200);
            api.options(route).await.expect(204);
        }
        for open in ["/", "/health", "/ready"] {
            api.get(open).await.expect(200);
        }
        let document = api.get("/openapi.json").header("authorization", &editor).await.ok();
        for path in ["/openapi.json", "/docs", "/docs/{asset}"] {
            let operation = &document["paths"][path]["get"];
            assert_eq!(operation["security"], json!([{ "bearerAuth": [] }]), "{path}");
            assert!(operation["responses"]["403"].is_object(), "{path}");
        }
        api.stop().await;
    });
}
