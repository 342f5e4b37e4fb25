//! Heads that a proxy could read in another way are refused, and heads are bounded.

use std::time::Duration;

use crud_tests::http::on_shop;
use crud_tests::{Api, RawConnection, pause};

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
            ("GET /categories HTTP/1.1\r\nHost:\r\n\r\n", 200),
            ("GET /categories HTTP/1.1\r\nHost: api.example.com:8000\r\n\r\n", 200),
            ("GET /categories HTTP/1.1\r\nHost: [::1]:8000\r\n\r\n", 200),
            ("GET /categories HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
            ("GET /categories HTTP/1.1\r\nHost: a@b\r\n\r\n", 400),
            ("GET /categories HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
            ("GET /categories HTTP/1.1\r\nHost: a, b\r\n\r\n", 400),
            ("GET /categories HTTP/1.1\r\nHost: a:b\r\n\r\n", 400),
            ("GET /categories HTTP/1.1\r\nHost: [::1\r\n\r\n", 400),
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
fn line_feed_without_carriage_return_is_refused_behind_another_request() {
    const HEAD: &str = "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    const BARE: &str = "GET /categories HTTP/1.1\nHost: x\r\n\r\n";
    on_shop(async |shop| {
        let body = |name: &str| format!("{{\n\"name\":\n\"{name}\"}}\r\n\r\n\n");
        let whole = |name: &str| format!("{HEAD}Content-Length: {}\r\n\r\n{}", body(name).len(), body(name));
        let chunked = |name: &str, trailers: &str| {
            let body = body(name);
            let chunks = format!("1\r\n{{\r\n{:x};a=b\r\n{}\r\n0\r\n{trailers}\r\n", body.len() - 1, &body[1..]);
            format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n{chunks}")
        };
        let get = "GET /categories HTTP/1.1\r\nHost: x\r\n\r\n";
        // In one piece, and in two.
        for number in 0..4 {
            let name = |letter: char| format!("{letter}{number}");
            let legal = format!("\r\n{get}{}{get}\r\n{}{get}", whole(&name('e')), chunked(&name('f'), "X-A: b\r\n"));
            for (requests, statuses) in [
                (format!("{get}{BARE}"), vec![200, 400]),
                (format!("{}{BARE}", whole(&name('a'))), vec![201, 400]),
                (format!("{}{BARE}", chunked(&name('b'), "")), vec![201, 400]),
                (format!("{}{BARE}", chunked(&name('c'), "X-A: b\r\n")), vec![201, 400]),
                (format!("{}{get}", chunked(&name('d'), "X-A: b\n")), vec![400]),
                (format!("\r\n\r\n{BARE}"), vec![400]),
                (format!("{get}\n{get}"), vec![200, 400]),
                (legal, vec![200, 201, 200, 201, 200]),
            ] {
                let cut = [0, get.len(), requests.len() - BARE.len(), requests.len() - 20][number];
                let mut connection = RawConnection::connect(shop.address()).await;
                connection.send(&requests[..cut]).await;
                pause("the rest is sent later", Duration::from_millis(10)).await;
                connection.send(&requests[cut..]).await;
                for status in &statuses {
                    let answer = connection.answer().await.expect("an answer");
                    assert_eq!(answer.status, *status, "{requests:?}, cut at {cut}");
                }
            }
        }
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
