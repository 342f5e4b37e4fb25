//! Readers that do not read, and those that leave.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crud_events::Events;
use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_transactional_backend, on_sqlite, pause, wait_until};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::board::service;

const PASSWORD: &str = "correct horse battery";

/// Opens a stream of cards, of which the head is read alone; the status.
async fn open(address: SocketAddr, token: &str) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!(
        "GET /cards/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut head = [0; 16];
    stream.read_exact(&mut head).await.expect("an answer");
    let head = String::from_utf8_lossy(&head).into_owned();
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), stream)
}

/// The board, served, with the token of a user.
async fn board(database: &crud_tests::Database, limit: Duration) -> (Api, String) {
    let service = service(database).await.limits(|limits| limits.body_timeout(limit).text(300_000));
    let service = service.migrate().await.expect("the tables");
    service.users().create_user("eva", PASSWORD).claim("team", 1).await.expect("a user");
    let api = Api::start(database, service).await;
    let login = api.post("/auth/login", &json!({ "username": "eva", "password": PASSWORD })).await.ok();
    let token = login["access_token"].as_str().expect("a token").to_owned();
    (api, token)
}

async fn create(api: &Api, token: &str, title: &str) -> Value {
    let card = json!({ "board": 7, "title": title });
    let request = api.request(Method::POST, "/cards").header("authorization", &format!("Bearer {token}"));
    request.json(&card).await.created()
}

#[test]
fn reader_that_leaves_makes_room_for_another() {
    on_each_transactional_backend(async |database| {
        let (api, token) = board(database, Duration::from_secs(30)).await;
        let mut streams = Vec::new();
        for _ in 0..5 {
            let (status, stream) = open(api.address(), &token).await;
            assert_eq!(status, 200);
            streams.push(stream);
        }
        assert_eq!(open(api.address(), &token).await.0, 429);
        drop(streams);
        wait_until("the places are free", async || open(api.address(), &token).await.0 == 200).await;
        api.stop().await;
    });
}

#[test]
fn reader_that_does_not_read_is_cut_and_holds_nobody_up() {
    on_each_transactional_backend(async |database| {
        let (api, token) = board(database, Duration::from_secs(2)).await;
        let mut streams = Vec::new();
        for _ in 0..5 {
            streams.push(open(api.address(), &token).await.1);
        }
        // More than sockets hold.
        let title = "x".repeat(200_000);
        for _ in 0..60 {
            create(&api, &token, &title).await;
        }
        wait_until("those that do not read are cut", async || {
            pause("the write limit", Duration::from_millis(200)).await;
            open(api.address(), &token).await.0 == 200
        })
        .await;
        api.stop().await;
    });
}

/// A sign, which everyone sees.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(public)))]
struct Sign {
    id: i64,
    text: String,
}

/// Opens a stream of signs from a local address; the status.
async fn open_from(from: [u8; 4], address: SocketAddr) -> (u16, TcpStream) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::new(IpAddr::from(from), 0)).expect("a local address");
    let mut stream = socket.connect(address).await.expect("a connection");
    let request = "GET /signs/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut head = [0; 16];
    stream.read_exact(&mut head).await.expect("an answer");
    let head = String::from_utf8_lossy(&head).into_owned();
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), stream)
}

#[test]
fn each_address_has_streams_of_its_own_in_a_service_without_authentication() {
    on_sqlite(async |database| {
        let service = database.service().await.plugin(Events::new().resource::<Sign>()).expect("one plugin");
        let service = service.resource::<Sign>().migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let mut streams = Vec::new();
        for _ in 0..5 {
            let (status, stream) = open_from([127, 0, 0, 1], api.address()).await;
            assert_eq!(status, 200);
            streams.push(stream);
        }
        assert_eq!(open_from([127, 0, 0, 1], api.address()).await.0, 429);
        assert_eq!(open_from([127, 0, 0, 2], api.address()).await.0, 200, "five are of another address");
        api.stop().await;
    });
}
