//! JSON is the only media type of a body, and a body is limited in size.

use crud_tests::fixtures::{id, product};
use crud_tests::http::{on_each_backend, on_shop};
use crud_tests::{Api, RawConnection};
use reqwest::Method;
use serde_json::json;

#[test]
fn json_media_type_may_have_parameters_and_any_case() {
    on_shop(async |shop| {
        let types = [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
        ];
        for (number, media_type) in types.into_iter().enumerate() {
            let body = json!({ "name": number.to_string() }).to_string();
            shop.request(Method::POST, "/categories").body(media_type, body).await.expect(201);
        }
    });
}

#[test]
fn other_media_type_is_415() {
    on_shop(async |shop| {
        let types = [
            "text/plain",
            "text/json",
            "application/xml",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/json; charset=iso-8859-1",
            "application/jsonx",
            "json",
            "*/*",
        ];
        for media_type in types {
            let body = json!({ "name": "x" }).to_string();
            let answer = shop.request(Method::POST, "/categories").body(media_type, body).await;
            answer.problem("unsupported_media_type");
        }
    });
}

#[test]
fn missing_media_type_is_415() {
    on_shop(async |shop| {
        let body = json!({ "name": "x" }).to_string();
        shop.request(Method::POST, "/categories").body("", body).await.problem("unsupported_media_type");
    });
}

#[test]
fn merge_patch_media_type_is_for_patch_only() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        let body = json!({ "stock": 1 }).to_string();
        let merge = "application/merge-patch+json";
        shop.request(Method::PATCH, &path).body(merge, body.clone()).await.expect(200);
        shop.request(Method::PUT, &path).body(merge, body.clone()).await.problem("unsupported_media_type");
        shop.request(Method::POST, "/products").body(merge, body).await.problem("unsupported_media_type");
    });
}

/// A category's body of exactly this many bytes.
fn category_body(bytes: usize) -> String {
    let body = json!({ "name": "x", "description": "y" }).to_string();
    let spaces = " ".repeat(bytes - body.len());
    format!("{body}{spaces}")
}

#[test]
fn body_is_limited_to_two_mebibytes_by_default() {
    on_shop(async |shop| {
        let limit = 2 * 1024 * 1024;
        shop.post_bytes("/categories", category_body(limit)).await.expect(201);
        let problem = shop.post_bytes("/categories", category_body(limit + 1)).await.problem("body_too_large");
        assert!(problem.errors.is_empty(), "{problem}");
    });
}

#[test]
fn body_limit_is_configurable() {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await)
            .limits(|limits| limits.body(1_000))
            .migrate()
            .await
            .expect("the tables");
        let api = Api::start(database, service).await;
        api.post_bytes("/categories", category_body(1_000)).await.expect(201);
        api.post_bytes("/categories", category_body(1_001)).await.problem("body_too_large");
        api.stop().await;
    });
}

#[test]
fn client_can_read_the_response_to_an_oversized_body() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        let length = 4 * 1024 * 1024;
        let head = format!(
            "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        connection.send(head).await;
        connection.send(vec![b' '; length]).await;
        let answer = connection.answer().await.expect("an answer and no reset");
        assert_eq!(answer.status, 413);
    });
}

#[test]
fn chunked_body_over_the_limit_is_413() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send("POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").await;
        let chunk = format!("{:x}\r\n{}\r\n", 512 * 1024, " ".repeat(512 * 1024));
        for _ in 0..6 {
            connection.send(&chunk).await;
        }
        connection.send("0\r\n\r\n").await;
        assert_eq!(connection.answer().await.expect("an answer").status, 413);
    });
}

#[test]
fn chunked_body_within_the_limit_is_accepted() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send("POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").await;
        connection.send("9\r\n{\"name\":\"\r\n3\r\nabc\r\n2\r\n\"}\r\n0\r\n\r\n").await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, 201);
        assert!(String::from_utf8_lossy(&answer.body).contains("abc"));
    });
}
