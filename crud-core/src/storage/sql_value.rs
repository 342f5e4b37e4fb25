//! [`SqlValue`]: the values of a [`RawStatement`](super::transaction::RawStatement).

use crate::model::column::Column;

/// A value that the program binds in its own statement: a field type, or `&str`.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// async fn rename(app: App, id: i64, name: &str) -> crud_runtime::Result<()> {
///     app.transaction(async |tx| {
///         tx.sql("UPDATE parts SET name = ? WHERE id = ?").bind(name).bind(id).execute().await?;
///         crud_runtime::Result::Ok(())
///     })
///     .await
/// }
/// ```
pub trait SqlValue {
    /// The field type.
    type Column: Column;

    /// The value as a field type.
    fn into_column(self) -> Self::Column;
}

impl<T: Column> SqlValue for T {
    type Column = T;

    fn into_column(self) -> T {
        self
    }
}

impl SqlValue for &str {
    type Column = String;

    fn into_column(self) -> String {
        self.to_owned()
    }
}
