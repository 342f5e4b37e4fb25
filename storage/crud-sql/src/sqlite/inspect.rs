//! Inspecting the tables of a database.

use super::argument::Argument;
use super::collation::collation;
use super::quotes::in_backticks;
use super::scale::scale;
use crate::driver::{Connection, DatabaseRow, Driver};
use crate::model::column::Column as _;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::ValueRef;
use crate::quoted::quoted_length;
use crate::schema::search_index::{self, PresentSearch};
use crate::schema::table::Column;
use crate::schema::table::ForeignKey;
use crate::schema::table::{Index, IndexedColumn};
use crate::schema::table::{Named, Table};
use crate::schema::table_name::TableName;
use crate::statement::{Statement, Text};

/// The events for which an index of words has triggers.
pub(super) const TRIGGERED: [&str; 3] = ["insert", "update", "delete"];

/// The table of this name, if there is one.
pub(super) async fn table<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    name: &str,
) -> Result<Option<Table>, D::Error> {
    let Some(kind) = kind::<D>(connection, name).await? else { return Ok(None) };
    let definition = in_backticks(&definition::<D>(connection, name).await?);
    let mut columns = columns::<D>(connection, name).await?;
    for column in &mut columns {
        column.scale = scale(&definition, &column.name);
        column.equates = collation(&definition, &column.name);
    }
    let collations: Vec<(String, String)> =
        columns.iter().filter_map(|column| Some((column.name.clone(), column.equates.clone()?))).collect();
    Ok(Some(Table {
        kind,
        partitioned: false,
        columns,
        indexes: indexes::<D>(connection, name, &collations).await?,
        foreign_keys: foreign_keys::<D>(connection, name).await?,
        searches: searches::<D>(connection, name).await?,
    }))
}

/// The tables, without virtual ones and those that they are kept in. Those of resources are strict, and their definitions have
/// each column in quotes on a separate line.
pub(super) async fn tables<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
) -> Result<Vec<TableName>, D::Error> {
    const TABLES: &str = "SELECT l.name, l.strict AND (s.sql GLOB '*(' || char(10) || '  `*' \
                          OR s.sql GLOB '*(' || char(10) || '  \"*') FROM pragma_table_list l \
                          JOIN sqlite_schema s ON s.name = l.name AND s.type = 'table' \
                          WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT GLOB 'sqlite_*' ORDER BY l.name";
    cells::<D, _>(connection, TABLES, None, |row| TableName { name: row.text(0), is_known: row.is(1) }).await
}

/// The table or view that has the name of a view, if there is one.
pub(super) async fn view<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    name: &str,
) -> Result<Option<Named>, D::Error> {
    const VIEW: &str =
        "SELECT type, sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    let present = |row: &Cells<'_, D>| Named { kind: row.text(0), definition: row.text(1) };
    rows::<D, _>(connection, VIEW, name, present).await.map(|mut found| found.pop())
}

/// Kind of a name: a table's or a view's.
async fn kind<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    name: &str,
) -> Result<Option<String>, D::Error> {
    const KIND: &str = "SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    rows::<D, _>(connection, KIND, name, |row| row.text(0)).await.map(|mut kinds| kinds.pop())
}

/// Whether an index has this name.
pub(super) async fn index_exists<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    name: &str,
) -> Result<bool, D::Error> {
    const INDEX: &str = "SELECT name FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type = 'index'";
    rows::<D, _>(connection, INDEX, name, |row| row.text(0)).await.map(|names| !names.is_empty())
}

async fn columns<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<Column>, D::Error> {
    // A key without an index is the table's row number, which SQLite assigns.
    const COLUMNS: &str = "SELECT name, type, \"notnull\", CASE WHEN pk = 0 THEN dflt_value END, pk > 0 AND \
                           NOT EXISTS (SELECT 1 FROM pragma_index_list(?1, 'main') WHERE origin = 'pk'), \
                           pk, hidden FROM pragma_table_xinfo(?1, 'main')";
    rows::<D, _>(connection, COLUMNS, table, |row| Column {
        name: row.text(0),
        declared: row.text(1),
        collation: None,
        equates: None,
        scale: None,
        not_null: row.is(2),
        default: row.some_text(3).map(default),
        assigned: row.is(4),
        key: row.number(5),
        generated: row.is(6),
    })
    .await
}

/// The expression after `DEFAULT`. SQLite keeps one in parentheses without them.
fn default(expression: String) -> String {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let is_number = expression.strip_prefix(['+', '-']).is_some_and(is_word);
    let text = expression.trim_start_matches(['x', 'X']);
    let is_text =
        ['\'', '"'].into_iter().any(|quote| text.starts_with(quote) && quoted_length(text, quote, false) == text.len());
    if is_word(&expression) || is_number || is_text { expression } else { format!("({expression})") }
}

/// The indexes of a table whose columns have these collations, and others none.
async fn indexes<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
    collations: &[(String, String)],
) -> Result<Vec<Index>, D::Error> {
    const INDEXES: &str = "SELECT name, \"unique\", partial FROM pragma_index_list(?1, 'main')";
    const KEYS: &str = "SELECT name, \"desc\", coll FROM pragma_index_xinfo(?1, 'main') WHERE key = 1 ORDER BY seqno";
    let list: Vec<(String, bool, bool)> =
        rows::<D, _>(connection, INDEXES, table, |row| (row.text(0), row.is(1), row.is(2))).await?;
    let mut indexes = Vec::with_capacity(list.len());
    let column = |(name, _, collation): (Option<String>, bool, String)| IndexedColumn {
        name,
        ignores_case: collation == "NOCASE",
        nulls_first: None,
    };
    for (name, unique, partial) in list {
        let keys: Vec<(Option<String>, bool, String)> =
            rows::<D, _>(connection, KEYS, &name, |row| (row.some_text(0), row.is(1), row.text(2))).await?;
        let partial = if partial { Some(condition::<D>(connection, &name).await?) } else { None };
        indexes.push(Index {
            name,
            unique,
            partial,
            plain: keys.iter().all(|(name, descending, collation)| {
                let own = name.as_ref().and_then(|name| collations.iter().find(|(column, _)| column == name));
                !descending && collation.eq_ignore_ascii_case(own.map_or("BINARY", |(_, own)| own))
            }),
            columns: keys.into_iter().map(column).collect(),
        });
    }
    Ok(indexes)
}

/// The condition of a partial index.
async fn condition<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    index: &str,
) -> Result<String, D::Error> {
    const SQL: &str = "SELECT sql FROM sqlite_schema WHERE name = ?1 AND type = 'index'";
    let mut definitions: Vec<String> = rows::<D, _>(connection, SQL, index, |row| row.text(0)).await?;
    let definition = definitions.pop().unwrap_or_default();
    Ok(definition.rsplit_once(" WHERE ").map_or(String::new(), |(_, condition)| in_backticks(condition)))
}

async fn foreign_keys<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<ForeignKey>, D::Error> {
    const FOREIGN_KEYS: &str = "SELECT id, \"table\", \"from\", \"to\", on_delete, on_update \
                                FROM pragma_foreign_key_list(?1, 'main') ORDER BY id, seq";
    let list: Vec<(i64, ForeignKey)> = rows::<D, _>(connection, FOREIGN_KEYS, table, |row| {
        let columns = vec![(row.text(2), row.some_text(3))];
        let (on_delete, on_update) = (row.text(4), row.text(5));
        (row.number(0), ForeignKey { name: None, table: row.text(1), columns, on_delete, on_update })
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

/// The indexes of words, each known by one of its triggers.
async fn searches<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<PresentSearch>, D::Error> {
    const TRIGGERS: &str = "SELECT name FROM sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE AND type = 'trigger' \
                            AND name GLOB 'search_????????_*'";
    let mut found: Vec<PresentSearch> = Vec::new();
    for trigger in rows::<D, _>(connection, TRIGGERS, table, |row| row.text(0)).await? {
        let name = TRIGGERED.iter().find_map(|event| trigger.strip_suffix(event)?.strip_suffix('_'));
        let Some(name) = name.filter(|name| search_index::is_name(name)) else { continue };
        if found.iter().any(|other| other.name == name) {
            continue;
        }
        let written = search_statements::<D>(connection, name).await?;
        let mut definition = written.clone();
        let index = search_index::quoted(crud_shared::dialect::SQLITE, name);
        definition.push(format!("INSERT INTO {index} ({index}) VALUES ('rebuild')"));
        found.push(PresentSearch { name: name.to_owned(), definition: definition.join(";\n"), written: Some(written) });
    }
    Ok(found)
}

/// The statements that created an index of words and its triggers.
pub(super) async fn search_statements<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    name: &str,
) -> Result<Vec<String>, D::Error> {
    const SQL: &str = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL \
                       AND name IN (?1, ?1 || '_insert', ?1 || '_update', ?1 || '_delete') ORDER BY rowid";
    rows::<D, _>(connection, SQL, name, |row| row.text(0)).await
}

/// The rows of a statement about the thing of this name.
async fn rows<D: Driver<Argument = Argument>, T>(
    connection: &mut Connection<D>,
    statement: &'static str,
    name: &str,
    read: impl Fn(&Cells<'_, D>) -> T,
) -> Result<Vec<T>, D::Error> {
    cells::<D, T>(connection, statement, Some(name), read).await
}

/// The rows of a statement that binds a name, or nothing.
pub(super) async fn cells<D: Driver<Argument = Argument>, T>(
    connection: &mut Connection<D>,
    statement: &'static str,
    name: Option<&str>,
    read: impl Fn(&Cells<'_, D>) -> T,
) -> Result<Vec<T>, D::Error> {
    let arguments = name.map(|name| Argument::Text(name.to_owned())).into_iter().collect();
    let rows = D::all(connection, Statement::fixed(statement, arguments)).await?;
    Ok(rows.iter().map(|row| read(&Cells { row, decoded: D::Decoded::default() })).collect())
}

/// The rows of a statement that is assembled, and binds nothing.
pub(super) async fn assembled<D: Driver<Argument = Argument>, T>(
    connection: &mut Connection<D>,
    text: String,
    read: impl Fn(&Cells<'_, D>) -> T,
) -> Result<Vec<T>, D::Error> {
    let statement = Statement { text: Text::Assembled(text), arguments: Vec::new(), then: None };
    let rows = D::all(connection, statement).await?;
    Ok(rows.iter().map(|row| read(&Cells { row, decoded: D::Decoded::default() })).collect())
}

/// A row of SQLite's own tables, whose columns have known types.
pub(super) struct Cells<'r, D: Driver> {
    row: &'r DatabaseRow<D>,
    decoded: D::Decoded,
}

impl<D: Driver> Cells<'_, D> {
    const TEXT: ColumnDescriptor = Option::<String>::TYPE.column("text", "");
    const NUMBER: ColumnDescriptor = Option::<i64>::TYPE.column("number", "");

    /// A text; none where it is null.
    pub(super) fn some_text(&self, column: usize) -> Option<String> {
        match D::value(&Self::TEXT, column, self.row, &self.decoded) {
            Ok(ValueRef::Text(text)) => Some(text.to_owned()),
            _ => None,
        }
    }

    /// A text that is not null.
    pub(super) fn text(&self, column: usize) -> String {
        self.some_text(column).unwrap_or_default()
    }

    /// A whole number.
    pub(super) fn number(&self, column: usize) -> i64 {
        match D::value(&Self::NUMBER, column, self.row, &self.decoded) {
            Ok(ValueRef::Int(number)) => number,
            _ => 0,
        }
    }

    /// A whole number that is not 0.
    pub(super) fn is(&self, column: usize) -> bool {
        self.number(column) != 0
    }
}

/// The statement that made a table.
pub(super) async fn definition<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<String, D::Error> {
    const SQL: &str = "SELECT sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type = 'table'";
    rows::<D, _>(connection, SQL, table, |row| row.text(0)).await.map(|mut sql| sql.pop().unwrap_or_default())
}

/// Whether the statement makes a STRICT table, as those of a service are.
#[cfg(feature = "migrations")]
pub(super) fn is_strict(definition: &str) -> bool {
    definition.trim_end().to_ascii_uppercase().ends_with("STRICT")
}

/// The indexes and triggers of a table that have a statement each: the names and the statements.
#[cfg(feature = "migrations")]
pub(super) async fn attached<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<(String, String)>, D::Error> {
    const SQL: &str = "SELECT name, sql FROM sqlite_schema \
                       WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid";
    rows::<D, _>(connection, SQL, table, |row| (row.text(0), row.text(1))).await
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
pub(super) async fn declared_columns<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<DeclaredColumn>, D::Error> {
    const SQL: &str = "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_xinfo(?1, 'main') WHERE hidden = 0";
    rows::<D, _>(connection, SQL, table, |row| DeclaredColumn {
        name: row.text(0),
        declared: row.text(1),
        not_null: row.is(2),
        default: row.some_text(3).map(default),
    })
    .await
}

/// The columns of each UNIQUE constraint that a table's own definition has.
#[cfg(feature = "migrations")]
pub(super) async fn own_uniques<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<Vec<String>>, D::Error> {
    const UNIQUES: &str = "SELECT name FROM pragma_index_list(?1, 'main') WHERE origin = 'u' ORDER BY seq DESC";
    const COLUMNS: &str = "SELECT name FROM pragma_index_info(?1, 'main') ORDER BY seqno";
    let mut all = Vec::new();
    for index in rows::<D, _>(connection, UNIQUES, table, |row| row.text(0)).await? {
        all.push(rows::<D, _>(connection, COLUMNS, &index, |row| row.text(0)).await?);
    }
    Ok(all)
}
