//! Runners: each runs a test on each back end.

#![allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

use crud_runtime::Service;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::OnceCell;

use crate::api::Api;
use crate::backend::{Backend, Database};
use crate::kitchen;
use crate::openapi::OpenApi;

/// The OpenAPI documents of the two services, fetched once: they are equal in every test, but for the batches that storage
/// without transactions refuses.
static SHOP: OnceCell<Arc<OpenApi>> = OnceCell::const_new();
static KITCHEN: OnceCell<Arc<OpenApi>> = OnceCell::const_new();

const NO_SQL: &str = "has no SQL";
const NO_URL: &str = "is in this process";
const NO_TRANSACTIONS: &str = "refuses atomic changes of several records";

/// Runs a test with a fresh database of each back end.
///
/// # Panics
/// When the test does.
pub fn on_each_backend(test: impl AsyncFn(&Database)) {
    on_every(|runtime, database| runtime.block_on(test(database)));
}

/// Runs a test with a fresh database of each back end that [speaks SQL](Backend::speaks_sql): for tests that send SQL
/// directly, or start the service in a separate process.
///
/// # Panics
/// When the test does.
pub fn on_each_sql_backend(test: impl AsyncFn(&Database)) {
    on_each_suitable(Backend::speaks_sql, NO_SQL, |runtime, database| runtime.block_on(test(database)));
}

/// Runs a test with a fresh database of each back end that [has a URL](Backend::has_url): for tests that start the
/// service in a separate process.
///
/// # Panics
/// When the test does.
pub fn on_each_backend_with_url(test: impl AsyncFn(&Database)) {
    on_each_suitable(Backend::has_url, NO_URL, |runtime, database| runtime.block_on(test(database)));
}

/// Runs a test with a fresh database of each back end that [has transactions](Backend::has_transactions). What the
/// others refuse is tested by itself.
///
/// # Panics
/// When the test does.
pub fn on_each_backend_with_transactions(test: impl AsyncFn(&Database)) {
    on_each_suitable(Backend::has_transactions, NO_TRANSACTIONS, |runtime, database| runtime.block_on(test(database)));
}

/// Runs a test against the kitchen sink, on each back end that [has transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_transactions(test: impl AsyncFn(&Api)) {
    on_each_suitable(Backend::has_transactions, NO_TRANSACTIONS, |runtime, database| {
        let test = |runtime: &Runtime, api: &Api, _: &Database| runtime.block_on(test(api));
        serve_and_test(runtime, database, kitchen::kitchen, &KITCHEN, test);
    });
}

/// Runs a test against the shop, on each back end that [has transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_shop_with_transactions(test: impl AsyncFn(&Api)) {
    on_each_suitable(Backend::has_transactions, NO_TRANSACTIONS, |runtime, database| {
        let test = |runtime: &Runtime, api: &Api, _: &Database| runtime.block_on(test(api));
        serve_and_test(runtime, database, shop::shop, &SHOP, test);
    });
}

/// Runs a test against the kitchen sink, on each back end without [transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_without_transactions(test: impl AsyncFn(&Api)) {
    for backend in Backend::available().into_iter().filter(|backend| !backend.has_transactions()) {
        run_on(backend, |runtime, database| {
            let test = |runtime: &Runtime, api: &Api, _: &Database| runtime.block_on(test(api));
            serve_and_test(runtime, database, kitchen::kitchen, &OnceCell::new(), test);
        });
    }
}

/// Runs a test with a fresh database of each back end that [has transactions of several calls](Backend::is_interactive).
///
/// # Panics
/// When the test does.
pub fn on_each_transactional_backend(test: impl AsyncFn(&Database)) {
    on_each_suitable(Backend::is_interactive, NO_TRANSACTIONS, |runtime, database| runtime.block_on(test(database)));
}

/// Runs a test with a fresh database of each back end that [is a server](Backend::is_server).
///
/// # Panics
/// When the test does.
pub fn on_each_server(test: impl AsyncFn(&Database)) {
    let servers = Backend::available().into_iter().filter(|backend| backend.is_server());
    servers.for_each(|backend| run_on(backend, |runtime, database| runtime.block_on(test(database))));
}

/// Runs a test with a fresh database of each back end that [is a server](Backend::is_server) and
/// [speaks SQL](Backend::speaks_sql).
///
/// # Panics
/// When the test does.
pub fn on_each_sql_server(test: impl AsyncFn(&Database)) {
    let servers = Backend::available().into_iter().filter(|backend| backend.is_server() && backend.speaks_sql());
    servers.for_each(|backend| run_on(backend, |runtime, database| runtime.block_on(test(database))));
}

/// Runs a test against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop(test: impl AsyncFn(&Api)) {
    with_service(shop::shop, &SHOP, |runtime, api| runtime.block_on(test(api)));
}

/// Runs a test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen(test: impl AsyncFn(&Api)) {
    with_service(kitchen::kitchen, &KITCHEN, |runtime, api| runtime.block_on(test(api)));
}

/// Runs a test against the kitchen sink and with direct SQL, on each back end that speaks SQL.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_sql(test: impl AsyncFn(&Api, &Database)) {
    let test = |runtime: &Runtime, api: &Api, database: &Database| runtime.block_on(test(api, database));
    on_each_suitable(Backend::speaks_sql, NO_SQL, |runtime, database| {
        serve_and_test(runtime, database, kitchen::kitchen, &KITCHEN, test);
    });
}

/// Runs a test against the kitchen sink and with direct changes, on each back end that [has a URL](Backend::has_url).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_database(test: impl AsyncFn(&Api, &Database)) {
    let test = |runtime: &Runtime, api: &Api, database: &Database| runtime.block_on(test(api, database));
    on_each_suitable(Backend::has_url, NO_URL, |runtime, database| {
        serve_and_test(runtime, database, kitchen::kitchen, &KITCHEN, test);
    });
}

/// Runs a synchronous test against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop_blocking(test: impl Fn(&Runtime, &Api)) {
    with_service(shop::shop, &SHOP, test);
}

/// Runs a synchronous test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_blocking(test: impl Fn(&Runtime, &Api)) {
    with_service(kitchen::kitchen, &KITCHEN, test);
}

fn with_service(resources: fn(Service) -> Service, document: &OnceCell<Arc<OpenApi>>, test: impl Fn(&Runtime, &Api)) {
    on_every(|runtime, database| {
        serve_and_test(runtime, database, resources, document, |runtime, api, _| test(runtime, api));
    });
}

fn serve_and_test(
    runtime: &Runtime,
    database: &Database,
    resources: fn(Service) -> Service,
    document: &OnceCell<Arc<OpenApi>>,
    test: impl Fn(&Runtime, &Api, &Database),
) {
    let api = runtime.block_on(async {
        let service = resources(database.service().await).migrate().await.expect("the tables of the resources");
        let mut api = Api::start(database, service).await;
        api.check_against(document).await;
        api
    });
    test(runtime, &api, database);
    runtime.block_on(api.stop());
}

fn on_every(test: impl Fn(&Runtime, &Database)) {
    on_each_suitable(|_| true, "", test);
}

/// Runs a test on the suitable back ends; reports the others on standard error, which the test runner does not capture.
/// `lacks` says what the others lack.
fn on_each_suitable(is_suitable: impl Fn(Backend) -> bool, lacks: &str, test: impl Fn(&Runtime, &Database)) {
    for backend in Backend::available() {
        if !is_suitable(backend) {
            let name = thread::current().name().unwrap_or("a test").to_owned();
            // A failure to write the report must not fail a test.
            writeln!(io::stderr(), "{name}: SKIPPED on {}, which {lacks}", backend.name()).ok();
            continue;
        }
        run_on(backend, &test);
    }
}

fn run_on(backend: Backend, test: impl Fn(&Runtime, &Database)) {
    let database = backend.fresh();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    test(&runtime, &database);
}
