//! The guard of transactions against a server that ends one without an error.
//!
//! On a node of a Galera cluster, another node's write can abort a transaction at any moment; its next statement then
//! fails with error 1213. MariaDB 10.11 drops that error while it prepares a `SELECT`: the statements that follow would
//! each be committed alone, without the changes before them. So a `SELECT` in a transaction returns whether its
//! transaction still exists, in a comment that MariaDB alone executes:
//!
//! ```sql
//! SELECT `id`, `name` FROM `tags` WHERE `id` = ? FOR UPDATE
//! SELECT `id`, `name` /*M!, @@in_transaction = 1 AS `crud_in_transaction` */ FROM `tags` WHERE `id` = ? FOR UPDATE
//! ```
//!
//! This costs no further message. A separate statement asks where a `SELECT` returns no row, and after a program's own
//! query, which is not rewritten. It uses the text protocol, which prepares nothing.

use std::error::Error;
use std::fmt;

use sqlx::mysql::{MySqlConnection, MySqlQueryResult, MySqlRow};
use sqlx::{Column, Either, Executor, Row};

use super::dialect::MySql;
use crate::driver::Execution as _;
use crate::over_sqlx::{After, Check};
use crate::statement::Text;
use crate::storage::adapter::BoxFuture;

/// Name of the added column.
const COLUMN: &str = "crud_in_transaction";

/// The added column, which follows the others.
const ADDED: &str = " /*M!, @@in_transaction = 1 AS `crud_in_transaction` */";

/// Asks whether the transaction exists: 1 if it does, and 0, on MariaDB alone, if not.
const ASK: &str = "SELECT 1 /*M! AND @@in_transaction */";

/// The first words of queries. MariaDB drops the error only while it prepares a query.
const QUERIES: [&str; 3] = ["SELECT", "WITH", "VALUES"];

/// The statement as it is sent: in a transaction, a `SELECT` has one more column on MariaDB.
pub(super) fn guarded(connection: &MySqlConnection, text: Text) -> Text {
    match &text {
        Text::Select(select, columns_end) if MySql::is_in_transaction(connection) => {
            let (columns, rest) = select.split_at(*columns_end);
            Text::Assembled([columns, ADDED, rest].concat())
        }
        _ => text,
    }
}

/// Passes on a step of a statement, unless its row shows that the transaction is gone.
pub(super) fn confirmed(step: Either<MySqlQueryResult, MySqlRow>) -> sqlx::Result<Either<MySqlQueryResult, MySqlRow>> {
    if let Either::Right(row) = &step
        && let Some(last) = row.columns().last().filter(|column| column.name() == COLUMN)
        && row.try_get::<i64, _>(last.ordinal())? == 0
    {
        return Err(lost());
    }
    Ok(step)
}

/// Check after a statement in a transaction.
pub(super) const CHECK: Check<sqlx::MySql> = Check { after, run: ask };

fn after(connection: &MySqlConnection, text: &Text) -> After {
    if !MySql::is_in_transaction(connection) {
        return After::Nothing;
    }
    match text {
        Text::Custom(text) => {
            let text = text.trim_start_matches(|character: char| character == '(' || character.is_whitespace());
            let word = text.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or_default();
            let is_query = QUERIES.iter().any(|query| word.eq_ignore_ascii_case(query));
            if is_query { After::Anything } else { After::Nothing }
        }
        Text::Select(..) => After::NoRows,
        Text::Fixed(_) | Text::Assembled(_) if text.as_str().starts_with("SELECT ") => After::Anything,
        Text::Fixed(_) | Text::Assembled(_) => After::Nothing,
    }
}

fn ask(connection: &mut MySqlConnection) -> BoxFuture<'_, sqlx::Result<()>> {
    Box::pin(async move {
        let row = connection.fetch_one(ASK).await?;
        if row.try_get::<i64, _>(0)? == 0 { Err(lost()) } else { Ok(()) }
    })
}

/// Error of a transaction that the server aborted. Nothing of the transaction is stored.
#[derive(Debug)]
struct Lost;

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the transaction was aborted by the write of another node")
    }
}

impl Error for Lost {}

fn lost() -> sqlx::Error {
    sqlx::Error::AnyDriverError(Box::new(Lost))
}

/// Whether an error is `Lost`.
pub(super) fn is_lost(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::AnyDriverError(source) if source.is::<Lost>())
}
