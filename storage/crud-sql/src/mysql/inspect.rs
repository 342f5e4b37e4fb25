//! Inspecting the tables of a database.

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{Decode, MySql, Row, Type};

use super::catalogue::about;
use super::{defined_keys, search, show_create};
use crate::schema::ddl::{self, ACTIVE};
use crate::schema::table::Column;
use crate::schema::table::ForeignKey;
use crate::schema::table::{Index, IndexedColumn};
use crate::schema::table::{Named, Table};
use crate::schema::table_name::TableName;

/// The table of this name in the connection's database, if there is one.
pub(super) async fn table(connection: &mut MySqlConnection, name: &str) -> sqlx::Result<Option<Table>> {
    const KIND: &str = "SELECT TABLE_TYPE FROM information_schema.TABLES \
        WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?";
    let kinds = rows(connection, KIND, name, |row| get::<String>(row, 0)).await?;
    let Some(kind) = kinds.first() else { return Ok(None) };
    Ok(Some(Table {
        kind: kind_name(kind),
        partitioned: false,
        columns: columns(connection, name).await?,
        indexes: indexes(connection, name).await?,
        foreign_keys: foreign_keys(connection, name).await?,
        searches: search::present(connection, name).await?,
    }))
}

/// The tables of the connection's database. Those of resources compare text by code point.
pub(super) async fn tables(connection: &mut MySqlConnection) -> sqlx::Result<Vec<TableName>> {
    const TABLES: &str = "SELECT TABLE_NAME, COALESCE(TABLE_COLLATION, '') IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin') \
        FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME";
    let all = sqlx::query(TABLES).fetch_all(connection).await?;
    all.iter().map(|row| Ok(TableName { name: get(row, 0)?, is_known: is(row, 1)? })).collect()
}

/// Whether there is a database of this name.
pub(super) async fn has_schema(connection: &mut MySqlConnection, schema: &str) -> sqlx::Result<bool> {
    const SCHEMA: &str = "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?";
    is(&sqlx::query(SCHEMA).bind(schema).fetch_one(connection).await?, 0)
}

/// The table or view of this name in the connection's database, if there is one.
pub(super) async fn view(connection: &mut MySqlConnection, name: &str) -> sqlx::Result<Option<Named>> {
    const VIEW: &str = "SELECT t.TABLE_TYPE, CONCAT('CREATE VIEW `', REPLACE(t.TABLE_NAME, '`', '``'), '` AS ', \
        COALESCE(v.VIEW_DEFINITION, '')) FROM information_schema.TABLES t LEFT JOIN information_schema.VIEWS v \
        ON v.TABLE_SCHEMA = DATABASE() AND v.TABLE_NAME = ? \
        WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = ?";
    let present = |row: &MySqlRow| Ok(Named { kind: kind_name(&get::<String>(row, 0)?), definition: get(row, 1)? });
    rows(connection, VIEW, name, present).await.map(|mut found| found.pop())
}

fn kind_name(kind: &str) -> String {
    if kind == "BASE TABLE" { "table".to_owned() } else { kind.to_lowercase() }
}

async fn columns(connection: &mut MySqlConnection, table: &str) -> sqlx::Result<Vec<Column>> {
    const COLUMNS: &str = "SELECT c.COLUMN_NAME, c.COLUMN_TYPE, c.IS_NULLABLE = 'NO', \
        IF(c.COLUMN_KEY = 'PRI', NULL, c.COLUMN_DEFAULT), c.EXTRA, VERSION(), \
        CAST(COALESCE((SELECT s.SEQ_IN_INDEX FROM information_schema.STATISTICS s WHERE s.TABLE_SCHEMA = DATABASE() \
        AND s.TABLE_NAME = ? AND s.INDEX_NAME = 'PRIMARY' AND s.COLUMN_NAME = c.COLUMN_NAME), 0) AS SIGNED), \
        COALESCE(c.GENERATION_EXPRESSION, '') <> '', \
        IF(c.COLLATION_NAME IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin'), NULL, c.COLLATION_NAME) \
        FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = ? \
        ORDER BY c.ORDINAL_POSITION";
    rows(connection, COLUMNS, table, |row| {
        let (extra, version): (String, String) = (get(row, 4)?, get(row, 5)?);
        let collation: Option<String> = get(row, 8)?;
        Ok(Column {
            name: get(row, 0)?,
            declared: get(row, 1)?,
            not_null: is(row, 2)?,
            default: get::<Option<String>>(row, 3)?.and_then(|text| default(&text, &extra, &version)),
            assigned: extra.contains("auto_increment"),
            key: number(row, 6)?,
            generated: is(row, 7)?,
            // By letter case, accents, or spaces at the end.
            equates: collation.clone().filter(|collation| !collation.ends_with("_0900_as_cs")),
            collation,
            scale: None,
        })
    })
    .await
}

/// The expression after `DEFAULT`, from that of the catalogue. `MariaDB` shows it as it is written, and NULL where there is
/// none. `MySQL` shows the text of a literal without quotes, and escapes those of an expression.
fn default(text: &str, extra: &str, version: &str) -> Option<String> {
    if version.contains("MariaDB") {
        return (text != "NULL").then(|| text.to_owned());
    }
    let expression = if extra.contains("DEFAULT_GENERATED") {
        // A quote in a text has a backslash in the expression, which is up to the session.
        quotes_doubled(&unescaped(text))
    } else if text.starts_with("b'") {
        text.to_owned()
    } else {
        ddl::text_literal(text)
    };
    // Long text has no other one.
    Some(format!("({expression})"))
}

/// A text without the backslashes that escape.
fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        result.push(if character == '\\' { characters.next().unwrap_or(character) } else { character });
    }
    result
}

/// An expression with each quote in a text doubled, not after a backslash.
fn quotes_doubled(expression: &str) -> String {
    let mut result = String::with_capacity(expression.len());
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        let next = if character == '\\' { characters.next() } else { None };
        match next {
            Some('\'') => result.push_str("''"),
            next => result.extend(std::iter::once(character).chain(next)),
        }
    }
    result
}

async fn indexes(connection: &mut MySqlConnection, table: &str) -> sqlx::Result<Vec<Index>> {
    // Of long text an index holds the beginning; an order asks for more, but it is all that there can be.
    const INDEXES: &str = "SELECT s.INDEX_NAME, s.NON_UNIQUE, s.COLUMN_NAME, s.COLLATION <=> 'A' \
        AND s.INDEX_TYPE = 'BTREE' AND (s.SUB_PART IS NULL OR s.SUB_PART >= 255 OR \
        (SELECT c.DATA_TYPE FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = ? \
        AND c.COLUMN_NAME = s.COLUMN_NAME) = 'longtext'), \
        (SELECT c.GENERATION_EXPRESSION FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = DATABASE() \
        AND c.TABLE_NAME = ? AND c.COLUMN_NAME = s.COLUMN_NAME), \
        COALESCE((SELECT RIGHT(c.COLLATION_NAME, 3) = '_ci' FROM information_schema.COLUMNS c \
        WHERE c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = ? AND c.COLUMN_NAME = s.COLUMN_NAME), 0) \
        FROM information_schema.STATISTICS s \
        WHERE s.TABLE_SCHEMA = DATABASE() AND s.TABLE_NAME = ? ORDER BY s.INDEX_NAME, s.SEQ_IN_INDEX";
    let mut indexes: Vec<Index> = Vec::new();
    for row in about(INDEXES, table).fetch_all(connection).await? {
        let name: String = get(&row, 0)?;
        if indexes.last().is_none_or(|last| last.name != name) {
            let unique = !is(&row, 1)?;
            indexes.push(Index { name, unique, partial: None, columns: Vec::new(), plain: true });
        }
        let Some(index) = indexes.last_mut() else { continue };
        let column: Option<String> = get(&row, 2)?;
        index.plain &= is(&row, 3)?;
        let generated: Option<String> = get(&row, 4)?;
        let generated = generated.as_deref();
        if let Some(condition) = generated.and_then(condition).filter(|_| column.as_deref() == Some(ACTIVE)) {
            index.partial = Some(condition);
        } else if let Some(folded) = generated.and_then(folded) {
            index.plain = false;
            index.columns.push(IndexedColumn { name: Some(folded), ignores_case: true, nulls_first: None });
        } else {
            index.columns.push(IndexedColumn { name: column, ignores_case: is(&row, 5)?, nulls_first: None });
        }
    }
    Ok(indexes)
}

/// The column whose text a generated column has in lower case: of ``lower(`email`)``, or of ``lcase(`email`)``, which is
/// how MariaDB spells it.
fn folded(expression: &str) -> Option<String> {
    let rest = expression.strip_prefix("lower(").or_else(|| expression.strip_prefix("lcase("))?;
    let name = rest.strip_suffix(')')?.strip_prefix('`')?.strip_suffix('`')?;
    Some(name.replace("``", "`"))
}

/// The condition in the definition of the column that marks active records, such as
/// ``if(`deleted_at` is null,1,NULL)``.
fn condition(expression: &str) -> Option<String> {
    let bare = expression.replace(['(', ')'], "");
    bare.strip_prefix("if")?.strip_suffix(",1,NULL").map(str::to_owned)
}

async fn foreign_keys(connection: &mut MySqlConnection, table: &str) -> sqlx::Result<Vec<ForeignKey>> {
    const FOREIGN_KEYS: &str = "SELECT k.CONSTRAINT_NAME, \
        IF(k.REFERENCED_TABLE_SCHEMA = DATABASE(), k.REFERENCED_TABLE_NAME, \
        CONCAT(k.REFERENCED_TABLE_SCHEMA, '.', k.REFERENCED_TABLE_NAME)), k.COLUMN_NAME, \
        k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE FROM information_schema.KEY_COLUMN_USAGE k \
        JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = DATABASE() \
        AND r.TABLE_NAME = ? AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME \
        WHERE k.TABLE_SCHEMA = DATABASE() AND k.TABLE_NAME = ? AND k.REFERENCED_TABLE_NAME IS NOT NULL \
        ORDER BY k.CONSTRAINT_NAME, k.ORDINAL_POSITION";
    let parts: Vec<(String, ForeignKey)> = rows(connection, FOREIGN_KEYS, table, |row| {
        let columns = vec![(get(row, 2)?, get(row, 3)?)];
        let (on_delete, on_update) = (get(row, 4)?, get::<String>(row, 5)?);
        // To InnoDB both are one.
        let on_update = if on_update == "RESTRICT" { "NO ACTION".to_owned() } else { on_update };
        Ok((get(row, 0)?, ForeignKey { name: get(row, 0)?, table: get(row, 1)?, columns, on_delete, on_update }))
    })
    .await?;
    if parts.is_empty() {
        // The catalogue shows them to some users alone. One that may not read the table either has other errors.
        return Ok(show_create::definition(connection, table)
            .await
            .map_or_else(|_| Vec::new(), |definition| defined_keys::foreign_keys(&definition)));
    }
    let mut keys: Vec<(String, ForeignKey)> = Vec::new();
    for (name, key) in parts {
        match keys.last_mut() {
            Some((last, whole)) if *last == name => whole.columns.extend(key.columns),
            _ => keys.push((name, key)),
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// The rows of a statement about the thing of this name.
async fn rows<T>(
    connection: &mut MySqlConnection,
    statement: &'static str,
    name: &str,
    read: impl Fn(&MySqlRow) -> sqlx::Result<T>,
) -> sqlx::Result<Vec<T>> {
    about(statement, name).fetch_all(connection).await?.iter().map(read).collect()
}

fn get<'r, T: Decode<'r, MySql> + Type<MySql>>(row: &'r MySqlRow, column: usize) -> sqlx::Result<T> {
    // The types of what the catalogue shows differ from version to version, some texts being bytes.
    row.try_get_unchecked(column)
}

fn number(row: &MySqlRow, column: usize) -> sqlx::Result<i64> {
    get(row, column)
}

fn is(row: &MySqlRow, column: usize) -> sqlx::Result<bool> {
    number(row, column).map(|number| number != 0)
}

#[cfg(test)]
mod tests {
    use super::default;

    #[test]
    fn defaults_are_read_as_they_are_written() {
        let maria = |text: &str| default(text, "", "11.4.2-MariaDB");
        assert_eq!(maria("NULL"), None);
        assert_eq!(maria("'NULL'").as_deref(), Some("'NULL'"));
        assert_eq!(maria("current_timestamp(6)").as_deref(), Some("current_timestamp(6)"));
        let mysql = |text: &str, extra: &str| default(text, extra, "8.4.3");
        assert_eq!(mysql("it's", "").as_deref(), Some("('it''s')"));
        assert_eq!(mysql("b'1'", "").as_deref(), Some("(b'1')"));
        assert_eq!(mysql("_utf8mb4\\'EUR\\'", "DEFAULT_GENERATED").as_deref(), Some("(_utf8mb4'EUR')"));
        let quoted = r"_utf8mb4\'it\\\'s\'";
        assert_eq!(mysql(quoted, "DEFAULT_GENERATED").as_deref(), Some("(_utf8mb4'it''s')"));
    }
}
