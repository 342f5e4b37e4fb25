//! Descriptions of the tables of a file.

use std::collections::BTreeMap;

use crud_shared::catalogue::{Catalogue, Column, ColumnType, ForeignKey, Kind, LeftOut, Sample, Table};
use crud_shared::declared::Declared;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use tokio::task::spawn_blocking;

use super::SqliteAdapter;
use super::connection::location::Location;
use super::connection::open::BUSY_TIMEOUT;
use super::error::{Error, general};
use crate::model::adapter_error::AdapterError;
use crate::schema::ddl::identifier;
use crate::sqlite::dialect::Sqlite;

/// Number of records at either end of a table whose values are samples.
const SAMPLED: u32 = 500;

/// The greatest number of different samples of a column.
const SAMPLES: usize = 100;

/// The number of characters of a sample that are kept.
const SAMPLE_LENGTH: usize = 40;

impl SqliteAdapter {
    /// Describes the tables and views of a URL's file, or those of these names. The file is opened to be read: its journal
    /// stays as it is.
    ///
    /// # Errors
    /// When the file cannot be read, or a schema is given: a file has none.
    #[doc(hidden)]
    pub async fn describe(url: &str, schema: Option<&str>, tables: &[String]) -> Result<Catalogue, AdapterError> {
        if let Some(schema) = schema.filter(|schema| *schema != "main") {
            return Err(AdapterError::Other(format!("a file of SQLite has no schema `{schema}`").into()));
        }
        let (location, tables) = (Location::of_url(url)?, tables.to_vec());
        let described = spawn_blocking(move || describe(location, &tables).map_err(general)).await;
        described.map_err(|error| AdapterError::Other(error.into()))?
    }
}

fn describe(location: Location, wanted: &[String]) -> Result<Catalogue, Error> {
    const TABLES: &str = "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' \
                          AND name NOT GLOB 'sqlite_*' ORDER BY name";
    let writable = !location.is_read_only();
    let connection = location.into_reader().open()?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let mut catalogue = Catalogue { database: "sqlite".to_owned(), ..Catalogue::default() };
    let all = rows(&connection, TABLES, None, |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?))
    })?;
    for (name, kind, without_row_number) in all {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(&name)) {
            continue;
        }
        let reason = match kind.as_str() {
            "shadow" => "a part of a virtual table",
            "virtual" => "a virtual table, whose columns have no types",
            _ => "",
        };
        if !reason.is_empty() {
            catalogue.left_out.push(LeftOut { table: name, reason: reason.to_owned() });
            continue;
        }
        let kind = if kind == "view" { Kind::View } else { Kind::Table };
        match table(&connection, &name, kind, without_row_number) {
            Ok(mut table) => {
                table.writable = writable && kind == Kind::Table;
                catalogue.tables.push(table);
            }
            // A view of a table that is gone.
            Err(error) => {
                catalogue.left_out.push(LeftOut { table: name, reason: format!("it cannot be read: {error}") });
            }
        }
    }
    Ok(catalogue)
}

fn table(connection: &Connection, name: &str, kind: Kind, without_row_number: bool) -> rusqlite::Result<Table> {
    const COLUMNS: &str = "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1, 'main') \
                           WHERE hidden <> 1 ORDER BY cid";
    let has_key_index = indexes(connection, name)?.iter().any(|index| index.origin == "pk");
    let mut key: BTreeMap<i64, String> = BTreeMap::new();
    let mut columns = rows(connection, COLUMNS, Some(name), |row| {
        let (name, declared): (String, String) = (row.get(0)?, row.get(1)?);
        let position: i64 = row.get(4)?;
        if position > 0 {
            key.insert(position, name.clone());
        }
        let ty = column_type(declared);
        // A key without an index is the table's row number, which SQLite assigns.
        let assigned = position > 0 && !has_key_index && !without_row_number;
        Ok(Column {
            name,
            ty,
            not_null: row.get::<_, bool>(2)? || assigned,
            default: row.get(3)?,
            assigned,
            generated: row.get::<_, i64>(5)? > 1,
            samples: Vec::new(),
        })
    })?;
    sample(connection, name, kind == Kind::Table && !without_row_number, &mut columns)?;
    if without_row_number {
        for column in columns.iter_mut().filter(|column| key.values().any(|name| *name == column.name)) {
            column.not_null = true;
        }
    }
    let (mut uniques, mut conditions) = (Vec::new(), Vec::new());
    for index in indexes(connection, name)? {
        conditions.extend(index.condition);
        if index.unique && !index.partial && index.origin != "pk" {
            uniques.extend(index.columns.into_iter().collect::<Option<Vec<_>>>());
        }
    }
    let foreign_keys = foreign_keys(connection, name)?;
    let key = key.into_values().collect();
    Ok(Table { name: name.to_owned(), kind, writable: true, columns, key, uniques, conditions, foreign_keys })
}

fn column_type(declared: String) -> ColumnType {
    let Declared { base, numbers, unsigned } = Declared::of(&declared);
    let is_text = ["char", "clob", "text"].iter().any(|word| base.contains(word));
    let number = |index: usize| numbers.get(index).copied();
    ColumnType {
        length: number(0).filter(|_| is_text),
        precision: number(0).filter(|_| !is_text),
        scale: number(1).filter(|_| !is_text).and_then(|scale| scale.try_into().ok()),
        base,
        unsigned,
        declared,
        ..ColumnType::default()
    }
}

struct Index {
    unique: bool,
    origin: String,
    partial: bool,
    condition: Option<String>,
    /// Not of an expression.
    columns: Vec<Option<String>>,
}

fn indexes(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Index>> {
    const INDEXES: &str = "SELECT l.name, l.\"unique\", l.origin, l.partial, s.sql FROM pragma_index_list(?1, 'main') l \
                           LEFT JOIN sqlite_schema s ON s.name = l.name AND s.type = 'index'";
    const COLUMNS: &str = "SELECT name FROM pragma_index_info(?1, 'main') ORDER BY seqno";
    let list = rows(connection, INDEXES, Some(table), |row| {
        Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get::<_, Option<String>>(4)?))
    })?;
    let index = |(name, unique, origin, partial, sql): (String, bool, String, bool, Option<String>)| {
        let condition = sql.filter(|_| partial).and_then(|sql| {
            let begin = sql.to_ascii_uppercase().rfind(" WHERE ")?;
            Some(sql[begin + 7..].trim().to_owned())
        });
        let columns = rows(connection, COLUMNS, Some(&name), |row| row.get(0))?;
        Ok(Index { unique, origin, partial, condition, columns })
    };
    list.into_iter().map(index).collect()
}

fn foreign_keys(connection: &Connection, table: &str) -> rusqlite::Result<Vec<ForeignKey>> {
    const FOREIGN_KEYS: &str = "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?1, 'main') \
                                ORDER BY id DESC, seq";
    let list = rows(connection, FOREIGN_KEYS, Some(table), |row| {
        let (column, references): (String, Option<String>) = (row.get(2)?, row.get(3)?);
        let key = ForeignKey {
            columns: vec![column],
            schema: None,
            table: row.get(1)?,
            references: references.into_iter().collect(),
            on_delete: row.get(4)?,
        };
        Ok((row.get::<_, i64>(0)?, key))
    })?;
    let mut keys: Vec<(i64, ForeignKey)> = Vec::new();
    for (id, part) in list {
        match keys.last_mut() {
            Some((last, whole)) if *last == id => {
                whole.columns.extend(part.columns);
                whole.references.extend(part.references);
            }
            _ => keys.push((id, part)),
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// Reads values of the columns, from the beginning of the table and from its end.
fn sample(connection: &Connection, table: &str, has_row_number: bool, columns: &mut [Column]) -> rusqlite::Result<()> {
    let table = identifier::<Sqlite>(table);
    let mut statements = vec![format!("SELECT * FROM {table} LIMIT {SAMPLED}")];
    // A column may have the name of the row number.
    if has_row_number && !columns.iter().any(|column| column.name.eq_ignore_ascii_case("rowid")) {
        statements.push(format!("SELECT * FROM {table} ORDER BY rowid DESC LIMIT {SAMPLED}"));
    }
    for text in statements {
        let mut statement = connection.prepare(&text)?;
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut records = statement.query(())?;
        while let Some(record) = records.next()? {
            for (index, name) in names.iter().enumerate() {
                let Some(column) = columns.iter_mut().find(|column| column.name == *name) else { continue };
                let sample = sample_of(record.get_ref(index)?);
                if let Some(sample) = sample.filter(|sample| is_new(sample, &column.samples)) {
                    column.samples.push(sample);
                }
            }
        }
    }
    Ok(())
}

fn is_new(sample: &Sample, samples: &[Sample]) -> bool {
    samples.len() < SAMPLES && !samples.contains(sample)
}

fn sample_of(value: ValueRef<'_>) -> Option<Sample> {
    let (class, text) = match value {
        ValueRef::Null => return None,
        ValueRef::Integer(number) => ("integer", number.to_string()),
        ValueRef::Real(number) => ("real", format!("{number:?}")),
        ValueRef::Text(text) => ("text", String::from_utf8_lossy(text).chars().take(SAMPLE_LENGTH).collect()),
        ValueRef::Blob(bytes) => ("blob", bytes.len().to_string()),
    };
    Some(Sample { class: class.to_owned(), text })
}

fn rows<T>(
    connection: &Connection,
    statement: &str,
    name: Option<&str>,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut prepared = connection.prepare(statement)?;
    prepared.query_map(rusqlite::params_from_iter(name), read)?.collect()
}
