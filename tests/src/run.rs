//! Running a test on each back end.

#![allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]

use std::sync::Arc;

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

/// Runs a test against the kitchen sink and its database, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen_with_database(test: impl AsyncFn(&Api, &Database)) {
    served(kitchen::kitchen, &KITCHEN, |runtime, api, database| runtime.block_on(test(api, database)));
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
    served(resources, document, |runtime, api, _| test(runtime, api));
}

fn served(
    resources: fn(Service) -> Service,
    document: &OnceCell<Arc<Documented>>,
    test: impl Fn(&Runtime, &Api, &Database),
) {
    each(|runtime, database| {
        let api = runtime.block_on(async {
            let service = resources(database.service().await).migrate().await.expect("the tables of the resources");
            let mut api = Api::start(database, service).await;
            api.hold_against(document).await;
            api
        });
        test(runtime, &api, database);
        runtime.block_on(api.stop());
    });
}

fn each(test: impl Fn(&Runtime, &Database)) {
    for backend in Backend::available() {
        let database = backend.fresh();
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        test(&runtime, &database);
    }
}
