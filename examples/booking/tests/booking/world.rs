//! The seeded companies, and their people.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use booking::{auth, booking, seed};
use crud_accounts::{Accounts, Mail, Mailer};
use crud_files::Files;
use crud_files::object_store::memory::InMemory;
use crud_runtime::BoxError;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer};
use crud_tests::{Database, amount, on_each_sql_backend, on_sqlite};
use serde_json::{Value, json};

pub(crate) const NORA: &str = "nora@nordlicht.example";
pub(crate) const MIA: &str = "mia@nordlicht.example";
pub(crate) const EMRE: &str = "emre@nordlicht.example";
pub(crate) const GUS: &str = "gus@partner.example";
pub(crate) const OTTO: &str = "otto@kaktus.example";

pub(crate) const PASSWORD: &str = "correct horse battery";

/// The mails that were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<Vec<Mail>>>);

impl Mailer for Outbox {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(mail.clone());
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A service with two companies, on Monday, 19 October 2026.
pub(crate) struct World {
    pub(crate) test: Test,
    outbox: Outbox,
}

/// A person, with an access token.
pub(crate) struct Person {
    test: Test,
    token: String,
}

pub(crate) fn id(record: &Value) -> i64 {
    record["id"].as_i64().unwrap_or_else(|| panic!("expected a record, found {record}"))
}

pub(crate) fn column(list: &Value, name: &str) -> Vec<Value> {
    list["data"].as_array().expect("a list").iter().map(|record| record[name].clone()).collect()
}

pub(crate) fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

/// The service on a database, without records.
pub(crate) async fn service(database: &Database, outbox: Outbox) -> Service {
    let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
    // The seed is one transaction, while other tests have the processor.
    let service = database.service().await.limits(|limits| limits.transaction_timeout(Duration::from_mins(1)));
    let service = service.auth(auth).server(|server| server.public_url("https://booking.example"));
    booking(service, Files::store(Arc::new(InMemory::new())), Accounts::new().mailer(outbox)).expect("the plugins")
}

/// Runs a test on SQLite, and in the long part on each back end with SQL.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_each(test: impl AsyncFn(World)) {
    let on_seeded = async |database: &Database| {
        let outbox = Outbox::default();
        let service = service(database, outbox.clone()).await;
        let world = World { test: service.test().await.expect("the service"), outbox };
        world.test.clock().set(time("2026-10-19T07:00:00Z"));
        seed::fill_if_empty(world.test.app()).await.expect("the seed");
        test(world).await;
    };
    if amount("prove", false, true) { on_each_sql_backend(on_seeded) } else { on_sqlite(on_seeded) }
}

impl World {
    pub(crate) async fn login(&self, username: &str) -> Person {
        let body = json!({ "username": username, "password": PASSWORD });
        let answer = self.test.post("/auth/login", body).await.expect(200).json();
        self.person(&answer)
    }

    pub(crate) fn person(&self, tokens: &Value) -> Person {
        let token = tokens["access_token"].as_str().expect("a token").to_owned();
        Person { test: self.test.clone(), token }
    }

    /// A program with an API key.
    pub(crate) fn program(&self, key: &Value) -> Person {
        Person { test: self.test.clone(), token: key["key"].as_str().expect("a key").to_owned() }
    }

    /// The token in the link of the one mail that was sent.
    pub(crate) async fn mailed_token(&self) -> String {
        self.test.run_jobs().await.expect("the jobs");
        let mails = std::mem::take(&mut *self.outbox.0.lock().unwrap_or_else(PoisonError::into_inner));
        let [mail] = mails.as_slice() else { panic!("expected one mail, found {mails:?}") };
        let link = mail.text.lines().find(|line| line.starts_with("http")).expect("a link");
        link.split_once('#').expect("a link with a token").1.to_owned()
    }
}

impl Person {
    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    pub(crate) async fn get(&self, path: impl AsRef<str>) -> TestAnswer {
        self.test.get(path).header("authorization", self.bearer()).await
    }

    pub(crate) async fn post(&self, path: impl AsRef<str>, body: Value) -> TestAnswer {
        self.test.post(path, body).header("authorization", self.bearer()).await
    }

    /// Calls a tool as an agent of the person.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let request = self.test.post("/mcp", body).header("accept", "application/json, text/event-stream");
        let request = request.header("mcp-protocol-version", "2025-11-25").header("authorization", self.bearer());
        request.await.expect(200).json()["result"].clone()
    }

    pub(crate) async fn patch(&self, path: impl AsRef<str>, body: Value) -> TestAnswer {
        self.test.patch(path, body).header("authorization", self.bearer()).await
    }

    pub(crate) async fn delete(&self, path: impl AsRef<str>) -> TestAnswer {
        self.test.delete(path).header("authorization", self.bearer()).await
    }

    pub(crate) async fn put_file(&self, path: &str, bytes: &'static [u8]) -> TestAnswer {
        let request = self.test.request(crud_runtime::axum::http::Method::PUT, path);
        request.body("application/octet-stream", bytes).header("authorization", self.bearer()).await
    }

    pub(crate) async fn list(&self, path: impl AsRef<str>) -> Value {
        self.get(path).await.expect(200).json()
    }

    pub(crate) async fn create(&self, path: impl AsRef<str>, body: Value) -> Value {
        self.post(path, body).await.expect(201).json()
    }

    /// The key of the record with this name.
    pub(crate) async fn key(&self, path: &str, name: &str) -> i64 {
        id(&self.list(format!("{path}?name={}", name.replace(' ', "%20"))).await["data"][0])
    }

    /// Books a room for hours of [`new_booking`]'s day, with further fields.
    pub(crate) async fn book(&self, room: i64, hours: (&str, &str), more: Value) -> TestAnswer {
        self.post("/bookings", new_booking(room, hours, &more)).await
    }
}

/// A body: hours of Tuesday, 3 November 2026, in UTC.
fn new_booking(room: i64, (start, end): (&str, &str), more: &Value) -> Value {
    let at = |hour: &str| format!("2026-11-03T{hour}:00Z");
    let mut body = json!({ "room_id": room, "title": "Talk", "starts_at": at(start), "ends_at": at(end) });
    let fields = body.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    body
}
