//! A list is one query, and one more for each path.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crud_runtime::adapter::{Adapter, AdapterFuture, AdapterLayer};
use crud_runtime::descriptor::Descriptor;
use crud_runtime::{Service, SessionVariables};
use crud_tests::{Backend, Client};
use serde_json::json;
use tokio::net::TcpListener;

use crate::library::{Author, Book, Note, fill};

/// Storage whose queries are counted.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) inner: Arc<dyn Adapter>,
    pub(crate) queries: Arc<AtomicUsize>,
}

impl AdapterLayer for Counted {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, queries: self.queries.clone() }))
    }

    fn around<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        _: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        if ["list", "count", "page", "get"].contains(&name) {
            self.queries.fetch_add(1, Ordering::Relaxed);
        }
        call
    }
}

#[tokio::test]
async fn a_list_is_one_query_and_one_for_each_path() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let queries = Arc::new(AtomicUsize::new(0));
    let service = Service::connect("sqlite::memory:").await.expect("a database");
    let service = service.storage_layer(|inner| Counted { inner, queries: queries.clone() });
    let service = service.resource::<Author>().resource::<Book>().resource::<Note>().migrate().await.expect("tables");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = tokio::spawn(async move { service.serve_on(listener, std::future::pending()).await });
    let client = Client::new(format!("http://{address}"), Vec::new());
    for book in fill(&client).await {
        client.post("/notes", &json!({ "book_id": book["id"] })).await.created();
    }
    for limit in [1, 18] {
        for (expand, paths) in [("author", 1), ("notes", 1), ("notes,author.books,sequels,previous.author", 6)] {
            let before = queries.load(Ordering::Relaxed);
            let sort = "author.name";
            client.get(format!("/books?limit={limit}&sort={sort}&expand={expand}")).await.ok();
            let asked = queries.load(Ordering::Relaxed) - before;
            // A path from one book may lead nowhere.
            let expected = if limit == 1 { asked.min(1 + paths) } else { 1 + paths };
            assert_eq!(asked, expected, "{expand} of {limit} books");
        }
    }
    server.abort();
}
