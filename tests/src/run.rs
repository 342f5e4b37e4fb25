//! Running a test on each back end.

use tokio::runtime::Builder;

use crate::api::Api;
use crate::backend::{Backend, Database};
use crate::kitchen;

/// Runs a test with a fresh database of each back end.
///
/// # Panics
/// When the test does.
pub fn on_each_backend(test: impl AsyncFn(&Database)) {
    for backend in Backend::available() {
        let database = backend.fresh();
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        runtime.block_on(test(&database));
    }
}

/// Runs a test against the shop, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_shop(test: impl AsyncFn(&Api)) {
    on_each_backend(async |database| {
        let service = shop::shop(database.service().await).migrate().await.expect("the shop's tables");
        let api = Api::start(database, service).await;
        test(&api).await;
        api.stop().await;
    });
}

/// Runs a test against the kitchen sink, on each back end.
///
/// # Panics
/// When the test does.
pub fn on_kitchen(test: impl AsyncFn(&Api)) {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        let api = Api::start(database, service).await;
        test(&api).await;
        api.stop().await;
    });
}
