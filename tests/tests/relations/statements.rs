//! A list is one query, and one more for each path.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crud_runtime::Service;
use crud_runtime::adapter::{
    Adapter, AdapterError, BoxFuture, Capabilities, Key, MigrateError, Outcome, RowSink, SqliteAdapter, Write,
    WriteSink, WriteWhere,
};
use crud_runtime::descriptor::{Count, Descriptor};
use crud_runtime::query::{ListQuery, Predicate, Total};
use crud_tests::{Backend, Client};
use serde_json::json;
use tokio::net::TcpListener;

use crate::library::{Author, Book, Note, fill};

/// SQLite in memory, whose queries are counted.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) inner: SqliteAdapter,
    pub(crate) queries: Arc<AtomicUsize>,
}

impl Counted {
    fn count(&self) -> &SqliteAdapter {
        self.queries.fetch_add(1, Ordering::Relaxed);
        &self.inner
    }
}

impl Adapter for Counted {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        self.inner.migrate(resources)
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        self.inner.plan(resources)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.inner.ping()
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        self.count().list(resource, query, sink)
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Adapter::count(self.count(), resource, filter)
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.count().count_up_to(resource, filter, limit)
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Option<Total>, AdapterError>> {
        Adapter::page(self.count(), resource, query, count, sink)
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        self.count().get(resource, id, sink)
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        self.inner.write(resource, write, sink)
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.inner.write_where(resource, write)
    }

    fn set_time_limit(&self, limit: Duration) {
        self.inner.set_time_limit(limit);
    }
}

#[tokio::test]
async fn a_list_is_one_query_and_one_for_each_path() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let queries = Arc::new(AtomicUsize::new(0));
    let inner = SqliteAdapter::connect("sqlite::memory:").await.expect("a database");
    let service = Service::from_adapter(Counted { inner, queries: queries.clone() });
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
            // Of one book, a path may lead nowhere.
            let expected = if limit == 1 { asked.min(1 + paths) } else { 1 + paths };
            assert_eq!(asked, expected, "{expand} of {limit} books");
        }
    }
    server.abort();
}
