//! Inspecting the tables of a database.

use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Decode, Row, Sqlite, Type};

use crate::storage::sql::schema::table::Column;
use crate::storage::sql::schema::table::ForeignKey;
use crate::storage::sql::schema::table::Index;
use crate::storage::sql::schema::table::Table;

/// The table of this name, if there is one.
pub(super) async fn table(connection: &mut SqliteConnection, name: &str) -> sqlx::Result<Option<Table>> {
    let Some(kind) = kind(connection, name).await? else { return Ok(None) };
    Ok(Some(Table {
        kind,
        columns: columns(connection, name).await?,
        indexes: indexes(connection, name).await?,
        foreign_keys: foreign_keys(connection, name).await?,
    }))
}

/// Whether the name is a table's or a view's.
async fn kind(connection: &mut SqliteConnection, name: &str) -> sqlx::Result<Option<String>> {
    const KIND: &str = "SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    rows(connection, KIND, name, |row| get(row, 0)).await.map(|mut kinds| kinds.pop())
}

/// Whether an index has this name.
pub(super) async fn index_exists(connection: &mut SqliteConnection, name: &str) -> sqlx::Result<bool> {
    const INDEX: &str = "SELECT name FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type = 'index'";
    rows(connection, INDEX, name, get_name).await.map(|names| !names.is_empty())
}

fn get_name(row: &SqliteRow) -> sqlx::Result<String> {
    get(row, 0)
}

async fn columns(connection: &mut SqliteConnection, table: &str) -> sqlx::Result<Vec<Column>> {
    // A key without an index is the table's row number, which SQLite assigns.
    const COLUMNS: &str = "SELECT name, type, \"notnull\", CASE WHEN pk = 0 THEN dflt_value IS NOT NULL ELSE \
                           NOT EXISTS (SELECT 1 FROM pragma_index_list(?1, 'main') WHERE origin = 'pk') END, \
                           pk, hidden FROM pragma_table_xinfo(?1, 'main')";
    rows(connection, COLUMNS, table, |row| {
        Ok(Column {
            name: get(row, 0)?,
            declared: get(row, 1)?,
            collation: None,
            not_null: get(row, 2)?,
            has_default: get(row, 3)?,
            key: get(row, 4)?,
            generated: get::<i64>(row, 5)? != 0,
        })
    })
    .await
}

async fn indexes(connection: &mut SqliteConnection, table: &str) -> sqlx::Result<Vec<Index>> {
    const INDEXES: &str = "SELECT name, \"unique\", partial FROM pragma_index_list(?1, 'main')";
    const KEYS: &str = "SELECT name, \"desc\", coll FROM pragma_index_xinfo(?1, 'main') WHERE key = 1 ORDER BY seqno";
    let list: Vec<(String, bool, bool)> =
        rows(connection, INDEXES, table, |row| Ok((get(row, 0)?, get(row, 1)?, get(row, 2)?))).await?;
    let mut indexes = Vec::with_capacity(list.len());
    for (name, unique, partial) in list {
        let keys: Vec<(Option<String>, bool, String)> =
            rows(connection, KEYS, &name, |row| Ok((get(row, 0)?, get(row, 1)?, get(row, 2)?))).await?;
        let partial = if partial { Some(condition(connection, &name).await?) } else { None };
        indexes.push(Index {
            unique,
            partial,
            plain: keys.iter().all(|(_, descending, collation)| !descending && collation == "BINARY"),
            columns: keys.into_iter().map(|(name, ..)| name).collect(),
        });
    }
    Ok(indexes)
}

/// The condition of a partial index.
async fn condition(connection: &mut SqliteConnection, index: &str) -> sqlx::Result<String> {
    const SQL: &str = "SELECT sql FROM sqlite_schema WHERE name = ?1 AND type = 'index'";
    let mut definitions: Vec<String> = rows(connection, SQL, index, get_name).await?;
    let definition = definitions.pop().unwrap_or_default();
    Ok(definition.rsplit_once(" WHERE ").map_or(String::new(), |(_, condition)| condition.to_owned()))
}

async fn foreign_keys(connection: &mut SqliteConnection, table: &str) -> sqlx::Result<Vec<ForeignKey>> {
    const FOREIGN_KEYS: &str = "SELECT id, \"table\", \"from\", \"to\", on_delete \
                                FROM pragma_foreign_key_list(?1, 'main') ORDER BY id, seq";
    let list: Vec<(i64, ForeignKey)> = rows(connection, FOREIGN_KEYS, table, |row| {
        let columns = vec![(get(row, 2)?, get(row, 3)?)];
        Ok((get(row, 0)?, ForeignKey { name: None, table: get(row, 1)?, columns, on_delete: get(row, 4)? }))
    })
    .await?;
    let mut keys: Vec<(i64, ForeignKey)> = Vec::new();
    for (id, key) in list {
        match keys.last_mut() {
            Some((previous, whole)) if *previous == id => whole.columns.extend(key.columns),
            _ => keys.push((id, key)),
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// The rows of a statement about the thing of this name.
async fn rows<T>(
    connection: &mut SqliteConnection,
    statement: &'static str,
    name: &str,
    read: impl Fn(&SqliteRow) -> sqlx::Result<T>,
) -> sqlx::Result<Vec<T>> {
    sqlx::query(statement).bind(name).fetch_all(connection).await?.iter().map(read).collect()
}

fn get<'r, T: Decode<'r, Sqlite> + Type<Sqlite>>(row: &'r SqliteRow, column: usize) -> sqlx::Result<T> {
    row.try_get(column)
}

/// The statement that made a table.
#[cfg(feature = "migrations")]
pub(super) async fn definition(connection: &mut SqliteConnection, table: &str) -> sqlx::Result<String> {
    const SQL: &str = "SELECT sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type = 'table'";
    rows(connection, SQL, table, get_name).await.map(|mut sql| sql.pop().unwrap_or_default())
}

/// The indexes and triggers of a table that have a statement each: the names and the statements.
#[cfg(feature = "migrations")]
pub(super) async fn attached(connection: &mut SqliteConnection, table: &str) -> sqlx::Result<Vec<(String, String)>> {
    const SQL: &str = "SELECT name, sql FROM sqlite_schema \
                       WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid";
    rows(connection, SQL, table, |row| Ok((get(row, 0)?, get(row, 1)?))).await
}

/// A declared column.
#[cfg(feature = "migrations")]
#[derive(Debug)]
pub(super) struct DeclaredColumn {
    pub(super) name: String,
    pub(super) declared: String,
    pub(super) not_null: bool,
    /// An expression.
    pub(super) default: Option<String>,
}

/// The stored columns of a table.
#[cfg(feature = "migrations")]
pub(super) async fn declared_columns(
    connection: &mut SqliteConnection,
    table: &str,
) -> sqlx::Result<Vec<DeclaredColumn>> {
    const SQL: &str = "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_xinfo(?1, 'main') WHERE hidden = 0";
    rows(connection, SQL, table, |row| {
        Ok(DeclaredColumn { name: get(row, 0)?, declared: get(row, 1)?, not_null: get(row, 2)?, default: get(row, 3)? })
    })
    .await
}

/// The columns of each UNIQUE constraint that a table's own definition has.
#[cfg(feature = "migrations")]
pub(super) async fn own_uniques(connection: &mut SqliteConnection, table: &str) -> sqlx::Result<Vec<Vec<String>>> {
    const UNIQUES: &str = "SELECT name FROM pragma_index_list(?1, 'main') WHERE origin = 'u' ORDER BY seq DESC";
    const COLUMNS: &str = "SELECT name FROM pragma_index_info(?1, 'main') ORDER BY seqno";
    let mut all = Vec::new();
    for index in rows(connection, UNIQUES, table, get_name).await? {
        all.push(rows(connection, COLUMNS, &index, get_name).await?);
    }
    Ok(all)
}
