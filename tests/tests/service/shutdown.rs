//! Graceful shutdown of `serve_on`.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use crud_runtime::ServiceState;
use crud_runtime::access::Access;
use crud_runtime::axum::extract::State;
use crud_runtime::axum::response::sse::{Event, Sse};
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::axum::{self, Json, Router};
use crud_runtime::prelude::Select;
use crud_runtime::routing::{Context, get};
use crud_tests::fixtures::large_requests;
use crud_tests::{Api, Client, RawConnection, http, not_before, on_each_backend, pause, wait_until, within};
use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio::net::TcpSocket;

const BODY: &str = r#"{"name":"in flight"}"#;

/// A time that no test lasts: what ends earlier does not wait for it.
const LONG: Duration = Duration::from_hours(1);

/// Sends a request's head and waits for `100 Continue`: the service reads the body from then on.
async fn begin_request(connection: &mut RawConnection) {
    let length = BODY.len();
    let head = format!(
        "POST /categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Expect: 100-continue\r\n\r\n"
    );
    connection.send(head).await;
    assert_eq!(connection.answer().await.expect("an answer").status, 100);
}

/// Waits until the port accepts no connection: shutdown has begun.
async fn wait_until_closed(address: SocketAddr) {
    wait_until("the port is closed", async || tokio::net::TcpStream::connect(address).await.is_err()).await;
}

#[test]
fn shutdown_completes_a_request_in_flight() {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let store = service.store::<shop::Category>();
        let api = Api::start(database, service).await;
        let mut connection = RawConnection::connect(api.address()).await;
        begin_request(&mut connection).await;
        connection.send(&BODY[..5]).await;
        let address = api.address();
        let server = api.begin_stop();
        wait_until_closed(address).await;
        assert!(!server.is_finished(), "the service ended before the request");
        connection.send(&BODY[5..]).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 201);
        connection.closed().await;
        server.await.expect("no panic").expect("no failure");
        assert_eq!(store.list(Select::all()).await.expect("a list")[0].name, "in flight");
    });
}

/// Creates categories until the service has stopped; returns the names of those that were acknowledged.
async fn create_until_stopped(client: Client, number: usize) -> Vec<String> {
    let mut acknowledged = Vec::new();
    loop {
        let name = format!("{number} {}", acknowledged.len());
        let Some(answer) = client.post("/categories", &json!({ "name": name })).attempt().await else {
            return acknowledged;
        };
        answer.created();
        acknowledged.push(name);
    }
}

/// `CRUD_TEST_SHUTDOWNS` says how many services are stopped instead of three.
#[test]
fn shutdown_under_load_answers_every_change_that_it_makes() {
    let rounds = std::env::var("CRUD_TEST_SHUTDOWNS").map_or(3, |text| text.parse().expect("a number"));
    on_each_backend(async |database| {
        for round in 0..rounds {
            let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
            let store = service.store::<shop::Category>();
            let api = Api::start(database, service).await;
            let mut clients = tokio::task::JoinSet::new();
            for number in 0..8 {
                clients.spawn(create_until_stopped(Client::clone(&api), round * 8 + number));
            }
            let before = store.count(Select::all()).await.expect("a count");
            let some = before + 5 + round as u64 % 5;
            wait_until("some are stored", async || store.count(Select::all()).await.expect("a count") >= some).await;
            api.begin_stop().await.expect("no panic").expect("no failure");
            let acknowledged: Vec<Vec<String>> = clients.join_all().await;
            let stored = store.list(Select::all()).await.expect("a list");
            let of_round = |name: &str| name.split(' ').next().and_then(|n| n.parse::<usize>().ok()).map(|n| n / 8);
            let mut stored: Vec<String> = stored.into_iter().map(|category| category.name).collect();
            stored.retain(|name| of_round(name) == Some(round));
            let mut acknowledged = acknowledged.concat();
            stored.sort();
            acknowledged.sort();
            assert_eq!(stored, acknowledged, "what is stored and what was acknowledged");
        }
    });
}

#[test]
fn shutdown_completes_a_list_in_flight() {
    on_each_backend(async |database| {
        let kitchen = crud_tests::kitchen::kitchen(database.service().await);
        let service = kitchen.migrate().await.expect("the kitchen's tables");
        let count = database.backend().long_list() / 2;
        database.fill_entries(count).await;
        let api = Api::start(database, service).await;
        let mut list = api.stream("/entries").await;
        let mut read = list.chunk().await.expect("a chunk").expect("a first chunk").to_vec();
        let server = api.begin_stop();
        while let Some(chunk) = list.chunk().await.expect("a chunk of the list") {
            read.extend_from_slice(&chunk);
        }
        let entries: Vec<serde_json::Value> = serde_json::from_slice(&read).expect("the whole list");
        assert_eq!(entries.len(), count as usize);
        server.await.expect("no panic").expect("no failure");
    });
}

#[test]
fn idle_connections_do_not_delay_shutdown() {
    http::on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).limits(|limits| limits.head_timeout(LONG));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let mut idle = RawConnection::connect(api.address()).await;
        idle.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert_eq!(idle.answer().await.expect("an answer").status, 200);
        let silent = RawConnection::connect(api.address()).await;
        api.stop().await;
        idle.closed().await;
        drop(silent);
    });
}

/// One event, and a farewell when the service stops.
fn events(stopping: impl Future<Output = ()> + Send + 'static) -> Response {
    let event = |text: &'static str| Ok::<_, Infallible>(Event::default().data(text));
    let farewell = stream::once(async move {
        stopping.await;
        event("bye")
    });
    Sse::new(stream::iter([event("hello")]).chain(farewell)).into_response()
}

async fn subscribe(ctx: Context) -> crud_runtime::Result<Response> {
    Ok(events(ctx.stopping()))
}

async fn subscribe_merged(State(state): State<ServiceState>) -> Response {
    events(state.stopping())
}

/// Waits for an event that never comes.
async fn poll(ctx: Context) -> crud_runtime::Result<Json<&'static str>> {
    tokio::select! {
        () = ctx.stopping() => Ok(Json("no event")),
        () = std::future::pending() => Ok(Json("an event")),
    }
}

/// The time in which the service still accepts connections.
const DRAIN: Duration = Duration::from_millis(500);

/// A connection whose stream has begun.
async fn events_of(api: &Api, path: &str) -> RawConnection {
    let mut connection = RawConnection::connect(api.address()).await;
    connection.send(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
    assert_eq!(connection.answer().await.expect("the head").status, 200);
    connection
}

#[test]
fn streams_of_the_program_are_told_before_connections_are_refused() {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await)
            .route("/subscribe", get(subscribe).access(Access::Public))
            .route("/poll", get(poll).access(Access::Public))
            .merge_with_state(Router::new().route("/merged", axum::routing::get(subscribe_merged)))
            .server(|server| server.shutdown_delay(DRAIN));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let (mut one, mut merged) = (events_of(&api, "/subscribe").await, events_of(&api, "/merged").await);
        let client = Client::clone(&api);
        let poll = tokio::spawn(async move { client.get("/poll").await.ok() });
        let (address, server) = (api.address(), api.begin_stop());
        let farewell = not_before(DRAIN, "the drain comes first", async {
            for events in [&mut one, &mut merged] {
                events.closed().await;
                let read = String::from_utf8_lossy(events.unread());
                assert_eq!(read, "D\r\ndata: hello\n\n\r\nB\r\ndata: bye\n\n\r\n0\r\n\r\n");
            }
            assert_eq!(poll.await.expect("no panic"), "no event");
            server.await.expect("no panic").expect("no failure");
        });
        within(2 * DRAIN, "the end of streams that are told", farewell).await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
    });
}

#[test]
fn stopping_service_accepts_no_new_connections() {
    http::on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let api = Api::start(database, service).await;
        let address = api.address();
        let mut connection = RawConnection::connect(address).await;
        begin_request(&mut connection).await;
        let server = api.begin_stop();
        wait_until_closed(address).await;
        connection.send(BODY).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 201);
        server.await.expect("no panic").expect("no failure");
    });
}

#[test]
fn stalled_client_delays_shutdown_up_to_the_body_timeout() {
    http::on_each_backend(async |database| {
        let service =
            shop::open_shop(database.service().await).limits(|limits| limits.body_timeout(Duration::from_millis(500)));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let mut stalled = RawConnection::connect(api.address()).await;
        begin_request(&mut stalled).await;
        stalled.send(&BODY[..5]).await;
        let server = api.begin_stop();
        assert_eq!(stalled.answer().await.expect("an answer").status, 408);
        // The service reads on for a while, in case the client still sends.
        drop(stalled);
        server.await.expect("no panic").expect("no failure");
    });
}

#[test]
fn clients_that_do_not_read_do_not_delay_shutdown() {
    http::on_each_backend(async |database| {
        let service =
            shop::open_shop(database.service().await).limits(|limits| limits.head_timeout(LONG).body_timeout(LONG));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let mut silent = Vec::new();
        for _ in 0..20 {
            let mut connection = RawConnection::connect(api.address()).await;
            connection.send(large_requests(200)).await;
            silent.push(connection);
        }
        let mut partial = RawConnection::connect(api.address()).await;
        partial.send("GET /health HT").await;
        api.get("/health").await.ok();
        api.stop().await;
    });
}

#[test]
fn draining_service_is_not_ready_and_serves() {
    http::on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).server(|server| server.shutdown_delay(LONG));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        api.get("/ready").await.ok();
        let address = api.address();
        let server = api.begin_stop();
        let api = Client::new(format!("http://{address}"), database.secrets());
        wait_until("the service is not ready", async || api.get("/ready").await.status() == 503).await;
        let problem = api.get("/ready").await.problem("unavailable");
        assert_eq!(problem.detail, "the service is stopping");
        api.get("/health").await.ok();
        api.post("/categories", &json!({ "name": "while it drains" })).await.created();
        let mut new = RawConnection::connect(address).await;
        new.send("GET /categories HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert_eq!(new.answer().await.expect("an answer").status, 200);
        assert!(!server.is_finished(), "the service ended before its drain");
        server.abort();
    });
}

#[test]
fn drained_service_ends() {
    http::on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await)
            .server(|server| server.shutdown_delay(Duration::from_millis(100)));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let address = api.address();
        api.stop().await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
    });
}

/// Opens so many connections and sends a request on each.
async fn connections_with_a_request(address: SocketAddr, count: usize) -> Vec<RawConnection> {
    let mut connections = Vec::new();
    for _ in 0..count {
        let mut connection = RawConnection::connect(address).await;
        connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await;
        connections.push(connection);
    }
    connections
}

/// Each of these connections gets its response.
async fn all_are_answered(connections: &mut [RawConnection]) {
    for connection in connections {
        assert_eq!(connection.answer().await.expect("an answer").status, 200);
    }
}

#[test]
fn requests_that_have_arrived_are_answered() {
    http::on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let api = Api::start(database, service).await;
        let mut late = connections_with_a_request(api.address(), 50).await;
        let server = api.begin_stop();
        all_are_answered(&mut late).await;
        server.await.expect("no panic").expect("no failure");
    });
}

#[test]
fn connections_in_the_backlog_are_answered() {
    http::on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
        let listener = socket.listen(200).expect("a listener");
        // More than the runtime lets a task accept without a pause.
        let mut waiting = connections_with_a_request(listener.local_addr().expect("the port's address"), 200).await;
        let server = tokio::spawn(service.serve_on(listener, std::future::ready(())));
        all_are_answered(&mut waiting).await;
        server.await.expect("no panic").expect("no failure");
    });
}

#[test]
fn connections_beyond_the_limit_are_answered_after_the_others() {
    http::on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await)
            .limits(|limits| limits.connections(1))
            .migrate()
            .await
            .expect("the shop's tables");
        let api = Api::start(database, service).await;
        let address = api.address();
        let mut first = RawConnection::connect(address).await;
        begin_request(&mut first).await;
        let mut others = connections_with_a_request(address, 3).await;
        // The service has accepted one of them by now, most likely.
        pause("what the service accepts has no event", Duration::from_millis(50)).await;
        let server = api.begin_stop();
        wait_until_closed(address).await;
        first.send(BODY).await;
        assert_eq!(first.answer().await.expect("an answer").status, 201);
        all_are_answered(&mut others).await;
        server.await.expect("no panic").expect("no failure");
    });
}
