//! The second fence around tenants: each statement that finds a record by its key compares the tenant. Storage keeps tenants
//! apart without the first one, the conditions of requests.

use std::sync::Arc;

use crud_runtime::SessionVariables;
use crud_runtime::adapter::{
    Adapter, AdapterError, AdapterFuture, AdapterLayer, Key, Outcome, Row, RowSink, Target, Update, Work, Write,
    WriteSink,
};
use crud_runtime::auth::Auth;
use crud_runtime::column::Value;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Answer, Api, Database, on_each_backend};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::caller::{SECRET, staff_of, with_claims};

/// A machine of a shop: changes have entries in the log.
#[derive(Debug, Clone, Resource)]
#[crud(audit, batch(mode(partial)), soft_delete)]
struct Machine {
    id: i64,
    #[crud(tenant(except(role("root"))))]
    shop_id: i64,
    name: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// An invoice of a shop, which no role of other shops sees.
#[derive(Debug, Clone, Resource)]
#[crud(audit)]
struct Invoice {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    name: String,
}

/// A spare part of a shop: a change is one statement.
#[derive(Debug, Clone, Resource)]
#[crud(batch)]
struct Spare {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    name: String,
}

/// Storage whose changes have lost their guards.
#[derive(Debug)]
struct Unguarded(Arc<dyn Adapter>);

impl AdapterLayer for Unguarded {
    fn inner(&self) -> &dyn Adapter {
        &*self.0
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self(self.0.session(variables)?)))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(async move {
            let (updates, targets) = (unguarded(write.work), targets(write.work));
            let mut write = write;
            write.work = match write.work {
                Work::Insert(records) => Work::Insert(records),
                Work::Update(_) => Work::Update(&updates),
                Work::SoftDelete(_) => Work::SoftDelete(&targets),
                Work::Restore(_) => Work::Restore(&targets),
                Work::Delete(_) => Work::Delete(&targets),
                Work::Purge(_) => Work::Purge(&targets),
            };
            self.0.write(resource, write, sink).await
        })
    }
}

fn unguarded(work: Work<'_>) -> Vec<Update<'_>> {
    let Work::Update(updates) = work else { return Vec::new() };
    updates.iter().map(|update| Update::new(update.id, update.changes, None)).collect()
}

fn targets(work: Work<'_>) -> Vec<Target<'_>> {
    match work {
        Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
            targets.iter().map(|target| Target::new(target.id, None)).collect()
        }
        Work::Insert(_) | Work::Update(_) => Vec::new(),
    }
}

/// Runs a test with a service without guards, and its storage.
fn on_each(test: impl AsyncFn(&Api, &dyn Adapter) + Copy) {
    on_each_backend(async |database| {
        let (service, storage) = service(database).await;
        let api = Api::start(database, service).await;
        test(&api, &*storage).await;
        api.stop().await;
    });
}

async fn service(database: &Database) -> (Service, Arc<dyn Adapter>) {
    let mut storage = None;
    let service = database.service().await.storage_layer(|inner| {
        storage = Some(inner.clone());
        Unguarded(inner)
    });
    (resources(service).await, storage.expect("the storage"))
}

async fn resources(service: Service) -> Service {
    let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
    service
        .auth(auth)
        .resource::<Machine>()
        .resource::<Spare>()
        .resource::<Invoice>()
        .migrate()
        .await
        .expect("the tables")
}

async fn send(api: &Api, shop: i64, method: Method, target: &str, body: Option<&Json>) -> Answer {
    let request = api.request(method, target).header("authorization", &staff_of(shop));
    match body {
        Some(body) => request.json(body).await,
        None => request.await,
    }
}

async fn create(api: &Api, shop: i64, path: &str, name: &str) -> i64 {
    let created = send(api, shop, Method::POST, path, Some(&json!({ "name": name }))).await.created();
    created["id"].as_i64().expect("a key")
}

async fn name(api: &Api, shop: i64, target: &str) -> Json {
    send(api, shop, Method::GET, target, None).await.ok()["name"].clone()
}

#[test]
fn changes_without_guards_reach_no_record_of_another_tenant() {
    on_each(async |api, _| {
        let renamed = json!({ "name": "theirs" });
        for path in ["/machines", "/spares"] {
            let target = format!("{path}/{}", create(api, 1, path, "ours").await);
            for (method, body) in [(Method::PATCH, Some(&renamed)), (Method::DELETE, None)] {
                send(api, 2, method, &target, body).await.problem("not_found");
            }
            assert_eq!(name(api, 1, &target).await, "ours");
            // These changes are made in the caller's tenant.
            let changed = send(api, 1, Method::PATCH, &target, Some(&json!({ "name": "new" }))).await.ok();
            assert_eq!(changed["name"], "new");
            send(api, 1, Method::DELETE, &target, None).await.ok();
            send(api, 1, Method::GET, &target, None).await.problem("not_found");
        }
    });
}

#[test]
fn states_without_guards_are_changed_by_their_own_tenant_alone() {
    on_each(async |api, _| {
        let target = format!("/machines/{}", create(api, 1, "/machines", "ours").await);
        send(api, 1, Method::DELETE, &target, None).await.ok();
        for (method, path) in [(Method::POST, "restore"), (Method::DELETE, "permanent")] {
            send(api, 2, method, &format!("{target}/{path}"), None).await.problem("not_found");
        }
        send(api, 1, Method::POST, &format!("{target}/restore"), None).await.ok();
        assert_eq!(name(api, 1, &target).await, "ours");
    });
}

#[test]
fn batches_without_guards_reach_no_record_of_another_tenant() {
    on_each(async |api, _| {
        for path in ["/machines", "/spares"] {
            let (theirs, own) = (create(api, 1, path, "theirs").await, create(api, 2, path, "own").await);
            let items = json!({ "items": [{ "id": theirs, "name": "taken" }, { "id": own, "name": "changed" }] });
            let changed = send(api, 2, Method::PUT, &format!("{path}/batch"), Some(&items)).await;
            // Storage without transactions refuses an atomic batch of two.
            assert!([207, 404, 422].contains(&changed.status()), "{changed:?}");
            let ids = json!({ "ids": [theirs] });
            let removed = send(api, 2, Method::POST, &format!("{path}/batch/delete"), Some(&ids)).await;
            assert!([207, 404].contains(&removed.status()), "{removed:?}");
            assert_eq!(name(api, 1, &format!("{path}/{theirs}")).await, "theirs");
            // A partial batch changes its own record, an atomic one none.
            let expected = if path == "/machines" { "changed" } else { "own" };
            assert_eq!(name(api, 2, &format!("{path}/{own}")).await, expected);
        }
    });
}

#[test]
fn concurrent_requests_of_several_tenants_are_kept_apart() {
    on_each(async |api, _| {
        let mut records = Vec::new();
        for shop in [1, 2, 3] {
            for _ in 0..8 {
                records.push((shop, create(api, shop, "/machines", "old").await));
            }
        }
        // Storage reads and writes those of several requests in one statement.
        let all = records.iter().flat_map(|record| [1, 2, 3].map(|shop| (record, shop)));
        let requests = all.map(async |((owner, id), shop)| {
            let target = format!("/machines/{id}");
            let (method, body) = (Method::PATCH, json!({ "name": format!("of {shop}") }));
            let read = send(api, shop, Method::GET, &target, None).await.status();
            let changed = send(api, shop, method, &target, Some(&body)).await.status();
            let expected = if shop == *owner { 200 } else { 404 };
            assert_eq!((read, changed), (expected, expected), "shop {shop}, record {id} of shop {owner}");
        });
        join_all(requests).await;
        for (owner, id) in records {
            assert_eq!(name(api, owner, &format!("/machines/{id}")).await, format!("of {owner}"));
        }
    });
}

/// Counts rows.
struct Rows(usize);

impl RowSink for Rows {
    fn row(&mut self, _: &dyn Row) -> Result<(), AdapterError> {
        self.0 += 1;
        Ok(())
    }
}

#[test]
fn storage_finds_the_record_of_a_key_in_its_tenant_and_without_one() {
    on_each(async |api, storage| {
        let id = Key::from(Value::Int(create(api, 1, "/machines", "ours").await));
        let (own, other) = (Value::Int(1), Value::Int(2));
        for (tenant, expected) in [(Some(&own), true), (Some(&other), false), (None, true)] {
            let mut rows = Rows(0);
            let found = storage.get(Machine::DESCRIPTOR, &id, tenant, &mut rows).await.expect("a read");
            assert_eq!((found, rows.0), (expected, usize::from(expected)), "{tenant:?}");
            if !storage.capabilities().interactive {
                continue;
            }
            for lock in [false, true] {
                let mut transaction = storage.begin().await.expect("a transaction");
                let found = transaction.get(Machine::DESCRIPTOR, &id, tenant, lock, &mut Rows(0)).await;
                assert_eq!(found.expect("a read"), expected, "{tenant:?}");
                transaction.rollback().await.expect("the end");
            }
        }
    });
}

#[test]
fn a_version_of_another_tenants_record_is_not_compared() {
    on_each_backend(async |database| {
        let api = Api::start(database, resources(database.service().await).await).await;
        let target = format!("/machines/{}", create(&api, 1, "/machines", "ours").await);
        let body = json!({ "name": "theirs" });
        for (shop, code) in [(1, "precondition_failed"), (2, "not_found")] {
            let request = api.request(Method::PATCH, &target).header("authorization", &staff_of(shop));
            request.header("if-match", "\"other\"").json(&body).await.problem(code);
        }
        api.stop().await;
    });
}

#[test]
fn principals_of_every_tenant_read_and_change_records_of_all() {
    on_each(async |api, _| {
        let id = create(api, 1, "/machines", "ours").await;
        let root = with_claims("9", &["root"], &json!({ "shop": 2 }));
        let target = format!("/machines/{id}");
        let read = api.request(Method::GET, &target).header("authorization", &root).await.ok();
        assert_eq!(read["name"], "ours");
        let request = api.request(Method::PATCH, &target).header("authorization", &root);
        assert_eq!(request.json(&json!({ "name": "mended" })).await.ok()["name"], "mended");
        let request = api.request(Method::DELETE, &target).header("authorization", &root);
        request.await.ok();
        send(api, 1, Method::GET, &target, None).await.problem("not_found");
    });
}

#[test]
fn a_record_that_is_not_found_has_no_entry_of_a_read() {
    on_each(async |api, _| {
        let (machine, invoice) = (create(api, 1, "/machines", "ours").await, create(api, 1, "/invoices", "ours").await);
        let root = with_claims("9", &["root"], &json!({ "shop": 2 }));
        let read = async |target: String| api.request(Method::GET, target).header("authorization", &root).await;
        read(format!("/machines/{machine}")).await.ok();
        read(format!("/invoices/{invoice}")).await.problem("not_found");
        let admin = with_claims("5", &["admin"], &json!({ "shop": 1 }));
        let log = api.request(Method::GET, "/audit-logs?action=read").header("authorization", &admin).await.ok();
        assert_eq!(column(&log, "entity_type"), ["Machine"]);
    });
}
