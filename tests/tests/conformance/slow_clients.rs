//! Section 3: clients that send too slowly, and others that must not notice.

use std::time::{Duration, Instant};

use crud_tests::{Api, Database, RawConnection, on_each_backend, on_shop};
use serde_json::json;

/// The limits that these tests set, and the most that a close after them may take.
const LIMIT: Duration = Duration::from_millis(500);
const CLOSED: Duration = Duration::from_secs(5);

const HEAD: &str =
    "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";

async fn impatient_shop(database: &Database) -> Api {
    let service = shop::shop(database.service().await).head_timeout(LIMIT).body_timeout(LIMIT);
    Api::start(database, service.migrate().await.expect("the shop's tables")).await
}

/// Sends the beginning of a request and waits until the service closes the connection.
async fn closed_after(shop: &Api, beginning: &str) {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send(beginning).await;
    assert!(connection.closed_after().await < CLOSED, "after {beginning:?}");
}

/// Sends a head byte by byte for as long as the service takes it.
async fn closed_while_dripping(shop: &Api) {
    let mut connection = RawConnection::connect(shop.address()).await;
    let begin = Instant::now();
    while connection.try_send("x").await.is_ok() {
        assert!(begin.elapsed() < CLOSED, "the whole head has to come in time, not its next byte");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Asks once and then says nothing more.
async fn closed_while_idle(shop: &Api) {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
    assert!(connection.closed_after().await < CLOSED);
}

#[test]
fn a_client_that_does_not_send_a_head_in_time_is_let_go() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        tokio::join!(
            closed_after(&shop, ""),
            closed_after(&shop, "G"),
            closed_after(&shop, &HEAD[..40]),
            closed_while_dripping(&shop),
            closed_while_idle(&shop),
        );
        shop.stop().await;
    });
}

#[test]
fn a_client_that_sends_half_a_body_is_told_408() {
    on_each_backend(async |database| {
        let shop = impatient_shop(database).await;
        let mut connection = RawConnection::connect(shop.address()).await;
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
fn a_client_that_drips_its_body_is_told_408() {
    on_each_backend(async |database| {
        let service = shop::shop(database.service().await).request_timeout(LIMIT);
        let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(HEAD).await;
        let begin = Instant::now();
        for _ in 0..15 {
            if connection.try_send(" ").await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(connection.answer().await.expect("an answer").status, 408);
        assert!(begin.elapsed() < CLOSED, "the whole body has to come in time, not its next byte");
        shop.stop().await;
    });
}

#[test]
fn others_do_not_notice_slow_clients() {
    on_shop(async |shop| {
        let mut slow = Vec::new();
        for _ in 0..100 {
            let mut connection = RawConnection::connect(shop.address()).await;
            connection.send(format!("{HEAD}{{")).await;
            slow.push(connection);
        }
        let begin = Instant::now();
        shop.post("/categories", &json!({ "name": "x" })).await.created();
        assert!(begin.elapsed() < Duration::from_secs(1), "took {:?}", begin.elapsed());
    });
}
