//! Unknown routes are 404; malformed requests are refused without harm to the connection's others.

use crud_tests::RawConnection;
use crud_tests::fixtures::{id, product};
use crud_tests::http::on_shop;
use reqwest::Method;
use serde_json::json;

#[test]
fn unknown_route_is_404_for_every_method() {
    on_shop(async |shop| {
        for path in
            ["/nowhere", "/product", "/products/1/2", "/Products", "/docs/../products/x/y", "/%2e%2e/etc/passwd"]
        {
            for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
                shop.request(method, path).json(&json!({})).await.problem("route_not_found");
            }
        }
    });
}

#[test]
fn trailing_slash_is_another_route() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        shop.get("/products/").await.problem("route_not_found");
        shop.get(format!("{path}/")).await.problem("route_not_found");
        shop.get("//products").await.problem("route_not_found");
    });
}

#[test]
fn routes_of_disabled_features_are_404() {
    on_shop(async |shop| {
        let path = format!("/categories/{}", crud_tests::fixtures::category(shop, "Lamps").await);
        for target in [format!("{path}/restore"), format!("{path}/history"), format!("{path}/permanent")] {
            shop.post(target, &json!({})).await.problem("route_not_found");
        }
        for target in ["/auth/login", "/profile"] {
            shop.get(target).await.problem("route_not_found");
        }
    });
}

#[test]
fn malformed_http_is_rejected() {
    on_shop(async |shop| {
        for bytes in [
            "\0\0\0\0\r\n\r\n",
            "GET\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET / HTTP/1.1\r\nHost x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
            "POST /products HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
            "POST /products HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /products HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n",
            "\x16\x03\x01\x02\x00\x01\x00\x01\u{fc}\x03\x03",
        ] {
            let mut connection = RawConnection::connect(shop.address()).await;
            connection.send(bytes).await;
            if let Some(answer) = connection.answer().await {
                assert!((400..500).contains(&answer.status) || answer.status == 505, "{bytes:?}: {}", answer.status);
            }
        }
        shop.get("/health").await.expect(200);
    });
}

#[test]
fn endless_head_is_rejected() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send("GET / HTTP/1.1\r\nHost: x\r\n").await;
        let line = format!("X-Filler: {}\r\n", "x".repeat(8_000));
        for _ in 0..200 {
            if connection.try_send(&line).await.is_err() {
                break;
            }
        }
        if let Some(answer) = connection.answer().await {
            assert_eq!(answer.status, 431);
        }
        shop.get("/health").await.expect(200);
    });
}

#[test]
fn large_head_is_rejected() {
    on_shop(async |shop| {
        for (size, expected) in [(30_000, 200), (40_000, 431), (300_000, 431)] {
            let mut connection = RawConnection::connect(shop.address()).await;
            let head = format!("GET /categories HTTP/1.1\r\nHost: x\r\nPrefer: {}\r\n\r\n", "x,".repeat(size / 2));
            // The connection may be closed before the whole head is sent.
            let sent = connection.try_send(&head).await;
            match connection.answer().await {
                Some(answer) => assert_eq!(answer.status, expected),
                None => assert!(sent.is_err() || expected == 431, "no answer to {size} bytes"),
            }
        }
    });
}

#[test]
fn long_target_is_answered() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(format!("GET /products?name={} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(30_000))).await;
        let status = connection.answer().await.expect("an answer").status;
        assert_eq!(status, 414);
    });
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    on_shop(async |shop| {
        let mut connection = RawConnection::connect(shop.address()).await;
        let body = r#"{"name":"x","extra":1}"#;
        let bad = format!(
            "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let unread = "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";
        connection
            .send(format!(
                "GET /products/7 HTTP/1.1\r\nHost: x\r\n\r\n{bad}{unread}GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
            ))
            .await;
        let mut statuses = Vec::new();
        for _ in 0..4 {
            statuses.push(connection.answer().await.expect("an answer").status);
        }
        assert_eq!(statuses, [404, 422, 404, 200]);
    });
}
