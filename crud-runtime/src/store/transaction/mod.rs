//! [`Tx`]: a transaction over several resources.

mod log;
mod numbers;
mod of_hook;
pub(crate) mod registry;
pub(crate) mod shared;
mod sql;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
pub(crate) mod sqlx_connection;
pub(crate) mod watched_records;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crud_core::retry;

use self::shared::{End, SharedTransaction};
pub use self::sql::{SqlRow, TxSql};
use super::app::App;
use super::typed::store::Store;
use crate::model::adapter_error::AdapterError;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};

impl App {
    /// Begins a transaction; dropping it rolls it back.
    ///
    /// With [`transaction`](Self::transaction), storage's conflicts are retried and nothing is left open by mistake.
    ///
    /// # Errors
    /// `unsupported_here` when storage has no transactions of several calls, `unavailable` when it cannot be reached.
    pub async fn begin(&self) -> Result<Tx<'_>> {
        Tx::begin(self).await
    }

    /// Runs work in a transaction, which is committed when the work succeeds and rolled back when it fails.
    ///
    /// After a conflict with another transaction (a deadlock, a serialization failure), the work is cloned and run
    /// again in a new one: its other effects, such as a message that it sends, happen again too.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Part { id: i64, #[crud(range(min = 0))] stock: i32 }
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Booking { id: i64, #[crud(references(Part))] part_id: i64, quantity: i32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().resource::<Booking>().migrate().await?;
    /// let app = service.app();
    /// let part = app.store::<Part>().create(NewPart { stock: 5 }).await?;
    /// let booking = app
    ///     .transaction(async |tx| {
    ///         tx.store::<Part>().update(part.id, PartPatch::default().add(Part::FIELDS.stock, -2)).await?;
    ///         tx.store::<Booking>().create(NewBooking { part_id: part.id, quantity: 2 }).await
    ///     })
    ///     .await?;
    /// assert_eq!((app.store::<Part>().get(part.id).await?.stock, booking.quantity), (3, 2));
    /// # Ok(()) }
    /// ```
    ///
    /// Where the compiler cannot infer the error, as before a `?` that converts it, the work states it:
    /// `async |tx| -> Result<_, ShopError> { … }`.
    ///
    /// # Errors
    /// Errors of the work and of [`begin`](Self::begin); `timeout` when it takes longer than
    /// [`Limits::transaction_timeout`](crate::Limits::transaction_timeout).
    pub async fn transaction<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: AsyncFnOnce(&mut Tx<'_>) -> Result<T, E> + Clone,
        E: From<Error>,
    {
        let attempt = retry!(
            async {
                let mut tx = Tx::begin(self).await?;
                let result = work.clone()(&mut tx).await;
                let (end, committed) = tx.end(result.is_ok()).await;
                Ok::<_, E>((end, (committed, result)))
            },
            End::is_conflict
        );
        match attempt? {
            // The work may report the timeout as another failure.
            (Some(End::TimedOut), _) => Err(Error::from(Problem::from_storage(AdapterError::Timeout)).into()),
            (_, (committed, result)) => {
                committed.map_err(|error| Error::from(Problem::from_storage(error)))?;
                result
            }
        }
    }
}

/// A transaction over several resources: its stores' changes, with their audit entries, are committed together.
///
/// [`App::transaction`] and [`App::begin`] begin it. Reads see its writes. On PostgreSQL and MySQL its isolation level
/// is READ COMMITTED, with the records locked that it changes or [locks](Store::lock); on SQLite it is the only writer,
/// and therefore bounded to a second ([`Limits::transaction_timeout`](crate::Limits::transaction_timeout)). A store
/// outside of the transaction is refused in the task that has the transaction open.
///
/// A call that fails leaves the transaction as it was before the call, except for conflicts with other transactions, a
/// timeout, and a call whose future is dropped: these end it.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Part { id: i64, stock: i32 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
/// let app = service.app();
/// let tx = app.begin().await?;
/// tx.store::<Part>().create(NewPart { stock: 5 }).await?;
/// tx.rollback().await?;
/// assert_eq!(app.store::<Part>().count(Select::all()).await?, 0);
/// # Ok(()) }
/// ```
pub struct Tx<'a> {
    app: Cow<'a, App>,
    transaction: Arc<SharedTransaction>,
    /// Whether the transaction ends with this handle; that of a hook does not.
    is_owner: bool,
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").field("transaction", &self.transaction).finish_non_exhaustive()
    }
}

impl<'a> Tx<'a> {
    fn begin(app: &'a App) -> BoxFuture<'a, Result<Self>> {
        Box::pin(async move {
            app.refuse_inside_transaction()?;
            let transaction = app.start_transaction().await.map_err(Problem::from_storage)?;
            Ok(Self { app: Cow::Borrowed(app), transaction, is_owner: true })
        })
    }

    /// Commits the transaction if its work has succeeded. Returns its outcome, if it has ended, and the result of the
    /// commit.
    fn end(&self, has_succeeded: bool) -> BoxFuture<'_, (Option<End>, Result<(), AdapterError>)> {
        Box::pin(async move {
            let committed = if has_succeeded { self.transaction.commit().await } else { Ok(()) };
            (self.transaction.end().await, committed)
        })
    }

    /// A transaction that another part of the service began and ends.
    pub(crate) fn joined(app: &'a App, transaction: Arc<SharedTransaction>) -> Self {
        Self::within(Cow::Borrowed(app), transaction)
    }

    /// The transaction of a change for its observers: its stores see all records, of every tenant.
    pub(super) fn of_observer(app: &App, transaction: Arc<SharedTransaction>) -> Self {
        let app = app.scoped(app.scope().as_program().across_tenants());
        Self::within(Cow::Owned(app), transaction)
    }

    /// The transaction that a hook or a batch of a data migration runs in.
    pub(super) fn within(app: Cow<'a, App>, transaction: Arc<SharedTransaction>) -> Self {
        Self { app, transaction, is_owner: false }
    }

    /// The store of a resource, in the transaction, with the visibility of the handle that began it: the caller's for a
    /// handler's [`Context::app`](crate::routing::Context::app), the program's for others.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource>(&self) -> Store<R> {
        self.store_of(&self.app)
    }

    /// The store of a resource with the program's visibility, within the tenant: see [`App::unscoped`].
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn unscoped_store<R: Resource>(&self) -> Store<R> {
        self.store_of(&self.app.unscoped())
    }

    fn store_of<R: Resource>(&self, app: &App) -> Store<R> {
        Store::new(app.clone(), Some(self.transaction.clone()))
    }

    /// The transaction that the stores share.
    pub(crate) const fn shared(&self) -> &Arc<SharedTransaction> {
        &self.transaction
    }

    /// Runs a future when the transaction is committed, and never if it is not.
    #[cfg(any(feature = "auth", feature = "jobs"))]
    pub(crate) fn after_commit(&self, call: impl Future<Output = ()> + Send + 'static) {
        self.transaction.after_commit(Box::pin(call));
    }

    #[cfg(any(feature = "auth", feature = "jobs"))]
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// The tenant of the transaction in a sharded service; if it has none yet, it gets that of its stores.
    ///
    /// # Errors
    /// `unsupported_here` where the stores have another tenant.
    pub(crate) async fn shared_tenant(&self) -> Result<Option<String>> {
        if let Some(tenant) = self.app.named_tenant() {
            self.transaction.bind(tenant).await.map_err(Problem::from_storage)?;
        }
        Ok(self.transaction.tenant().await)
    }

    /// A statement of the program's own, in the database's SQL, with its placeholders: `?` on SQLite and MySQL, `$1` on
    /// PostgreSQL. Its text is part of the program; values are bound.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # async fn of(tx: &mut Tx<'_>) -> crud_runtime::Result<()> {
    /// tx.sql("UPDATE counters SET used = used + ? WHERE name = ?").bind(1).bind("parts").execute().await?;
    /// let used = tx.sql("SELECT name, used FROM counters").fetch::<(String, i64)>().await?;
    /// # let _ = used; Ok(()) }
    /// ```
    pub fn sql(&mut self, text: &'static str) -> TxSql<'_> {
        TxSql::new(&self.transaction, text)
    }

    /// Runs work that is undone alone when it fails: a savepoint. The transaction goes on.
    ///
    /// # Errors
    /// Errors of the work.
    pub async fn nested<T, E, F>(&mut self, work: F) -> Result<T, E>
    where
        F: AsyncFnOnce(&mut Tx<'_>) -> Result<T, E>,
        E: From<Error>,
    {
        let of_storage = |error| Error::from(Problem::from_storage(error));
        self.transaction.savepoint().await.map_err(of_storage)?;
        let result = work(self).await;
        match &result {
            Ok(_) => self.transaction.release().await.map_err(of_storage)?,
            // The work's own error says more than that of the rollback would.
            Err(_) => drop(self.transaction.rollback_to().await),
        }
        result
    }

    /// Commits the transaction.
    ///
    /// # Errors
    /// `unavailable` after a conflict with another transaction, `timeout` when it took too long; nothing is committed
    /// then. If the connection is lost meanwhile, the outcome is not known. `internal` for a transaction that the
    /// service ends, such as that of a hook.
    pub async fn commit(self) -> Result<()> {
        self.refuse_to_end()?;
        self.transaction.commit().await.map_err(Problem::from_storage)?;
        Ok(())
    }

    /// Rolls the transaction back, and waits until that is done. Dropping it does so too, without waiting.
    ///
    /// # Errors
    /// When the database cannot be reached; it rolls the transaction back then. `internal` for a transaction that the
    /// service ends, such as that of a hook: an error of the hook rolls it back.
    pub async fn rollback(self) -> Result<()> {
        self.refuse_to_end()?;
        self.transaction.roll_back().await.map_err(Problem::from_storage)?;
        Ok(())
    }

    /// Refuses to end a transaction that is not this handle's.
    fn refuse_to_end(&self) -> Result<(), Problem> {
        if self.is_owner {
            return Ok(());
        }
        Err(Problem::internal("the transaction is not the program's to end: return, and the service commits it"))
    }
}

impl Drop for Tx<'_> {
    fn drop(&mut self) {
        // A clone of one of its stores must not keep the transaction open.
        if self.is_owner {
            self.transaction.abandon();
        }
    }
}
