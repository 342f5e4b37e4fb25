//! [`DataMigration`]: a step of the history of migrations that changes records by code of the program.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use super::work::Work;
use crate::model::adapter_error::BoxError;
use crate::model::descriptor::Descriptor;
use crate::model::resource::Writable;
use crate::storage::migrations::Direction;
use crate::store::transaction::Tx;

/// Records of a batch, unless the program says otherwise.
const BATCH_SIZE: u32 = 500;

/// A data migration: a step of the history of migrations that changes records by code of the program, in batches.
///
/// A file of the directory names it, so that it runs in order with the files of statements:
/// `crud migrate data split_names` writes that. [`Service::data_migration`](crate::Service::data_migration) adds the code.
///
/// Records are read by their keys, 500 at a time. Each batch is one transaction with the last key: a process that is
/// killed repeats no batch and skips none, and two processes share the batches. An error rolls its batch back and stops
/// the migration, whose next run goes on there.
///
/// The struct belongs to the migration, with the fields that it needs, as the table is at this point of the history:
///
/// ```
/// use crud_runtime::migrations::DataMigration;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(table = "people")]
/// struct Person { id: i64, name: String, first: Option<String>, last: Option<String> }
///
/// async fn split_names(person: Person, tx: Tx<'static>) -> crud_runtime::Result<()> {
///     let (first, last) = person.name.split_once(' ').unwrap_or(("", &person.name));
///     let split = PersonPatch::default().first(first.to_owned()).last(last.to_owned());
///     tx.store::<Person>().update(person.id, split).await.map(drop)
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite://people.db").await?;
/// let service = service.data_migration(DataMigration::each("split_names", split_names));
/// service.migrations().apply("migrations").await?;
/// # Ok(()) }
/// ```
///
/// Its stores and statements are the program's, without a caller and across tenants. Changes have no audit entries, unless
/// it is [`audited`](Self::audited).
#[derive(Clone)]
#[must_use = "a data migration runs once it is added to a service"]
pub struct DataMigration {
    name: String,
    up: Work,
    down: Option<Work>,
    pub(super) batch_size: u32,
    pub(super) pause: Option<Duration>,
    pub(super) audited: bool,
}

impl fmt::Debug for DataMigration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataMigration").field("name", &self.name).finish_non_exhaustive()
    }
}

impl DataMigration {
    /// Data migration that changes each record by itself; an error names the record's key.
    pub fn each<R, F, Fut, E>(name: impl Into<String>, change: F) -> Self
    where
        R: Writable,
        F: Fn(R, Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::new(name.into(), Work::each(change))
    }

    /// Data migration that changes the records of a batch together, for one statement that changes all of them.
    ///
    /// ```
    /// use crud_runtime::migrations::DataMigration;
    /// use crud_runtime::prelude::*;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(table = "products")]
    /// struct Product { id: i64 }
    ///
    /// async fn cents(products: Vec<Product>, mut tx: Tx<'static>) -> crud_runtime::Result<()> {
    ///     let (Some(first), Some(last)) = (products.first(), products.last()) else { return Ok(()) };
    ///     let statement = "UPDATE products SET cents = price * 100 WHERE id BETWEEN ? AND ?";
    ///     tx.sql(statement).bind(first.id).bind(last.id).execute().await.map(drop)
    /// }
    ///
    /// let migration = DataMigration::batches("cents", cents).batch_size(5_000);
    /// ```
    pub fn batches<R, F, Fut, E>(name: impl Into<String>, change: F) -> Self
    where
        R: Writable,
        F: Fn(Vec<R>, Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::new(name.into(), Work::batches(change))
    }

    /// Data migration of one transaction, for a few records.
    pub fn once<F, Fut, E>(name: impl Into<String>, change: F) -> Self
    where
        F: Fn(Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::new(name.into(), Work::once(change))
    }

    fn new(name: String, up: Work) -> Self {
        Self { name, up, down: None, batch_size: BATCH_SIZE, pause: None, audited: false }
    }

    /// Sets how the migration is reverted, each record by itself. Without a way back, `crud migrate revert` refuses it.
    pub fn down_each<R, F, Fut, E>(self, change: F) -> Self
    where
        R: Writable,
        F: Fn(R, Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self { down: Some(Work::each(change)), ..self }
    }

    /// Sets how the migration is reverted, the records of a batch together.
    pub fn down_batches<R, F, Fut, E>(self, change: F) -> Self
    where
        R: Writable,
        F: Fn(Vec<R>, Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self { down: Some(Work::batches(change)), ..self }
    }

    /// Sets how the migration is reverted, in one transaction.
    pub fn down_once<F, Fut, E>(self, change: F) -> Self
    where
        F: Fn(Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self { down: Some(Work::once(change)), ..self }
    }

    /// Sets the number of records of a batch; 500 if never called. Other changes of these records wait for a batch, and on
    /// `SQLite` all other changes do.
    pub fn batch_size(self, records: u32) -> Self {
        Self { batch_size: records.max(1), ..self }
    }

    /// Sets the pause between two batches. If never called, there is no pause; on `SQLite`, where all other changes
    /// wait for a batch, it is 25 ms.
    pub fn pause(self, pause: Duration) -> Self {
        Self { pause: Some(pause), ..self }
    }

    /// Writes audit entries, without an actor, for the changes of resources with `#[crud(audit)]`.
    pub fn audited(self) -> Self {
        Self { audited: true, ..self }
    }

    /// The name, by which a file of the directory refers to it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the migration can be reverted.
    pub(crate) const fn has_down(&self) -> bool {
        self.down.is_some()
    }

    /// The structs of the migration's records.
    pub(crate) fn resources(&self) -> impl Iterator<Item = &'static Descriptor> {
        std::iter::once(&self.up).chain(&self.down).filter_map(Work::resource)
    }

    pub(super) fn work(&self, direction: Direction) -> Option<&Work> {
        match direction {
            Direction::Up => Some(&self.up),
            Direction::Down => self.down.as_ref(),
        }
    }
}
