//! Reads go to a replica within the allowed lag, and to the primary otherwise.

use crud_runtime::Service;
use crud_runtime::auth::Auth;
use crud_tests::{Backend, Server, audit_log, kitchen};
use serde_json::{Value, json};

use crate::support::{LONG_LAG, Replicated, execute, with_postgres};

#[test]
fn reads_use_the_replica_and_changes_the_primary() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        let list = replicated.api.get("/entries?text=of%20the%20replica").await.ok();
        let path = format!("/entries/{}", list[0]["id"]);
        let old = replicated.api.get(&path).await;
        assert_eq!(old.json()["text"], "of the replica");
        let version = old.header("etag").expect("a version").to_owned();
        let changed = replicated.api.put(&path, &json!({ "number": 1 })).header("if-match", &version).await;
        changed.problem("precondition_failed");
        let changed = replicated.api.put(&path, &json!({ "number": 1 })).await.ok();
        assert_eq!(changed["text"], "of the primary");
        assert_eq!(replicated.source().await, "of the replica");
        replicated.api.stop().await;
    });
}

#[test]
fn audit_log_and_history_are_read_from_the_replica() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        let ledger = replicated.api.post("/ledgers", &json!({ "name": "new" })).await;
        let token = ledger.header("x-session-token").expect("a token").to_owned();
        let history = format!("/ledgers/{}/history", ledger.created()["id"]);
        replicated.api.get(&history).await.problem("not_found");
        assert_eq!(replicated.api.get("/audit-logs").await.ok()["total"], 0);
        for path in [history.as_str(), "/audit-logs"] {
            let logged = replicated.api.get(path).header("x-session-token", &token).await.ok();
            assert_eq!(audit_log::actions(logged["data"].as_array().expect("entries")), ["create"], "{path}");
        }
        replicated.api.stop().await;
    });
}

#[test]
fn long_list_is_read_from_one_database() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        replicated.database.fill_entries(2_000).await;
        replicated.catch_up().await;
        replicated.pause(true).await;
        execute(replicated.database.url(), "DELETE FROM entries").await;
        replicated.wait_for_source("entry 1").await;
        assert_eq!(replicated.api.get("/entries").await.ok().as_array().map(Vec::len), Some(2_000));
        replicated.api.stop().await;
    });
}

#[test]
fn logins_and_revoked_tokens_are_checked_on_the_primary() {
    fn secured(service: Service) -> Service {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").rotate_refresh_tokens().logout();
        kitchen::kitchen(service)
            .limits(|limits| limits.replica_lag(LONG_LAG))
            .auth(auth.build().expect("authentication"))
    }
    with_postgres(async {
        let mut users = None;
        let replicated = Replicated::shared_with(|service| {
            let service = secured(service);
            users = Some(service.users());
            service
        })
        .await;
        replicated.pause(true).await;
        let users = users.expect("the users of the service");
        users.create_user("ada", "correct horse").await.expect("a user that the replica does not have");
        let login = json!({ "username": "ada", "password": "correct horse" });
        let tokens = replicated.api.post("/auth/login", &login).await.ok();
        let header = format!("Bearer {}", tokens["access_token"].as_str().expect("a token"));
        let list = || replicated.api.get("/tags").header("authorization", &header);
        assert_eq!(list().await.ok()["total"], 0);
        let refresh = json!({ "refresh_token": tokens["refresh_token"] });
        replicated.api.post("/auth/refresh", &refresh).await.ok();
        // A token that was just used gets its successor again, which the replica does not know.
        replicated.api.post("/auth/refresh", &refresh).await.ok();
        let log_out = replicated.api.post("/auth/logout", &json!({})).header("authorization", &header);
        log_out.await.expect(204);
        list().await.problem("invalid_token");
        replicated.api.post("/auth/refresh", &refresh).await.problem("refresh_failed");
        users.disable("ada").await.expect("the user is there");
        replicated.api.post("/auth/login", &login).await.problem("invalid_credentials");
        replicated.api.stop().await;
    });
}

#[test]
fn replicas_are_configured_by_the_environment() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        // Two URLs; the second has no server.
        let urls =
            format!("{} , postgres://absent@127.0.0.1:1/nothing", replicated.database.url_in(&replicated.replica));
        let variables = [("DATABASE_READ_URL", urls.as_str())];
        let server = Server::start_with(env!("CARGO_BIN_EXE_kitchen"), &[], &variables, &replicated.database).await;
        let created = server.post("/tags", &json!({ "slug": "new" })).await;
        let token = created.header("x-session-token").expect("a token").to_owned();
        let read = server.get("/tags/new").header("x-session-token", &token).await.ok();
        assert_eq!(read, created.created());
        replicated.api.stop().await;
    });
}

#[test]
fn document_declares_session_tokens_with_replicas_only() {
    with_postgres(async {
        let replicated = Replicated::shared(LONG_LAG).await;
        let document = replicated.api.get("/openapi.json").await.ok();
        let parameter = json!({ "$ref": "#/components/parameters/SessionToken" });
        let accepts_token =
            |path: &str| document["paths"][path]["get"]["parameters"].as_array().unwrap().contains(&parameter);
        assert!(["/tags", "/tags/{id}", "/ledgers/{id}/history", "/audit-logs"].into_iter().all(accepts_token));
        let create = &document["paths"]["/tags"]["post"];
        assert_eq!(
            create["responses"]["201"]["headers"]["X-Session-Token"]["$ref"],
            "#/components/headers/X-Session-Token"
        );
        assert!(document["components"]["headers"]["X-Session-Token"].is_object());
        replicated.api.stop().await;
    });
}

#[test]
fn unsupported_replicas_are_rejected_without_revealing_a_password() {
    with_postgres(async {
        let refused = async |url: &str, replicas: &str| {
            let service = Service::connect(url).await.expect("a database");
            let error = service.replicas(replicas).await.expect_err("the replicas are rejected");
            let text = format!("{error} {error:?}");
            assert!(!text.contains("secret"), "{text}");
            text
        };
        let database = Backend::Postgres.fresh();
        let replica = "postgres://me:secret@127.0.0.1:1/shop";
        let text = refused("sqlite::memory:", replica).await;
        assert!(text.contains("no replicas"), "{text}");
        refused(database.url(), &format!("{replica} mysql://me:secret@localhost/shop")).await;
        refused(database.url(), "me:secret@localhost").await;
        let service = Service::connect("sqlite::memory:").await.expect("a database");
        assert!(service.replicas(" ").await.is_ok(), "an empty list of URLs is ignored");
    });
}

#[test]
fn session_tokens_are_ignored_without_replicas() {
    with_postgres(async {
        let database = Backend::Postgres.fresh();
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the tables");
        let api = crud_tests::Api::start(&database, service).await;
        let created = api.post("/tags", &json!({ "slug": "new" })).await;
        assert_eq!(created.header("x-session-token"), None);
        assert!(!api.get("/openapi.json").await.text().contains("X-Session-Token"));
        let read = api.get("/tags").header("x-session-token", "nonsense").await.ok();
        assert_eq!(read["data"], Value::from(vec![created.created()]));
        api.stop().await;
    });
}
