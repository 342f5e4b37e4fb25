//! The tables of a move, and the checks before it.

use super::report::nothing_moved;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::query::Predicate;
use crate::service::builder::Service;
use crate::service::tables::internal_tables;
use crate::storage::adapter::Adapter;
use crate::storage::error::{Error, Result};
use crate::storage::schema::{Difference, DifferenceKind};
use crate::storage::transfer::Transfer;

/// The tables of a source.
pub(super) struct SourceTables {
    /// Tables to move, each after those that it refers to.
    pub(super) tables: Vec<&'static Descriptor>,
    /// Tables of other programs with the name of a table of the service.
    pub(super) left_out: Vec<&'static str>,
}

/// One description of each table. Those of the service itself that the program does not use come last, unless a struct has
/// one.
fn described(service: &Service) -> Result<Vec<&'static Descriptor>> {
    let mut tables = service.described_tables()?;
    tables.retain(|table| table.view.is_none() && !table.keyless);
    let others = internal_tables().into_iter().filter(|internal| !is_in(&tables, internal)).collect::<Vec<_>>();
    Ok(tables.into_iter().chain(others).collect())
}

/// Refuses a source with records in a table without a key: pages of records, and the comparison, are by keys.
///
/// # Errors
/// [`Error::Setup`] with the tables.
async fn check_keys(service: &Service) -> Result<()> {
    let mut lines = Vec::new();
    for table in service.described_tables()?.into_iter().filter(|table| table.view.is_none() && table.keyless) {
        let records = match service.adapter.count(table, &Predicate::All).await {
            Err(AdapterError::MissingTable(_)) => 0,
            counted => counted.map_err(Error::Database)?,
        };
        lines.extend((records > 0).then(|| full(table, records)));
    }
    if lines.is_empty() {
        return Ok(());
    }
    lines.push("Copy them by the databases' own tools, with a program that leaves out their structs.".to_owned());
    Err(nothing_moved("tables without a key have records", &lines))
}

/// The line of a table that has records.
fn full(table: &Descriptor, records: u64) -> String {
    let noun = if records == 1 { "record" } else { "records" };
    format!("table `{}`: {records} {noun}", table.table)
}

fn is_in(tables: &[&'static Descriptor], table: &Descriptor) -> bool {
    tables.iter().any(|one| one.table == table.table)
}

/// The tables of the service that the source has. Those of the service itself may be missing.
///
/// # Errors
/// [`Error::Setup`] with what does not fit the structs, a column in no field included, and with tables of records without a
/// key.
pub(super) async fn source_tables(service: &Service, source: &dyn Transfer) -> Result<SourceTables> {
    check_keys(service).await?;
    let (used, internal) = (service.tables(), internal_tables());
    let mut lines = Vec::new();
    let mut found = SourceTables { tables: Vec::new(), left_out: Vec::new() };
    for table in described(service)? {
        let differences = source.differences(&[table]).await.map_err(Error::Database)?;
        if differences.iter().any(|difference| difference.what == DifferenceKind::TableMissing) {
            if !is_in(&internal, table) {
                lines.push(format!("table `{}`: is missing", table.table));
            }
            continue;
        }
        let unfit: Vec<String> = differences.iter().filter(|one| is_unfit(one)).map(Difference::to_string).collect();
        if !unfit.is_empty() && !is_in(&used, table) {
            found.left_out.push(table.table);
            continue;
        }
        lines.extend(unfit);
        found.tables.push(table);
    }
    if lines.is_empty() {
        return Ok(found);
    }
    let remedy =
        "Start the service or apply the migrations on the source first; drop a column in no field, or add a field.";
    lines.push(remedy.to_owned());
    Err(nothing_moved("the source does not fit the structs", &lines))
}

/// Whether records would lose a value, or cannot be read.
fn is_unfit(difference: &Difference) -> bool {
    match difference.what {
        DifferenceKind::ColumnUnused { .. } => true,
        DifferenceKind::TargetMissing { .. } => false,
        _ => difference.is_refused(),
    }
}

/// These tables, with the views of the service.
pub(super) fn with_views(all: &[&'static Descriptor], tables: &[&'static Descriptor]) -> Vec<&'static Descriptor> {
    let others = tables.iter().filter(|table| !is_in(all, table));
    all.iter().chain(others).copied().collect()
}

/// Refuses a target with a record in any table of the service, or with a table to move that contradicts its struct.
///
/// # Errors
/// [`Error::Setup`].
pub(super) async fn check_target(
    service: &Service,
    target: &dyn Adapter,
    transfer: &dyn Transfer,
    tables: &[&'static Descriptor],
) -> Result<()> {
    let (mut unfit, mut filled) = (Vec::new(), Vec::new());
    for table in described(service)? {
        let differences = transfer.differences(&[table]).await.map_err(Error::Database)?;
        if differences.iter().any(|difference| difference.what == DifferenceKind::TableMissing) {
            continue;
        }
        let contradicts = |difference: &&Difference| {
            difference.is_refused() && !matches!(difference.what, DifferenceKind::TargetMissing { .. })
        };
        let lines: Vec<String> = differences.iter().filter(contradicts).map(Difference::to_string).collect();
        if lines.is_empty() {
            let records = target.count(table, &Predicate::All).await.map_err(Error::Database)?;
            filled.extend((records > 0).then(|| full(table, records)));
        } else if is_in(tables, table) {
            unfit.extend(lines);
        }
    }
    match (unfit.is_empty(), filled.is_empty()) {
        (true, true) => Ok(()),
        (false, _) => Err(nothing_moved("the target does not fit the structs", &unfit)),
        (true, false) => Err(nothing_moved("the target is not empty", &filled)),
    }
}
