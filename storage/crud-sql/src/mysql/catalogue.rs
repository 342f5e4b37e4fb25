//! Statements about the catalogue, `information_schema`.

use sqlx::MySql;
use sqlx::mysql::MySqlArguments;
use sqlx::query::Query;

/// A statement about the thing of this name, which is each of its parameters.
///
/// `MariaDB` reads the definition of one table only where `WHERE` compares schema and name with constants. For a name
/// from another view of the catalogue (`s.TABLE_NAME = c.TABLE_NAME`) it opens every table of every database, and for
/// constants in `ON` every table of this one: 15 ms instead of 0.3 for each of 40 tables, seconds beside 50 databases.
pub(super) fn about<'q>(statement: &'static str, name: &'q str) -> Query<'q, MySql, MySqlArguments> {
    let parameters = statement.matches('?').count();
    (0..parameters).fold(sqlx::query(statement), |query, _| query.bind(name))
}
