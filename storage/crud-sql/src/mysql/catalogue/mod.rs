//! The reader of MySQL's and MariaDB's catalogue.

pub(super) mod defined;
mod index_reads;
mod rights;
pub(super) mod statement;
mod types;
pub(super) mod view_reads;

use sqlx::mysql::{MySqlConnection, MySqlRow};

use self::statement::{Statement, definition, get, is, rows};
use self::types::add_types;
use super::dialect::MySql;
use super::search;
use crate::catalogue::by_place::joined;
use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::index_reads::IndexReads;
use crate::catalogue::table::{Column, ForeignKey, Index, IndexedColumn, Listed, Named, Parts, Reads, Table, fill};
use crate::column_names::column_names;
use crate::model::descriptor::Descriptor;
use crate::schema::ddl::{self, ACTIVE};
use crate::search_index::{self, SearchIndex};
use crate::storage::facts::TriggerFacts;
use crate::storage::rights::Rights;

impl CatalogueDriver for MySql {
    const INDEXES_BELONG_TO_TABLES: bool = true;

    /// The tables of these names in the connection's database.
    async fn described(
        connection: &mut MySqlConnection,
        names: Vec<&str>,
        parts: Parts,
    ) -> sqlx::Result<Vec<Option<Table>>> {
        let mut tables: Vec<Option<Table>> =
            rows(connection, COLUMNS, ", 10", &names, table).await?.into_iter().map(Table::whole).collect();
        if tables.iter().all(Option::is_none) {
            return Ok(tables);
        }
        let found = names.iter().zip(rows(connection, INDEX_PARTS, ", 2, 4", &names, index_part).await?);
        fill(&mut tables, found, |table, (name, parts)| add_indexes(table, name, &parts));
        if parts == Parts::Writes {
            let triggers = rows(connection, TRIGGERS, "", &names, trigger).await?;
            fill(&mut tables, triggers, |table, triggers| table.triggers = triggers);
            return Ok(tables);
        }
        fill(&mut tables, foreign_keys(connection, &names).await?, |table, keys| table.foreign_keys = keys);
        if parts == Parts::Types {
            add_types(connection, &names, &mut tables).await?;
        }
        if parts == Parts::Migration {
            for (table, name) in tables.iter_mut().zip(names) {
                if let Some(table) = table.as_mut().filter(|table| table.kind == "table") {
                    table.checks = defined::checks(&definition(connection, name).await?);
                }
            }
        }
        Ok(tables)
    }

    /// Lists the tables and views of a database; of the connection's own, where none is named. Tables of resources compare text by
    /// code point.
    async fn listed(connection: &mut MySqlConnection, schema: Option<&str>) -> sqlx::Result<Vec<Listed>> {
        const TABLES: &str = "SELECT TABLE_NAME, TABLE_TYPE, TABLE_TYPE = 'BASE TABLE', \
            COALESCE(TABLE_COLLATION, '') IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin') FROM information_schema.TABLES \
            WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) ORDER BY TABLE_NAME";
        let all = sqlx::query(TABLES).bind(schema).fetch_all(connection).await?;
        let listed = |row: &MySqlRow| {
            let kind = kind_name(&get::<String>(row, 1)?);
            let left_out = (!["table", "view", "system view"].contains(&kind.as_str())).then(|| format!("a {kind}"));
            let (is_table, is_known) = (is(row, 2)?, is(row, 3)?);
            Ok(Listed { name: get(row, 0)?, writable: kind == "table", left_out, is_table, is_known })
        };
        all.iter().map(listed).collect()
    }

    /// Whether there is a database of this name.
    async fn has_schema(connection: &mut MySqlConnection, schema: &str) -> sqlx::Result<bool> {
        const SCHEMA: &str = "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?";
        is(&sqlx::query(SCHEMA).bind(schema).fetch_one(connection).await?, 0)
    }

    /// The tables or views of these names in the connection's database.
    async fn views(connection: &mut MySqlConnection, names: Vec<&str>) -> sqlx::Result<Vec<Option<Named>>> {
        const VIEWS: Statement = |of| {
            format!(
                "t.TABLE_TYPE, CONCAT('`', REPLACE(t.TABLE_NAME, '`', '``'), '` AS ', \
                COALESCE((SELECT v.VIEW_DEFINITION FROM information_schema.VIEWS v WHERE {}), '')) \
                FROM information_schema.TABLES t WHERE {}",
                of.condition("v.TABLE_SCHEMA", "v.TABLE_NAME"),
                of.condition("t.TABLE_SCHEMA", "t.TABLE_NAME")
            )
        };
        let present = |row: &MySqlRow| Ok(Named { kind: kind_name(&get::<String>(row, 1)?), view: get(row, 2)? });
        let found = rows(connection, VIEWS, "", &names, present).await?;
        Ok(found.into_iter().map(|mut found| found.pop()).collect())
    }

    async fn reads(connection: &mut MySqlConnection, views: Vec<&str>) -> sqlx::Result<Vec<Reads>> {
        view_reads::reads(connection, views).await
    }

    async fn index_reads(connection: &mut MySqlConnection) -> sqlx::Result<IndexReads> {
        index_reads::index_reads(connection).await
    }

    async fn rights(connection: &mut MySqlConnection, resources: &[&'static Descriptor]) -> sqlx::Result<Rights> {
        rights::rights(connection, resources).await
    }
}

/// Gives a table its indexes, and its columns their places in the key.
fn add_indexes(table: &mut Table, name: &str, parts: &[IndexPart]) {
    for part in parts.iter().filter(|part| part.index == "PRIMARY") {
        if let Some(column) = table.columns.iter_mut().find(|column| part.column.as_ref() == Some(&column.name)) {
            column.key = part.place;
        }
    }
    let of_indexes = parts.chunk_by(|one, next| one.index == next.index);
    table.indexes = of_indexes.filter_map(|parts| index(parts, &table.columns)).collect();
    table.searches = searches(name, parts, &table.columns);
}

/// The triggers. A user without the privilege TRIGGER sees none.
const TRIGGERS: Statement = |of| {
    format!(
        "TRIGGER_NAME, EVENT_MANIPULATION <> 'DELETE', ACTION_TIMING = 'BEFORE' FROM information_schema.TRIGGERS WHERE {}",
        of.condition("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE")
    )
};

fn trigger(row: &MySqlRow) -> sqlx::Result<TriggerFacts> {
    let mut trigger = TriggerFacts::new(get::<String>(row, 1)?);
    // A trigger after the statement cannot change its table.
    trigger.changes = is(row, 2)? && is(row, 3)?;
    trigger.changes_returned = trigger.changes;
    Ok(trigger)
}

fn kind_name(kind: &str) -> String {
    // MariaDB keeps the former rows of a versioned table beside those that statements see.
    if ["BASE TABLE", "SYSTEM VERSIONED"].contains(&kind) { "table".to_owned() } else { kind.to_lowercase() }
}

/// The columns.
const COLUMNS: Statement = |of| {
    format!(
        "COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'NO', IF(COLUMN_KEY = 'PRI', NULL, COLUMN_DEFAULT), \
        EXTRA, VERSION(), GENERATION_EXPRESSION, COLLATION_NAME, ORDINAL_POSITION, \
        COALESCE(COLUMN_DEFAULT, 'NULL') <> 'NULL' OR EXTRA LIKE '%auto_increment%' OR EXTRA LIKE '%DEFAULT_GENERATED%', \
        (SELECT t.TABLE_TYPE FROM information_schema.TABLES t WHERE {}) FROM information_schema.COLUMNS WHERE {}",
        of.condition("t.TABLE_SCHEMA", "t.TABLE_NAME"),
        of.condition("TABLE_SCHEMA", "TABLE_NAME")
    )
};

/// A table with one of its columns. MariaDB has `INSERT … RETURNING`; MySQL knows the number that it assigned last.
fn table(row: &MySqlRow) -> sqlx::Result<Table> {
    let (extra, version): (String, String) = (get(row, 5)?, get(row, 6)?);
    let (expression, collation): (Option<String>, Option<String>) = (get(row, 7)?, get(row, 8)?);
    let collation = collation.filter(|name| !matches!(name.as_str(), "utf8mb4_nopad_bin" | "utf8mb4_0900_bin"));
    let expression = expression.filter(|expression| !expression.is_empty());
    let generated = expression.is_some();
    let column = Column {
        name: get(row, 1)?,
        declared: get(row, 2)?,
        not_null: is(row, 3)?,
        default: get::<Option<String>>(row, 4)?.and_then(|text| default(&text, &extra, &version)),
        assigned: extra.contains("auto_increment"),
        generated,
        // By letter case, accents, or spaces at the end.
        equates: collation.clone().filter(|collation| !collation.ends_with("_0900_as_cs")),
        collation,
        expression,
        filled: is(row, 10)?,
        fixed: generated,
        ..Column::default()
    };
    let kind = kind_name(&get::<String>(row, 11)?);
    Ok(Table { kind, columns: vec![column], returns_keys: version.contains("MariaDB"), ..Table::default() })
}

/// The expression after `DEFAULT`, from that of the catalogue. `MariaDB` shows it as it is written, and NULL where there is
/// none. `MySQL` shows the text of a literal without quotes, and escapes those of an expression.
fn default(text: &str, extra: &str, version: &str) -> Option<String> {
    if version.contains("MariaDB") {
        return (text != "NULL").then(|| text.to_owned());
    }
    let expression = if extra.contains("DEFAULT_GENERATED") {
        // A quote in a text has a backslash in the expression, which is up to the session.
        let expression = escapes_replaced(text, |escaped| escaped.to_string());
        escapes_replaced(&expression, |escaped| if escaped == '\'' { "''".to_owned() } else { format!("\\{escaped}") })
    } else if text.starts_with("b'") {
        text.to_owned()
    } else {
        ddl::text_literal(text)
    };
    // Long text has no other one.
    Some(format!("({expression})"))
}

/// A text with another one in place of each backslash and the character after it.
fn escapes_replaced(text: &str, by: fn(char) -> String) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        match escaped {
            Some(escaped) => result.push_str(&by(escaped)),
            None => result.push(character),
        }
    }
    result
}

/// A column of an index, as the catalogue has it.
pub(super) struct IndexPart {
    pub(super) index: String,
    unique: bool,
    /// The place in the index, from 1.
    place: i64,
    /// Its name; `None` for an expression.
    pub(super) column: Option<String>,
    /// The name, or the expression.
    text: String,
    ascends: bool,
    /// Kind of index, such as `BTREE`.
    pub(super) kind: String,
    /// Number of characters that the index has of a text, where it has not all.
    prefix: Option<i64>,
}

/// The columns of indexes.
const INDEX_PARTS: Statement = |of| {
    format!(
        "INDEX_NAME, NON_UNIQUE, CAST(SEQ_IN_INDEX AS SIGNED), COLUMN_NAME, COLLATION <=> 'A', INDEX_TYPE, \
        CAST(SUB_PART AS SIGNED), COALESCE(COLUMN_NAME /*!80013 , EXPRESSION */) \
        FROM information_schema.STATISTICS WHERE {}",
        of.condition("TABLE_SCHEMA", "TABLE_NAME")
    )
};

fn index_part(row: &MySqlRow) -> sqlx::Result<IndexPart> {
    Ok(IndexPart {
        index: get(row, 1)?,
        unique: !is(row, 2)?,
        place: get(row, 3)?,
        column: get(row, 4)?,
        ascends: is(row, 5)?,
        kind: get(row, 6)?,
        prefix: get(row, 7)?,
        text: get(row, 8)?,
    })
}

/// The index of these parts, on a table with these columns.
fn index(parts: &[IndexPart], columns: &[Column]) -> Option<Index> {
    let (name, unique) = parts.first().map(|first| (first.index.clone(), first.unique))?;
    let reads = reads(parts, columns);
    let mut index = Index { name, unique, identifies: unique, reads, plain: true, ..Index::default() };
    for part in parts {
        let column = columns.iter().find(|column| part.column.as_ref() == Some(&column.name));
        // An index on a long text holds its beginning: MySQL cannot index more.
        let is_long = column.is_some_and(|column| column.declared == "longtext");
        let is_whole = part.prefix.is_none_or(|length| length >= 255) || is_long;
        index.plain &= part.ascends && part.kind == "BTREE" && is_whole;
        // The beginning of a text or an expression is not unique as a column is.
        index.identifies &= part.column.is_some() && part.prefix.is_none();
        let generated = column.and_then(|column| column.expression.as_deref());
        if let Some(condition) = generated.and_then(condition).filter(|_| part.column.as_deref() == Some(ACTIVE)) {
            (index.partial, index.identifies) = (Some(condition), false);
        } else if let Some(folded) = generated.and_then(folded) {
            (index.plain, index.identifies) = (false, false);
            index.columns.push(IndexedColumn { name: Some(folded), ignores_case: true, nulls_first: None });
        } else {
            let collation = column.and_then(|column| column.collation.as_ref());
            let ignores_case = collation.is_some_and(|collation| collation.ends_with("_ci"));
            index.columns.push(IndexedColumn { name: part.column.clone(), ignores_case, nulls_first: None });
        }
    }
    Some(index)
}

/// The indexes of words among those of a table with these columns.
fn searches(table: &str, parts: &[IndexPart], columns: &[Column]) -> Vec<SearchIndex> {
    let present = |part: &IndexPart| {
        let column = part.column.as_ref().filter(|name| part.kind == "FULLTEXT" && name.starts_with("crud_search_"))?;
        let column = columns.iter().find(|described| described.name == *column)?;
        let (expression, collation) = (column.expression.as_ref()?, column.collation.as_ref()?);
        let collation = format!("CHARACTER SET utf8mb4 COLLATE {collation}");
        // MySQL escapes the quotes of an expression there.
        let definition = search::add(table, &part.index, &expression.replace("\\'", "'"), &collation);
        let search = SearchIndex { name: part.index.clone(), create: vec![definition], create_concurrently: None };
        Some(search).filter(|search| search_index::is_name(&search.name))
    };
    parts.iter().filter_map(present).collect()
}

/// The columns of an index, and those that its expressions read. MariaDB's indexes have none: one of generated columns alone
/// is one of what they are computed from.
fn reads(parts: &[IndexPart], columns: &[Column]) -> Vec<String> {
    let own = parts.iter().flat_map(|part| match &part.column {
        Some(name) => vec![name.clone()],
        None => column_names(&part.text),
    });
    let sources = |part: &IndexPart| {
        let column = columns.iter().find(|column| part.column.as_ref() == Some(&column.name));
        column?.expression.as_deref().map(column_names)
    };
    let sources: Option<Vec<Vec<String>>> = parts.iter().map(sources).collect();
    own.chain(sources.into_iter().flatten().flatten()).collect()
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

/// The foreign keys of each table: from its definition, where the catalogue hides their actions, as it does from some users.
async fn foreign_keys(connection: &mut MySqlConnection, names: &[&str]) -> sqlx::Result<Vec<Vec<ForeignKey>>> {
    let mut all = Vec::with_capacity(names.len());
    let is_same = |one: &ForeignKey, other: &ForeignKey| one.name == other.name;
    for (parts, name) in rows(connection, FOREIGN_KEYS, ", 2, 7", names, foreign_key).await?.into_iter().zip(names) {
        all.push(match parts.into_iter().collect::<Option<Vec<_>>>() {
            Some(parts) => joined(parts, is_same, |one, next| one.columns.append(&mut next.columns)),
            // One that may not read the table either has other errors.
            None => definition(connection, name).await.map_or_else(|_| Vec::new(), |text| defined::foreign_keys(&text)),
        });
    }
    Ok(all)
}

/// The columns of foreign keys.
const FOREIGN_KEYS: Statement = |of| {
    format!(
        "k.CONSTRAINT_NAME, IF(k.REFERENCED_TABLE_SCHEMA = {}, k.REFERENCED_TABLE_NAME, \
        CONCAT(k.REFERENCED_TABLE_SCHEMA, '.', k.REFERENCED_TABLE_NAME)), k.COLUMN_NAME, k.REFERENCED_COLUMN_NAME, \
        (SELECT CONCAT(r.DELETE_RULE, '/', r.UPDATE_RULE) FROM information_schema.REFERENTIAL_CONSTRAINTS r \
        WHERE {} AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME), k.ORDINAL_POSITION, k.REFERENCED_TABLE_SCHEMA \
        FROM information_schema.KEY_COLUMN_USAGE k WHERE {} AND k.REFERENCED_TABLE_NAME IS NOT NULL",
        of.schema(),
        of.condition("r.CONSTRAINT_SCHEMA", "r.TABLE_NAME"),
        of.condition("k.TABLE_SCHEMA", "k.TABLE_NAME")
    )
};

/// A foreign key with one of its columns; `None` where the catalogue hides its actions.
fn foreign_key(row: &MySqlRow) -> sqlx::Result<Option<ForeignKey>> {
    let (name, table, columns) = (get(row, 1)?, get(row, 2)?, vec![(get(row, 3)?, get(row, 4)?)]);
    let Some(actions) = get::<Option<String>>(row, 5)? else { return Ok(None) };
    let (on_delete, on_update) = actions.split_once('/').unwrap_or_default();
    // To InnoDB both are one.
    let on_update = if on_update == "RESTRICT" { "NO ACTION" } else { on_update };
    let (on_delete, on_update) = (on_delete.to_owned(), on_update.to_owned());
    Ok(Some(ForeignKey { name: Some(name), table, schema: Some(get(row, 7)?), columns, on_delete, on_update }))
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
