//! The database of the club, and the state of its handlers.

use std::str::FromStr;

use axum::extract::FromRef;
use crud_runtime::Store;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};

use crate::books::Book;

/// The state of the club's handlers, who take what they need of it.
#[derive(Debug, Clone)]
pub(crate) struct Club {
    pub(crate) pool: SqlitePool,
    pub(crate) books: Store<Book>,
}

impl FromRef<Club> for SqlitePool {
    fn from_ref(club: &Club) -> Self {
        club.pool.clone()
    }
}

impl FromRef<Club> for Store<Book> {
    fn from_ref(club: &Club) -> Self {
        club.books.clone()
    }
}

/// Opens the club's database, such as `sqlite://club.db`, with the tables of its members and their letters.
///
/// # Errors
/// Errors of the database.
pub async fn open(url: &str) -> sqlx::Result<SqlitePool> {
    let options = SqliteConnectOptions::from_str(url)?.create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
    let pool = SqlitePool::connect_with(options).await?;
    sqlx::raw_sql(include_str!("tables.sql")).execute(&pool).await?;
    Ok(pool)
}
