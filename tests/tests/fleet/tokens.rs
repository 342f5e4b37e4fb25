//! Session tokens: a client reads its own write.

use std::time::Duration;

use crud_tests::{Api, Client, Request, kitchen, pause, within};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{LONG_LAG, Replicated, connect, holds, source, wait_until, with_postgres, with_postgres_if_long};

async fn token(request: Request<'_>) -> String {
    let answer = request.await;
    answer.header("x-session-token").unwrap_or_else(|| panic!("no session token\n{answer}")).to_owned()
}

#[test]
fn clients_that_send_their_token_read_their_own_writes() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        replicated.pause(false).await;
        let mut clients = JoinSet::new();
        for number in 0..4 {
            let api = Client::clone(&replicated.api);
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
        replicated.api.stop().await;
    });
}

#[test]
fn session_tokens_work_on_any_server() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        let service =
            kitchen::kitchen(replicated.database.service().await).limits(|limits| limits.replica_lag(LONG_LAG));
        let replica = replicated.database.url_in(&replicated.replica);
        let service = service.replicas(&replica).await.expect("a replica's URL");
        let api = Api::start_on_axum(&replicated.database, service).await;
        api.post("/tags", &json!({ "slug": "axum" })).await.created();
        for round in 0..20 {
            let label = json!({ "label": round.to_string() });
            let token = token(api.put("/tags/axum", &label)).await;
            let read = api.get("/tags/axum").header("x-session-token", &token).await.ok();
            assert_eq!(read["label"], label["label"]);
        }
        api.stop().await;
        replicated.api.stop().await;
    });
}

#[test]
fn token_beyond_every_replica_is_read_from_the_primary() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        let new = token(replicated.api.post("/tags", &json!({ "slug": "new" }))).await;
        // The replica is given a moment to catch up, and no more.
        let read = within(Duration::from_millis(100), "the read", source(&replicated.api, Some(&new))).await;
        assert_eq!(read, "of the primary");
        assert_eq!(source(&replicated.api, None).await, "of the replica", "without a token, a replica answers");
        let older = "0000000000000001";
        assert_eq!(source(&replicated.api, Some(older)).await, "of the replica");
        assert_eq!(
            source(&replicated.api, Some(&format!("{older}, {new}"))).await,
            "of the primary",
            "the latest token applies"
        );
        replicated.api.stop().await;
    });
}

#[test]
fn read_waits_for_a_replica_that_nearly_has_the_token() {
    with_postgres_if_long(async {
        let replicated = Replicated::start(LONG_LAG).await;
        let mut connection = connect(&replicated.database.url_in(&replicated.replica)).await;
        // On a busy machine, the replica may resume too late; so several attempts.
        for _ in 0..20 {
            replicated.diverge().await;
            replicated.wait_for_replica().await;
            let new = token(replicated.api.put("/tags/one", &json!({ "label": "new" }))).await;
            // Once the write has been sent, only the replica can answer.
            let sent = "(SELECT bool_and(flush_lsn >= pg_current_wal_flush_lsn()) FROM pg_stat_replication)";
            wait_until("the write is sent", async || holds(replicated.database.url(), sent).await).await;
            replicated.primary.stop();
            let read = async { replicated.api.get("/entries").header("x-session-token", &new).await.status() };
            let resume = async {
                pause("the read is on its way", Duration::from_millis(10)).await;
                let resume = sqlx::raw_sql("SELECT pg_wal_replay_resume()");
                resume.execute(&mut connection).await.expect("the replica resumes");
            };
            let (status, ()) = tokio::join!(read, resume);
            replicated.primary.start();
            wait_until("the primary is back", async || replicated.api.get("/ready").await.status() == 200).await;
            if status == 200 {
                replicated.api.stop().await;
                return;
            }
        }
        panic!("no read waited");
    });
}

#[test]
fn every_change_returns_a_token_even_when_rejected() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        let api = &replicated.api;
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
        assert_eq!(api.get("/slips").await.header("x-session-token"), None, "a read has no token");
        replicated.api.stop().await;
    });
}

#[test]
fn malformed_token_is_a_validation_error() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        for path in ["/tags", "/tags/none", "/ledgers/1/history", "/audit-logs"] {
            let refused = replicated.api.get(path).header("x-session-token", "0/1A2B3C4").await;
            assert_eq!(refused.problem("validation_failed").parameters(), ["x-session-token"], "{path}");
        }
        replicated.api.stop().await;
    });
}
