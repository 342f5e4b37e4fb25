//! Clients that send or read too slowly, and the others, which they must not delay.

use std::net::SocketAddr;
use std::time::Duration;

use crud_tests::fixtures::large_requests;
use crud_tests::http::{on_each_backend, on_shop};
use crud_tests::{Api, Database, RawConnection, Times, pause, wait_until, within};
use serde_json::json;

/// The timeouts of the service.
const TIMEOUT: Duration = Duration::from_millis(500);

const HEAD: &str =
    "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";

/// Time for which the service reads on after a response, in case the client still sends.
const LINGER: Duration = Duration::from_secs(2);

/// A slow client sends a byte, or reads one, and waits: for less than a timeout, and often.
async fn drip() {
    pause("a slow client", TIMEOUT / 10).await;
}

async fn shop_with_timeouts(database: &Database) -> Api {
    let service =
        shop::open_shop(database.service().await).limits(|limits| limits.head_timeout(TIMEOUT).body_timeout(TIMEOUT));
    Api::start(database, service.migrate().await.expect("the shop's tables")).await
}

/// Sends the beginning of a request and checks that the service closes the connection.
async fn assert_closed_after(shop: &Api, beginning: &str) {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send(beginning).await;
    within(TIMEOUT, beginning, connection.closed()).await;
}

/// Sends a head byte by byte until the service closes the connection.
async fn assert_closed_while_dripping(address: SocketAddr) {
    let mut connection = RawConnection::connect(address).await;
    let closed = async {
        while connection.try_send("x").await.is_ok() {
            drip().await;
        }
    };
    within(TIMEOUT, "the whole head", closed).await;
}

/// Sends one request and then nothing.
async fn assert_closed_while_idle(shop: &Api) {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
    within(TIMEOUT, "an idle connection", connection.closed()).await;
}

#[test]
fn client_that_exceeds_the_head_timeout_is_disconnected() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        tokio::join!(
            assert_closed_after(&shop, ""),
            assert_closed_after(&shop, "G"),
            assert_closed_after(&shop, &HEAD[..40]),
            assert_closed_while_dripping(shop.address()),
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
        // The service reads on for a while, in case the client still sends.
        connection.end().await;
        connection.closed().await;
        assert_eq!(shop.get("/categories").await.ok()["total"], 0);
        shop.stop().await;
    });
}

#[test]
fn client_that_sends_its_body_too_slowly_gets_408() {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).limits(|limits| limits.request_timeout(TIMEOUT));
        let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(HEAD).await;
        // Fewer bytes than the body has, for longer than the timeout.
        for _ in 0..15 {
            if connection.try_send(" ").await.is_err() {
                break;
            }
            drip().await;
        }
        let answer = within(TIMEOUT, "the whole body", connection.answer()).await;
        assert_eq!(answer.expect("an answer").status, 408);
        connection.end().await;
        shop.stop().await;
    });
}

#[test]
fn client_whose_pauses_add_up_gets_408() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        let body = format!("{{\"name\":\"{}\"}}", "x".repeat(30));
        connection.send(HEAD.replace("Length: 20", &format!("Length: {}", body.len()))).await;
        // Each pause is far shorter than the timeout, and together they are far longer.
        for byte in body.as_bytes() {
            connection.send([*byte]).await;
            drip().await;
        }
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, 408, "{}", String::from_utf8_lossy(&answer.body));
        connection.end().await;
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
        shop.post("/categories", &json!({ "name": "x" })).await.created();
        // They were still waited for: none had its time.
        for (number, mut connection) in slow.into_iter().enumerate() {
            connection.send(format!("{:<19}", format!(r#""name":"{number}"}}"#))).await;
            assert_eq!(connection.answer().await.expect("an answer").status, 201);
        }
    });
}

/// Behaviour of a slow client after its first bytes.
#[derive(Debug, Clone, Copy)]
enum Slow {
    /// Sends nothing more.
    Silent(&'static str),
    /// Sends a byte of a head at a time.
    Dripping,
    /// Reads no answer.
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
async fn be_slow(shop: SocketAddr, kind: Slow) {
    let mut connection = RawConnection::connect(shop).await;
    match kind {
        Slow::Silent(text) => {
            connection.send(text).await;
            // A half body gets an answer first.
            within(LINGER, text, connection.closed()).await;
        }
        Slow::Dripping => assert_closed_while_dripping(shop).await,
        Slow::Deaf => {
            drop(connection.try_send(large_requests(200)).await);
            let closed = async {
                while connection.is_open() {
                    drip().await;
                }
            };
            within(LINGER, "a client that reads nothing", closed).await;
        }
    }
}

/// Waits until the service has accepted the connections so far: it accepts them in their order.
async fn are_accepted(shop: SocketAddr) {
    let mut connection = RawConnection::connect(shop).await;
    connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
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
            // With more connections at once than the listener's backlog, the system drops some, and their clients are not told.
            are_accepted(shop.address()).await;
        }
        let (mut served, mut meanwhile, times) = (0, 0, Times::default());
        while !slow.is_empty() {
            let body = json!({ "name": format!("category {served}") });
            times.of(async { shop.post("/categories", &body).await.created() }).await;
            served += 1;
            while let Some(ended) = slow.try_join_next() {
                ended.expect("a client that is closed");
            }
            meanwhile += usize::from(!slow.is_empty());
        }
        assert!(meanwhile > 0, "no other client was served before the slow ones were closed");
        assert_eq!(shop.get("/categories?limit=1").await.ok()["total"], served);
        let clients = each * KINDS.len();
        println!("{clients} slow clients were closed; {served} changes meanwhile, {times}");
        shop.stop().await;
    });
}

#[test]
fn client_that_does_not_read_is_disconnected() {
    on_each_backend(async |database| {
        let shop = shop_with_timeouts(database).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(large_requests(200)).await;
        let closed = wait_until("the connection is closed", async || !connection.is_open());
        within(TIMEOUT, "a client that reads nothing", closed).await;
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
        let closed = async {
            while connection.is_open() {
                connection.read_byte().await;
                drip().await;
            }
        };
        within(TIMEOUT, "a client that reads a byte at a time", closed).await;
        shop.stop().await;
    });
}

#[test]
fn client_that_pauses_within_the_limit_gets_every_response() {
    // Together, the pauses are longer than the limit, and each is far shorter, also on a busy machine.
    const LIMIT: Duration = Duration::from_secs(1);
    on_each_backend(async |database| {
        let service =
            shop::open_shop(database.service().await).limits(|limits| limits.head_timeout(LIMIT).body_timeout(LIMIT));
        let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let mut connection = RawConnection::connect(shop.address()).await;
        connection.send(large_requests(200)).await;
        for number in 0..200 {
            if number % 20 == 0 {
                pause("the client pauses", LIMIT / 8).await;
            }
            assert_eq!(connection.answer().await.expect("an answer").status, 200);
        }
        shop.stop().await;
    });
}
