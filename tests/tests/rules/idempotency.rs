use std::time::Duration;

use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::response::Response;
use crud_runtime::error::Problem;
use crud_runtime::hooks::{Changeset, HookContext};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Next, handler};
use crud_tests::kitchen::Payment;
use crud_tests::{
    Answer, Api, Database, long, on_each_backend, on_each_sql_backend, on_each_sql_server,
    on_each_transactional_backend,
};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::caller::{SECRET, bearer, with_claims};

/// Stage of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Stage {
    Open,
    Shipped,
}

/// An order, whose changes need a key.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency(required, ttl = "48h"), import)]
struct Order {
    id: i64,
    #[crud(unique)]
    number: i32,
    #[crud(default(Stage::Open), transitions(ship(Open, Shipped)))]
    stage: Stage,
}

/// A gift, of which some roles see more.
#[derive(Debug, Clone, Resource)]
#[crud(audit, batch, idempotency, access(read(public), create(public), update(role("clerk")), batch(role("clerk"))))]
struct Gift {
    id: i64,
    text: String,
    #[crud(visible(role("boss")), default = 5)]
    cost: i32,
}

/// A large document, which is removed for good in a second step.
#[derive(Debug, Clone, Resource)]
#[crud(batch(mode(partial)), import, soft_delete, upsert(name), idempotency)]
struct Document {
    id: i64,
    #[crud(unique)]
    name: String,
    text: Option<serde_json::Value>,
    deleted_at: Option<DateTime<Utc>>,
}

/// A manual, whose deleted ones an editor alone sees.
#[derive(Debug, Clone, Resource)]
#[crud(batch, soft_delete, idempotency, access(all(authenticated), restore(role("editor"))))]
struct Manual {
    id: i64,
    text: serde_json::Value,
    deleted_at: Option<DateTime<Utc>>,
}

/// A customer, whom guests see by their claim.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), access(all(authenticated)), scope(role("guest"), number(claim("customer"))))]
struct Customer {
    id: i64,
    number: i64,
    name: String,
}

/// A reminder, which a repeated create has twice.
#[derive(Debug, Clone, Resource)]
#[crud(filter(text))]
struct Reminder {
    id: i64,
    text: String,
}

/// A visit, whose answer may have its customer.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency, access(all(authenticated)))]
struct Visit {
    id: i64,
    #[crud(references(Customer, expand))]
    customer_id: i64,
    note: String,
}

/// A change that goes on when the test lets it.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency, hooks(before(wait)))]
struct Slow {
    id: i64,
    text: String,
}

/// Slow changes that have begun, and those that may go on.
static BEGUN: Semaphore = Semaphore::const_new(0);
static MAY_GO_ON: Semaphore = Semaphore::const_new(0);

async fn wait(_: &mut Changeset<'_, Slow>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    BEGUN.add_permits(1);
    MAY_GO_ON.acquire().await.expect("an open semaphore").forget();
    Ok(())
}

async fn service(database: &Database) -> Service {
    let service = database.service().await.resource::<Payment>().resource::<Order>().resource::<Slow>();
    let service = service.resource::<Document>();
    service.migrate().await.expect("the tables")
}

async fn secured(database: &Database) -> Service {
    let auth = Auth::builder().secret(SECRET).build().expect("the authentication");
    database.service().await.auth(auth).resource::<Gift>().resource::<Manual>().migrate().await.expect("the tables")
}

fn on_each_api(make: impl AsyncFn(&Database) -> Service + Copy, test: impl AsyncFn(&Api) + Copy) {
    on_each_transactional_backend(async |database| {
        let mut api = Api::start(database, make(database).await).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

fn on_each(test: impl AsyncFn(&Api) + Copy) {
    on_each_api(service, test);
}

async fn send(api: &Api, method: Method, target: &str, key: &str, body: &Value) -> Answer {
    api.request(method, target).header("idempotency-key", key).json(body).await
}

async fn post(api: &Api, target: &str, key: &str, body: &Value) -> Answer {
    send(api, Method::POST, target, key, body).await
}

/// Number of payments.
async fn payments(api: &Api) -> Value {
    api.get("/payments").await.ok()["total"].clone()
}

/// The second answer is the first one, marked as a replay.
#[track_caller]
fn assert_replayed(first: &Answer, second: &Answer) {
    assert_eq!((first.status(), first.text()), (second.status(), second.text()));
    assert_eq!(first.header("idempotency-replayed"), None);
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    for name in ["content-type", "etag", "location", "preference-applied", "content-length"] {
        assert_eq!(first.header(name), second.header(name), "{name}");
    }
}

#[test]
fn repeated_create_gets_the_bytes_of_the_first_answer() {
    on_each(async |api| {
        let body = json!({ "reference": "r-1", "amount": 5 });
        let first = post(api, "/payments", "k-1", &body).await.expect(201);
        assert_replayed(&first, &post(api, "/payments", "k-1", &body).await);
        assert_replayed(&first, &post(api, "/payments", "\"k-1\"", &body).await);
        api.patch("/payments/1", &json!({ "amount": 6 })).await.ok();
        assert_replayed(&first, &post(api, "/payments", "k-1", &body).await);
        assert_eq!(payments(api).await, 1);
        let log = api.get("/audit-logs").await.ok();
        let actions: Vec<&Value> = log["data"].as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
        assert_eq!(actions, ["create", "update"]);
        post(api, "/payments", "k-2", &body).await.expect(201);
        api.post("/payments", &body).await.expect(201);
        assert_eq!(payments(api).await, 3);
    });
}

#[test]
fn repeated_updates_transitions_and_batches_are_carried_out_once() {
    on_each(async |api| {
        let items = json!({ "items": [
            { "reference": "a", "amount": 1 }, { "reference": "b", "amount": 0 }, { "reference": "c", "amount": 2 }
        ] });
        let first = post(api, "/payments/batch", "k", &items).await.expect(207);
        assert_replayed(&first, &post(api, "/payments/batch", "k", &items).await);
        assert_eq!(payments(api).await, 2);
        for (method, amount) in [(Method::PATCH, 7), (Method::PUT, 8)] {
            let (key, body) = (format!("k-{amount}"), json!({ "amount": amount }));
            let first = send(api, method.clone(), "/payments/1", &key, &body).await.expect(200);
            api.patch("/payments/1", &json!({ "amount": 9 })).await.ok();
            assert_replayed(&first, &send(api, method, "/payments/1", &key, &body).await);
            assert_eq!(api.get("/payments/1").await.ok()["amount"], 9);
        }
        let minimal = async || {
            let request = api.patch("/payments/1", &json!({ "amount": 3 })).header("prefer", "return=minimal");
            request.header("idempotency-key", "minimal").await.expect(204)
        };
        assert_replayed(&minimal().await, &minimal().await);
        let updates = json!({ "items": [{ "id": 1, "amount": 4 }, { "id": 9, "amount": 4 }] });
        let first = send(api, Method::PUT, "/payments/batch", "u", &updates).await.expect(207);
        assert_replayed(&first, &send(api, Method::PUT, "/payments/batch", "u", &updates).await);
        let ids = json!({ "ids": [1] });
        let first = post(api, "/payments/batch/delete", "d", &ids).await.expect(200);
        assert_replayed(&first, &post(api, "/payments/batch/delete", "d", &ids).await);

        post(api, "/orders", "o", &json!({ "number": 1 })).await.expect(201);
        let ship = async || {
            let request = api.request(Method::POST, "/orders/1/ship").header("idempotency-key", "s");
            request.await.expect(200)
        };
        assert_replayed(&ship().await, &ship().await);
        post(api, "/orders/1/ship", "s-2", &json!({})).await.problem("illegal_transition");
    });
}

#[test]
fn repeated_removals_and_restores_are_carried_out_once() {
    on_each(async |api| {
        for name in ["a", "b"] {
            api.post("/documents", &json!({ "name": name })).await.created();
        }
        let keyed = async |method: Method, target: &str, key: &str| {
            api.request(method, target).header("idempotency-key", key).await
        };
        for (method, target) in [
            (Method::DELETE, "/documents/1"),
            (Method::POST, "/documents/1/restore"),
            (Method::DELETE, "/documents/2"),
            (Method::POST, "/documents/restore?all=true"),
        ] {
            let first = keyed(method.clone(), target, "k").await.expect(200);
            assert_replayed(&first, &keyed(method, target, "k").await);
        }
        // A record that is there again is not removed by the repetition.
        keyed(Method::DELETE, "/documents/1", "k").await.expect(200);
        assert_eq!(api.get("/documents").await.ok().as_array().map(Vec::len), Some(2));
        keyed(Method::DELETE, "/documents/1", "k-2").await.expect(200);
        let first = keyed(Method::DELETE, "/documents/1/permanent", "p").await.expect(200);
        assert_replayed(&first, &keyed(Method::DELETE, "/documents/1/permanent", "p").await);
        keyed(Method::DELETE, "/documents/1/permanent", "p-2").await.problem("not_found");
        let first = keyed(Method::DELETE, "/documents/deleted?all=true", "p").await.expect(200);
        assert_replayed(&first, &keyed(Method::DELETE, "/documents/deleted?all=true", "p").await);
    });
}

#[test]
fn repeated_import_of_all_or_none_is_carried_out_once() {
    on_each(async |api| {
        let import = async |target: &str, file: &str| {
            let request = api.request(Method::POST, target).body("text/csv", file.to_owned());
            request.header("idempotency-key", "k").await
        };
        let first = import("/orders/import", "number\n1\n2\n").await.expect(200);
        assert_eq!(first.json()["created"], 2);
        assert_replayed(&first, &import("/orders/import", "number\n1\n2\n").await);
        // One that fails leaves the key free.
        import("/documents/import", "name,text\na,x\n").await.problem("validation_failed");
        let first = import("/documents/import", "name\na\n").await.expect(200);
        assert_replayed(&first, &import("/documents/import", "name\na\n").await);
        // Parts of a partial one stand: by its unique values, a file can be sent again.
        let problem = import("/documents/import?mode=partial", "name\nb\n").await.problem("validation_failed");
        assert_eq!(problem.errors[0].at, "parameter idempotency-key");
        assert!(problem.detail.contains("on_conflict"), "{problem}");
        assert_eq!(api.get("/documents").await.ok().as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn malformed_batch_with_a_key_is_refused_without_the_writer_of_storage() {
    on_each_sql_backend(async |database| {
        let api = Api::start(database, service(database).await).await;
        let other = database.block_writers().await;
        for (body, code) in [
            (json!({ "items": 7 }), "validation_failed"),
            (json!({ "items": vec![json!({ "name": "a" }); 1_001] }), "batch_too_large"),
        ] {
            post(&api, "/documents/batch", "k", &body).await.problem(code);
            send(&api, Method::PUT, "/documents/batch", "k", &body).await.problem(code);
        }
        post(&api, "/documents/batch/delete", "k", &json!({ "ids": {} })).await.problem("validation_failed");
        drop(other);
        // The key is free.
        let items = json!({ "items": [{ "name": "a" }, { "name": 7 }] });
        let first = post(&api, "/documents/batch", "k", &items).await.expect(207);
        assert_replayed(&first, &post(&api, "/documents/batch", "k", &items).await);
        api.stop().await;
    });
}

#[test]
fn large_answer_is_not_stored_and_read_again() {
    on_each_sql_backend(async |database| {
        let mut api = Api::start(database, service(database).await).await;
        api.check_against_document().await;
        database.add_check("crud_idempotency", "length(body) < 65537").await;
        let large = || json!("x".repeat(500_000));
        let body = json!({ "name": "a", "text": large() });
        let first = post(&api, "/documents", "c", &body).await.expect(201);
        assert_replayed(&first, &post(&api, "/documents", "c", &body).await);
        let renamed = json!({ "name": "b" });
        let update = async || send(&api, Method::PATCH, "/documents/1", "u", &renamed).await;
        let first = update().await.expect(200);
        assert_replayed(&first, &update().await);
        // The repeated answer has the record as it is now, with its own entity tag.
        api.patch("/documents/1", &json!({ "name": "c" })).await.ok();
        let replayed = update().await.expect(200);
        assert_eq!((&replayed.json()["name"], replayed.header("idempotency-replayed")), (&json!("c"), Some("true")));
        assert_eq!(replayed.header("etag"), api.get("/documents/1").await.expect(200).header("etag"));
        assert_eq!(replayed.json()["text"], large());
        // A batch keeps what became of it.
        let items = json!({ "items": [{ "name": "d", "text": large() }, { "name": 7 }, { "name": "e" }] });
        let batch = async || post(&api, "/documents/batch", "b", &items).await;
        let first = batch().await.expect(207);
        assert_replayed(&first, &batch().await);
        // A record that was removed for good is not in any answer.
        let delete = async || api.delete("/documents/1").header("idempotency-key", "d").await;
        let first = delete().await.expect(200);
        assert_replayed(&first, &delete().await);
        api.delete("/documents/1/permanent").await.expect(200);
        assert_eq!(delete().await.expect(204).header("idempotency-replayed"), Some("true"));
        api.delete("/documents/2").await.expect(200);
        api.delete("/documents/2/permanent").await.expect(200);
        let replayed = batch().await.expect(207);
        assert_eq!((&replayed.json()["created"], replayed.json()["items"][0]["name"].as_str()), (&json!(2), Some("e")));
        api.stop().await;
    });
}

#[test]
fn large_answer_has_no_record_that_was_deleted_since_for_who_may_not_restore() {
    on_each_transactional_backend(async |database| {
        let mut api = Api::start(database, secured(database).await).await;
        api.check_against_document().await;
        let text = |text: &str| json!({ "text": format!("{text}{}", "x".repeat(100_000)) });
        let send = async |roles: &[&str], method: Method, target: &str, key: &str, body: Value| {
            let request = api.request(method, target).header("authorization", &bearer("ada", roles)).json(&body);
            request.header("idempotency-key", key).await
        };
        for (roles, status) in [(&[][..], 204), (&["editor"][..], 201)] {
            let key = format!("k-{status}");
            let create = async || send(roles, Method::POST, "/manuals", &key, text("first")).await;
            let batch = json!({ "items": [text("second"), text("third")] });
            let batch = async || send(roles, Method::POST, "/manuals/batch", &key, batch.clone()).await;
            let (created, items) = (create().await.expect(201), batch().await.expect(200));
            let path = format!("/manuals/{}", created.json()["id"]);
            let second = format!("/manuals/{}", items.json()["items"][0]["id"]);
            send(roles, Method::PATCH, &path, &format!("u-{status}"), text("secret")).await.expect(200);
            let delete = async || send(roles, Method::DELETE, &path, &format!("d-{status}"), json!({})).await;
            let deleted = delete().await.expect(200);
            send(roles, Method::DELETE, &second, &format!("e-{status}"), json!({})).await.expect(200);
            let replayed = create().await.expect(status);
            assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
            assert_eq!(replayed.text().contains("secret"), status == 201, "{roles:?}");
            let update = send(roles, Method::PATCH, &path, &format!("u-{status}"), text("secret")).await;
            assert_eq!(update.text().contains("secret"), status == 201, "{roles:?}");
            let items = batch().await.expect(200).into_json();
            assert_eq!(items["items"].as_array().map(Vec::len), Some(if status == 201 { 2 } else { 1 }));
            // That of the delete has the record, which the caller had.
            assert_replayed(&deleted, &delete().await);
        }
        api.stop().await;
    });
}

#[test]
fn key_of_another_request_is_refused() {
    on_each_api(secured, async |api| {
        let by_ada = async |method: Method, target: &str, body: Value| {
            let request = api.request(method, target).header("authorization", &bearer("ada", &["clerk"])).json(&body);
            request.header("idempotency-key", "k").await
        };
        let text = |text: &str| json!({ "text": text });
        by_ada(Method::POST, "/gifts", text("a")).await.expect(201);
        by_ada(Method::POST, "/gifts", text("b")).await.problem("idempotency_key_reused");
        by_ada(Method::POST, "/gifts?expand=x", text("a")).await.problem("idempotency_key_reused");
        // Another route has other keys, whatever the method.
        by_ada(Method::PATCH, "/gifts/1", text("c")).await.expect(200);
        by_ada(Method::PUT, "/gifts/1", text("c")).await.problem("idempotency_key_reused");
        by_ada(Method::PATCH, "/gifts/2", text("c")).await.problem("idempotency_key_reused");
        assert_eq!(api.get("/gifts").await.ok().as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn another_request_of_an_anonymous_caller_is_carried_out() {
    on_each(async |api| {
        for amount in [5, 6, 5, 6] {
            post(api, "/payments", "k", &json!({ "reference": "r", "amount": amount })).await.expect(201);
        }
        assert_eq!(payments(api).await, 2);
    });
}

#[test]
fn failure_is_not_stored_and_a_corrected_request_has_the_same_key() {
    on_each(async |api| {
        let invalid = json!({ "reference": "r", "amount": 0 });
        for _ in 0..2 {
            let answer = post(api, "/payments", "k", &invalid).await;
            assert_eq!(answer.header("idempotency-replayed"), None);
            answer.problem("validation_failed");
        }
        let valid = json!({ "reference": "r", "amount": 5 });
        post(api, "/payments", "k", &valid).await.expect(201);
        post(api, "/orders", "o-1", &json!({ "number": 1 })).await.expect(201);
        post(api, "/orders", "o-2", &json!({ "number": 1 })).await.problem("conflict");
        post(api, "/orders", "o-2", &json!({ "number": 2 })).await.expect(201);
        send(api, Method::PATCH, "/payments/9", "k", &json!({ "amount": 1 })).await.problem("not_found");
        send(api, Method::PATCH, "/payments/1", "k", &json!({ "amount": 1 })).await.expect(200);
    });
}

#[test]
fn missing_and_malformed_keys_are_refused() {
    on_each(async |api| {
        let order = json!({ "number": 1 });
        api.post("/orders", &order).await.problem("idempotency_key_required");
        post(api, "/orders", "", &order).await.problem("validation_failed");
        let long = "k".repeat(256);
        for key in ["two words", "\"open", long.as_str()] {
            let problem = post(api, "/payments", key, &json!({ "reference": "r", "amount": 5 })).await;
            assert_eq!(problem.problem("validation_failed").errors[0].at, "parameter idempotency-key");
        }
        post(api, "/orders", "k", &order).await.expect(201);
        api.patch("/orders/1", &json!({ "number": 2 })).await.problem("idempotency_key_required");
        api.delete("/orders/1").await.problem("idempotency_key_required");
        let import = async |target: &str| api.request(Method::POST, target).body("text/csv", "number\n2\n").await;
        import("/orders/import").await.problem("idempotency_key_required");
        import("/orders/import?mode=partial").await.problem("idempotency_key_required");
        assert_eq!(api.get("/orders").await.ok().as_array().map(Vec::len), Some(1));
        api.delete("/orders/1").header("idempotency-key", "two words").await.problem("validation_failed");
    });
}

#[test]
fn key_of_a_change_that_no_key_makes_unique_is_refused() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Reminder>().without_auth();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let ada = json!({ "text": "Ada" });
        let changes = [(Method::POST, "/reminders"), (Method::PATCH, "/reminders/1"), (Method::DELETE, "/reminders/1")];
        api.post("/reminders", &ada).await.created();
        for (method, target) in changes {
            let problem = send(&api, method, target, "k", &ada).await.problem("validation_failed");
            assert_eq!(problem.errors[0].at, "parameter idempotency-key");
            assert_eq!(problem.errors[0].detail, "must be absent: a repeated change of Reminder is a second one");
        }
        let list = api.get("/reminders").header("idempotency-key", "k").await.ok();
        assert_eq!(list.as_array().map(Vec::len), Some(1));
        let search = send(&api, Method::POST, "/reminders/search", "k", &json!({ "where": { "text": "Ada" } })).await;
        assert_eq!(search.ok().as_array().map(Vec::len), Some(1));
        api.stop().await;
    });
}

#[test]
fn concurrent_requests_to_two_servers_create_one_record() {
    on_each_transactional_backend(async |database| {
        let one = Api::start(database, service(database).await).await;
        let other = Api::start(database, service(database).await).await;
        for round in 0..3 {
            let (key, body) = (format!("k-{round}"), json!({ "reference": format!("r-{round}"), "amount": 5 }));
            let requests = (0..20).map(|number| {
                let api = if number % 2 == 0 { &one } else { &other };
                post(api, "/payments", &key, &body)
            });
            let answers = join_all(requests).await;
            let first = answers.iter().find(|answer| answer.header("idempotency-replayed").is_none()).unwrap().clone();
            for answer in &answers {
                assert_eq!((answer.status(), answer.text()), (201, first.text()));
            }
            let replays = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_some()).count();
            assert_eq!((replays, payments(&one).await), (19, json!(round + 1)));
        }
        one.stop().await;
        other.stop().await;
    });
}

#[test]
fn concurrent_requests_whose_first_one_fails_are_answered() {
    on_each(async |api| {
        post(api, "/orders", "first", &json!({ "number": 1 })).await.expect(201);
        let taken = json!({ "number": 1 });
        for answer in join_all((0..10).map(|_| post(api, "/orders", "k", &taken))).await {
            answer.problem("conflict");
        }
    });
}

#[test]
fn callers_do_not_get_the_answers_of_others() {
    on_each_api(secured, async |api| {
        let gift = |text: &str| json!({ "text": text });
        let by = async |token: Option<String>, body: &Value| {
            let request = api.post("/gifts", body).header("idempotency-key", "k");
            match token {
                Some(token) => request.header("authorization", &token).await,
                None => request.await,
            }
        };
        let ada = || Some(bearer("ada", &["clerk"]));
        let first = by(ada(), &gift("a")).await.expect(201);
        assert_replayed(&first, &by(ada(), &gift("a")).await);
        let bobs = by(Some(bearer("bob", &["clerk"])), &gift("a")).await.expect(201);
        assert_eq!((bobs.header("idempotency-replayed"), &bobs.json()["id"]), (None, &json!(2)));
        // A role shows another field: it is another request.
        by(Some(bearer("ada", &["clerk", "boss"])), &gift("a")).await.problem("idempotency_key_reused");
        let anonymous = by(None, &gift("a")).await.expect(201);
        assert_eq!(anonymous.json()["id"], 3);
        assert_replayed(&anonymous, &by(None, &gift("a")).await);
        let other = by(None, &gift("b")).await.expect(201);
        assert_eq!((other.header("idempotency-replayed"), &other.json()["id"]), (None, &json!(4)));
    });
}

#[test]
fn answer_with_records_of_one_claim_is_not_for_another() {
    let visits = async |database: &Database| {
        let auth = Auth::builder().secret(SECRET).build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Customer>().resource::<Visit>();
        service.migrate().await.expect("the tables")
    };
    on_each_api(visits, async |api| {
        let customer = api.post("/customers", &json!({ "number": 7, "name": "Ann" }));
        let customer = customer.header("authorization", &bearer("sam", &["staff"])).await.created();
        let visit = async |number: i64| {
            let body = json!({ "customer_id": customer["id"], "note": "a" });
            let request = api.post("/visits?expand=customer", &body).header("idempotency-key", "k");
            request.header("authorization", &with_claims("ada", &["guest"], &json!({ "customer": number }))).await
        };
        let first = visit(7).await.expect(201);
        assert_eq!(first.json()["customer"]["name"], "Ann");
        assert_replayed(&first, &visit(7).await);
        visit(8).await.problem("idempotency_key_reused");
    });
}

#[test]
fn access_is_checked_before_an_answer_is_replayed() {
    on_each_api(secured, async |api| {
        api.post("/gifts", &json!({ "text": "a" })).await.expect(201);
        let patch = async |roles: &[&str]| {
            let request = api.patch("/gifts/1", &json!({ "text": "b" })).header("idempotency-key", "k");
            request.header("authorization", &bearer("ada", roles)).await
        };
        let first = patch(&["clerk"]).await.expect(200);
        assert_replayed(&first, &patch(&["clerk"]).await);
        patch(&[]).await.problem("permission_denied");
    });
}

#[test]
fn expired_key_is_that_of_a_new_request() {
    on_each_transactional_backend(async |database| {
        let test = secured(database).await.test().await.expect("the tables");
        let ada = test.as_principal(Principal::new("ada"));
        let post = async |cost: i32| {
            let body = json!({ "text": cost.to_string() });
            ada.post("/gifts", body).header("idempotency-key", "k").await
        };
        post(1).await.expect(201);
        test.clock().advance(Duration::from_hours(23));
        assert_eq!(post(1).await.expect(201).header("idempotency-replayed"), Some("true"));
        post(2).await.problem("idempotency_key_reused");
        test.clock().advance(Duration::from_hours(2));
        let second = post(2).await.expect(201);
        assert_eq!((second.header("idempotency-replayed"), second.json()["id"].clone()), (None, json!(2)));
        assert_eq!(post(2).await.expect(201).header("idempotency-replayed"), Some("true"));
    });
}

#[test]
fn request_whose_first_one_has_not_ended_is_refused_after_the_lock_timeout() {
    // The lock timeout is five seconds.
    if !long("limits") {
        return;
    }
    on_each_sql_server(async |database| {
        let api = Api::start(database, service(database).await).await;
        let body = json!({ "text": "x" });
        let second = async {
            BEGUN.acquire().await.expect("an open semaphore").forget();
            let second = post(&api, "/slows", "k", &body).await;
            MAY_GO_ON.add_permits(1);
            second
        };
        let (first, second) = tokio::join!(post(&api, "/slows", "k", &body), second);
        let first = first.expect(201);
        assert_eq!(second.header("retry-after"), Some("1"));
        second.problem("idempotency_in_flight");
        assert_replayed(&first, &post(&api, "/slows", "k", &body).await);
        api.stop().await;
    });
}

#[test]
fn document_has_the_header_and_its_answers() {
    on_each(async |api| {
        let document = api.get("/openapi.json").await.ok();
        let operation = |path: &str, method: &str| document["paths"][path][method].clone();
        let has = |operation: &Value, name: &str| {
            let reference = json!({ "$ref": format!("#/components/parameters/{name}") });
            operation["parameters"].as_array().is_some_and(|all| all.contains(&reference))
        };
        for (path, method) in [
            ("", "post"),
            ("/{id}", "patch"),
            ("/{id}", "put"),
            ("/{id}", "delete"),
            ("/batch", "post"),
            ("/batch", "put"),
        ] {
            let operation = operation(&format!("/payments{path}"), method);
            assert!(has(&operation, "IdempotencyKey") && operation["responses"]["409"].is_object(), "{path} {method}");
        }
        for (path, method) in [("", "get"), ("/{id}", "get")] {
            assert!(!has(&operation(&format!("/payments{path}"), method), "IdempotencyKey"), "{path} {method}");
        }
        for (path, method) in [("/{id}/ship", "post"), ("/{id}", "delete"), ("/import", "post")] {
            assert!(has(&operation(&format!("/orders{path}"), method), "RequiredIdempotencyKey"), "{path} {method}");
        }
        for path in ["/{id}/restore", "/import"] {
            assert!(has(&operation(&format!("/documents{path}"), "post"), "IdempotencyKey"), "{path}");
        }
        let created = &operation("/orders", "post")["responses"]["201"]["headers"]["Idempotency-Replayed"];
        assert!(created.is_object());
        assert_eq!(document["components"]["parameters"]["RequiredIdempotencyKey"]["required"], true);
    });
}

#[test]
fn only_a_service_that_uses_keys_has_their_table() {
    on_each_sql_backend(async |database| {
        let plan = async |service: Service| service.plan().await.unwrap().join("\n");
        assert!(plan(database.service().await.resource::<Payment>()).await.contains("crud_idempotency"));
        assert!(
            !plan(database.service().await.resource::<crate::resources::Part>()).await.contains("crud_idempotency")
        );
    });
}

#[test]
fn storage_without_transactions_of_several_calls_is_refused_at_start() {
    on_each_backend(async |database| {
        let migrated = database.service().await.resource::<Payment>().migrate().await;
        match migrated {
            Ok(_) => assert!(database.backend().is_interactive()),
            Err(error) => {
                assert!(!database.backend().is_interactive(), "{error}");
                assert!(error.to_string().contains("Payment has `idempotency`"), "{error}");
            }
        }
    });
}

async fn replacement(next: Next) -> crud_runtime::Result<Response> {
    Ok(next.run().await?)
}

#[test]
fn handler_in_place_of_an_operation_with_keys_is_refused_at_start() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Order>();
        let service = service.replace::<Order>(Operation::Create, handler(replacement)).migrate().await.unwrap();
        let error = service.into_router().unwrap_err().to_string();
        assert!(error.contains("`idempotency`"), "{error}");
    });
}

#[test]
fn principals_of_a_program_have_keys_of_their_own() {
    on_each_transactional_backend(async |database| {
        let test = secured(database).await.test().await.expect("the tables");
        let post = async |subject: &str| {
            let caller = test.as_principal(Principal::new(subject));
            caller.post("/gifts", json!({ "text": "a" })).header("idempotency-key", "k").await.expect(201).json()
        };
        assert_eq!(post("ada").await["id"], 1);
        assert_eq!(post("bob").await["id"], 2);
        assert_eq!(post("ada").await["id"], 1);
    });
}
