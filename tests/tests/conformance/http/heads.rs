//! Heads that a proxy could read in another way are refused, and heads are bounded.

use crud_tests::http::on_shop;
use crud_tests::{Api, RawConnection};

/// The status of a request as it is written, and whether the connection is open afterwards.
async fn status(shop: &Api, request: &str) -> u16 {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send(request).await;
    connection.answer().await.expect("an answer").status
}

#[test]
fn request_has_one_host() {
    on_shop(async |shop| {
        for (request, expected) in [
            ("GET /categories HTTP/1.1\r\nHost: x\r\n\r\n", 200),
            ("GET /categories HTTP/1.1\r\n\r\n", 400),
            ("GET /categories HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
            ("GET /categories HTTP/1.0\r\n\r\n", 200),
            ("GET /categories HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        ] {
            assert_eq!(status(shop, request).await, expected, "{request}");
        }
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send("GET /categories HTTP/1.1\r\n\r\n").await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        let body = String::from_utf8_lossy(&answer.body);
        assert!(body.contains("\"code\":\"malformed_request\"") && body.contains("found 0"), "{body}");
    });
}

#[test]
fn line_feed_without_carriage_return_is_refused() {
    on_shop(async |shop| {
        for request in [
            "GET /categories HTTP/1.1\nHost: x\n\n",
            "GET /categories HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n",
            "GET /categories HTTP/1.1\r\nHost: x\r\n\n",
        ] {
            assert_eq!(status(shop, request).await, 400, "{request:?}");
        }
        // The second request of a connection too, and line feeds of a body are its own.
        let mut connection = RawConnection::connect(shop.address()).await;
        for name in ["a", "b", "c"] {
            let body = format!("{{\n\"name\":\n\"{name}\"}}\n\n");
            let head = "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
            connection.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
            assert_eq!(connection.answer().await.expect("an answer").status, 201);
        }
        connection.send("GET /categories HTTP/1.1\nHost: x\n\n").await;
        assert_eq!(connection.answer().await.expect("an answer").status, 400);
    });
}

#[test]
fn heads_have_at_most_32_kib() {
    on_shop(async |shop| {
        let request = |bytes: usize| format!("GET /health HTTP/1.1\r\nHost: x\r\nX-A: {}\r\n\r\n", "a".repeat(bytes));
        assert_eq!(status(shop, &request(32_000)).await, 200);
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(request(33_000)).await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, 431);
        assert!(String::from_utf8_lossy(&answer.body).contains("\"code\":\"head_too_large\""));
    });
}
