//! Connections and requests beyond the limits of the service are closed or refused, and the others are served.

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::Service;
use crud_tests::http::on_each_backend;
use crud_tests::{Api, Client, Database, RawConnection, Times};
use serde_json::json;

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
const BODY: &str = r#"{"name":"in flight"}"#;

async fn start(database: &Database, limited: impl FnOnce(Service) -> Service) -> Api {
    // No connection is closed because it is idle.
    let service = limited(shop::open_shop(database.service().await))
        .limits(|limits| limits.head_timeout(Duration::from_hours(1)));
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
        let shop = start(database, |service| service.limits(|limits| limits.connections(3))).await;
        let mut busy = busy_connection(&shop).await;
        let mut first = idle_connection(&shop).await;
        let mut second = idle_connection(&shop).await;
        let mut third = idle_connection(&shop).await;
        first.closed().await;
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
        let shop = start(database, |service| service.limits(|limits| limits.requests_in_flight(1))).await;
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

/// Sends so many requests that create records; how many were acknowledged.
async fn flood(client: Client, name: usize, requests: usize, times: Arc<Times>) -> usize {
    let mut made = 0;
    for _ in 0..requests {
        let body = json!({ "name": format!("{name} {made}") });
        let answer = times.of(async { client.post("/categories", &body).await }).await;
        if answer.status() == 503 {
            assert!(answer.header("retry-after").is_some(), "{answer}");
            answer.problem("unavailable");
        } else {
            answer.created();
            made += 1;
        }
    }
    made
}

/// `CRUD_TEST_OVERLOAD` says how many requests each client sends instead of twenty.
#[test]
fn flood_beyond_the_limit_is_served_or_refused_and_loses_nothing() {
    const CLIENTS: usize = 64;
    let requests = std::env::var("CRUD_TEST_OVERLOAD").map_or(20, |text| text.parse().expect("a number"));
    on_each_backend(async |database| {
        let shop = start(database, |service| service.limits(|limits| limits.requests_in_flight(4))).await;
        let (mut clients, times) = (tokio::task::JoinSet::new(), Arc::default());
        for name in 0..CLIENTS {
            clients.spawn(flood(Client::clone(&shop), name, requests, Arc::clone(&times)));
        }
        let made: usize = clients.join_all().await.into_iter().sum();
        let refused = CLIENTS * requests - made;
        assert!(made > 0 && refused > 0, "{made} acknowledged, {refused} refused");
        assert_eq!(shop.get("/categories?limit=1").await.ok()["total"], made);
        println!("{made} changes acknowledged and there, {refused} refused; an answer: {times}");
        shop.stop().await;
    });
}

#[test]
fn service_without_connections_does_not_start() {
    on_each_backend(async |database| {
        for service in [
            database.service().await.limits(|limits| limits.connections(0)),
            database.service().await.limits(|limits| limits.requests_in_flight(0)),
        ] {
            let error = service.into_router().expect_err("a limit of 0").to_string();
            assert!(error.contains("at least one"), "{error}");
        }
    });
}
