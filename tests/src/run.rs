//! Running a test on each back end.

#![allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

use crud_runtime::Service;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::OnceCell;

use crate::api::Api;
use crate::backend::{Backend, Database};
use crate::documented::Documented;
use crate::kitchen;

/// The documents of the two services, each fetched once: they are the same in every test.
static SHOP: OnceCell<Arc<Documented>> = OnceCell::const_new();
static KITCHEN: OnceCell<Arc<Documented>> = OnceCell::const_new();

/// Runs a test with a fresh database of each back end.
///
/// # Panics
/// When the test does.
pub fn on_each_backend(test: impl AsyncFn(&Database)) {
    each(|runtime, database| runtime.block_on(test(database)));
}

/// Runs a test with a fresh database of each back end that [speaks SQL](Backend::speaks_sql): for tests that go past
/// the service, or have it in a process of its own.
///
/// # Panics
/// When the test does.
pub fn on_each_sql_backend(test: impl AsyncFn(&Database)) {
    on_each(Backend::speaks_sql, |runtime, database| runtime.block_on(test(database)));
}

/// Runs a test with a fresh database of each back end that [is a server](Backend::is_server).
///
/// # Panics
/// When the test does.
pub fn on_each_server(test: impl AsyncFn(&Database)) {
    let servers = Backend::available().into_iter().filter(|backend| backend.is_server());
    servers.for_each(|backend| on(backend, |runtime, database| runtime.block_on(test(database))));
}

/// Runs a test against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop(test: impl AsyncFn(&Api)) {
    blocking(shop::shop, &SHOP, |runtime, api| runtime.block_on(test(api)));
}

/// Runs a test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen(test: impl AsyncFn(&Api)) {
    blocking(kitchen::kitchen, &KITCHEN, |runtime, api| runtime.block_on(test(api)));
}

/// Runs a test against the kitchen sink, past which it speaks SQL to the database, on each back end that can.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_sql(test: impl AsyncFn(&Api, &Database)) {
    let test = |runtime: &Runtime, api: &Api, database: &Database| runtime.block_on(test(api, database));
    on_each(Backend::speaks_sql, |runtime, database| served(runtime, database, kitchen::kitchen, &KITCHEN, test));
}

/// Runs a test that is not asynchronous itself against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop_blocking(test: impl Fn(&Runtime, &Api)) {
    blocking(shop::shop, &SHOP, test);
}

/// Runs a test that is not asynchronous itself against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_blocking(test: impl Fn(&Runtime, &Api)) {
    blocking(kitchen::kitchen, &KITCHEN, test);
}

fn blocking(resources: fn(Service) -> Service, document: &OnceCell<Arc<Documented>>, test: impl Fn(&Runtime, &Api)) {
    each(|runtime, database| served(runtime, database, resources, document, |runtime, api, _| test(runtime, api)));
}

fn served(
    runtime: &Runtime,
    database: &Database,
    resources: fn(Service) -> Service,
    document: &OnceCell<Arc<Documented>>,
    test: impl Fn(&Runtime, &Api, &Database),
) {
    let api = runtime.block_on(async {
        let service = resources(database.service().await).migrate().await.expect("the tables of the resources");
        let mut api = Api::start(database, service).await;
        api.hold_against(document).await;
        api
    });
    test(runtime, &api, database);
    runtime.block_on(api.stop());
}

fn each(test: impl Fn(&Runtime, &Database)) {
    on_each(|_| true, test);
}

/// Runs a test on the back ends that can have it; says which cannot, past the test runner's capture.
fn on_each(can: impl Fn(Backend) -> bool, test: impl Fn(&Runtime, &Database)) {
    for backend in Backend::available() {
        if !can(backend) {
            let name = thread::current().name().unwrap_or("a test").to_owned();
            // What cannot be said is no reason to fail a test.
            writeln!(io::stderr(), "{name}: not on {}, which has no SQL", backend.name()).ok();
            continue;
        }
        on(backend, &test);
    }
}

fn on(backend: Backend, test: impl Fn(&Runtime, &Database)) {
    let database = backend.fresh();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    test(&runtime, &database);
}
