//! Authentication in the OpenAPI document.

use serde_json::json;

use crate::support::{auth, on_service};

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
