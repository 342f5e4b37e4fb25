//! Tests on a server that speaks MongoDB's protocol, where there is one.

use crud_runtime::Service;
use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, Database};

/// An author, whom articles need.
#[derive(Debug, Clone, Resource)]
#[crud(table = "authors", prefix = "/authors", audit)]
pub(crate) struct Author {
    pub(crate) id: i64,
    #[crud(unique)]
    pub(crate) name: String,
}

/// An article, which its author's removal forbids, and whose comments go with it.
#[derive(Debug, Clone, Resource)]
#[crud(table = "articles", prefix = "/articles", audit, filter, sort)]
pub(crate) struct Article {
    pub(crate) id: i64,
    pub(crate) title: String,
    #[crud(references(Author))]
    pub(crate) author_id: i64,
}

/// A comment, which goes with its article.
#[derive(Debug, Clone, Resource)]
#[crud(table = "comments", prefix = "/comments")]
pub(crate) struct Comment {
    pub(crate) id: i64,
    #[crud(references(Article, on_delete(cascade)))]
    pub(crate) article_id: i64,
    #[crud(references(Author, on_delete(set_null)))]
    pub(crate) author_id: Option<i64>,
}

/// Runs a test with a fresh database, if this machine has a server.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_mongodb(test: impl AsyncFn(&Database)) {
    if !Backend::available().contains(&Backend::MongoDb) {
        return;
    }
    let database = Backend::MongoDb.fresh();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(test(&database));
}

/// The service of the three resources.
pub(crate) async fn service(database: &Database) -> Service {
    let service = database.service().await;
    service.resource::<Author>().resource::<Article>().resource::<Comment>().migrate().await.unwrap()
}

/// Serves the service of the three resources.
pub(crate) async fn start(database: &Database) -> Api {
    Api::start(database, service(database).await).await
}
