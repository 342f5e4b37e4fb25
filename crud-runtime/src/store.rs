//! [`Store`]: the typed way to a resource's records, for the program's own code.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::adapter::{Adapter, AdapterError, Delete, Insert, Outcome, Row, RowSink, Update};
use crate::changes::Changes;
use crate::column::{Column, IntoColumn};
use crate::error::{Problem, Result};
use crate::mounted::Mounted;
use crate::query::{ListQuery, Query};
use crate::record;
use crate::resource::Resource;
use crate::value::Value;

/// Typed access to the records of `R`, with the checks and the timestamps that HTTP has. Cheap to clone.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String, pages: i32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().migrate().await?;
/// let books = service.store::<Book>();
/// let book = books.create(NewBook { title: "Middlemarch".into(), pages: 880 }).await?;
/// let book = books.update(book.id, BookPatch::default().pages(904)).await?;
/// let long = books.list(Book::FIELDS.pages.gt(500).sort(Book::FIELDS.title.asc()).limit(5)).await?;
/// assert_eq!(long[0].pages, book.pages);
/// # Ok(()) }
/// ```
///
/// Its errors are [`Error::Problem`](crate::Error::Problem), the same that HTTP answers with.
pub struct Store<R> {
    core: Core,
    resource: PhantomData<fn() -> R>,
}

impl<R> Clone for Store<R> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), resource: PhantomData }
    }
}

impl<R: Resource> fmt::Debug for Store<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&R::DESCRIPTOR.name).finish()
    }
}

/// A page of records.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<R> {
    /// The records.
    pub data: Vec<R>,
    /// How many satisfy the query's condition in all.
    pub total: u64,
    /// The number of this page, from 1.
    pub page: u64,
    /// How many pages there are.
    pub pages: u64,
    /// How many records a page has.
    pub limit: u64,
    /// How many records come before this page.
    pub skip: u64,
}

impl<R: Resource> Store<R> {
    pub(crate) fn new(adapter: Arc<dyn Adapter>, mounted: Arc<Mounted>) -> Self {
        Self { core: Core { adapter, mounted }, resource: PhantomData }
    }

    /// The records of a query: a condition, or a whole [`Query`]. Without a limit, all of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, query: impl Into<Query<R>>) -> Result<Vec<R>> {
        let mut sink = Collect(Vec::new());
        self.core.list(&query.into().into_list_query(), &mut sink).await?;
        Ok(sink.0)
    }

    /// A page of the records of a query, with the total. Without a limit, the resource's default one, or 20.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn page(&self, query: impl Into<Query<R>>) -> Result<Page<R>> {
        let mut query = query.into().into_list_query();
        let default = self.core.mounted.options().pagination.map_or(20, |pages| u64::from(pages.default_limit));
        let limit = query.limit.unwrap_or(default).max(1);
        query.limit = Some(limit);
        let mut sink = Collect(Vec::new());
        self.core.list(&query, &mut sink).await?;
        let total = self.core.count(&query).await?;
        let (page, pages) = (query.skip / limit + 1, total.div_ceil(limit));
        Ok(Page { data: sink.0, total, page, pages, limit, skip: query.skip })
    }

    /// The record of a key.
    ///
    /// # Errors
    /// `not_found` when there is none, which a handler can pass on as it is.
    pub async fn get(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.find(&id, &mut sink).await?;
        sink.0.pop().ok_or_else(|| Problem::record_not_found(R::DESCRIPTOR, &id).into())
    }

    /// The record of a key, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, id: impl IntoColumn<R::Id>) -> Result<Option<R>> {
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.find(&id, &mut sink).await?;
        Ok(sink.0.pop())
    }

    /// Creates a record and returns it as it is stored.
    ///
    /// # Errors
    /// `validation_failed`, `conflict`, `reference_not_found`, as over HTTP.
    pub async fn create(&self, new: R::New) -> Result<R> {
        let mut sink = Collect(Vec::new());
        self.core.create(new.into(), &mut sink).await?;
        sink.0.pop().ok_or_else(|| missing_row().into())
    }

    /// Changes a record and returns it as it is stored then.
    ///
    /// # Errors
    /// `not_found`, `validation_failed`, `conflict`, `reference_not_found`, as over HTTP.
    pub async fn update(&self, id: impl IntoColumn<R::Id>, patch: R::Patch) -> Result<R> {
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.update(&id, patch.into(), &mut sink).await?;
        sink.0.pop().ok_or_else(|| missing_row().into())
    }

    /// Removes a record and returns it as it was.
    ///
    /// # Errors
    /// `not_found`; `referenced` when others refer to it.
    pub async fn delete_one(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.delete(&id, &mut sink).await?;
        sink.0.pop().ok_or_else(|| missing_row().into())
    }

    /// How many records satisfy a condition; `Query::all()` counts all of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count(&self, condition: impl Into<Query<R>>) -> Result<u64> {
        Ok(self.core.count(&condition.into().into_list_query()).await?)
    }
}

/// Builds the typed records.
struct Collect<R>(Vec<R>);

impl<R: Resource> RowSink for Collect<R> {
    fn row(&mut self, row: &dyn Row) -> std::result::Result<(), AdapterError> {
        self.0.push(R::from_row(row)?);
        Ok(())
    }
}

fn missing_row() -> Problem {
    Problem::internal("the adapter handed out no record")
}

/// What does not depend on the record's type, compiled once.
#[derive(Clone)]
struct Core {
    adapter: Arc<dyn Adapter>,
    mounted: Arc<Mounted>,
}

impl Core {
    fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.mounted.resource(), error)
    }

    async fn list(&self, query: &ListQuery, sink: &mut dyn RowSink) -> Result<(), Problem> {
        self.adapter.list(self.mounted.resource(), query, sink).await.map_err(|error| self.problem(error))
    }

    async fn count(&self, query: &ListQuery) -> Result<u64, Problem> {
        self.adapter.count(self.mounted.resource(), &query.filter).await.map_err(|error| self.problem(error))
    }

    async fn find(&self, id: &Value, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        self.adapter.get(self.mounted.resource(), id, sink).await.map_err(|error| self.problem(error))
    }

    async fn create(&self, changes: Changes, sink: &mut dyn RowSink) -> Result<(), Problem> {
        let resource = self.mounted.resource();
        record::check(&self.mounted, &changes)?;
        let record = record::complete(resource, changes);
        self.adapter.insert(resource, Insert::new(&record), sink).await.map_err(|error| self.problem(error))
    }

    async fn update(&self, id: &Value, changes: Changes, sink: &mut dyn RowSink) -> Result<(), Problem> {
        let resource = self.mounted.resource();
        record::check(&self.mounted, &changes)?;
        let touch = record::touch(resource);
        let update = Update::new(id, &changes, &touch, None);
        let outcome = self.adapter.update(resource, update, sink).await.map_err(|error| self.problem(error))?;
        self.found(outcome, id)
    }

    async fn delete(&self, id: &Value, sink: &mut dyn RowSink) -> Result<(), Problem> {
        let resource = self.mounted.resource();
        let delete = Delete::new(id, None);
        let outcome = self.adapter.delete(resource, delete, sink).await.map_err(|error| self.problem(error))?;
        self.found(outcome, id)
    }

    fn found(&self, outcome: Outcome, id: &Value) -> Result<(), Problem> {
        match outcome {
            Outcome::Done => Ok(()),
            Outcome::Missing => Err(Problem::record_not_found(self.mounted.resource(), id)),
            Outcome::Refused => Err(Problem::internal("an adapter refused without a guard")),
        }
    }
}
