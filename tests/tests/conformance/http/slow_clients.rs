//! Clients that send or read too slowly, and the others, which they must not delay.

use std::time::{Duration, Instant};

use crud_tests::fixtures::large_requests;
use crud_tests::http::{on_each_backend, on_shop};
use crud_tests::{Api, Database, RawConnection};
use serde_json::json;

/// The timeouts of the service, and the maximum time until a connection is closed.
const TIMEOUT: Duration = Duration::from_millis(500);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

const HEAD: &str =
    "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";

async fn shop_with_timeouts(database: &Database) -> Api {
    let service = shop::shop(database.service().await).head_timeout(TIMEOUT).body_timeout(TIMEOUT);
    Api::start(database, service.migrate().await.expect("the shop's tables")).await
}

/// Sends the beginning of a request and checks that the service closes the connection.
async fn assert_closed_after(shop: &Api, beginning: &str) {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send(beginning).await;
    assert!(connection.closed_after().await < CLOSE_TIMEOUT, "after {beginning:?}");
}

/// Sends a head byte by byte until the service closes the connection.
async fn assert_closed_while_dripping(shop: &Api) {
    let mut connection = RawConnection::connect(shop.address()).await;
    let begin = Instant::now();
    while connection.try_send("x").await.is_ok() {
        assert!(begin.elapsed() < CLOSE_TIMEOUT, "the timeout does not cover the whole head");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Sends one request and then nothing.
async fn assert_closed_while_idle(shop: &Api) {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
    assert!(connection.closed_after().await < CLOSE_TIMEOUT);
}

#[test]
fn client_that_exceeds_the_head_timeout_is_disconnected() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        tokio::join!(
            assert_closed_after(&shop, ""),
            assert_closed_after(&shop, "G"),
            assert_closed_after(&shop, &HEAD[..40]),
            assert_closed_while_dripping(&shop),
            assert_closed_while_idle(&shop),
        );
        shop.stop().await;
    });
}

#[test]
fn client_that_sends_a_partial_body_gets_408() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(format!("{HEAD}{{\"name\":")).await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, 408);
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert!(String::from_utf8_lossy(&answer.body).contains("\"code\":\"request_timeout\""));
        assert!(connection.closed_after().await < CLOSE_TIMEOUT);
        assert_eq!(shop.get("/categories").await.ok()["total"], 0);
        shop.stop().await;
    });
}

#[test]
fn client_that_sends_its_body_too_slowly_gets_408() {
    on_each_backend(async |database| {
        let service = shop::shop(database.service().await).request_timeout(TIMEOUT);
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
        assert!(begin.elapsed() < CLOSE_TIMEOUT, "the timeout does not cover the whole body");
        shop.stop().await;
    });
}

#[test]
fn slow_clients_do_not_delay_others() {
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

/// What a slow client sends first, and what it does then.
#[derive(Debug, Clone, Copy)]
enum Slow {
    /// It sends nothing more.
    Silent(&'static str),
    /// It sends a byte of a head at a time.
    Dripping,
    /// It reads no answer.
    Deaf,
}

/// The clients of every kind, with how many there are of each.
const KINDS: [Slow; 6] = [
    Slow::Silent(""),
    Slow::Silent("G"),
    Slow::Silent("POST /categories HTTP/1.1\r\nHost: x\r\nContent-"),
    Slow::Silent(
        "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
    ),
    Slow::Dripping,
    Slow::Deaf,
];

/// Connects until the service closes the connection.
async fn be_slow(shop: std::net::SocketAddr, kind: Slow) {
    let mut connection = RawConnection::connect(shop).await;
    let begin = Instant::now();
    match kind {
        Slow::Silent(text) => {
            connection.send(text).await;
            // A half body gets an answer first.
            connection.closed_after().await;
        }
        Slow::Dripping => {
            while connection.try_send("x").await.is_ok() {
                assert!(begin.elapsed() < 4 * CLOSE_TIMEOUT, "the connection is open");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Slow::Deaf => {
            drop(connection.try_send(large_requests(200)).await);
            while connection.is_open() {
                assert!(begin.elapsed() < 4 * CLOSE_TIMEOUT, "the connection is open");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    assert!(begin.elapsed() < 4 * CLOSE_TIMEOUT, "{kind:?} was closed after {:?}", begin.elapsed());
}

/// `CRUD_TEST_SLOW_CLIENTS` says how many clients of each kind there are instead of five.
#[test]
fn slow_clients_of_every_kind_are_closed_while_others_are_served() {
    let each: usize = std::env::var("CRUD_TEST_SLOW_CLIENTS").map_or(5, |text| text.parse().expect("a number"));
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        let mut slow = tokio::task::JoinSet::new();
        for _ in 0..each {
            for kind in KINDS {
                slow.spawn(be_slow(shop.address(), kind));
            }
            // Of more connections at once than the listener's backlog, the system forgets some, and their clients do not know.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let (mut served, mut longest) = (0, Duration::ZERO);
        while !slow.is_empty() {
            let begin = Instant::now();
            shop.post("/categories", &json!({ "name": format!("category {served}") })).await.created();
            longest = longest.max(begin.elapsed());
            served += 1;
            while let Some(ended) = slow.try_join_next() {
                ended.expect("a client that is closed");
            }
        }
        assert!(longest < Duration::from_secs(5), "another client waited {longest:?}");
        assert_eq!(shop.get("/categories?limit=1").await.ok()["total"], served);
        let clients = each * KINDS.len();
        println!("{clients} slow clients were closed; {served} changes meanwhile, the longest took {longest:?}");
        shop.stop().await;
    });
}

#[test]
fn client_that_does_not_read_is_disconnected() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(large_requests(200)).await;
        let begin = Instant::now();
        while connection.is_open() {
            assert!(begin.elapsed() < CLOSE_TIMEOUT, "the connection is open");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        shop.get("/health").await.ok();
        shop.stop().await;
    });
}

#[test]
fn client_that_reads_too_slowly_is_disconnected() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(large_requests(200)).await;
        let begin = Instant::now();
        while connection.is_open() {
            assert!(begin.elapsed() < CLOSE_TIMEOUT, "a byte at a time keeps the connection open");
            connection.read_byte().await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        shop.stop().await;
    });
}

#[test]
fn client_that_pauses_within_the_limit_gets_every_response() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(large_requests(200)).await;
        for number in 0..200 {
            if number % 50 == 0 {
                tokio::time::sleep(TIMEOUT / 2).await;
            }
            assert_eq!(connection.answer().await.expect("an answer").status, 200);
        }
        shop.stop().await;
    });
}
