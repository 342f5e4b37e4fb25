//! How long a stream lasts, and how many there are.

use std::time::Duration;

use crud_events::Events;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::{on_sqlite, within};
use serde_json::json;

use crate::board::{Stream, ann, bob, card, on_board};

const PASSWORD: &str = "correct horse";

/// The token of a new user's session.
async fn token(test: &Test, name: &str) -> String {
    test.users().create_user(name, PASSWORD).await.expect("a user");
    let login = test.post("/auth/login", json!({ "username": name, "password": PASSWORD })).await.expect(200).json();
    login["access_token"].as_str().expect("a token").to_owned()
}

#[test]
fn sixth_stream_of_a_principal_is_refused_until_one_ends() {
    on_board(async |test| {
        let (ann, bob) = (ann(test), bob(test));
        let mut streams = Vec::new();
        for _ in 0..5 {
            streams.push(Stream::open(&ann, "/cards/events").await);
        }
        let refused = ann.get("/cards/events").header("accept", "text/event-stream").await;
        refused.problem("too_many_requests");
        assert_eq!(refused.header("retry-after"), Some("5"));
        let mut of_bob = Stream::open(&bob, "/cards/events").await;
        drop(streams.pop());
        let mut again = Stream::open(&ann, "/cards/events").await;
        card(&ann, 7, "paint").await;
        assert_eq!(again.next().await["data"]["title"], "paint");
        assert_eq!(of_bob.next().await["data"]["title"], "paint");
    });
}

#[test]
fn ticket_opens_one_stream_as_its_sender() {
    on_board(async |test| {
        let bearer = format!("Bearer {}", token(test, "eva").await);
        let ticket = test.post("/events/ticket", json!({})).header("authorization", &bearer).await.expect(200).json();
        assert_eq!(ticket["expires_in"], 60);
        let path = format!("/notes/events?ticket={}", ticket["ticket"].as_str().expect("a ticket"));
        let mut stream = Stream::open(test, &path).await;
        test.post("/notes", json!({ "text": "mine" })).header("authorization", &bearer).await.expect(201);
        assert_eq!(stream.next().await["data"]["text"], "mine");
        test.get(&path).await.problem("invalid_token");
        test.get("/notes/events?ticket=7").await.problem("invalid_token");
        test.get(format!("/notes/events?ticket={}", "0".repeat(64))).await.problem("invalid_token");
    });
}

#[test]
fn stream_ends_with_the_session() {
    on_board(async |test| {
        let bearer = format!("Bearer {}", token(test, "eva").await);
        let request = test.get("/cards/events").header("authorization", &bearer).header("accept", "text/event-stream");
        let mut stream = request.open().await;
        assert_eq!(stream.status(), 200);
        assert!(stream.next().await.is_some(), "a beginning");
        test.post("/auth/logout", json!({})).header("authorization", &bearer).await;
        let ended = async { while stream.next().await.is_some() {} };
        within(Duration::from_secs(20), "the end of the stream", ended).await;
    });
}

/// A sign, which everyone sees.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(public)))]
struct Sign {
    id: i64,
    text: String,
}

#[test]
fn addresses_of_one_network_share_its_streams() {
    on_sqlite(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").behind_tls_proxy();
        let service = database.service().await.auth(auth.build().expect("authentication"));
        let service = service.plugin(Events::new().resource::<Sign>()).expect("one plugin").resource::<Sign>();
        let test = service.test().await.expect("the service");
        let open = async |address: &str| Stream::of(test.get("/signs/events").header("x-forwarded-for", address)).await;
        let mut streams = Vec::new();
        for host in 1..=5 {
            streams.push(open(&format!("2001:db8::{host}")).await.expect("a stream"));
        }
        let Err(refused) = open("2001:db8::ffff").await else { panic!("the client chooses the last 64 bits") };
        assert_eq!(refused["code"], "too_many_requests");
        streams.push(open("2001:db8:0:1::1").await.expect("a stream of another network"));
    });
}
