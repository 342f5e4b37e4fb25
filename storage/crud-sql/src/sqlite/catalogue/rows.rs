//! Rows of statements about SQLite's own tables.

use crate::catalogue::by_place::by_place;
use crate::driver::{Connection, DatabaseRow, Driver, text_in};
use crate::sqlite::argument::Argument;
use crate::statement::{Statement, Text};

/// The names of things that a statement is about: a list in JSON, as SQLite binds none.
pub(in crate::sqlite) struct Names {
    count: usize,
    json: String,
}

impl Names {
    pub(in crate::sqlite) fn of(names: &[&str]) -> Self {
        Self { count: names.len(), json: serde_json::Value::from(names).to_string() }
    }

    /// The rows of a statement about the things of these names, whose first column is the place in the list.
    pub(in crate::sqlite) async fn rows<D: Driver<Argument = Argument>, T>(
        &self,
        connection: &mut Connection<D>,
        statement: impl Into<Text>,
        read: impl Fn(&Cells<'_, D>) -> T,
    ) -> Result<Vec<Vec<T>>, D::Error> {
        let placed = |row: &Cells<'_, D>| (usize::try_from(row.number(0)).unwrap_or(usize::MAX), read(row));
        Ok(by_place(self.count, cells::<D, _>(connection, statement, Some(&self.json), placed).await?))
    }
}

/// The rows of a statement that binds a name, or nothing.
pub(in crate::sqlite) async fn cells<D: Driver<Argument = Argument>, T>(
    connection: &mut Connection<D>,
    statement: impl Into<Text>,
    name: Option<&str>,
    read: impl Fn(&Cells<'_, D>) -> T,
) -> Result<Vec<T>, D::Error> {
    let arguments = name.map(|name| Argument::Text(name.to_owned())).into_iter().collect();
    let rows = D::all(connection, Statement { text: statement.into(), arguments, then: None }).await?;
    Ok(rows.iter().map(|row| read(&Cells(row))).collect())
}

/// A row of SQLite's own tables, whose columns have known types.
pub(in crate::sqlite) struct Cells<'r, D: Driver>(&'r DatabaseRow<D>);

impl<D: Driver> Cells<'_, D> {
    /// A text; none where it is null.
    pub(in crate::sqlite) fn some_text(&self, column: usize) -> Option<String> {
        text_in::<D>(self.0, column)
    }

    /// A text that is not null.
    pub(in crate::sqlite) fn text(&self, column: usize) -> String {
        self.some_text(column).unwrap_or_default()
    }

    /// A whole number.
    pub(in crate::sqlite) fn number(&self, column: usize) -> i64 {
        D::number_in(self.0, column).unwrap_or_default()
    }

    /// A whole number that is not 0.
    pub(in crate::sqlite) fn is(&self, column: usize) -> bool {
        self.number(column) != 0
    }
}
