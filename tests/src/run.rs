//! Runners: each runs a test on each back end. [`http`] has those of tests that are about HTTP alone.

#![allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]

use std::io::{self, Write};
use std::thread;

use tokio::runtime::Runtime;

use crate::api::Api;
use crate::backend::{Backend, Database};
use crate::case::{Case, runtime};
use crate::elsewhere::is_elsewhere;
use crate::kitchen;
use crate::others;
use crate::subject::Subject;

static SHOP: Subject = Subject::new(shop::open_shop);
static KITCHEN: Subject = Subject::new(kitchen::kitchen);

const NO_SQL: &str = "has no SQL";
const NO_URL: &str = "is in this process";
const NO_TRANSACTIONS: &str = "refuses atomic changes of several records";

/// Runs a test with a fresh database of each back end.
///
/// # Panics
/// When the test does.
pub fn on_each_backend(test: impl AsyncFn(&Database)) {
    on_fresh(chosen(), test);
}

/// Runs a test with a fresh database of each back end that [speaks SQL](Backend::speaks_sql): for tests that send SQL
/// directly, or start the service in a separate process.
///
/// # Panics
/// When the test does.
pub fn on_each_sql_backend(test: impl AsyncFn(&Database)) {
    on_fresh(suitable(Backend::speaks_sql, NO_SQL), test);
}

/// Runs a test as [`on_each_sql_backend`] does, and on SQLite through a pool of the program's own as well.
///
/// # Panics
/// When the test does.
pub fn on_each_sql_backend_and_pool(test: impl AsyncFn(&Database)) {
    let backends = suitable(Backend::speaks_sql, NO_SQL);
    if backends.contains(&Backend::Sqlite) {
        on_database(&Database::in_sqlite_pool(), &test);
    }
    on_fresh(backends, test);
}

/// Runs a test with a fresh database of SQLite, and with one through a pool of the program's own.
///
/// # Panics
/// When the test does.
pub fn on_sqlite_and_pool(test: impl AsyncFn(&Database)) {
    for database in [Backend::Sqlite.fresh(), Database::in_sqlite_pool()] {
        on_database(&database, &test);
    }
}

/// Runs a test with a fresh database of SQLite that a program opens by itself.
///
/// # Panics
/// When the test does.
pub fn on_sqlite(test: impl AsyncFn(&Database)) {
    on_database(&Backend::Sqlite.fresh(), &test);
}

/// Runs a test with a fresh database of each back end that [has a URL](Backend::has_url): for tests that start the
/// service in a separate process.
///
/// # Panics
/// When the test does.
pub fn on_each_backend_with_url(test: impl AsyncFn(&Database)) {
    on_fresh(suitable(Backend::has_url, NO_URL), test);
}

/// Runs a test with a fresh database of each back end that [has transactions](Backend::has_transactions). What the
/// others refuse is tested by itself.
///
/// # Panics
/// When the test does.
pub fn on_each_backend_with_transactions(test: impl AsyncFn(&Database)) {
    on_fresh(suitable(Backend::has_transactions, NO_TRANSACTIONS), test);
}

/// Runs a test with a fresh database of each back end that [has transactions of several calls](Backend::is_interactive).
///
/// # Panics
/// When the test does.
pub fn on_each_transactional_backend(test: impl AsyncFn(&Database)) {
    on_fresh(suitable(Backend::is_interactive, NO_TRANSACTIONS), test);
}

/// Runs a test with a fresh database of each back end that [is a server](Backend::is_server).
///
/// # Panics
/// When the test does.
pub fn on_each_server(test: impl AsyncFn(&Database)) {
    on_fresh(available(Backend::is_server), test);
}

/// Runs a test with a fresh database of each back end that [is a server](Backend::is_server) and
/// [speaks SQL](Backend::speaks_sql).
///
/// # Panics
/// When the test does.
pub fn on_each_sql_server(test: impl AsyncFn(&Database)) {
    on_fresh(available(|backend| backend.is_server() && backend.speaks_sql()), test);
}

/// Runs a test with a fresh database of each of two back ends, if both can be tested here.
///
/// # Panics
/// When the test does.
pub fn on_backends(from: Backend, to: Backend, test: impl AsyncFn(&Database, &Database)) {
    let available = Backend::available();
    if available.contains(&from) && available.contains(&to) {
        let source = from.fresh();
        on_fresh(vec![to], async |target| test(&source, target).await);
    }
}

/// Runs a test against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop(test: impl AsyncFn(&Api)) {
    on(&SHOP, chosen(), test);
}

/// Runs a test against the shop, on each back end that [has transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_shop_with_transactions(test: impl AsyncFn(&Api)) {
    on(&SHOP, suitable(Backend::has_transactions, NO_TRANSACTIONS), test);
}

/// Runs a test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen(test: impl AsyncFn(&Api)) {
    on(&KITCHEN, chosen(), test);
}

/// Runs a test against the kitchen sink, on each back end that [has transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_transactions(test: impl AsyncFn(&Api)) {
    on(&KITCHEN, suitable(Backend::has_transactions, NO_TRANSACTIONS), test);
}

/// Runs a test against the kitchen sink, on each back end without [transactions](Backend::has_transactions).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_without_transactions(test: impl AsyncFn(&Api)) {
    on(&KITCHEN, available(|backend| !backend.has_transactions()), test);
}

/// Runs a test against the kitchen sink and with direct SQL, on each back end that speaks SQL.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_sql(test: impl AsyncFn(&Api, &Database)) {
    on_with_database(&KITCHEN, suitable(Backend::speaks_sql, NO_SQL), test);
}

/// Runs a test against the kitchen sink and with direct changes, on each back end that [has a URL](Backend::has_url).
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_database(test: impl AsyncFn(&Api, &Database)) {
    on_with_database(&KITCHEN, suitable(Backend::has_url, NO_URL), test);
}

/// Runs a synchronous test against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop_blocking(test: impl Fn(&Runtime, &Api)) {
    on_blocking(&SHOP, chosen(), test);
}

/// Runs a synchronous test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_blocking(test: impl Fn(&Runtime, &Api)) {
    on_blocking(&KITCHEN, chosen(), test);
}

/// Runners of tests about HTTP alone: what they show does not depend on the database, so they run on the first back end,
/// SQLite, and on each one where `CRUD_TEST_LONG` names `http`.
pub mod http {
    use super::{Api, Backend, Database, KITCHEN, SHOP, chosen, on, on_fresh};
    use crate::require::is_long;

    /// Runs a test with a fresh database.
    ///
    /// # Panics
    /// When the test does.
    pub fn on_each_backend(test: impl AsyncFn(&Database)) {
        on_fresh(first(), test);
    }

    /// Runs a test against the shop.
    ///
    /// # Panics
    /// When the test does.
    pub fn on_shop(test: impl AsyncFn(&Api)) {
        on(&SHOP, first(), test);
    }

    /// Runs a test against the kitchen sink.
    ///
    /// # Panics
    /// When the test does.
    pub fn on_kitchen(test: impl AsyncFn(&Api)) {
        on(&KITCHEN, first(), test);
    }

    fn first() -> Vec<Backend> {
        let mut backends = chosen();
        if !is_long("http") {
            backends.truncate(1);
        }
        backends
    }
}

fn on(subject: &Subject, backends: Vec<Backend>, test: impl AsyncFn(&Api)) {
    for backend in backends {
        subject.test(backend, |case, runtime, api| case.run(runtime, test(api)));
    }
}

fn on_blocking(subject: &Subject, backends: Vec<Backend>, test: impl Fn(&Runtime, &Api)) {
    for backend in backends {
        subject.test(backend, |_, runtime, api| test(runtime, api));
    }
}

fn on_with_database(subject: &Subject, backends: Vec<Backend>, test: impl AsyncFn(&Api, &Database)) {
    for backend in backends {
        subject.test_with_database(backend, |case, runtime, api, database| case.run(runtime, test(api, database)));
    }
}

fn on_fresh(backends: Vec<Backend>, test: impl AsyncFn(&Database)) {
    if others::are_chosen() {
        skip("all back ends", "as it makes its own tables");
        return;
    }
    for backend in backends {
        on_database(&backend.fresh(), &test);
    }
}

fn on_database(database: &Database, test: &impl AsyncFn(&Database)) {
    let case = Case::begin(database.backend()).on(database);
    case.run(&runtime(), test(database));
}

/// The back ends of the current test.
fn chosen() -> Vec<Backend> {
    available(|_| true)
}

/// The suitable back ends of the current test. Those whose cases are [elsewhere](is_elsewhere) are left out, but only
/// beside SQLite, so that a test of servers alone runs on each.
fn available(is_suitable: impl Fn(Backend) -> bool) -> Vec<Backend> {
    let mut backends = Backend::available();
    backends.retain(|backend| is_suitable(*backend));
    let test = thread::current().name().unwrap_or_default().to_owned();
    if others::are_chosen() {
        backends.retain(|backend| match others::unsuitable(&test, *backend) {
            Some(reason) => {
                skip(backend.name(), reason);
                false
            }
            None => true,
        });
    } else if backends.len() > 1 && backends.contains(&Backend::Sqlite) {
        backends.retain(|backend| !is_elsewhere(&test, *backend));
    }
    backends
}

/// The suitable back ends; reports the others on standard error, which the test runner does not capture. `lacks` says
/// what the others lack.
fn suitable(is_suitable: impl Fn(Backend) -> bool, lacks: &str) -> Vec<Backend> {
    for backend in Backend::available().into_iter().filter(|backend| !is_suitable(*backend)) {
        skip(backend.name(), &format!("which {lacks}"));
    }
    available(is_suitable)
}

/// Reports on standard error, which the test runner does not capture, that the current test does not run there.
fn skip(place: &str, reason: &str) {
    let name = thread::current().name().unwrap_or("a test").to_owned();
    // A failure to write the report must not fail a test.
    writeln!(io::stderr(), "{name}: SKIPPED on {place}, {reason}").ok();
}
