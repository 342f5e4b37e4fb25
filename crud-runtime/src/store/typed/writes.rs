//! [`Store`]: changes of a resource's records. Each method has a bound that views do not meet, so that the compiler
//! refuses changes of views.

use std::collections::BTreeMap;

use super::store::{RecordSink, Store};
use crate::model::adapter_error::AdapterError;
use crate::model::column::IntoColumn;
use crate::model::key::RecordKey;
use crate::model::problem::{Code, Problem};
use crate::model::resource::{Resource, Writable};
use crate::model::row::Row;
use crate::query::{FieldGroup, IntoCondition, Predicate, Scope};
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};
use crate::storage::write::{Target, Work, WorkWhere, WriteSink};
use crate::store::writer::upsert::Done;

/// The record of an [upsert](Store::upsert).
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Part { id: i64, #[crud(unique)] sku: String, stock: i32 }
/// # async fn of(parts: Store<Part>) -> crud_runtime::Result<()> {
/// let upserted = parts.upsert(Part::FIELDS.sku, NewPart { sku: "A-1".into(), stock: 3 }).await?;
/// println!("{} part {}", if upserted.created { "new" } else { "known" }, upserted.record.sku);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upserted<R> {
    /// The record as stored.
    pub record: R,
    /// Whether the record is new.
    pub created: bool,
}

/// The result of a batch.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # #[crud(batch(mode(partial)))]
/// # struct Part { id: i64, #[crud(range(min = 0))] stock: i32 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
/// let parts = service.store::<Part>();
/// let batch = parts.create_batch([NewPart { stock: 5 }, NewPart { stock: -1 }]).await?;
/// assert_eq!((batch.items.len(), batch.errors[0].index), (1, 1));
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Batch<R> {
    /// The records as they are now stored, removed ones as they were, in the order of the items.
    pub items: Vec<R>,
    /// The items that failed, in order; empty for an atomic batch.
    pub errors: Vec<BatchError>,
}

/// A failed item of a batch.
///
/// ```
/// # use crud_runtime::prelude::*;
/// use crud_runtime::Batch;
///
/// fn report<R>(batch: &Batch<R>) {
///     for error in &batch.errors {
///         eprintln!("item {}: {}", error.index, error.problem.detail());
///     }
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchError {
    /// The item's index in the batch, from 0.
    pub index: usize,
    /// The problem of the item.
    pub problem: Problem,
}

impl<R: Resource> Store<R> {
    /// The record with this key, unless it is soft-deleted. No other transaction changes the record before the store's
    /// transaction ends.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Part { id: i64, stock: i32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
    /// # let part = service.store::<Part>().create(NewPart { stock: 5 }).await?;
    /// let app = service.app();
    /// let taken = app.transaction(async |tx| {
    ///     let parts = tx.store::<Part>();
    ///     let part = parts.lock(part.id).await?;
    ///     parts.update(part.id, PartPatch::default().stock(part.stock / 2)).await
    /// });
    /// assert_eq!(taken.await?.stock, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `not_found` when there is none; `internal` for a store outside of a [transaction](crate::Tx).
    pub async fn lock(&self, id: impl IntoColumn<R::Id>) -> Result<R>
    where
        R: Writable,
    {
        let id = id.into_column().into_key();
        let mut sink = RecordSink(Vec::new());
        self.untyped.lock(&id, &mut sink).await?;
        sink.0.pop().ok_or_else(|| Problem::record_not_found(R::DESCRIPTOR, &id).into())
    }

    /// Creates a record; returns it as stored.
    ///
    /// # Errors
    /// `validation_failed`, `conflict`, `reference_not_found`, as over HTTP.
    pub async fn create(&self, new: R::New) -> Result<R>
    where
        R: Writable,
    {
        let mut sink = RecordSink(Vec::new());
        self.untyped.create(new.into(), &mut sink).await?;
        sink.0.pop().ok_or_else(|| missing_record().into())
    }

    /// Creates a record; `None` if another record has its key or one of its unique values.
    ///
    /// # Errors
    /// Other errors of [`create`](Self::create).
    pub async fn create_if_absent(&self, new: R::New) -> Result<Option<R>>
    where
        R: Writable,
    {
        match self.create(new).await {
            Err(Error::Problem(problem)) if problem.code() == Code::Conflict => Ok(None),
            created => created.map(Some),
        }
    }

    /// Upsert: creates a record, or changes the one that has its values of these fields, which are unique together. An
    /// existing record changes in the fields that `new` sets. An `Option` that is `None`, of a field with a default,
    /// leaves the field as it is.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Part { id: i64, #[crud(unique)] sku: String, stock: i32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
    /// let parts = service.store::<Part>();
    /// let part = |stock: i32| NewPart { sku: "A-1".to_owned(), stock };
    /// assert!(parts.upsert(Part::FIELDS.sku, part(3)).await?.created);
    /// let upserted = parts.upsert(Part::FIELDS.sku, part(5)).await?;
    /// assert!(!upserted.created && upserted.record.stock == 5);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Errors of [`create`](Self::create) and [`update`](Self::update); `conflict` when the record that has the values is
    /// not in the store's scope, or soft-deleted; `internal` when the fields are not unique.
    pub async fn upsert(&self, by: impl FieldGroup<R>, new: R::New) -> Result<Upserted<R>>
    where
        R: Writable,
    {
        let mut sink = RecordSink(Vec::new());
        let done = self.untyped.upsert(&by.columns(), new.into(), &mut sink).await?;
        let record = sink.0.pop().ok_or_else(missing_record)?;
        Ok(Upserted { record, created: done == Done::Created })
    }

    /// Updates a record; returns it as stored.
    ///
    /// # Errors
    /// `not_found`, `validation_failed`, `conflict`, `reference_not_found`, as over HTTP.
    pub async fn update(&self, id: impl IntoColumn<R::Id>, patch: R::Patch) -> Result<R>
    where
        R: Writable,
    {
        let id = id.into_column().into_key();
        let mut sink = RecordSink(Vec::new());
        self.untyped.update(&id, patch.into(), &mut sink).await?;
        sink.0.pop().ok_or_else(|| missing_record().into())
    }

    /// Compare and set: updates a record if it satisfies a condition, without another change in between. `None` when it
    /// does not satisfy the condition.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Part { id: i64, #[crud(range(min = 0))] stock: i32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
    /// let parts = service.store::<Part>();
    /// let part = parts.create(NewPart { stock: 3 }).await?;
    /// let take = |quantity: i32| PartPatch::default().add(Part::FIELDS.stock, -quantity);
    /// assert_eq!(parts.update_if(part.id, Part::FIELDS.stock.gte(2), take(2)).await?.map(|part| part.stock), Some(1));
    /// assert!(parts.update_if(part.id, Part::FIELDS.stock.gte(2), take(2)).await?.is_none());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `not_found` when there is no such record or it is soft-deleted, and those of [`update`](Self::update).
    // Here and below: an `async fn` would repeat the error of another argument at the call and at its `await`.
    pub fn update_if(
        &self,
        id: impl IntoColumn<R::Id>,
        condition: impl IntoCondition<R>,
        patch: R::Patch,
    ) -> BoxFuture<'_, Result<Option<R>>>
    where
        R: Writable,
    {
        let (id, condition) = (id.into_column().into_key(), condition.into_condition().into_predicate());
        let changes = patch.into();
        Box::pin(async move {
            let mut sink = RecordSink(Vec::new());
            self.untyped.update_if(&id, condition, changes, &mut sink).await?;
            Ok(sink.0.pop())
        })
    }

    /// Updates every record that satisfies a condition and is not soft-deleted, all or none, each with its audit entry;
    /// returns their number.
    ///
    /// # Errors
    /// Errors of [`update`](Self::update) of the first record that cannot be updated; no record is updated then.
    pub fn update_where(&self, condition: impl IntoCondition<R>, patch: R::Patch) -> BoxFuture<'_, Result<u64>>
    where
        R: Writable,
    {
        let (condition, changes) = (condition.into_condition().into_predicate(), patch.into());
        Box::pin(async move { Ok(self.untyped.change_where(condition, Some(changes)).await?) })
    }

    /// Deletes every record that satisfies a condition and is not soft-deleted, all or none, each with its audit entry;
    /// returns their number. It soft-deletes them if the resource has soft delete.
    ///
    /// # Errors
    /// `referenced` when another record refers to one of them; none is deleted then.
    pub fn delete_where(&self, condition: impl IntoCondition<R>) -> BoxFuture<'_, Result<u64>>
    where
        R: Writable,
    {
        let condition = condition.into_condition().into_predicate();
        Box::pin(async move { Ok(self.untyped.change_where(condition, None).await?) })
    }

    /// Deletes a record as HTTP does: softly if the resource has soft delete, which [`restore`](Self::restore) undoes, and
    /// for good if not.
    ///
    /// # Errors
    /// `not_found` when there is none, or it is soft-deleted; `referenced` when another record refers to a record that
    /// would be removed for good.
    pub async fn delete(&self, id: impl IntoColumn<R::Id>) -> Result<R>
    where
        R: Writable,
    {
        match R::DESCRIPTOR.soft_delete {
            Some(_) => self.soft_delete(id).await,
            None => self.delete_permanently(id).await,
        }
    }

    /// Deletes a record permanently, soft-deleted or not, whether the resource has soft delete or not; returns it as it was.
    /// Nothing restores it. [`delete`](Self::delete) is what HTTP does, and
    /// [`permanent_delete`](Self::permanent_delete) removes soft-deleted records alone.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # #[crud(soft_delete)]
    /// # struct Note { id: i64, deleted_at: Option<DateTime<Utc>> }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Note>().migrate().await?;
    /// let notes = service.store::<Note>();
    /// let (kept, gone) = (notes.create(NewNote::new()).await?, notes.create(NewNote::new()).await?);
    /// notes.delete(kept.id).await?;
    /// notes.delete_permanently(gone.id).await?;
    /// assert!(notes.restore(kept.id).await.is_ok() && notes.restore(gone.id).await.is_err());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `not_found`; `referenced` when another record refers to it.
    pub async fn delete_permanently(&self, id: impl IntoColumn<R::Id>) -> Result<R>
    where
        R: Writable,
    {
        self.write_target(id, |target| Work::Delete(target)).await
    }

    /// Deletes a record permanently: [`delete_permanently`](Self::delete_permanently), under the name that the adapter's
    /// operations have. To delete as HTTP does, softly where the resource has soft delete, call [`delete`](Self::delete).
    ///
    /// # Errors
    /// As [`delete_permanently`](Self::delete_permanently).
    pub async fn delete_one(&self, id: impl IntoColumn<R::Id>) -> Result<R>
    where
        R: Writable,
    {
        self.delete_permanently(id).await
    }

    /// Soft-deletes a record; returns it.
    ///
    /// # Errors
    /// `not_found` when there is none, or it is already deleted.
    pub async fn soft_delete(&self, id: impl IntoColumn<R::Id>) -> Result<R>
    where
        R: Writable,
    {
        self.untyped.require_soft_delete()?;
        self.write_target(id, |target| Work::SoftDelete(target)).await
    }

    /// Restores a soft-deleted record; returns it.
    ///
    /// # Errors
    /// `not_found`; `not_deleted`; `conflict` when an active record now has one of its unique values.
    pub async fn restore(&self, id: impl IntoColumn<R::Id>) -> Result<R>
    where
        R: Writable,
    {
        self.untyped.require_soft_delete()?;
        self.write_target(id, |target| Work::Restore(target)).await
    }

    /// Restores every soft-deleted record that satisfies a condition; returns their number.
    ///
    /// # Errors
    /// Errors of [`restore`](Self::restore); no record is restored then.
    pub fn restore_where(&self, condition: impl IntoCondition<R>) -> BoxFuture<'_, Result<u64>>
    where
        R: Writable,
    {
        let condition = condition.into_condition().into_predicate();
        Box::pin(self.untyped.write_where(WorkWhere::Restore, condition))
    }

    /// Restores every soft-deleted record; returns their number.
    ///
    /// # Errors
    /// Errors of [`restore_where`](Self::restore_where).
    pub async fn restore_all(&self) -> Result<u64>
    where
        R: Writable,
    {
        self.untyped.write_where(WorkWhere::Restore, Predicate::All).await
    }

    /// Deletes a soft-deleted record permanently; returns it as it was.
    ///
    /// # Errors
    /// `not_found`; `not_deleted`; `referenced` when another record refers to it.
    pub async fn permanent_delete(&self, id: impl IntoColumn<R::Id>) -> Result<R>
    where
        R: Writable,
    {
        self.untyped.require_soft_delete()?;
        self.write_target(id, |target| Work::Purge(target)).await
    }

    /// Permanently deletes every soft-deleted record that satisfies a condition; returns their number.
    ///
    /// # Errors
    /// Errors of [`permanent_delete`](Self::permanent_delete); no record is deleted then.
    pub fn permanent_delete_where(&self, condition: impl IntoCondition<R>) -> BoxFuture<'_, Result<u64>>
    where
        R: Writable,
    {
        let condition = condition.into_condition().into_predicate();
        Box::pin(self.untyped.write_where(WorkWhere::Purge, condition))
    }

    /// Permanently deletes every soft-deleted record; returns their number.
    ///
    /// # Errors
    /// Errors of [`permanent_delete_where`](Self::permanent_delete_where).
    pub async fn permanent_delete_all(&self) -> Result<u64>
    where
        R: Writable,
    {
        self.untyped.write_where(WorkWhere::Purge, Predicate::All).await
    }

    /// Whether a record is soft-deleted.
    ///
    /// # Errors
    /// `not_found` when there is none, deleted or not.
    pub async fn is_soft_deleted(&self, id: impl IntoColumn<R::Id>) -> Result<bool>
    where
        R: Writable,
    {
        let id = id.into_column().into_key();
        let mut sink = RecordSink::<R>(Vec::new());
        if self.untyped.find(&id, Scope::Active, &mut sink).await? {
            return Ok(false);
        }
        let deleted = self.untyped.find(&id, Scope::Deleted, &mut sink).await?;
        if deleted { Ok(true) } else { Err(Problem::record_not_found(R::DESCRIPTOR, &id).into()) }
    }

    /// The soft-deleted record with this key, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_deleted(&self, id: impl IntoColumn<R::Id>) -> Result<Option<R>>
    where
        R: Writable,
    {
        self.untyped.require_soft_delete()?;
        let id = id.into_column().into_key();
        let mut sink = RecordSink(Vec::new());
        self.untyped.find(&id, Scope::Deleted, &mut sink).await?;
        Ok(sink.0.pop())
    }

    /// Creates records in one transaction: all or none, or the valid ones if the resource's batches are partial.
    ///
    /// # Errors
    /// Errors of the failed items of an atomic batch.
    pub async fn create_batch(&self, new: impl IntoIterator<Item = R::New>) -> Result<Batch<R>>
    where
        R: Writable,
    {
        let mut sink = BatchSink(BTreeMap::new());
        let errors = self.untyped.create_batch(new.into_iter().map(Into::into).collect(), &mut sink).await?;
        Ok(sink.with(errors))
    }

    /// Updates records in one transaction, like [`create_batch`](Self::create_batch).
    ///
    /// # Errors
    /// Errors of the failed items of an atomic batch.
    pub async fn update_batch<I: IntoColumn<R::Id>>(
        &self,
        patches: impl IntoIterator<Item = (I, R::Patch)>,
    ) -> Result<Batch<R>>
    where
        R: Writable,
    {
        let patches = patches.into_iter().map(|(id, patch)| (id.into_column().into_key(), patch.into()));
        let mut sink = BatchSink(BTreeMap::new());
        let errors = self.untyped.update_batch(patches.collect(), &mut sink).await?;
        Ok(sink.with(errors))
    }

    /// Deletes records in one transaction, like [`create_batch`](Self::create_batch): soft-deletes them if the
    /// resource has soft delete.
    ///
    /// # Errors
    /// Errors of the failed items of an atomic batch.
    pub async fn delete_batch<I: IntoColumn<R::Id>>(&self, ids: impl IntoIterator<Item = I>) -> Result<Batch<R>>
    where
        R: Writable,
    {
        let mut sink = BatchSink(BTreeMap::new());
        let ids = ids.into_iter().map(|id| id.into_column().into_key()).collect();
        let errors = self.untyped.delete_batch(ids, &mut sink).await?;
        Ok(sink.with(errors))
    }

    async fn write_target<'a>(
        &self,
        id: impl IntoColumn<R::Id>,
        work: impl for<'t> FnOnce(&'t [Target<'t>]) -> Work<'t>,
    ) -> Result<R>
    where
        R: Writable,
    {
        let id = id.into_column().into_key();
        let mut sink = RecordSink(Vec::new());
        self.untyped.write_one(work(&[Target::new(&id, None)]), &mut sink).await?;
        sink.0.pop().ok_or_else(|| missing_record().into())
    }
}

/// Collects the typed records of changes by index: adapters report them in any order.
struct BatchSink<R>(BTreeMap<usize, R>);

impl<R> BatchSink<R> {
    /// The batch, with the errors of its other items.
    fn with(self, errors: Vec<BatchError>) -> Batch<R> {
        Batch { items: self.0.into_values().collect(), errors }
    }
}

impl<R: Resource> WriteSink for BatchSink<R> {
    fn record(&mut self, index: usize, row: &dyn Row) -> std::result::Result<(), AdapterError> {
        self.0.insert(index, R::from_row(row)?);
        Ok(())
    }
}

fn missing_record() -> Problem {
    Problem::internal("the adapter returned no record")
}
