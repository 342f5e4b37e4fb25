//! Statements about the catalogue, `information_schema`, and the server's definitions of tables.

use crud_shared::table::split;
use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Decode, MySql, Row, Type};

use crate::catalogue::by_place::by_place;
use crate::identifier::table_identifier;
use crate::mysql::dialect;

/// Text of a statement about one thing.
pub(in crate::mysql) type Statement = fn(&mut About<'_>) -> String;

/// The thing that a statement is about, and what the statement binds of it.
pub(in crate::mysql) struct About<'q> {
    schema: Option<&'q str>,
    own: &'q str,
    bound: Vec<&'q str>,
}

impl About<'_> {
    /// The database that the name states, or else the connection's own.
    pub(in crate::mysql) fn schema(&mut self) -> &'static str {
        match self.schema {
            Some(schema) => {
                self.bound.push(schema);
                "?"
            }
            None => "DATABASE()",
        }
    }

    /// The condition that these columns are the database and the name of the thing.
    ///
    /// `MariaDB` reads the definition of one table only where `WHERE` compares schema and name with constants. For a name
    /// from another view of the catalogue (`s.TABLE_NAME = c.TABLE_NAME`) it opens every table of every database, and for
    /// constants in `ON` every table of this one: 15 ms instead of 0.3 for each of 40 tables, seconds beside 50 databases.
    pub(in crate::mysql) fn condition(&mut self, schema: &str, name: &str) -> String {
        let own_schema = self.schema();
        self.bound.push(self.own);
        format!("{schema} = {own_schema} AND {name} = ?")
    }
}

/// Number of tables that one statement is about: a server plans each part of a union.
const TABLES: usize = 100;

/// The rows of a statement about the things of these names, after the place of each in the list. `statement`: its text after
/// `SELECT`. `order`: further columns of the order, by their numbers from 2.
pub(in crate::mysql) async fn rows<T>(
    connection: &mut MySqlConnection,
    statement: Statement,
    order: &str,
    names: &[&str],
    read: impl Fn(&MySqlRow) -> sqlx::Result<T>,
) -> sqlx::Result<Vec<Vec<T>>> {
    let mut found = Vec::new();
    for (chunk, first) in names.chunks(TABLES).zip((0..).step_by(TABLES)) {
        let (mut texts, mut bound) = (Vec::with_capacity(chunk.len()), Vec::new());
        for (place, &name) in chunk.iter().enumerate() {
            let (schema, own) = split(name);
            let mut about = About { schema, own, bound: Vec::new() };
            texts.push(format!("SELECT {place}, {}", statement(&mut about)));
            bound.extend(about.bound);
        }
        let text = texts.join(" UNION ALL ");
        let query = sqlx::query(AssertSqlSafe(format!("{text} ORDER BY 1{order}"))).persistent(false);
        let query = bound.into_iter().fold(query, Query::bind);
        for row in query.fetch_all(&mut *connection).await? {
            let place: i64 = get(&row, 0)?;
            found.push((first + usize::try_from(place).unwrap_or_default(), read(&row)?));
        }
    }
    Ok(by_place(names.len(), found))
}

/// The definition of a table as the server spells it, by `SHOW CREATE TABLE`.
pub(in crate::mysql) async fn definition(connection: &mut MySqlConnection, table: &str) -> sqlx::Result<String> {
    let show = format!("SHOW CREATE TABLE {}", table_identifier::<dialect::MySql>(table));
    get(&sqlx::query(AssertSqlSafe(show)).fetch_one(connection).await?, 1)
}

/// The value in a column of a row.
pub(in crate::mysql) fn get<'r, T: Decode<'r, MySql> + Type<MySql>>(
    row: &'r MySqlRow,
    column: usize,
) -> sqlx::Result<T> {
    // The types of what the catalogue shows differ from version to version, some texts being bytes.
    row.try_get_unchecked(column)
}

/// Whether the number in a column of a row is not 0.
pub(in crate::mysql) fn is(row: &MySqlRow, column: usize) -> sqlx::Result<bool> {
    get::<i64>(row, column).map(|number| number != 0)
}
