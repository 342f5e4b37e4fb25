//! Authentication in the OpenAPI document.

use std::time::Duration;

use crud_tests::{Answer, Api, on_each_backend};
use serde_json::{Value, json};

use crate::support::{ADA, PASSWORD, Tokens, auth, claims_with, login, on_service, profile, refresh, sign};

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
                assert_eq!(paths[path]["post"]["security"], json!([]), "{path}");
                assert!(paths[path]["post"]["requestBody"]["content"]["application/json"].is_object(), "{path}");
            }
            assert!(paths["/auth/login"]["post"]["responses"]["429"].is_object());
            assert!(paths["/auth/refresh"]["post"]["responses"]["429"].is_null());
            for schema in ["TokenRequest", "TokenResponse", "RefreshTokenRequest", "ServiceProfile"] {
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
        let service = database
            .service()
            .await
            .auth(auth().build().expect("the authentication"))
            .openapi(|document| document.docs_role("editor"));
        let service = service.migrate().await.expect("the tables of authentication");
        let users = service.users();
        users.create_user(ADA, PASSWORD).await.expect("the user");
        let api = Api::start(database, service).await;
        let other = format!("Bearer {}", login(&api).await.access);
        users.set_roles(ADA, ["editor"]).await.expect("the user's roles");
        let editor = format!("Bearer {}", login(&api).await.access);
        for route in ["/openapi.json", "/docs", "/docs/start.js", "/favicon.ico"] {
            api.get(route).await.expect(401).problem("authentication_failed");
            api.head(route).await.expect(401);
            api.get(route).header("authorization", &other).await.expect(403).problem("permission_denied");
            api.get(route).header("authorization", &editor).await.expect(200);
            api.options(route).await.expect(204);
        }
        for open in ["/", "/health", "/ready"] {
            api.get(open).await.expect(200);
        }
        let root = api.get("/").header("accept", "text/html").await.expect(200);
        assert_eq!(root.require("content-type"), "application/json", "the page is closed with the documentation");
        let document = api.get("/openapi.json").header("authorization", &editor).await.ok();
        for path in ["/openapi.json", "/docs"] {
            let operation = &document["paths"][path]["get"];
            assert_eq!(operation["security"], json!([{ "bearerAuth": [] }]), "{path}");
            assert!(operation["responses"]["403"].is_object(), "{path}");
        }
        api.stop().await;
    });
}

#[test]
fn examples_are_what_the_service_sends() {
    on_each_backend(async |database| {
        let auth = auth().logout().login_attempts(3, Duration::from_mins(1)).build().expect("the authentication");
        let service = shop::shop(database.service().await).auth(auth).migrate().await.expect("the tables");
        let users = service.users();
        let api = Api::start(database, service).await;
        let document = api.get("/openapi.json").await.ok();
        let of_schema = |name: &str| &document["components"]["schemas"][name]["examples"][0];
        let compare = |method: &str, path: &str, code: &str, answer: Answer| {
            let responses = document["paths"][path][method]["responses"].as_object().expect(path);
            let names = responses.values().filter_map(|response| response["$ref"].as_str());
            let mut found = names.filter_map(|name| document.pointer(name.trim_start_matches('#')));
            let example =
                found.find_map(|found| found["content"]["application/problem+json"]["examples"][code].get("value"));
            assert_eq!(Some(answer.json()), example, "{code}");
        };

        let credentials = of_schema("TokenRequest");
        let text = |name: &str| credentials[name].as_str().expect("a text");
        users.create_user(text("username"), text("password")).await.expect("the user");
        users.set_roles(text("username"), ["admin"]).await.expect("the user's roles");
        let response = api.post("/auth/login", credentials).await.ok();
        let names = |value: &Value| value.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>());
        assert_eq!(names(&response), names(of_schema("TokenResponse")));
        assert_eq!(response["expires_in"], of_schema("TokenResponse")["expires_in"]);
        let tokens = Tokens::from_body(&response);
        assert_eq!(profile(&api, &tokens.access).await.ok(), *of_schema("ServiceProfile"));

        compare("get", "/profile", "authentication_failed", api.get("/profile").await);
        compare("get", "/profile", "invalid_token", profile(&api, "x").await);
        let expired = sign(&claims_with(&json!({ "exp": 1 })));
        compare("get", "/profile", "token_expired", profile(&api, &expired).await);
        users.create_user(ADA, PASSWORD).await.expect("the user");
        let editor = format!("Bearer {}", login(&api).await.access);
        let denied = api.delete("/categories/1").header("authorization", &editor).await;
        compare("delete", "/categories/{id}", "permission_denied", denied);
        compare("post", "/auth/refresh", "refresh_failed", refresh(&api, "x").await);
        let mut wrong = credentials.clone();
        wrong["password"] = "another long password".into();
        compare("post", "/auth/login", "invalid_credentials", api.post("/auth/login", &wrong).await);
        for _ in 0..3 {
            api.post("/auth/login", &wrong).await;
        }
        compare("post", "/auth/login", "too_many_requests", api.post("/auth/login", &wrong).await);
        api.stop().await;
    });
}
