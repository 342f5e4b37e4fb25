//! [`Moved`]: the tables of a move; the texts of what was not moved.

use std::fmt;

use super::checksum::Checksum;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::problem::chain;
use crate::storage::error::Error;
use crate::storage::transfer::Refused;

/// The tables of a move, which the target has as the source has them. Displayed as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    tables: Vec<MovedTable>,
    left_out: Vec<&'static str>,
}

/// A table that was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MovedTable {
    /// The table's name.
    pub table: &'static str,
    /// The number of the table's records.
    pub records: u64,
    /// A checksum of the records' values, independent of their order: the same in both databases.
    pub checksum: String,
}

impl Moved {
    pub(super) fn new(tables: &[&'static Descriptor], checksums: &[Checksum], left_out: Vec<&'static str>) -> Self {
        let moved = |(table, checksum): (&&'static Descriptor, &Checksum)| MovedTable {
            table: table.table,
            records: checksum.records(),
            checksum: checksum.text(),
        };
        Self { tables: tables.iter().zip(checksums).map(moved).collect(), left_out }
    }

    /// The tables, each after those that it refers to.
    pub fn tables(&self) -> &[MovedTable] {
        &self.tables
    }

    /// The tables of the source with the name of a table of the service, which are something else.
    pub fn left_out(&self) -> &[&'static str] {
        &self.left_out
    }

    /// The number of records of all tables.
    pub fn records(&self) -> u64 {
        self.tables.iter().map(|table| table.records).sum()
    }
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.tables.iter().map(|table| table.table.chars().count()).max().unwrap_or(0).max("table".len());
        write!(f, "{:width$}  {:>10}  checksum", "table", "records")?;
        for MovedTable { table, records, checksum } in &self.tables {
            write!(f, "\n{table:width$}  {records:>10}  {checksum}")?;
        }
        for table in &self.left_out {
            write!(f, "\n{table:width$}  left out: it is not the table of the service that has this name")?;
        }
        Ok(())
    }
}

/// The error of a move that has changed nothing, with a line for each reason.
pub(super) fn nothing_moved(reason: &str, lines: &[String]) -> Error {
    Error::Setup(format!("nothing is moved: {reason}:\n  {}", lines.join("\n  ")))
}

/// The line of a record that cannot be moved, without its values.
pub(super) fn line(table: &Descriptor, refused: &Refused) -> String {
    let name = |column: usize| format!("`{}`", table.columns[column].column);
    let names = |columns: &[usize]| columns.iter().map(|&column| name(column)).collect::<Vec<_>>().join(", ");
    let record = format!("`{}` {}", table.table, refused.key);
    match &refused.error {
        AdapterError::Constraint { column: Some(column) } => {
            format!("{record}, {}: the target cannot hold its value", name(*column))
        }
        AdapterError::Constraint { column: None } | AdapterError::TooLarge { column: None } => {
            format!("{record}: the target cannot hold one of its values")
        }
        AdapterError::TooLarge { column: Some(column) } => format!("{record}, {}: is too large", name(*column)),
        AdapterError::Unique { columns } => {
            format!("{record}, {}: is not unique in the target", names(columns))
        }
        AdapterError::ReferenceNotFound { columns } => {
            format!("{record}, {}: refers to a record that is not there", names(columns))
        }
        AdapterError::Corrupt { column, error } => format!("{record}, `{column}`: cannot be read: {error}"),
        other => format!("{record}: {}", chain(other)),
    }
}
