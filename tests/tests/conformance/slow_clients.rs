//! Section 3: clients that send too slowly, and others that must not notice.

use std::time::Duration;

use crud_tests::{Api, Database, Raw, on_each_backend};
use serde_json::json;

/// The limits that these tests set, and the most that a close may take.
const LIMIT: Duration = Duration::from_millis(500);
const CLOSED: Duration = Duration::from_secs(5);

async fn impatient_shop(database: &Database) -> Api {
    let service = shop::shop(database.service().await).header_timeout(LIMIT).body_timeout(LIMIT);
    Api::start(database, service.migrate().await.expect("the shop's tables")).await
}

const HEAD: &str =
    "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";

#[test]
fn a_client_that_sends_nothing_is_let_go() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        assert!(Raw::connect(shop.address()).await.closed_after().await < CLOSED);
        shop.stop().await;
    });
}

#[test]
fn a_client_that_sends_one_byte_is_let_go() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        let mut connection = Raw::connect(shop.address()).await;
        connection.send("G").await;
        assert!(connection.closed_after().await < CLOSED);
        shop.stop().await;
    });
}

#[test]
fn a_client_that_sends_half_a_head_is_let_go() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        let mut connection = Raw::connect(shop.address()).await;
        connection.send(&HEAD[..40]).await;
        assert!(connection.closed_after().await < CLOSED);
        shop.stop().await;
    });
}

#[test]
fn a_client_that_sends_half_a_body_is_told_408() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        let mut connection = Raw::connect(shop.address()).await;
        connection.send(format!("{HEAD}{{\"name\":")).await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, 408);
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert!(String::from_utf8_lossy(&answer.body).contains("\"code\":\"request_timeout\""));
        assert!(connection.closed_after().await < CLOSED);
        assert_eq!(shop.get("/categories").await.ok()["total"], 0);
        shop.stop().await;
    });
}

#[test]
fn a_client_that_drips_its_head_is_let_go() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        let mut connection = Raw::connect(shop.address()).await;
        let begin = std::time::Instant::now();
        for byte in HEAD.bytes().cycle() {
            if connection.try_send([byte]).await.is_err() || begin.elapsed() > CLOSED {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(begin.elapsed() < CLOSED, "the whole head has to come in time, not its next byte");
        shop.stop().await;
    });
}

#[test]
fn a_client_that_idles_between_requests_is_let_go() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        let mut connection = Raw::connect(shop.address()).await;
        connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert_eq!(connection.answer().await.expect("an answer").status, 200);
        assert!(connection.closed_after().await < CLOSED);
        shop.stop().await;
    });
}

#[test]
fn others_do_not_notice_slow_clients() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        let mut slow = Vec::new();
        for _ in 0..100 {
            let mut connection = Raw::connect(shop.address()).await;
            connection.send(format!("{HEAD}{{")).await;
            slow.push(connection);
        }
        let begin = std::time::Instant::now();
        shop.post("/categories", &json!({ "name": "x" })).await.created();
        assert!(begin.elapsed() < LIMIT, "took {:?}", begin.elapsed());
        drop(slow);
        shop.stop().await;
    });
}
