//! Streams of readers whose rights end while they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crud_events::Events;
use crud_runtime::auth::{Auth, AuthParts};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::{on_each_sql_backend, on_each_transactional_backend, on_sqlite, pause, within};
use serde_json::json;

use crate::board::{Card, CardPatch, NewCard, Note, NotePatch, Stream, card, on_board, staff};
use crate::matrix::World;
use crate::rules::reader;
use crate::ways::{Reader, Way};

/// The time within which a stream ends whose reader has lost its rights.
const CHECK: Duration = Duration::from_secs(5);

/// Reads a stream to its end, while something happens that it would be told of; what it has told.
async fn end(test: &Test, stream: &mut Stream) -> Vec<String> {
    let mut told = Vec::new();
    let read = async {
        while let Some(event) = stream.next_or_end().await {
            told.push(event["data"]["title"].as_str().unwrap_or_default().to_owned());
        }
    };
    let change = async {
        loop {
            card(&staff(test), 7, "later").await;
            pause("changes go on", Duration::from_millis(200)).await;
        }
    };
    within(3 * CHECK, "the end of a stream", async {
        tokio::select! { () = read => {}, () = change => {} }
    })
    .await;
    told
}

/// Checks that a change ends the streams of a reader, and that it opens no other one then.
async fn ends(test: &Test, reader: &Reader, way: Way, change: impl Future<Output = ()>) {
    let mut stream = reader.stream(way, "cards", &[], "0").await.expect("a stream");
    card(&staff(test), 7, "before").await;
    while stream.next().await["data"]["title"] != "before" {}
    change.await;
    end(test, &mut stream).await;
    let answer = reader.read(Way::Poll, "cards", &[], "0").await;
    assert!(answer.is_err(), "{way:?}: {answer:?}");
}

#[test]
fn streams_end_with_the_session_that_their_reader_has_logged_out_of() {
    on_board(async |test| {
        for (name, way) in [("eva", Way::StreamByBody), ("uma", Way::Ticket), ("ida", Way::StreamOfViews)] {
            let reader = reader(test, name, &["member"]).await;
            let logout = async { drop(reader.sign(test.post("/auth/logout", json!({}))).await.expect(204)) };
            ends(test, &reader, way, logout).await;
        }
    });
}

#[test]
fn stream_ends_with_its_token() {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("team");
        let auth = auth.access_token_lifetime(Duration::from_secs(2)).build().expect("the authentication");
        let service = database.service().await.auth(auth).plugin(Events::new().resource::<Card>());
        let test = service.expect("one plugin").resource::<Card>().test().await.expect("the service");
        let eva = reader(&test, "eva", &["member"]).await;
        let mut stream = eva.stream(Way::StreamByBody, "cards", &[], "0").await.expect("a stream");
        end(&test, &mut stream).await;
        assert_eq!(eva.read(Way::Poll, "cards", &[], "0").await.expect_err("a refusal")["code"], "token_expired");
    });
}

/// The answer of a look-up, from some moment on.
#[derive(Clone, Copy)]
enum LookUp {
    Fails(Code),
    HasRole(&'static str),
}

/// A board whose program looks up the sender of a request: another one answers once the program says so.
async fn with_look_up(service: Service, is_other: Arc<AtomicBool>, other: LookUp) -> Test {
    let find = move |parts: AuthParts| {
        let found = |role: &str| parts.header("x-user").map(|name| Principal::new(name).with_roles([role]));
        std::future::ready(match other {
            _ if !is_other.load(Ordering::Relaxed) => Ok(found("staff")),
            LookUp::Fails(code) => Err(Problem::of(code)),
            LookUp::HasRole(role) => Ok(found(role)),
        })
    };
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
    let service = service.auth(auth).access(|access| access.authenticate_with(find));
    let service = service.plugin(Events::new().resource::<Card>()).expect("one plugin").resource::<Card>();
    service.test().await.expect("the service")
}

fn new_card(title: &str) -> NewCard {
    NewCard { board: 7, title: title.to_owned(), points: None, price: None, secret: None }
}

#[test]
fn stream_outlasts_look_ups_of_its_sender_that_fail_and_tells_nothing_meanwhile() {
    on_sqlite(async |database| {
        let fails = Arc::new(AtomicBool::new(false));
        let test = with_look_up(database.service().await, fails.clone(), LookUp::Fails(Code::Unavailable)).await;
        let mut stream = Stream::of(test.get("/cards/events").header("x-user", "ann")).await.expect("a stream");
        fails.store(true, Ordering::Relaxed);
        pause("look-ups fail", CHECK + Duration::from_secs(1)).await;
        let store = test.app().store::<Card>();
        let made = store.create(new_card("one")).await.expect("a card");
        let is_silent = tokio::time::timeout(Duration::from_millis(1_500), stream.next_or_end()).await;
        assert!(is_silent.is_err(), "nothing is told while it is not known who the reader is: {is_silent:?}");
        fails.store(false, Ordering::Relaxed);
        assert_eq!(stream.next().await["data"]["title"], "one");
        store.update(made.id, CardPatch::default().title("two".to_owned())).await.expect("a change");
        assert_eq!(stream.next().await["data"]["title"], "two");
    });
}

#[test]
fn stream_ends_when_its_sender_is_refused_or_has_another_role() {
    on_sqlite(async |database| {
        for other in
            [LookUp::Fails(Code::PermissionDenied), LookUp::Fails(Code::InvalidToken), LookUp::HasRole("guest")]
        {
            let is_other = Arc::new(AtomicBool::new(false));
            let test = with_look_up(database.service().await, is_other.clone(), other).await;
            let mut stream = Stream::of(test.get("/cards/events").header("x-user", "ann")).await.expect("a stream");
            is_other.store(true, Ordering::Relaxed);
            // The stream has told by then what the former role sees: the reader lists again.
            if matches!(other, LookUp::HasRole(_)) {
                assert_eq!(within(3 * CHECK, "a reset", stream.next()).await["type"], "reset");
            }
            let ended = within(3 * CHECK, "the end of the stream", stream.next_or_end()).await;
            assert!(ended.is_none(), "{ended:?}");
        }
    });
}

#[test]
fn record_that_is_handed_on_is_told_to_the_former_owner_as_removed_alone() {
    on_board(async |test| {
        let (eva, uma) = (reader(test, "eva", &[]).await, reader(test, "uma", &[]).await);
        let mut streams = Vec::new();
        for reader in [&eva, &uma] {
            streams.push(reader.stream(Way::Stream, "notes", &[], "0").await.expect("a stream"));
        }
        let made = eva.sign(test.post("/notes", json!({ "text": "mine" }))).await.expect(201).json();
        assert_eq!(streams[0].next().await["data"]["text"], "mine");
        let users = test.users().list().await.expect("the users");
        let (_, user) = users.iter().find(|(name, _)| name == "uma").expect("a user");
        let owner = user.id().expect("an id").to_string();
        let patch = NotePatch::default().owner(owner).text("hers".to_owned());
        let id = made["id"].as_i64().expect("an id");
        test.app().store::<Note>().update(id, patch).await.expect("a change");
        let (removed, there) = (streams[0].next().await, streams[1].next().await);
        assert_eq!((&removed["type"], &removed["data"]), (&json!("note.removed"), &json!(null)));
        assert!(!removed.to_string().contains("hers"), "{removed}");
        assert_eq!(there["data"]["text"], "hers");
    });
}

#[test]
fn stream_ends_when_its_user_leaves_the_tenant_or_has_another_role_there() {
    on_each_sql_backend(async |database| {
        let world = World::of(database).await;
        for (name, method, body) in [("gus", "PATCH", json!({ "role": "member" })), ("mia", "DELETE", json!(null))] {
            let mut stream = world.readers[name].stream(Way::Stream, "issues", &[], "0").await.expect("a stream");
            let member = world.member(name).await;
            world.send("olga", method, &format!("members/{member}"), body).await;
            let mut last = json!(null);
            let read = async {
                while let Some(event) = stream.next_or_end().await {
                    last = event["type"].clone();
                }
            };
            within(3 * CHECK, "the end of the stream", read).await;
            assert_eq!(last, "reset", "{name}");
        }
        world.readers["mia"].read(Way::Poll, "issues", &[], "0").await.expect_err("a refusal");
        world.readers["gus"].read(Way::Poll, "issues", &[], "0").await.expect("events");
    });
}

#[test]
fn poll_that_waits_tells_nothing_to_a_sender_who_is_refused_or_has_another_role_since() {
    on_sqlite(async |database| {
        for other in [LookUp::Fails(Code::InvalidToken), LookUp::HasRole("guest")] {
            let is_other = Arc::new(AtomicBool::new(false));
            let test = with_look_up(database.service().await, is_other.clone(), other).await;
            let poll = test.get("/cards/events?wait=20").header("x-user", "ann");
            let change = async {
                pause("a poll waits", CHECK + Duration::from_secs(1)).await;
                is_other.store(true, Ordering::Relaxed);
                test.app().store::<Card>().create(new_card("secret")).await.expect("a card");
            };
            let (answer, ()) = tokio::join!(poll, change);
            match other {
                LookUp::Fails(_) => drop(answer.problem("invalid_token")),
                LookUp::HasRole(_) => assert_eq!(answer.expect(200).json()["data"][0]["type"], "reset"),
            }
        }
    });
}
