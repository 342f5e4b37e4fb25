//! Bodies that are malformed, too deep, or have unexpected members.

use crud_tests::RawConnection;
use crud_tests::fixtures::{dense, dense_with, id, product};
use crud_tests::http::{on_kitchen, on_shop};
use serde_json::json;

#[test]
fn malformed_json_is_rejected() {
    on_shop(async |shop| {
        let bodies: [&[u8]; 22] = [
            b"",
            b" ",
            b"{",
            b"}",
            b"{\"name\":}",
            b"{\"name\":\"x\",}",
            b"{name:\"x\"}",
            b"{'name':'x'}",
            b"{\"name\":\"x\"} x",
            b"{\"name\":\"x\"}{}",
            b"{\"name\":\"x\" \"description\":null}",
            b"{\"name\":NaN}",
            b"{\"name\":Infinity}",
            b"{\"name\":+1}",
            b"{\"name\":01}",
            b"{\"name\":.5}",
            b"{\"name\":\"\n\"}",
            b"{\"name\":\"\\x\"}",
            b"{\"name\":\"\\ud800\"}",
            b"{\"name\":\"\xff\"}",
            b"\xef\xbb\xbf{\"name\":\"x\"}",
            b"// a comment\n{\"name\":\"x\"}",
        ];
        for body in bodies {
            shop.post_bytes("/categories", body).await.problem("malformed_json");
        }
        assert_eq!(shop.get("/categories").await.ok()["total"], 0);
    });
}

#[test]
fn update_without_a_body_is_malformed() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        shop.request(reqwest::Method::PUT, &path).body("application/json", "").await.problem("malformed_json");
    });
}

#[test]
fn number_out_of_range_of_a_double_is_malformed() {
    on_kitchen(async |kitchen| {
        for number in ["1e400", "-1e400", &format!("1{}", "0".repeat(400))] {
            for field in ["double", "json", "large"] {
                let body = dense_with(field, json!("@")).to_string().replace("\"@\"", number);
                kitchen.post_bytes("/dense", body).await.problem("malformed_json");
            }
        }
    });
}

#[test]
fn body_depth_is_limited_to_64() {
    on_kitchen(async |kitchen| {
        let nested = |depth: usize| {
            let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            dense_with("json", json!("@")).to_string().replace("\"@\"", &json)
        };
        // The body's outer object is the first level.
        kitchen.post_bytes("/dense", nested(63)).await.expect(201);
        kitchen.post_bytes("/dense", nested(64)).await.problem("malformed_json");
        kitchen.post_bytes("/dense", nested(100_000)).await.problem("malformed_json");
        kitchen.post_bytes("/dense", "[".repeat(100_000)).await.problem("malformed_json");
        kitchen.post_bytes("/dense", "{\"json\":".repeat(100_000)).await.problem("malformed_json");
    });
}

#[test]
fn body_must_be_an_object() {
    on_shop(async |shop| {
        for body in ["[]", "[{\"name\":\"x\"}]", "1", "\"x\"", "null", "true"] {
            let problem = shop.post_bytes("/categories", body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [""], "{body}");
        }
    });
}

#[test]
fn unknown_field_is_reported_with_the_nearest_name() {
    on_shop(async |shop| {
        let body = json!({ "name": "x", "descripton": "y" });
        let problem = shop.post("/categories", &body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/descripton"]);
        assert!(problem.only().detail.contains("description"), "{problem}");
    });
}

#[test]
fn pointer_of_an_unknown_field_is_escaped() {
    on_shop(async |shop| {
        let body = json!({ "name": "x", "a/b": 1, "c~d": 1, "e\"f": 1, "": 1 });
        let problem = shop.post("/categories", &body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/", "/a~1b", "/c~0d", "/e\"f"]);
    });
}

#[test]
fn duplicate_key_is_rejected() {
    on_shop(async |shop| {
        for body in [r#"{"name":"x","name":"y"}"#, r#"{"name":"x","name":"x"}"#, r#"{"name":"x","\u006eame":"x"}"#] {
            let problem = shop.post_bytes("/categories", body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/name"], "{body}");
        }
    });
}

#[test]
fn duplicate_key_in_a_json_value_is_rejected() {
    on_kitchen(async |kitchen| {
        let body = dense_with("json", json!("@")).to_string().replace("\"@\"", r#"{"a":{"b":1,"b":2}}"#);
        let problem = kitchen.post_bytes("/dense", body).await.problem("validation_failed");
        assert!(problem.pointers().iter().all(|pointer| pointer.starts_with("/json")), "{problem}");
    });
}

#[test]
fn nul_in_text_is_rejected() {
    on_kitchen(async |kitchen| {
        for (field, value) in [
            ("text", json!("a\0b")),
            ("texts", json!(["fine", "\0"])),
            ("json", json!({ "deep": ["\0"] })),
            ("json", json!({ "\0": 1 })),
            ("sku", json!("SKU-\0")),
        ] {
            let problem = kitchen.post("/dense", &dense_with(field, value)).await.problem("validation_failed");
            let pointer = problem.pointers()[0].to_owned();
            assert!(pointer.starts_with(&format!("/{field}")), "{problem}");
        }
        kitchen.post("/tags", &json!({ "slug": "a\0" })).await.problem("validation_failed");
    });
}

#[test]
fn every_error_of_a_body_is_reported_at_once() {
    on_shop(async |shop| {
        let body = r#"{"name":"","price":"dear","stock":1.5,"colour":"red","category_id":null,"description":7}"#;
        let problem = shop.post_bytes("/products", body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/category_id", "/colour", "/description", "/name", "/price", "/stock"]);
        assert!(problem.detail.ends_with("(and 5 more errors)"), "{problem}");
    });
}

#[test]
fn malformed_key_in_the_path_is_reported() {
    on_shop(async |shop| {
        let answer = shop.put("/products/seven", &json!({ "stock": "x" })).await;
        let problem = answer.problem("validation_failed");
        assert!(problem.errors.iter().any(|error| error.at == "parameter id"), "{problem}");
    });
}

#[test]
fn every_missing_field_is_reported() {
    on_kitchen(async |kitchen| {
        let problem = kitchen.post("/dense", &json!({})).await.problem("validation_failed");
        let mut expected: Vec<_> =
            dense().as_object().expect("an object").keys().map(|key| format!("/{key}")).collect();
        expected.sort_unstable();
        assert_eq!(problem.pointers(), expected);
    });
}

#[test]
fn missing_and_null_fields_have_different_errors() {
    on_shop(async |shop| {
        let body = json!({ "name": null, "price": 1, "stock": 1 });
        let problem = shop.post("/products", &body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/category_id", "/name"]);
        assert_ne!(problem.at("/category_id"), problem.at("/name"));
    });
}

#[test]
fn rejected_create_stores_nothing() {
    on_shop(async |shop| {
        shop.post("/categories", &json!({ "name": "x", "extra": 1 })).await.problem("validation_failed");
        assert_eq!(shop.get("/categories").await.ok()["total"], 0);
    });
}

/// A request with a JSON body of this many bytes, which follows.
fn head(path: &str, length: usize, more: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n"
    )
}

#[test]
fn client_that_sends_a_refused_body_to_its_end_reads_the_response() {
    on_shop(async |shop| {
        let piece = vec![b'x'; 64 * 1024];
        for (path, status) in [("/categories", 413), ("/nowhere", 404)] {
            let mut connection = RawConnection::connect(shop.address()).await;
            connection.send(head(path, 512 * piece.len(), "")).await;
            for _ in 0..512 {
                connection.send(&piece).await;
            }
            let answer = connection.answer().await.expect("an answer");
            assert_eq!(answer.status, status, "{path}");
            assert_eq!(answer.headers["connection"], "close", "{path}");
            assert_eq!(connection.read_byte().await, None, "the service closes the connection");
        }
    });
}

#[test]
fn connection_stays_open_after_a_refused_body_that_has_arrived() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        for length in [2, 30_000] {
            connection.send(head("/nowhere", length, "") + &"x".repeat(length)).await;
            let answer = connection.answer().await.expect("an answer");
            assert_eq!((answer.status, answer.headers.get("connection")), (404, None), "{length} bytes");
        }
        connection
            .send("POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n")
            .await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!((answer.status, answer.headers.get("connection")), (404, None), "in chunks");
        connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert_eq!(connection.answer().await.expect("an answer").status, 200);
    });
}

#[test]
fn body_of_a_refused_request_is_not_asked_for() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(head("/nowhere", 100, "Expect: 100-continue\r\n")).await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!((answer.status, &answer.headers["connection"]), (404, &"close".parse().expect("a value")));
    });
}
