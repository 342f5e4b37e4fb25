//! The routes of keys.

use crud_runtime::prelude::TimeDelta;
use crud_tests::on_each_backend;
use serde_json::{Value, json};

use crate::shop::{key, make, server, with, with_ann};

#[test]
fn key_is_shown_once_listed_and_revoked() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        let made = make(&test, "ann", json!({ "name": "ci-server", "roles": ["staff"], "permissions": [] })).await;
        assert_eq!(made.header("cache-control"), Some("no-store"));
        let made = made.expect(201).json();
        assert!(
            made["key"]
                .as_str()
                .is_some_and(|key| key.starts_with(&format!("ck_{}_", made["id"].as_str().unwrap_or_default())))
        );
        let ann = test.as_user("ann").await.expect("a user");
        let listed = ann.get("/auth/keys").await.expect(200).json();
        let mut shown = made.clone();
        shown.as_object_mut().expect("an object").remove("key");
        assert_eq!(listed, json!({ "data": [shown] }));
        ann.delete(format!("/auth/keys/{}", made["id"].as_str().expect("an id"))).await.expect(204);
        assert_eq!(ann.get("/auth/keys").await.expect(200).json(), json!({ "data": [] }));
        with(test.get("/notes"), &made).await.problem("invalid_token");
    });
}

#[test]
fn last_use_is_noted_to_the_minute_and_an_expired_key_is_refused() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        let start = test.clock().now();
        let end = (start + TimeDelta::minutes(5)).format("%FT%TZ").to_string();
        let made =
            make(&test, "ann", json!({ "name": "door", "roles": [], "expires_at": end })).await.expect(201).json();
        let ann = test.as_user("ann").await.expect("a user");
        let last = async || ann.get("/auth/keys").await.expect(200).json()["data"][0]["last_used_at"].clone();
        assert_eq!(last().await, Value::Null);
        let mut seen = Vec::new();
        for seconds in [0, 59, 61] {
            test.clock().set(start + TimeDelta::seconds(seconds));
            with(test.get("/notes"), &made).await.expect(200);
            seen.push(last().await);
        }
        assert!(seen[0] == seen[1] && seen[1] != seen[2], "{seen:?}");
        test.clock().set(start + TimeDelta::minutes(5));
        with(test.get("/notes"), &made).await.problem("token_expired");
    });
}

#[test]
fn names_are_unique_for_each_user() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        test.users().create_user("bob", "correct horse").await.expect("a user");
        let body = json!({ "name": "ci", "roles": [] });
        make(&test, "ann", body.clone()).await.expect(201);
        make(&test, "ann", body.clone()).await.problem("conflict");
        make(&test, "bob", body).await.expect(201);
        for name in ["", "-a", "a b", "a\n", "ä", &"a".repeat(51)] {
            make(&test, "ann", json!({ "name": name, "roles": [] })).await.problem("validation_failed");
        }
    });
}

#[test]
fn user_has_a_hundred_keys_at_most() {
    crud_tests::http::on_each_backend(async |database| {
        let test = with_ann(database).await;
        for number in 0..100 {
            key(&test, &format!("key-{number}"), &[]).await;
        }
        make(&test, "ann", json!({ "name": "one-more", "roles": [] })).await.problem("conflict");
    });
}

#[test]
fn document_has_the_scheme_and_the_routes() {
    crud_tests::http::on_each_backend(async |database| {
        let test = server(database).await;
        let document = test.get("/openapi.json").await.expect(200).json();
        assert_eq!(document["components"]["securitySchemes"]["apiKey"]["scheme"], "bearer");
        let security = &document["paths"]["/notes"]["post"]["security"];
        assert_eq!(*security, json!([{ "apiKey": [] }, { "bearerAuth": [] }]));
        let make = &document["paths"]["/auth/keys"]["post"];
        let answer = &make["responses"]["201"]["content"]["application/json"]["schema"]["$ref"];
        assert_eq!((&make["operationId"], answer), (&json!("createApiKey"), &json!("#/components/schemas/NewApiKey")));
    });
}
