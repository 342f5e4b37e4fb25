//! [`TxSql`]: the program's own SQL in a transaction.

use std::fmt;

use super::shared::SharedTransaction;
use crate::model::adapter_error::AdapterError;
use crate::model::column::{Column, ColumnType};
use crate::model::problem::Problem;
use crate::model::row::Row;
use crate::storage::error::Result;
use crate::storage::sql_value::SqlValue;
use crate::storage::transaction::RawStatement;
use crate::store::each_row::each_row;

/// A statement of the program's own: see [`Tx::sql`](super::Tx::sql).
///
/// ```
/// # use crud_runtime::prelude::*;
/// # async fn of(tx: &mut Tx<'_>) -> crud_runtime::Result<()> {
/// let changed = tx.sql("UPDATE parts SET stock = 0 WHERE stock < ?").bind(3).execute().await?;
/// # let _ = changed; Ok(()) }
/// ```
#[must_use = "a statement does nothing until it is executed or fetched"]
pub struct TxSql<'t> {
    transaction: &'t SharedTransaction,
    statement: RawStatement,
}

impl fmt::Debug for TxSql<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TxSql").field(&self.statement.text).finish()
    }
}

impl<'t> TxSql<'t> {
    pub(super) fn new(transaction: &'t SharedTransaction, text: &'static str) -> Self {
        Self { transaction, statement: RawStatement::new(text) }
    }

    /// Binds the value of the next placeholder.
    pub fn bind(mut self, value: impl SqlValue) -> Self {
        let value = value.into_column();
        self.statement.values.push(typed(value));
        self
    }

    /// Runs the statement; returns the number of rows that it changed.
    ///
    /// # Errors
    /// `unsupported_here` on storage without SQL; `internal` with the database's error, which is logged, when it refuses
    /// the statement.
    pub async fn execute(self) -> Result<u64> {
        Ok(self.transaction.execute(self.statement).await.map_err(problem)?)
    }

    /// Runs the statement and returns its rows, as tuples of field types: `fetch::<(i64, String)>()`.
    ///
    /// # Errors
    /// Errors of [`execute`](Self::execute), and `internal` when a column does not hold a value of its type.
    pub async fn fetch<T: SqlRow>(self) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        let mut sink = each_row(|row| {
            rows.push(T::read(row)?);
            Ok(())
        });
        let fetched = self.transaction.fetch(self.statement, T::COLUMNS, &mut sink).await;
        fetched.map_err(problem)?;
        Ok(rows)
    }
}

/// The problem of an error. A missing table or column is a fault of the statement.
fn problem(error: AdapterError) -> Problem {
    match error {
        error @ (AdapterError::MissingTable(_) | AdapterError::Unfit(_)) => Problem::internal(error),
        error => Problem::from_storage(error),
    }
}

fn typed<T: Column>(value: T) -> (ColumnType, crate::model::value::Value) {
    (T::TYPE, value.into_value())
}

/// A row that [`TxSql::fetch`] returns: a tuple of one to eight field types.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # async fn of(tx: &mut Tx<'_>) -> crud_runtime::Result<()> {
/// let rows: Vec<(i64, Option<String>)> = tx.sql("SELECT id, note FROM parts").fetch().await?;
/// # let _ = rows; Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a tuple of one to eight field types, found `{Self}`",
    note = "`fetch::<(i64, String)>()` returns rows of two columns"
)]
pub trait SqlRow: Sized + Send {
    /// The types of the row's columns.
    const COLUMNS: &'static [ColumnType];

    /// Reads a row.
    ///
    /// # Errors
    /// [`AdapterError::Corrupt`] when a column holds no value of its type.
    fn read(row: &dyn Row) -> Result<Self, AdapterError>;
}

macro_rules! tuples {
    ($($($name:ident $index:tt),+;)+) => { $(
        impl<$($name: Column),+> SqlRow for ($($name,)+) {
            const COLUMNS: &'static [ColumnType] = &[$($name::TYPE),+];

            fn read(row: &dyn Row) -> Result<Self, AdapterError> {
                Ok(($(column::<$name>(row, $index)?,)+))
            }
        }
    )+ };
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

fn column<T: Column>(row: &dyn Row, index: usize) -> Result<T, AdapterError> {
    T::from_value(row.value(index)?).map_err(|error| AdapterError::Corrupt { column: "of a statement", error })
}
