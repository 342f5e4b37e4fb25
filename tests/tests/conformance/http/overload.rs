//! Connections and requests beyond the limits of the service are closed or refused, and the others are served.

use std::time::{Duration, Instant};

use crud_runtime::Service;
use crud_tests::http::on_each_backend;
use crud_tests::{Api, Client, Database, RawConnection};
use serde_json::json;

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
const BODY: &str = r#"{"name":"in flight"}"#;

async fn start(database: &Database, limited: impl FnOnce(Service) -> Service) -> Api {
    let service = limited(shop::shop(database.service().await));
    Api::start(database, service.migrate().await.expect("the shop's tables")).await
}

/// A connection that is idle after one response.
async fn idle_connection(shop: &Api) -> RawConnection {
    let mut connection = RawConnection::connect(shop.address()).await;
    connection.send(HEALTH).await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
    connection
}

/// A connection whose request is in flight: its body has not arrived.
async fn busy_connection(shop: &Api) -> RawConnection {
    let mut connection = RawConnection::connect(shop.address()).await;
    let length = BODY.len();
    let head = format!(
        "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Expect: 100-continue\r\n\r\n"
    );
    connection.send(head).await;
    assert_eq!(connection.answer().await.expect("an answer").status, 100);
    connection
}

#[test]
fn new_connection_takes_the_place_of_the_one_idle_longest() {
    on_each_backend(async |database| {
        let shop = start(database, |service| service.connections(3)).await;
        let mut busy = busy_connection(&shop).await;
        let mut first = idle_connection(&shop).await;
        let mut second = idle_connection(&shop).await;
        let begin = Instant::now();
        let mut third = idle_connection(&shop).await;
        assert!(begin.elapsed() < Duration::from_secs(5), "took {:?}", begin.elapsed());
        assert!(first.closed_after().await < Duration::from_secs(1), "the oldest is open");
        for other in [&mut second, &mut third] {
            other.send(HEALTH).await;
            assert_eq!(other.answer().await.expect("an answer").status, 200);
        }
        busy.send(BODY).await;
        assert_eq!(busy.answer().await.expect("an answer").status, 201);
        shop.stop().await;
    });
}

#[test]
fn request_beyond_the_limit_in_flight_is_503_at_once() {
    on_each_backend(async |database| {
        let shop = start(database, |service| service.requests_in_flight(1)).await;
        let mut busy = busy_connection(&shop).await;
        let answer = shop.get("/categories").await;
        assert_eq!(answer.header("retry-after"), Some("1"));
        answer.problem("unavailable");
        shop.get("/health").await.ok();
        shop.get("/ready").await.ok();
        busy.send(BODY).await;
        assert_eq!(busy.answer().await.expect("an answer").status, 201);
        shop.get("/categories").await.ok();
        shop.stop().await;
    });
}

/// Creates records for a time; how many were acknowledged and refused, and the longest that a refusal took.
async fn flood(client: Client, name: usize, time: Duration) -> (usize, usize, Duration) {
    let (begin, mut made, mut refused, mut longest) = (Instant::now(), 0, 0, Duration::ZERO);
    while begin.elapsed() < time {
        let sent = Instant::now();
        let answer = client.post("/categories", &json!({ "name": format!("{name} {made}") })).await;
        if answer.status() == 503 {
            assert!(answer.header("retry-after").is_some(), "{answer}");
            answer.problem("unavailable");
            (refused, longest) = (refused + 1, longest.max(sent.elapsed()));
        } else {
            answer.created();
            made += 1;
        }
    }
    (made, refused, longest)
}

/// `CRUD_TEST_OVERLOAD` says how many seconds it takes instead of one.
#[test]
fn flood_beyond_the_limit_is_served_or_refused_and_loses_nothing() {
    let seconds = std::env::var("CRUD_TEST_OVERLOAD").map_or(1, |text| text.parse().expect("a number"));
    on_each_backend(async |database| {
        let shop = start(database, |service| service.requests_in_flight(4)).await;
        let mut clients = tokio::task::JoinSet::new();
        for name in 0..64 {
            clients.spawn(flood(Client::clone(&shop), name, Duration::from_secs(seconds)));
        }
        let ended = clients.join_all().await;
        let made: usize = ended.iter().map(|(made, ..)| made).sum();
        let refused: usize = ended.iter().map(|(_, refused, _)| refused).sum();
        let longest = ended.iter().map(|(.., longest)| *longest).max().unwrap_or_default();
        assert!(made > 0 && refused > 0, "{made} acknowledged, {refused} refused");
        assert_eq!(shop.get("/categories?limit=1").await.ok()["total"], made);
        println!("{made} changes acknowledged and there, {refused} refused, the longest refusal {longest:?}");
        shop.stop().await;
    });
}

#[test]
fn service_without_connections_does_not_start() {
    on_each_backend(async |database| {
        for service in [database.service().await.connections(0), database.service().await.requests_in_flight(0)] {
            let error = service.into_router().expect_err("a limit of 0").to_string();
            assert!(error.contains("at least one"), "{error}");
        }
    });
}
