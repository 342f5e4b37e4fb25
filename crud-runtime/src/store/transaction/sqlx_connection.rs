//! [`TxConnection`]: the connection of a transaction, for the application's own code on sqlx.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use super::Tx;
use super::shared::Lent;
use crate::model::problem::Problem;
use crate::storage::error::Result;

/// A connection of sqlx's that a transaction lends: `PgConnection`, `MySqlConnection` or `SqliteConnection`.
///
/// ```no_run
/// use crud_runtime::prelude::*;
/// use crud_runtime::transaction::SqlxConnection;
///
/// /// Whether a transaction lends connections of this type.
/// async fn lends<C: SqlxConnection>(tx: &mut Tx<'_>) -> bool {
///     tx.connection::<C>().await.is_ok()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a connection that a transaction lends",
    note = "`sqlx::PgConnection` is with the feature `postgres`, `sqlx::MySqlConnection` with the feature `mysql`, \
            `sqlx::SqliteConnection` with the feature `sqlite-pool`"
)]
pub trait SqlxConnection: sealed::Sealed + Send + 'static {}

#[cfg(feature = "postgres")]
impl SqlxConnection for sqlx::PgConnection {}

#[cfg(feature = "mysql")]
impl SqlxConnection for sqlx::MySqlConnection {}

#[cfg(feature = "sqlite-pool")]
impl SqlxConnection for sqlx::SqliteConnection {}

mod sealed {
    pub trait Sealed {}

    #[cfg(feature = "postgres")]
    impl Sealed for sqlx::PgConnection {}
    #[cfg(feature = "mysql")]
    impl Sealed for sqlx::MySqlConnection {}
    #[cfg(feature = "sqlite-pool")]
    impl Sealed for sqlx::SqliteConnection {}
}

impl Tx<'_> {
    /// Lends the transaction's connection to the application's own code on sqlx: its changes are committed with those
    /// of the transaction's stores, or not at all. The stores wait until the connection is returned.
    ///
    /// A statement that fails aborts the transaction on PostgreSQL, as it does in one of sqlx's own: the commit is an
    /// error then, whether the error was passed on or not. Changes by this code have no audit entries and call no
    /// hooks. The code must not commit: `begin` on the connection is a savepoint.
    ///
    /// ```no_run
    /// use crud_runtime::prelude::*;
    /// use crud_runtime::sqlx::{self, PgConnection};
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Order { id: i64, customer: String }
    ///
    /// /// Code of the application, which knows nothing of services.
    /// async fn charge(connection: &mut PgConnection, order: i64) -> sqlx::Result<()> {
    ///     sqlx::query("UPDATE accounts SET balance = balance - 1 WHERE order_id = $1")
    ///         .bind(order)
    ///         .execute(connection)
    ///         .await?;
    ///     Ok(())
    /// }
    ///
    /// # async fn of(app: App) -> crud_runtime::Result<()> {
    /// app.transaction(async |tx| {
    ///     let order = tx.store::<Order>().create(NewOrder { customer: "Ada".to_owned() }).await?;
    ///     let mut connection = tx.connection::<PgConnection>().await?;
    ///     charge(connection.as_mut(), order.id).await.map_err(Problem::internal)?;
    ///     crud_runtime::Result::Ok(())
    /// })
    /// .await
    /// # }
    /// ```
    ///
    /// # Errors
    /// `internal` where the service's connections are not of this type, such as those of SQLite without a pool of the
    /// program's; `timeout` when the transaction took too long.
    pub async fn connection<C: SqlxConnection>(&mut self) -> Result<TxConnection<'_, C>> {
        let mut lent = self.transaction.lend().await.map_err(Problem::from_storage)?;
        if lent.connection::<C>().is_none() {
            let reason = "the connections of the service are not of the type";
            return Err(Problem::internal(format!("{reason} `{}`", type_name::<C>())).into());
        }
        Ok(TxConnection { lent, of: PhantomData })
    }
}

/// The connection of a transaction: see [`Tx::connection`].
///
/// ```no_run
/// use crud_runtime::sqlx::{self, PgConnection};
/// use crud_runtime::transaction::TxConnection;
///
/// async fn accounts(mut connection: TxConnection<'_, PgConnection>) -> sqlx::Result<i64> {
///     let connection: &mut PgConnection = connection.as_mut();
///     sqlx::query_scalar("SELECT COUNT(*) FROM accounts").fetch_one(connection).await
/// }
/// ```
pub struct TxConnection<'t, C> {
    lent: Lent<'t>,
    of: PhantomData<fn() -> C>,
}

impl<C> fmt::Debug for TxConnection<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TxConnection").finish_non_exhaustive()
    }
}

impl<C: SqlxConnection> AsMut<C> for TxConnection<'_, C> {
    /// The connection, which sqlx's `execute` and `fetch` take.
    fn as_mut(&mut self) -> &mut C {
        self.lent.connection().expect("the type was compared, and the transaction is lent")
    }
}
