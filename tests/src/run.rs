//! Runners: each runs a test on each back end.

#![allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};
use std::thread;

use crud_runtime::Service;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::OnceCell;

use crate::api::Api;
use crate::backend::{Backend, Database};
use crate::kitchen;
use crate::openapi::OpenApi;

static SHOP: Subject = Subject::new(shop::shop);
static KITCHEN: Subject = Subject::new(kitchen::kitchen);

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
    let test = |runtime: &Runtime, api: &Api, _: &Database| runtime.block_on(test(api));
    KITCHEN.on_each_suitable(Backend::has_transactions, NO_TRANSACTIONS, test);
}

/// Runs a test against the shop, on each back end that [has transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_shop_with_transactions(test: impl AsyncFn(&Api)) {
    let test = |runtime: &Runtime, api: &Api, _: &Database| runtime.block_on(test(api));
    SHOP.on_each_suitable(Backend::has_transactions, NO_TRANSACTIONS, test);
}

/// Runs a test against the kitchen sink, on each back end without [transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_without_transactions(test: impl AsyncFn(&Api)) {
    for backend in Backend::available().into_iter().filter(|backend| !backend.has_transactions()) {
        KITCHEN.test_on(backend, |runtime, api, _| runtime.block_on(test(api)));
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
    SHOP.on_each(|runtime, api| runtime.block_on(test(api)));
}

/// Runs a test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen(test: impl AsyncFn(&Api)) {
    KITCHEN.on_each(|runtime, api| runtime.block_on(test(api)));
}

/// Runs a test against the kitchen sink and with direct SQL, on each back end that speaks SQL.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_sql(test: impl AsyncFn(&Api, &Database)) {
    let test = |runtime: &Runtime, api: &Api, database: &Database| runtime.block_on(test(api, database));
    KITCHEN.on_each_suitable(Backend::speaks_sql, NO_SQL, test);
}

/// Runs a test against the kitchen sink and with direct changes, on each back end that [has a URL](Backend::has_url).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_database(test: impl AsyncFn(&Api, &Database)) {
    let test = |runtime: &Runtime, api: &Api, database: &Database| runtime.block_on(test(api, database));
    KITCHEN.on_each_suitable(Backend::has_url, NO_URL, test);
}

/// Runs a synchronous test against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop_blocking(test: impl Fn(&Runtime, &Api)) {
    SHOP.on_each(test);
}

/// Runs a synchronous test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_blocking(test: impl Fn(&Runtime, &Api)) {
    KITCHEN.on_each(test);
}

/// A service under test.
struct Subject {
    resources: fn(Service) -> Service,
    /// Its OpenAPI document, fetched once: it is equal in every test.
    document: OnceCell<Arc<OpenApi>>,
    /// That of storage without transactions, which has fewer batches.
    document_without_transactions: OnceCell<Arc<OpenApi>>,
    /// A database of PostgreSQL with its tables, of which tests get copies.
    template: OnceLock<Database>,
}

impl Subject {
    const fn new(resources: fn(Service) -> Service) -> Self {
        Self {
            resources,
            document: OnceCell::const_new(),
            document_without_transactions: OnceCell::const_new(),
            template: OnceLock::new(),
        }
    }

    fn on_each(&self, test: impl Fn(&Runtime, &Api)) {
        self.on_each_suitable(|_| true, "", |runtime, api, _| test(runtime, api));
    }

    fn on_each_suitable(
        &self,
        is_suitable: impl Fn(Backend) -> bool,
        lacks: &str,
        test: impl Fn(&Runtime, &Api, &Database),
    ) {
        for_each_suitable(is_suitable, lacks, |backend| self.test_on(backend, &test));
    }

    fn test_on(&self, backend: Backend, test: impl Fn(&Runtime, &Api, &Database)) {
        let database = self.database(backend);
        let document = if backend.has_transactions() { &self.document } else { &self.document_without_transactions };
        let runtime = runtime();
        let api = runtime.block_on(async {
            let mut api = Api::start(&database, self.migrated(&database).await).await;
            api.check_against(document).await;
            api
        });
        test(&runtime, &api, &database);
        runtime.block_on(api.stop());
    }

    async fn migrated(&self, database: &Database) -> Service {
        (self.resources)(database.service().await).migrate().await.expect("the tables of the resources")
    }

    /// A database for a test: empty, or one that has the tables.
    fn database(&self, backend: Backend) -> Database {
        if backend != Backend::Postgres {
            return backend.fresh();
        }
        let with_tables = || {
            let database = backend.fresh();
            // Its connections end with the runtime.
            drop(runtime().block_on(self.migrated(&database)));
            database
        };
        self.template.get_or_init(with_tables).copy()
    }
}

fn on_every(test: impl Fn(&Runtime, &Database)) {
    on_each_suitable(|_| true, "", test);
}

fn on_each_suitable(is_suitable: impl Fn(Backend) -> bool, lacks: &str, test: impl Fn(&Runtime, &Database)) {
    for_each_suitable(is_suitable, lacks, |backend| run_on(backend, &test));
}

/// Runs a test on the suitable back ends; reports the others on standard error, which the test runner does not capture.
/// `lacks` says what the others lack.
fn for_each_suitable(is_suitable: impl Fn(Backend) -> bool, lacks: &str, test: impl Fn(Backend)) {
    for backend in Backend::available() {
        if !is_suitable(backend) {
            let name = thread::current().name().unwrap_or("a test").to_owned();
            // A failure to write the report must not fail a test.
            writeln!(io::stderr(), "{name}: SKIPPED on {}, which {lacks}", backend.name()).ok();
            continue;
        }
        test(backend);
    }
}

fn run_on(backend: Backend, test: impl Fn(&Runtime, &Database)) {
    let database = backend.fresh();
    test(&runtime(), &database);
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}
