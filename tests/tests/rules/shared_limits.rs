//! Limits of requests that all servers of a database share.

use std::time::Duration;

use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::routing::{RateLimit, post};
use crud_runtime::testing::Test;
use crud_tests::{Database, on_each_backend, on_each_transactional_backend};
use futures_util::future::join_all;
use serde_json::json;

async fn nothing() {}

/// A server with a limit of 40 requests a minute.
async fn server(database: &Database) -> Test {
    let auth = Auth::builder().secret("the secret of these tests, which is public").build().expect("a secret");
    let limit = RateLimit::new(40, Duration::from_mins(1)).shared();
    let route = post(nothing).access(Access::Authenticated).rate_limit(limit);
    let service = database.service().await.auth(auth).route("/letters", route);
    let test = service.test().await.expect("the tables");
    test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
    test
}

#[test]
fn servers_that_are_asked_at_once_admit_the_limit_together() {
    on_each_transactional_backend(async |database| {
        let servers = [server(database).await, server(database).await];
        let ann = servers.each_ref().map(|server| server.as_principal(Principal::new("ann")));
        let send = async |server: &Test| server.post("/letters", json!({})).await.status();
        let statuses = join_all(ann.iter().cycle().take(60).map(send)).await;
        let admitted = statuses.iter().filter(|status| **status == 204).count();
        let refused = statuses.iter().filter(|status| **status == 429).count();
        assert_eq!(admitted + refused, 60, "{statuses:?}");
        // Each server may hold an eighth of what was left, five requests at most.
        assert!((35..=40).contains(&admitted), "{admitted}");
        let mut rest = 0;
        for server in ann.iter().cycle().take(40) {
            rest += usize::from(send(server).await == 204);
        }
        assert_eq!(admitted + rest, 40, "what a server holds is used up");
        let bob = servers[1].as_principal(Principal::new("bob"));
        bob.post("/letters", json!({})).await.expect(204);
    });
}

#[test]
fn counts_survive_a_restart_and_end_with_their_window() {
    on_each_transactional_backend(async |database| {
        let mut refused = None;
        for start in 0..60 {
            let ann = server(database).await.as_principal(Principal::new("ann"));
            if ann.post("/letters", json!({})).await.status() == 429 {
                refused = Some(start);
                break;
            }
        }
        assert!(refused.is_some_and(|starts| starts <= 40), "{refused:?}");
        let later = server(database).await;
        later.clock().advance(Duration::from_mins(1));
        let first = later.as_principal(Principal::new("ann")).post("/letters", json!({})).await.expect(204);
        assert_eq!(first.header("ratelimit"), Some("\"default\";r=39;t=60"));
    });
}

#[test]
fn failed_logins_of_all_servers_count_together() {
    on_each_transactional_backend(async |database| {
        let server = async || {
            let auth = Auth::builder().secret("the secret of these tests, which is public");
            let auth = auth.login_attempts(3, Duration::from_mins(15)).shared_login_attempts().build();
            database.service().await.auth(auth.expect("a secret")).test().await.expect("the tables")
        };
        let (one, two) = (server().await, server().await);
        one.users().create_user("ada", "correct horse").await.expect("a user");
        let log_in = async |server: &Test, password: &str| {
            server.post("/auth/login", json!({ "username": "ada", "password": password })).await.status()
        };
        for _ in 0..3 {
            assert_eq!(log_in(&one, "wrong horse").await, 401);
        }
        // A failure is written beside the answer, and a new server has counted none itself.
        let is_refused = async || log_in(&server().await, "wrong horse").await == 429;
        crud_tests::wait_until("another server refuses it", is_refused).await;
        assert_eq!(log_in(&two, "correct horse").await, 429);
    });
}

#[test]
fn storage_without_transactions_is_refused_at_start() {
    on_each_backend(async |database| {
        if database.backend().is_interactive() {
            return;
        }
        let limit = RateLimit::new(40, Duration::from_mins(1)).shared();
        let service =
            database.service().await.route("/letters", post(nothing).access(Access::Public).rate_limit(limit));
        let error = service.test().await.expect_err("no transactions").to_string();
        assert!(error.contains("servers share limits: their counts, which need transactions"), "{error}");
    });
}
