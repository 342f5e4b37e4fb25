//! Comparison of the target with the source, record by record where they differ.

use std::collections::HashMap;

use super::checksum::{Checksum, is_same};
use super::page::{Pages, Reads, read};
use super::report::nothing_moved;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::error::{Error, Result};
use crate::storage::transaction::Transaction;
use crate::storage::transfer::Load;

/// Limit of the records of a table that are named.
const MAX_NAMED: usize = 10;

/// Number of keys in a query.
const KEYS: usize = 100;

/// Reads every table back from the target, and compares it with what was read from the source.
///
/// # Errors
/// [`Error::Setup`] with the tables, and the first records and columns, that differ.
pub(super) async fn compare(
    from: &mut dyn Transaction,
    to: &mut dyn Load,
    tables: &[&'static Descriptor],
    moved: &[Checksum],
) -> Result<()> {
    let mut lines = Vec::new();
    for (&table, &source) in tables.iter().zip(moved) {
        let target = checksum(to, table).await.map_err(Error::Database)?;
        if target != source {
            lines.push(format!(
                "table `{}`: {} records with the checksum {} in the source, {} with {} in the target",
                table.table,
                source.records(),
                source.text(),
                target.records(),
                target.text()
            ));
            lines.extend(different_records(from, to, table).await.map_err(Error::Database)?);
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(nothing_moved("records that differ in the target", &lines)) }
}

async fn checksum(to: &mut dyn Load, table: &'static Descriptor) -> Result<Checksum, AdapterError> {
    let mut checksum = Checksum::default();
    let mut pages = Pages::new(table);
    while let Some(page) = pages.next(&mut Reads::Target(to)).await? {
        page.records.iter().for_each(|record| checksum.add(table, record));
    }
    Ok(checksum)
}

/// The first records of the source that differ in the target, a line each.
async fn different_records(
    from: &mut dyn Transaction,
    to: &mut dyn Load,
    table: &'static Descriptor,
) -> Result<Vec<String>, AdapterError> {
    let mut lines = Vec::new();
    let mut pages = Pages::new(table);
    while let Some(page) = pages.next(&mut Reads::Snapshot(from)).await? {
        for records in page.records.chunks(KEYS) {
            let keys: Vec<Key> = records.iter().map(|record| Key::of(table, record)).collect();
            let filter = Predicate::of_keys(table, &keys);
            let found = read(&mut Reads::Target(to), table, &ListQuery::all(table).filter(filter)).await?;
            let found: HashMap<String, Vec<Value>> =
                found.records.into_iter().map(|record| (Key::of(table, &record).to_string(), record)).collect();
            for record in records {
                lines.extend(difference(table, record, found.get(&Key::of(table, record).to_string())));
                if lines.len() == MAX_NAMED {
                    return Ok(lines);
                }
            }
        }
    }
    Ok(lines)
}

/// The line of a record, if it differs.
fn difference(table: &Descriptor, record: &[Value], found: Option<&Vec<Value>>) -> Option<String> {
    let key = format!("`{}` {}", table.table, Key::of(table, record));
    let Some(found) = found else { return Some(format!("{key}: is missing")) };
    let columns = table.columns.iter().zip(record.iter().zip(found));
    let differ = columns.filter(|(column, (one, other))| column.is_stored() && !is_same(one, other));
    let names: Vec<String> = differ.map(|(column, _)| format!("`{}`", column.column)).collect();
    (!names.is_empty()).then(|| format!("{key}: {} is another value", names.join(", ")))
}
