//! Requests that no ordinary client sends.

use std::time::Duration;

use crud_tests::fixtures::{category, product};
use crud_tests::http::{on_kitchen, on_shop};
use crud_tests::{Api, RawConnection, query, within};
use reqwest::Method;
use serde_json::{Value, json};

/// Sends a request as raw bytes and returns the status.
async fn status_of(shop: &Api, request: impl AsRef<[u8]>) -> u16 {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send(request).await;
    connection.answer().await.expect("an answer").status
}

#[test]
fn managed_fields_cannot_be_assigned() {
    on_kitchen(async |kitchen| {
        let body = json!({
            "name": "x", "password": "long enough", "country": "AT",
            "balance": 1_000_000, "created_at": "1999-01-01T00:00:00Z", "id": 99
        });
        let created = kitchen.post("/accounts", &body).await.created();
        assert_eq!(created["balance"], 0);
        assert_ne!(created["id"], 99);
        assert!(created["created_at"].as_str() > Some("2020"));
    });
}

#[test]
fn names_with_a_meaning_elsewhere_are_unknown() {
    on_shop(async |shop| {
        for key in [
            "__proto__",
            "constructor",
            "$where",
            "$set",
            "id__gt",
            "name; DROP TABLE",
            "1=1",
            "\"name\"",
            "products.name",
        ] {
            let mut body = json!({ "name": "x" });
            body[key] = json!({ "$gt": "" });
            shop.post("/categories", &body).await.problem("validation_failed");
            shop.get(query("/categories", [(key, "x")])).await.problem("validation_failed");
            shop.get(query("/categories", [("sort", key)])).await.problem("validation_failed");
        }
    });
}

#[test]
fn texts_with_a_meaning_elsewhere_are_stored_unchanged() {
    on_shop(async |shop| {
        let texts = [
            "'; DROP TABLE categories; --",
            "\" OR \"\"=\"",
            "${jndi:ldap://x}",
            "{{7*7}}",
            "<script>alert(1)</script>",
            "..\\..\\etc\\passwd",
            "%s%n%x",
            "\u{202e}right to left",
            "\u{feff}",
            "\\u0000",
            "NULL",
            "-- comment",
        ];
        for text in texts {
            let key = category(shop, text).await;
            assert_eq!(shop.get(format!("/categories/{key}")).await.ok()["name"], text);
            assert_eq!(shop.get(query("/categories", [("name", text)])).await.ok()["total"], 1, "{text}");
        }
        assert_eq!(shop.get("/categories").await.ok()["total"], texts.len());
    });
}

#[test]
fn absolute_form_of_a_target_is_accepted() {
    on_shop(async |shop| {
        assert_eq!(
            status_of(shop, "GET http://example.com/products?limit=1 HTTP/1.1\r\nHost: example.com\r\n\r\n").await,
            200
        );
    });
}

#[test]
fn targets_that_are_not_paths_are_rejected() {
    on_shop(async |shop| {
        for request in [
            "OPTIONS * HTTP/1.1",
            "CONNECT example.com:80 HTTP/1.1",
            "GET products HTTP/1.1",
            "GET \\products HTTP/1.1",
        ] {
            let mut connection = RawConnection::connect(shop.address()).await;
            connection.send(format!("{request}\r\nHost: x\r\n\r\n")).await;
            if let Some(answer) = connection.answer().await {
                assert!((400..500).contains(&answer.status) || answer.status == 204, "{request}: {}", answer.status);
            }
        }
        shop.get("/health").await.expect(200);
    });
}

#[test]
fn http_1_0_client_is_answered_and_disconnected() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send("GET /products HTTP/1.0\r\n\r\n").await;
        assert_eq!(connection.answer().await.expect("an answer").status, 200);
        within(Duration::ZERO, "the connection is closed", connection.closed()).await;
    });
}

#[test]
fn header_that_is_not_text_is_ignored_or_rejected() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        let request = |line: &str, header: &str| {
            [line.as_bytes(), b" HTTP/1.1\r\nHost: x\r\n", header.as_bytes(), b": \xff\xfe\r\n\r\n"].concat()
        };
        assert_eq!(status_of(shop, request("GET /products", "Prefer")).await, 200);
        assert_eq!(status_of(shop, request("GET /products", "X-Request-Id")).await, 200);
        assert_eq!(status_of(shop, request("GET /products/1", "If-None-Match")).await, 200);
        assert_eq!(status_of(shop, request("DELETE /products/1", "If-Match")).await, 412);
        assert_eq!(status_of(shop, request("POST /categories", "Content-Type")).await, 415);
        shop.get("/products/1").await.ok();
    });
}

#[test]
fn expect_100_continue_is_answered() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        let body = r#"{"name":"x"}"#;
        let head = "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue";
        connection.send(format!("{head}\r\nContent-Length: {}\r\n\r\n", body.len())).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 100);
        connection.send(body).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 201);
    });
}

#[test]
fn expect_100_continue_is_rejected_for_an_unacceptable_body() {
    on_shop(async |shop| {
        let head = "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue";
        assert_eq!(status_of(shop, format!("{head}\r\nContent-Length: 9999999999\r\n\r\n")).await, 413);
        let wrong = head.replace("application/json", "text/plain");
        assert_eq!(status_of(shop, format!("{wrong}\r\nContent-Length: 5\r\n\r\n")).await, 415);
    });
}

#[test]
fn compressed_body_is_415() {
    on_shop(async |shop| {
        let request = shop.post_bytes("/categories", b"\x1f\x8b\x08\x00".to_vec()).header("content-encoding", "gzip");
        request.await.problem("unsupported_media_type");
        let request = shop.post("/categories", &json!({ "name": "x" })).header("content-encoding", "identity");
        request.await.created();
    });
}

#[test]
fn unexpected_body_is_ignored() {
    on_shop(async |shop| {
        let path = format!("/products/{}", product(shop, "Lamp").await["id"]);
        shop.request(Method::GET, &path).json(&json!({ "stock": 5 })).await.ok();
        shop.request(Method::GET, "/products").body("text/plain", "{").await.ok();
        shop.request(Method::DELETE, &path).json(&json!({ "id": 99 })).await.ok();
    });
}

#[test]
fn method_override_is_ignored() {
    on_shop(async |shop| {
        let path = format!("/products/{}", product(shop, "Lamp").await["id"]);
        let request = shop.post(&path, &json!({})).header("x-http-method-override", "DELETE");
        request.await.problem("method_not_allowed");
        shop.get(format!("{path}?_method=DELETE")).await;
        assert_ne!(shop.get(&path).await.ok(), Value::Null);
    });
}
