//! Changes of [generated columns](crate::schema::folded) of text in lower case.

use super::present_index::definition;
use super::retyped_index::{Retyped, respelled};
use crate::catalogue::table::{Column, Index, IndexedColumn, Table};
use crate::dialect::Dialect;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::change::{AlteredFolded, Change};
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::renamed_columns::{Renamed, former};
use crate::schema::comparison::table_diff::missing_unique;
use crate::schema::folded::{columns, line, name_of, typed_line};
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::indexes::{Unique, uniques};

/// The generated columns that a missing unique needs and the table lacks, unless one before it needs them too.
pub(super) fn missing<D: Dialect>(compared: &Compared, unique: &Unique) -> Vec<Change> {
    let resource = compared.resource;
    let missing = compared.whats().filter_map(|what| missing_unique(resource, what));
    let before: Vec<Unique> = missing.take_while(|other| other != unique).collect();
    let added = columns::<D>(resource, &before);
    let is_missing = |column: &&ColumnDescriptor| {
        let is_added = added.iter().any(|other| other.column == column.column);
        !is_added && compared.column::<D>(&name_of::<D>(column.column)).is_none()
    };
    let missing = columns::<D>(resource, std::slice::from_ref(unique)).into_iter().filter(is_missing);
    missing.map(|column| added_column::<D>(column.column, line::<D>(resource, column))).collect()
}

/// Drops the generated columns of the table that a unique alone needs, and no other index has.
pub(super) fn unused<D: Dialect>(compared: &Compared, unique: &Unique) -> Vec<Change> {
    let resource: &Descriptor = compared.resource;
    let used = columns::<D>(resource, &uniques(resource));
    let own = (D::TABLES.shorten)(unique.name(resource));
    let is_in_other = |column: &ColumnDescriptor| {
        let has = |index: &Index| index.columns.iter().any(|key| key.ignores_case && key.is::<D>(column.column));
        compared.present_indexes().any(|index| index.name != own && has(index))
    };
    let is_unused = |column: &&ColumnDescriptor| {
        let is_used = used.iter().any(|other| other.column == column.column) || is_in_other(column);
        !is_used && compared.column::<D>(&name_of::<D>(column.column)).is_some()
    };
    let unused = columns::<D>(resource, std::slice::from_ref(unique)).into_iter().filter(is_unused);
    unused.map(|column| dropped_column::<D>(column.column, line::<D>(resource, column))).collect()
}

fn added_column<D: Dialect>(column: &str, line: String) -> Change {
    Change::Generated { column: name_of::<D>(column), from: None, to: Some(line) }
}

fn dropped_column<D: Dialect>(column: &str, line: String) -> Change {
    Change::Generated { column: name_of::<D>(column), from: Some(line), to: None }
}

/// The generated column of a column that gets another type, which follows.
pub(super) fn altered<D: MigrationDriver>(compared: &Compared, retyped: &Retyped<'_>) -> Option<AlteredFolded> {
    let is_there = D::TABLES.folded.is_none() && compared.column::<D>(&name_of::<D>(retyped.column)).is_some();
    is_there.then(|| AlteredFolded {
        from: typed_line::<D>(retyped.column, retyped.from),
        to: typed_line::<D>(retyped.column, retyped.to),
        indexes: respelled::<D>(compared, retyped, true),
    })
}

/// Drops the generated column of a column that no field has any more, with its indexes.
pub(super) fn removal<D: MigrationDriver>(compared: &Compared, column: &str) -> Vec<Change> {
    let generated = name_of::<D>(column);
    let is_there = |table: &&Table| D::TABLES.folded.is_none() && table.column::<D>(&generated).is_some();
    let Some(table) = compared.table.as_ref().filter(is_there) else { return Vec::new() };
    let has = |index: &&Index| index.columns.iter().any(|key| key.ignores_case && key.is::<D>(column));
    let drop = |index: &Index| definition::<D>(compared.resource, table, index, str::to_owned).map(Change::drop_index);
    let drops = table.indexes.iter().filter(has).filter_map(drop);
    drops.chain([Change::drop_column(&generated)]).collect()
}

/// The changes around the rename of columns whose generated columns keep them from being renamed: those and their indexes are
/// dropped by their former names, and created by the new ones.
#[derive(Default)]
pub(super) struct AroundRename {
    pub(super) before: Vec<Change>,
    pub(super) after: Vec<Change>,
    /// The former names of the indexes that are created anew.
    pub(super) indexes: Vec<String>,
}

/// The changes around the rename of a table's columns.
pub(super) fn around_rename<D: MigrationDriver>(compared: &Compared) -> AroundRename {
    let mut around = AroundRename::default();
    let Some(table) = compared.table.as_ref().filter(|_| D::TABLES.folded.is_none()) else { return around };
    let present = |renamed: &Renamed| Some((*renamed, compared.column::<D>(&name_of::<D>(renamed.column.column))?));
    let generated: Vec<(Renamed, &Column)> = compared.renamed.iter().filter_map(present).collect();
    let has_one = |index: &&Index| {
        let is_one = |key: &IndexedColumn| {
            key.ignores_case && generated.iter().any(|(renamed, _)| key.is::<D>(renamed.column.column))
        };
        index.columns.iter().any(is_one)
    };
    let former = |name: &str| former::<D>(&compared.renamed, name).to_owned();
    let mut created = Vec::new();
    for index in table.indexes.iter().filter(has_one) {
        let renamed = compared.renamed_indexes.iter().find(|(_, to)| *to == index.name);
        let from = renamed.map_or_else(|| index.name.clone(), |(from, _)| from.clone());
        let by_former = definition::<D>(compared.resource, table, index, former);
        let by_new = definition::<D>(compared.resource, table, index, str::to_owned);
        let Some((by_former, index)) = by_former.zip(by_new) else { continue };
        around.before.push(Change::drop_index(by_former.named(&from)));
        created.push(Change::add_index(index));
        around.indexes.push(from);
    }
    for (renamed, present) in generated {
        let wanted = (D::TABLES.column_type)(compared.resource, renamed.column);
        let declared = if wanted.eq_ignore_ascii_case(&present.declared) { &*wanted } else { &present.declared };
        let [from, to] = [renamed.from, renamed.column.column];
        around.before.push(dropped_column::<D>(from, typed_line::<D>(from, declared)));
        around.after.push(added_column::<D>(to, typed_line::<D>(to, declared)));
    }
    around.after.extend(created);
    around
}
