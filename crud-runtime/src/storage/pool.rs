//! [`Pool`]: pools of sqlx's that a program opened itself.

#[cfg(feature = "mysql")]
use crud_sql::MySqlAdapter;
#[cfg(feature = "postgres")]
use crud_sql::PostgresAdapter;
#[cfg(feature = "sqlite-pool")]
use crud_sql::SqlitePoolAdapter;

use super::administration::Storage;

/// A pool of the program: sqlx's `SqlitePool`, `PgPool` or `MySqlPool`, whose feature is on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pool of a database that this build knows",
    note = "`sqlx::SqlitePool` is with the feature `sqlite-pool`, `sqlx::PgPool` with the feature `postgres`, \
            `sqlx::MySqlPool` with the feature `mysql`"
)]
pub trait Pool: sealed::Sealed {
    /// Storage in the pool's database.
    fn into_adapter(self) -> impl Storage;
}

#[cfg(feature = "sqlite-pool")]
impl Pool for sqlx::SqlitePool {
    fn into_adapter(self) -> impl Storage {
        SqlitePoolAdapter::new(self)
    }
}

#[cfg(feature = "postgres")]
impl Pool for sqlx::PgPool {
    fn into_adapter(self) -> impl Storage {
        PostgresAdapter::new(self)
    }
}

#[cfg(feature = "mysql")]
impl Pool for sqlx::MySqlPool {
    fn into_adapter(self) -> impl Storage {
        MySqlAdapter::new(self)
    }
}

mod sealed {
    pub trait Sealed {}

    #[cfg(feature = "sqlite-pool")]
    impl Sealed for sqlx::SqlitePool {}
    #[cfg(feature = "postgres")]
    impl Sealed for sqlx::PgPool {}
    #[cfg(feature = "mysql")]
    impl Sealed for sqlx::MySqlPool {}
}
