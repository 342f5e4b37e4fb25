//! [`Store`]: the typed way to a resource's records, for the program's own code.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::changer::Changer;
use super::find::find;
use super::mounted_resource::Mounted;
use super::record;
use crate::model::actor::Actor;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::column::{Column, IntoColumn};
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::visibility::RecordVisibility;
use crate::query::{Condition, ListQuery, Predicate, Scope, Select};
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::storage::write::{Mode, Outcome, Target, Update, Work, WorkWhere, WriteSink};

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
/// Its errors are [`Error::Problem`](crate::storage::error::Error::Problem), the same that HTTP answers with.
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

/// What became of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct Batch<R> {
    /// The records as they are stored now, removed ones as they were, in the order of the items.
    pub items: Vec<R>,
    /// The items that failed, in order; none where a batch is all or none.
    pub errors: Vec<BatchError>,
}

/// An item of a batch that failed.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchError {
    /// Its place in the batch, from 0.
    pub index: usize,
    /// Why.
    pub problem: Problem,
}

impl<R: Resource> Store<R> {
    pub(crate) fn new(adapter: Arc<dyn Adapter>, mounted: Arc<Mounted>) -> Self {
        Self { core: Core { adapter, mounted, actor: None }, resource: PhantomData }
    }

    /// The records of a query: a condition, or a whole [`Select`]. Without a limit, all of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, query: impl Into<Select<R>>) -> Result<Vec<R>> {
        let mut sink = Collect(Vec::new());
        self.core.list(&query.into().into_list_query(), &mut sink).await?;
        Ok(sink.0)
    }

    /// A page of the records of a query, with the total. Without a limit, the resource's default one, or 20.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn page(&self, query: impl Into<Select<R>>) -> Result<Page<R>> {
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

    /// The record of a key, unless it is soft-deleted.
    ///
    /// # Errors
    /// `not_found` when there is none, which a handler can pass on as it is.
    pub async fn get(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.find(&id, Scope::Active, &mut sink).await?;
        sink.0.pop().ok_or_else(|| Problem::record_not_found(R::DESCRIPTOR, &id).into())
    }

    /// The record of a key, if there is one that is not soft-deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, id: impl IntoColumn<R::Id>) -> Result<Option<R>> {
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.find(&id, Scope::Active, &mut sink).await?;
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

    /// Removes a record for good, soft-deleted or not, and returns it as it was.
    ///
    /// # Errors
    /// `not_found`; `referenced` when others refer to it.
    pub async fn delete_one(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        self.target(id, |target| Work::Delete(target)).await
    }

    /// Marks a record as deleted and returns it.
    ///
    /// # Errors
    /// `not_found` when there is none that is not deleted already.
    pub async fn soft_delete(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        self.core.soft_delete_is_on()?;
        self.target(id, |target| Work::SoftDelete(target)).await
    }

    /// Takes the mark from a deleted record and returns it.
    ///
    /// # Errors
    /// `not_found`; `not_deleted`; `conflict` when an active record has one of its unique values by now.
    pub async fn restore(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        self.core.soft_delete_is_on()?;
        self.target(id, |target| Work::Restore(target)).await
    }

    /// Restores every deleted record that satisfies a condition; how many.
    ///
    /// # Errors
    /// As [`restore`](Self::restore) of each of them; none is restored then.
    pub async fn restore_where(&self, condition: Condition<R>) -> Result<u64> {
        self.core.every(WorkWhere::Restore, condition.into_predicate()).await
    }

    /// Restores every deleted record; how many.
    ///
    /// # Errors
    /// As [`restore_where`](Self::restore_where).
    pub async fn restore_all(&self) -> Result<u64> {
        self.core.every(WorkWhere::Restore, Predicate::All).await
    }

    /// Removes a soft-deleted record for good and returns it as it was.
    ///
    /// # Errors
    /// `not_found`; `not_deleted`; `referenced` when others refer to it.
    pub async fn permanent_delete(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        self.core.soft_delete_is_on()?;
        self.target(id, |target| Work::Purge(target)).await
    }

    /// Removes every soft-deleted record that satisfies a condition for good; how many.
    ///
    /// # Errors
    /// As [`permanent_delete`](Self::permanent_delete) of each of them; none is removed then.
    pub async fn permanent_delete_where(&self, condition: Condition<R>) -> Result<u64> {
        self.core.every(WorkWhere::Purge, condition.into_predicate()).await
    }

    /// Removes every soft-deleted record for good; how many.
    ///
    /// # Errors
    /// As [`permanent_delete_where`](Self::permanent_delete_where).
    pub async fn permanent_delete_all(&self) -> Result<u64> {
        self.core.every(WorkWhere::Purge, Predicate::All).await
    }

    /// Whether a record is soft-deleted.
    ///
    /// # Errors
    /// `not_found` when there is none, deleted or not.
    pub async fn is_soft_deleted(&self, id: impl IntoColumn<R::Id>) -> Result<bool> {
        let id = id.into_column().into_value();
        let mut sink = Collect::<R>(Vec::new());
        if self.core.find(&id, Scope::Active, &mut sink).await? {
            return Ok(false);
        }
        let deleted = self.core.find(&id, Scope::Deleted, &mut sink).await?;
        if deleted { Ok(true) } else { Err(Problem::record_not_found(R::DESCRIPTOR, &id).into()) }
    }

    /// The soft-deleted record of a key, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_deleted(&self, id: impl IntoColumn<R::Id>) -> Result<Option<R>> {
        self.core.soft_delete_is_on()?;
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.find(&id, Scope::Deleted, &mut sink).await?;
        Ok(sink.0.pop())
    }

    /// Creates several records in one transaction: all or none, or as many as can be where the resource's
    /// batches are partial.
    ///
    /// # Errors
    /// Those of the bad items, where it is all or none.
    pub async fn create_batch(&self, new: impl IntoIterator<Item = R::New>) -> Result<Batch<R>> {
        self.core.create_batch(new.into_iter().map(Into::into).collect()).await
    }

    /// Changes several records in one transaction, as [`create_batch`](Self::create_batch).
    ///
    /// # Errors
    /// Those of the bad items, where it is all or none.
    pub async fn update_batch<I: IntoColumn<R::Id>>(
        &self,
        patches: impl IntoIterator<Item = (I, R::Patch)>,
    ) -> Result<Batch<R>> {
        let patches = patches.into_iter().map(|(id, patch)| (id.into_column().into_value(), patch.into()));
        self.core.update_batch(patches.collect()).await
    }

    /// Deletes several records in one transaction, as [`create_batch`](Self::create_batch); softly where the
    /// resource has soft delete.
    ///
    /// # Errors
    /// Those of the bad items, where it is all or none.
    pub async fn delete_batch<I: IntoColumn<R::Id>>(&self, ids: impl IntoIterator<Item = I>) -> Result<Batch<R>> {
        self.core.delete_batch(ids.into_iter().map(|id| id.into_column().into_value()).collect()).await
    }

    /// The same store, whose changes are made in somebody's name: the audit log tells it.
    #[must_use]
    pub fn acting_as(&self, actor: Actor) -> Self {
        Self { core: Core { actor: Some(actor), ..self.core.clone() }, resource: PhantomData }
    }

    async fn target<'a>(
        &self,
        id: impl IntoColumn<R::Id>,
        work: impl for<'t> FnOnce(&'t [Target<'t>]) -> Work<'t>,
    ) -> Result<R> {
        let id = id.into_column().into_value();
        let mut sink = Collect(Vec::new());
        self.core.one(work(&[Target::new(&id, None)]), &mut sink).await?;
        sink.0.pop().ok_or_else(|| missing_row().into())
    }

    /// How many records satisfy a condition; `Select::all()` counts all of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count(&self, condition: impl Into<Select<R>>) -> Result<u64> {
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
    actor: Option<Actor>,
}

impl Core {
    fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.mounted.resource(), error)
    }

    fn changer(&self) -> Changer<'_> {
        Changer { adapter: &*self.adapter, resource: self.mounted.resource(), actor: self.actor.as_ref() }
    }

    fn soft_delete_is_on(&self) -> Result<(), Problem> {
        let resource = self.mounted.resource();
        match resource.soft_delete {
            Some(_) => Ok(()),
            None => Err(Problem::new(Code::ValidationFailed, format!("{} has no soft delete", resource.name))),
        }
    }

    async fn list(&self, query: &ListQuery, sink: &mut dyn RowSink) -> Result<(), Problem> {
        self.adapter.list(self.mounted.resource(), query, sink).await.map_err(|error| self.problem(error))
    }

    async fn count(&self, query: &ListQuery) -> Result<u64, Problem> {
        self.adapter.count(self.mounted.resource(), &query.filter).await.map_err(|error| self.problem(error))
    }

    async fn find(&self, id: &Value, scope: Scope, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        find(&*self.adapter, self.mounted.resource(), id, RecordVisibility::in_scope(scope), sink)
            .await
            .map_err(|error| self.problem(error))
    }

    async fn create(&self, mut changes: Changes, sink: &mut dyn RowSink) -> Result<(), Problem> {
        record::cut(&mut changes);
        record::check(&self.mounted, &changes)?;
        self.one(Work::Insert(&[record::complete(self.mounted.resource(), changes)]), sink).await
    }

    async fn update(&self, id: &Value, mut changes: Changes, sink: &mut dyn RowSink) -> Result<(), Problem> {
        record::cut(&mut changes);
        record::check(&self.mounted, &changes)?;
        self.one(Work::Update(&[Update::new(id, &changes, None)]), sink).await
    }

    async fn one(&self, work: Work<'_>, sink: &mut dyn RowSink) -> Result<(), Problem> {
        let done = self.changer().one(work, sink).await;
        done.map_err(|problem| problem.unwrap_or_else(|| Problem::internal("an adapter refused without a guard")))
    }

    async fn every(&self, work: WorkWhere, filter: Predicate) -> Result<u64> {
        self.soft_delete_is_on()?;
        Ok(self.changer().every(work, &filter).await?)
    }

    async fn create_batch<R: Resource>(&self, mut new: Vec<Changes>) -> Result<Batch<R>> {
        new.iter_mut().for_each(record::cut);
        let resource = self.mounted.resource();
        let (places, new, bad) = self.checked(new, |changes| changes);
        let records: Vec<Vec<Value>> = new.into_iter().map(|changes| record::complete(resource, changes)).collect();
        self.batch(Work::Insert(&records), &places, bad).await
    }

    async fn update_batch<R: Resource>(&self, mut patches: Vec<(Value, Changes)>) -> Result<Batch<R>> {
        for (_, changes) in &mut patches {
            record::cut(changes);
        }
        self.refuse_duplicates(patches.iter().map(|(id, _)| id))?;
        let (places, patches, bad) = self.checked(patches, |(_, changes)| changes);
        let updates: Vec<Update<'_>> = patches.iter().map(|(id, changes)| Update::new(id, changes, None)).collect();
        self.batch(Work::Update(&updates), &places, bad).await
    }

    async fn delete_batch<R: Resource>(&self, ids: Vec<Value>) -> Result<Batch<R>> {
        self.refuse_duplicates(ids.iter())?;
        let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
        let soft = self.mounted.resource().soft_delete.is_some();
        let work = if soft { Work::SoftDelete(&targets) } else { Work::Delete(&targets) };
        let places: Vec<usize> = (0..ids.len()).collect();
        self.batch(work, &places, Vec::new()).await
    }

    /// Whether the good items of a batch stand when others fail.
    fn is_partial(&self) -> bool {
        self.mounted.options().batch.is_some_and(|batch| batch.partial)
    }

    fn refuse_duplicates<'a>(&self, ids: impl Iterator<Item = &'a Value>) -> Result<(), Problem> {
        let mut seen = HashSet::new();
        let column = self.mounted.resource().id_column();
        let twice = ids.enumerate().filter(|(_, id)| !seen.insert(id.to_string()));
        let errors: Vec<FieldError> = twice
            .map(|(index, _)| FieldError::field(column.json, "duplicate", "stands here twice").in_item(index))
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(Problem::validation(errors)) }
    }

    /// The indexes of the items whose values are good, these items, and what is wrong with the others.
    fn checked<T>(&self, items: Vec<T>, changes: impl Fn(&T) -> &Changes) -> (Vec<usize>, Vec<T>, Vec<BatchError>) {
        let (mut places, mut good, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        for (index, item) in items.into_iter().enumerate() {
            match record::check(&self.mounted, changes(&item)) {
                Ok(()) => {
                    places.push(index);
                    good.push(item);
                }
                Err(problem) => bad.push(BatchError { index, problem }),
            }
        }
        (places, good, bad)
    }

    async fn batch<R: Resource>(&self, work: Work<'_>, places: &[usize], mut bad: Vec<BatchError>) -> Result<Batch<R>> {
        let partial = self.is_partial();
        let changer = self.changer();
        let mut sink = CollectAt((0..work.len()).map(|_| None).collect());
        let mode = match (partial, bad.is_empty()) {
            (true, _) => Mode::Partial,
            (false, true) => Mode::Atomic,
            (false, false) => Mode::Rehearsal,
        };
        let outcomes = changer.many(work, mode, &mut sink).await?;
        for (change, outcome) in outcomes.into_iter().enumerate() {
            if !matches!(outcome, Outcome::Done) {
                bad.push(BatchError { index: places[change], problem: changer.problem(work, change, outcome) });
            }
        }
        bad.sort_by_key(|error| error.index);
        if bad.is_empty() || partial {
            Ok(Batch { items: sink.0.into_iter().flatten().collect(), errors: bad })
        } else {
            Err(of_items(bad).into())
        }
    }
}

fn of_items(bad: Vec<BatchError>) -> Problem {
    Problem::from_items(bad.into_iter().map(|error| (error.index, error.problem)))
}

/// Builds the typed records of changes, which come in any order.
struct CollectAt<R>(Vec<Option<R>>);

impl<R: Resource> WriteSink for CollectAt<R> {
    fn record(&mut self, index: usize, row: &dyn Row) -> std::result::Result<(), AdapterError> {
        self.0[index] = Some(R::from_row(row)?);
        Ok(())
    }
}
