//! A service that is sharded by tenant: a transaction belongs to one tenant, and what shards cannot keep is refused at start.

use std::error::Error as _;

use crud_runtime::adapter::AdapterError;
use crud_runtime::auth::Auth;
use crud_runtime::hooks::HookContext;
use crud_runtime::jobs::NewJob;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Error, Job};
use crud_tests::fixtures::column;
use crud_tests::{Answer, Api, Database, on_each_sql_backend, on_each_transactional_backend, wait_until};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::caller::{SECRET, staff_of, with_claims};

/// A shop, which is a tenant.
#[derive(Debug, Clone, Resource)]
#[crud(audit)]
struct Shop {
    id: i64,
    #[crud(length(max = 40))]
    name: String,
}

/// A device of a shop. Its serial number is unique in the shop.
#[derive(Debug, Clone, Resource)]
#[crud(audit, idempotency, batch, soft_delete)]
struct Device {
    id: i64,
    #[crud(tenant(except(role("support"))), references(Shop))]
    shop_id: i64,
    #[crud(unique, length(max = 40))]
    serial: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A repair. A hook enqueues a job for it, or writes where its text says.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(after(write_elsewhere)), audit)]
struct Repair {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(length(max = 40))]
    text: String,
}

/// A model of devices, which all shops share.
#[derive(Debug, Clone, Resource)]
struct Model {
    id: i64,
    #[crud(length(max = 40))]
    name: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Call {
    repair: i64,
}

impl Job for Call {
    const KIND: &'static str = "call";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

/// A job that no worker takes while a test runs.
fn later(repair: i64) -> NewJob {
    NewJob::from(Call { repair }).run_at(Utc::now() + TimeDelta::hours(1))
}

async fn write_elsewhere(change: &Changed<'_, Repair>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let repair = change.record();
    match &*repair.text {
        "models" => drop(ctx.as_program().store::<Model>().create(NewModel::new("from a hook")).await?),
        _ => drop(ctx.enqueue(later(repair.id)).await?),
    }
    Ok(())
}

/// A sharded service without resources.
async fn empty(database: &Database) -> Service {
    let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
    database.service().await.shard_by_tenant().auth(auth)
}

async fn service(database: &Database) -> Service {
    let service =
        empty(database).await.resource::<Shop>().resource::<Device>().resource::<Repair>().resource::<Model>();
    service.job::<Call>().migrate().await.expect("the tables")
}

/// Runs a test with the service and a handle to its storage.
fn on_each(test: impl AsyncFn(&Api, &App) + Copy) {
    on_each_transactional_backend(async |database| with_shops(database, test).await);
}

/// Runs a test with the SQL database of the service as well.
fn on_each_database(test: impl AsyncFn(&Database, &Api, &App) + Copy) {
    on_each_sql_backend(async |database| with_shops(database, async |api, app| test(database, api, app).await).await);
}

async fn with_shops(database: &Database, test: impl AsyncFn(&Api, &App)) {
    let service = service(database).await;
    let app = service.app();
    for name in ["one", "two"] {
        app.store::<Shop>().create(NewShop::new(name)).await.expect("a shop");
    }
    let api = Api::start(database, service).await;
    test(&api, &app).await;
    api.stop().await;
}

async fn send(api: &Api, shop: i64, method: Method, target: &str, body: Option<&Json>) -> Answer {
    let request = api.request(method, target).header("authorization", &staff_of(shop));
    match body {
        Some(body) => request.json(body).await,
        None => request.await,
    }
}

async fn device(api: &Api, shop: i64, serial: &str) -> i64 {
    let created = send(api, shop, Method::POST, "/devices", Some(&json!({ "serial": serial }))).await.created();
    created["id"].as_i64().expect("a key")
}

fn support() -> String {
    with_claims("9", &["support"], &json!({}))
}

/// The homes that a refusal names.
fn named<T: std::fmt::Debug>(refused: Result<T, Error>) -> (String, String) {
    let Err(Error::Problem(problem)) = refused else { panic!("{refused:?}") };
    assert_eq!(problem.code().as_str(), "unsupported_here");
    let source = problem.source().and_then(|source| source.downcast_ref::<AdapterError>());
    let Some(AdapterError::OtherTenant { first, other }) = source else { panic!("{problem:?}") };
    (first.clone(), other.clone())
}

const ONE: &str = "the tenant `1`";
const TWO: &str = "the tenant `2`";
const MODEL: &str = "Model, whose records have no tenant";

#[test]
fn a_transaction_refuses_changes_of_another_tenant_and_goes_on() {
    on_each(async |api, app| {
        let theirs = device(api, 2, "theirs").await;
        let tx = app.begin().await.expect("a transaction");
        let devices = tx.store::<Device>();
        devices.tenant(1).create(NewDevice::new("ours")).await.expect("a device");
        let created = named(devices.tenant(2).create(NewDevice::new("other")).await);
        let changed = named(devices.tenant(2).update(theirs, DevicePatch::default().serial("new")).await);
        let found = named(devices.across_tenants().update(theirs, DevicePatch::default().serial("new")).await);
        let removed = named(devices.tenant(2).delete(theirs).await);
        for names in [created, changed, found, removed] {
            assert_eq!((&*names.0, &*names.1), (ONE, TWO));
        }
        let outside = named(tx.store::<Model>().create(NewModel::new("drill")).await);
        assert_eq!((&*outside.0, &*outside.1), (ONE, MODEL));
        devices.tenant(1).create(NewDevice::new("another of ours")).await.expect("a device");
        tx.commit().await.expect("the commit");

        let serials = async |shop| {
            let devices = app.store::<Device>().tenant(shop).list(Device::FIELDS.id.asc()).await.expect("devices");
            devices.into_iter().map(|device| device.serial).collect::<Vec<_>>()
        };
        assert_eq!(
            (serials(1).await, serials(2).await),
            (vec!["ours".to_owned(), "another of ours".to_owned()], vec!["theirs".to_owned()])
        );
        assert_eq!(app.store::<Model>().count(Select::all()).await.expect("a count"), 0);
    });
}

#[test]
fn a_transaction_of_tables_without_tenants_refuses_tenants() {
    on_each(async |_, app| {
        let tx = app.begin().await.expect("a transaction");
        tx.store::<Model>().create(NewModel::new("drill")).await.expect("a model");
        let refused = named(tx.store::<Device>().tenant(1).create(NewDevice::new("a")).await);
        assert_eq!((&*refused.0, &*refused.1), (MODEL, ONE));
        let refused = named(tx.store::<Shop>().create(NewShop::new("three")).await);
        assert_eq!((&*refused.0, &*refused.1), (MODEL, "a new Shop, which is a tenant"));
        tx.store::<Model>().create(NewModel::new("saw")).await.expect("a model");
        tx.commit().await.expect("the commit");
        assert_eq!(app.store::<Model>().count(Select::all()).await.expect("a count"), 2);
    });
}

#[test]
fn a_new_tenant_and_its_first_records_are_one_transaction() {
    on_each(async |api, app| {
        let tx = app.begin().await.expect("a transaction");
        let shop = tx.store::<Shop>().create(NewShop::new("three")).await.expect("a shop");
        tx.store::<Device>().tenant(shop.id).create(NewDevice::new("first")).await.expect("a device");
        let refused = named(tx.store::<Device>().tenant(1).create(NewDevice::new("other")).await);
        assert_eq!(refused.0, format!("the tenant `{}`", shop.id));
        tx.commit().await.expect("the commit");
        // The entries of a shop are in its own log.
        let reader = with_claims("5", &["admin"], &json!({ "shop": shop.id }));
        let log = api.request(Method::GET, "/audit-logs").header("authorization", &reader).await.ok();
        assert_eq!(column(&log, "entity_type"), ["Shop", "Device"]);
        assert_eq!(column(&log, "tenant"), [json!(shop.id.to_string()), json!(shop.id.to_string())]);
    });
}

#[test]
fn a_hook_that_writes_outside_of_its_tenant_fails_its_request() {
    on_each(async |api, app| {
        let refused = send(api, 1, Method::POST, "/repairs", Some(&json!({ "text": "models" }))).await;
        let body = refused.problem("unsupported_here");
        // The tenants are in the log alone.
        assert!(!body.to_string().contains("tenant `"), "{body}");
        send(api, 1, Method::POST, "/repairs", Some(&json!({ "text": "broken" }))).await.created();
        assert_eq!(app.store::<Repair>().tenant(1).count(Select::all()).await.expect("a count"), 1);
        assert_eq!(app.store::<Model>().count(Select::all()).await.expect("a count"), 0);
    });
}

#[test]
fn jobs_of_a_tenants_transaction_are_of_the_tenant() {
    on_each(async |_, app| {
        app.transaction(async |tx| {
            let repair = tx.store::<Repair>().tenant(2).create(NewRepair::new("broken")).await?;
            tx.enqueue(later(repair.id)).await
        })
        .await
        .expect("a repair and its jobs");
        let jobs = app.jobs().list(None, None, 0, 10).await.expect("the jobs");
        let tenants: Vec<_> = jobs.data.iter().map(|job| job.tenant.as_deref()).collect();
        assert_eq!(tenants, [Some("2"), Some("2")]);
    });
}

#[test]
fn support_changes_records_of_one_tenant_in_a_request() {
    on_each(async |api, _| {
        let (one, two) = (device(api, 1, "a").await, device(api, 2, "b").await);
        let as_support = async |method, target: &str, body: &Json| {
            api.request(method, target).header("authorization", &support()).json(body).await
        };
        let changed = as_support(Method::PATCH, &format!("/devices/{two}"), &json!({ "serial": "mended" })).await.ok();
        assert_eq!(changed["serial"], "mended");
        let items = |ids: &[i64]| json!({ "items": ids.iter().map(|id| json!({ "id": id, "serial": "x" })).collect::<Vec<_>>() });
        as_support(Method::PUT, "/devices/batch", &items(&[one, two])).await.problem("unsupported_here");
        as_support(Method::PUT, "/devices/batch", &items(&[one])).await.ok();
        for (shop, id, serial) in [(1, one, "x"), (2, two, "mended")] {
            let read = send(api, shop, Method::GET, &format!("/devices/{id}"), None).await.ok();
            assert_eq!(read["serial"], serial);
        }
        // The entries are in the log of the tenant whose record it is.
        let reader = with_claims("5", &["admin"], &json!({ "shop": 2 }));
        let log = api.request(Method::GET, "/audit-logs?action=update").header("authorization", &reader).await.ok();
        assert_eq!(column(&log, "entity_id"), [two]);
    });
}

#[test]
fn keys_of_requests_are_of_the_transaction_of_their_tenant() {
    on_each(async |api, _| {
        let post = async || {
            let request = api.request(Method::POST, "/devices").header("authorization", &staff_of(1));
            request.header("idempotency-key", "a-key").json(&json!({ "serial": "a" })).await.created()
        };
        assert_eq!(post().await["id"], post().await["id"]);
    });
}

#[test]
fn rows_of_the_service_have_the_tenant_of_their_transaction() {
    on_each_database(async |database, api, app| {
        for shop in [1, 2] {
            let request = api.request(Method::POST, "/devices").header("authorization", &staff_of(shop));
            request.header("idempotency-key", "a-key").json(&json!({ "serial": "a" })).await.created();
            app.transaction(async |tx| {
                tx.store::<Repair>().tenant(shop).create(NewRepair::new("broken")).await?;
                assert_eq!(tx.next_number("invoice", 2026).await?, 1);
                assert_eq!(tx.next_number("invoice", 2026).await?, 2);
                Ok::<_, Error>(())
            })
            .await
            .expect("a repair and its numbers");
        }
        for table in ["crud_idempotency", "crud_counters", "crud_jobs", "audit_logs"] {
            let mut tenants = database.texts(&format!("SELECT DISTINCT tenant FROM {table}")).await;
            tenants.sort();
            assert_eq!(tenants, ["1", "2"], "{table}");
        }
    });
}

#[test]
fn jobs_are_unique_within_their_tenant_and_run_once() {
    on_each(async |_, app| {
        let enqueue = async |shop: i64, serial: &str| {
            let mut tx = app.begin().await.expect("a transaction");
            tx.store::<Device>().tenant(shop).create(NewDevice::new(serial)).await.expect("a device");
            let is_enqueued = tx.enqueue(later(1).unique_key("nightly")).await.expect("an answer");
            tx.commit().await.expect("the commit");
            is_enqueued
        };
        assert!(enqueue(1, "a").await && enqueue(2, "a").await && !enqueue(1, "b").await);
        let jobs = app.jobs();
        let waiting = jobs.list(None, None, 0, 10).await.expect("the jobs").data;
        for job in &waiting {
            jobs.retry(job.id).await.expect("a job that is due");
        }
        wait_until("the jobs to run", async || {
            jobs.list(None, None, 0, 10).await.is_ok_and(|page| page.data.is_empty())
        })
        .await;
    });
}

/// Structs that shards cannot keep, each with what its error names.
mod refused {
    use crud_runtime::prelude::*;

    use super::{Device, Model, Shop};

    #[derive(Debug, Clone, Resource)]
    pub(super) struct Globally {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        #[crud(unique(global), length(max = 40))]
        number: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(unique(name, town))]
    pub(super) struct Branch {
        id: i64,
        #[crud(length(max = 40))]
        name: String,
        #[crud(length(max = 40))]
        town: String,
    }

    #[derive(Debug, Clone, Resource)]
    pub(super) struct OfBranch {
        id: i64,
        #[crud(tenant, references(Branch))]
        branch_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(audit)]
    pub(super) struct Logged {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(idempotency)]
    pub(super) struct Keyed {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(hooks(validate(nothing)))]
    pub(super) struct Hooked {
        id: i64,
    }

    fn nothing(_: &mut Changeset<'_, Hooked>) {}

    #[derive(Debug, Clone, Resource)]
    pub(super) struct Chosen {
        #[crud(length(max = 40))]
        id: String,
        #[crud(tenant)]
        shop_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    pub(super) struct Referring {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        #[crud(references(Model))]
        model_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    pub(super) struct Outer {
        id: i64,
        #[crud(references(Shop))]
        founder_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view(
        "SELECT d.id, d.shop_id, s.name FROM devices d JOIN shops s ON s.id = d.shop_id",
        reads(Device, Shop)
    ))]
    pub(super) struct Compared {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    pub(super) struct Test {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        #[crud(references(Device))]
        device_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view(
        "SELECT d.id, d.shop_id, (SELECT count(*) FROM tests r WHERE r.device_id = d.id) AS number FROM devices d",
        reads(Device, Test)
    ))]
    pub(super) struct Counted {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        number: i64,
    }
}

#[test]
fn what_shards_cannot_keep_is_refused_at_start_with_the_name_of_the_struct() {
    use refused::*;
    on_each_transactional_backend(async |database| {
        let empty = async || empty(database).await;
        let globally = empty().await.resource::<Globally>();
        let branch = empty().await.resource::<Branch>().resource::<OfBranch>();
        let logged = empty().await.resource::<Logged>();
        let keyed = empty().await.resource::<Keyed>();
        let hooked = empty().await.resource::<Hooked>();
        let chosen = empty().await.resource::<Chosen>();
        let referring = empty().await.resource::<Model>().resource::<Referring>();
        let outer = empty().await.resource::<Shop>().resource::<Device>().resource::<Outer>();
        let counted = empty().await.resource::<Device>().resource::<Test>().resource::<Counted>();
        let refused = vec![
            (globally, ["Globally", "`unique(global)`", "number"]),
            (branch, ["Branch", "`unique`", "name, town"]),
            (logged, ["Logged", "`audit`", "`tenant`"]),
            (keyed, ["Keyed", "`idempotency`", "`tenant`"]),
            (hooked, ["Hooked", "hooks", "`tenant`"]),
            (chosen, ["Chosen.id", "key", "`Uuid`"]),
            (referring, ["Referring.model_id", "Model", "unconstrained"]),
            (outer, ["Outer.founder_id", "Shop", "unconstrained"]),
            (counted, ["Counted", "Device, Test", "tenants"]),
        ];
        for (service, named) in refused {
            let error = service.into_router().expect_err("a service that shards cannot keep").to_string();
            assert!(named.iter().all(|name| error.contains(name)), "{error}");
        }
    });
}

#[test]
fn a_view_that_compares_tenants_is_kept() {
    on_each_sql_backend(async |database| {
        let service = empty(database).await;
        let service = service.resource::<Shop>().resource::<Device>().resource::<refused::Compared>();
        let _ = service.migrate().await.expect("the tables").into_router().expect("a service");
    });
}
