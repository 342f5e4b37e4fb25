//! A client that has just written reads its own write.

use std::time::{Duration, Instant};

use crud_tests::{Client, Request};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::{LONG, Replicated, connect, of, wait_until, with_postgres};

async fn token(request: Request<'_>) -> String {
    let answer = request.await;
    answer.header("x-session-token").unwrap_or_else(|| panic!("a token\n{answer}")).to_owned()
}

#[test]
fn clients_that_carry_their_token_always_read_their_own_write() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        both.diverge().await;
        both.wait_for("of the replica").await;
        both.pause(false).await;
        let mut clients = JoinSet::new();
        for number in 0..4 {
            let api = Client::clone(&both.api);
            clients.spawn(async move {
                let path = format!("/tags/{number}");
                api.post("/tags", &json!({ "slug": number.to_string() })).await.created();
                for round in 0..100 {
                    let label = json!({ "label": round.to_string() });
                    let token = token(api.put(&path, &label)).await;
                    let read = api.get(&path).header("x-session-token", &token).await.ok();
                    assert_eq!(read["label"], label["label"]);
                }
            });
        }
        clients.join_all().await;
        both.api.stop().await;
    });
}

#[test]
fn what_no_replica_has_yet_is_read_from_the_primary_before_anybody_notices() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        both.diverge().await;
        both.wait_for("of the replica").await;
        let new = token(both.api.post("/tags", &json!({ "slug": "new" }))).await;
        let begin = Instant::now();
        assert_eq!(of(&both.api, Some(&new)).await, "of the primary");
        assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
        assert_eq!(of(&both.api, None).await, "of the replica", "who asks for nothing gets what there is");
        let older = "0000000000000001";
        assert_eq!(of(&both.api, Some(older)).await, "of the replica");
        assert_eq!(of(&both.api, Some(&format!("{older}, {new}"))).await, "of the primary", "the latest counts");
        both.api.stop().await;
    });
}

#[test]
fn a_read_waits_for_a_replica_that_is_about_to_get_there() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        let mut connection = connect(&both.database.url_in(&both.replica)).await;
        // On a machine with much to do, the replica may be told too late.
        for _ in 0..5 {
            both.diverge().await;
            both.wait_for("of the replica").await;
            let new = token(both.api.put("/tags/one", &json!({ "label": "new" }))).await;
            // What is written is on its way; from here on, nobody but the replica can answer.
            sleep(Duration::from_millis(200)).await;
            both.primary.stop();
            let read = async { both.api.get("/entries").header("x-session-token", &new).await.status() };
            let resume = async {
                sleep(Duration::from_millis(10)).await;
                let resume = sqlx::raw_sql("SELECT pg_wal_replay_resume()");
                resume.execute(&mut connection).await.expect("the replica goes on");
            };
            let (status, ()) = tokio::join!(read, resume);
            both.primary.start();
            wait_until("the primary is back", async || both.api.get("/ready").await.status() == 200).await;
            if status == 200 {
                both.api.stop().await;
                return;
            }
        }
        panic!("no read waits");
    });
}

#[test]
fn the_answer_to_every_change_has_a_token_even_when_it_is_refused() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        let api = &both.api;
        let slip = api.post("/slips", &json!({ "code": "a", "amount": 1 })).await.created();
        let (id, path) = (&slip["id"], format!("/slips/{}", slip["id"]));
        let items = |item: Value| json!({ "items": [item] });
        token(api.post("/slips", &json!({ "code": "a", "amount": 1 }))).await;
        token(api.put(&path, &json!({ "amount": 2 }))).await;
        token(api.patch(&path, &json!({ "amount": 3 })).header("if-match", "\"another\"")).await;
        token(api.post("/slips/batch", &items(json!({ "code": "b", "amount": 1 })))).await;
        token(api.put("/slips/batch", &items(json!({ "id": id, "amount": 4 })))).await;
        token(api.post("/slips/batch/delete", &json!({ "ids": [id] }))).await;
        token(api.request(Method::POST, format!("{path}/restore"))).await;
        token(api.delete(&path)).await;
        token(api.delete(&path)).await;
        token(api.request(Method::POST, "/slips/restore?all=true")).await;
        token(api.delete(&path)).await;
        token(api.delete(format!("{path}/permanent"))).await;
        token(api.delete("/slips/deleted?all=true")).await;
        assert_eq!(api.get("/slips").await.header("x-session-token"), None, "a read has nothing to tell");
        both.api.stop().await;
    });
}

#[test]
fn a_token_that_is_none_is_refused_and_says_so() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        for path in ["/tags", "/tags/none", "/ledgers/1/history", "/audit-logs"] {
            let refused = both.api.get(path).header("x-session-token", "0/1A2B3C4").await;
            assert_eq!(refused.problem("validation_failed").parameters(), ["x-session-token"], "{path}");
        }
        both.api.stop().await;
    });
}
