//! Descriptions of the tables of a file, with samples of their values.

use std::sync::Arc;

use crud_shared::catalogue::{Catalogue, Column, Kind, LeftOut, Sample, Table};
use rusqlite::types::ValueRef;

use super::SqliteAdapter;
use super::connection::Connection;
use super::connection::location::Location;
use super::connection::open::Open;
use super::connection::slots::Slots;
use super::connection::time_limit::TimeLimit;
use super::error::{Error, general};
use crate::catalogue::export::export;
use crate::identifier::identifier;
use crate::model::adapter_error::AdapterError;
use crate::sqlite::dialect::Sqlite;

/// Number of records at the start and at the end of a table whose values are sampled.
const SAMPLED: u32 = 500;

/// Maximum number of different samples of a column.
const SAMPLES: usize = 100;

/// Maximum number of characters of a sample.
const SAMPLE_LENGTH: usize = 40;

impl SqliteAdapter {
    /// Describes the tables and views of a URL's file, or only those with these names. The file is opened read-only, so
    /// that its journal mode stays unchanged.
    ///
    /// # Errors
    /// When the file cannot be read, or a schema is given: SQLite files have none.
    #[doc(hidden)]
    pub async fn describe(url: &str, schema: Option<&str>, tables: &[String]) -> Result<Catalogue, AdapterError> {
        if let Some(schema) = schema.filter(|schema| *schema != "main") {
            return Err(AdapterError::Other(format!("a file of SQLite has no schema `{schema}`").into()));
        }
        let location = Location::of_url(url)?;
        let writable = !location.is_read_only();
        let slots = Slots::of_readers(location.into_reader(), 1, TimeLimit::new(), Arc::default());
        let mut connection = Connection::elsewhere(slots.acquire().await?);
        let described = export::<Sqlite>(&mut connection, None, tables).await?;
        let sampled = connection.work(move |open| {
            let Catalogue { tables, left_out, .. } = described;
            let mut catalogue = Catalogue { database: "sqlite".to_owned(), left_out, ..Catalogue::default() };
            for mut table in tables {
                table.writable &= writable;
                match sample(open, &mut table) {
                    Ok(()) => catalogue.tables.push(table),
                    Err(Error::Sqlite(error)) => {
                        let reason = format!("it cannot be read: {error}");
                        catalogue.left_out.push(LeftOut { table: table.name, reason });
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(catalogue)
        });
        sampled.await.map_err(general)
    }
}

/// Samples the values of a table's columns from its first and last records.
fn sample(open: &mut Open, table: &mut Table) -> Result<(), Error> {
    let name = identifier::<Sqlite>(&table.name);
    let columns: Vec<String> = table.columns.iter().map(|column| identifier::<Sqlite>(&column.name)).collect();
    let select = format!("SELECT {} FROM {name}", columns.join(", "));
    read(open, &format!("{select} LIMIT {SAMPLED}"), &mut table.columns)?;
    // A column may be called like the row number.
    if table.kind == Kind::Table && !table.columns.iter().any(|column| column.name.eq_ignore_ascii_case("rowid")) {
        let last = read(open, &format!("{select} ORDER BY rowid DESC LIMIT {SAMPLED}"), &mut table.columns);
        // A table WITHOUT ROWID has no row number.
        last.or_else(|error| if matches!(error, Error::Sqlite(_)) { Ok(()) } else { Err(error) })?;
    }
    Ok(())
}

fn read(open: &mut Open, statement: &str, columns: &mut [Column]) -> Result<(), Error> {
    let each = |row: &rusqlite::Row<'_>, _| {
        for (index, column) in columns.iter_mut().enumerate() {
            let sample = sample_of(row.get_ref(index)?);
            column.samples.extend(sample.filter(|sample| is_new(sample, &column.samples)));
        }
        Ok::<(), Error>(())
    };
    open.run(statement, &[], each).map(drop)
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
