//! Constraints in whose place others are, which would have their names or contradict them: the foreign key of a field that
//! refers to another column now, the unique index of all records where that of the active ones is wanted.

use super::folded;
use super::present_index::definition;
use crate::catalogue::table::{ForeignKey, Index};
use crate::schema::change::Change;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::table_diff::{among, missing_unique, positions, same, unique_of};
use crate::schema::ddl;
use crate::schema::foreign_key::successor;
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::indexes::{Index as Wanted, Unique, uniques};

/// The foreign keys in whose place those of fields are.
pub(crate) fn replaced_keys<D: MigrationDriver>(compared: &Compared) -> impl Iterator<Item = &ForeignKey> {
    let tables = compared.table.iter();
    tables.flat_map(|table| {
        table.foreign_keys.iter().filter(|key| successor::<D>(compared.resource, table, key).is_some())
    })
}

/// Whether the foreign key of a column is one of these.
pub(crate) fn is_replaced_key<D: MigrationDriver>(compared: &Compared, column: &str) -> bool {
    replaced_keys::<D>(compared).any(|key| is_on::<D>(key, column))
}

/// Whether a foreign key is that of a column. The tenant's stands before it.
pub(crate) fn is_on<D: MigrationDriver>(key: &ForeignKey, column: &str) -> bool {
    key.columns.last().is_some_and(|(from, _)| (D::TABLES.is_same_name)(from, column))
}

/// The name of a foreign key once columns are renamed.
pub(crate) fn key_name<D: MigrationDriver>(compared: &Compared, key: &ForeignKey) -> Option<String> {
    let name = key.name.as_ref()?;
    let of = |column: &str| ddl::foreign_key_name::<D>(compared.resource, column);
    let mut names = compared.renamed.iter().map(|renamed| (of(renamed.from), of(renamed.column.column)));
    let new = names.find(|(from, _)| from == name && D::RENAMES_FOREIGN_KEYS).map(|(_, to)| to);
    Some(new.unwrap_or_else(|| name.clone()))
}

/// The unique index in whose place one of the same columns is, in the same letter case, which is of other records and
/// missing.
pub(crate) fn replaced_unique<'c, D: MigrationDriver>(compared: &'c Compared, unique: &Unique) -> Option<&'c Index> {
    let resource = compared.resource;
    let mut missing = compared.whats().filter_map(|what| missing_unique(resource, what));
    let is_missing = missing.any(|missing| is_alike(&missing, unique));
    let is_former = |index: &&Index| unique_of::<D>(resource, index).is_some_and(|present| is_alike(&present, unique));
    compared.present_indexes().filter(|_| is_missing).find(is_former)
}

/// Whether an index is that of a constraint in the definition of a SQLite table, which nothing but a rebuild drops.
pub(crate) fn is_of_table(index: &Index) -> bool {
    index.name.starts_with("sqlite_autoindex_")
}

/// Whether two are of the same columns in the same letter case.
fn is_alike(one: &Unique, other: &Unique) -> bool {
    same(&one.columns, &other.columns) && same(&one.case_insensitive, &other.case_insensitive)
}

/// The index in whose place a missing one is: it has its name and its columns, with nulls in
/// another place.
pub(crate) fn former_index<'c, D: MigrationDriver>(
    compared: &'c Compared,
    wanted: &Wanted,
    name: &str,
) -> Option<&'c Index> {
    let resource = compared.resource;
    compared.present_indexes().find(|index| {
        let is_alike = index.plain && !index.unique && index.name == name;
        let is_of_same = positions::<D>(resource, index).is_some_and(|columns| columns == wanted.columns);
        is_alike && is_of_same && among::<D>(resource, index) == Some(wanted.among)
    })
}

/// Drops a unique index of the service's own in favour of one that differs in letter case, which a step before has created.
pub(super) fn drop_other_case<D: MigrationDriver>(compared: &Compared, unique: &Unique) -> Option<Vec<Change>> {
    let resource = compared.resource;
    let wanted = uniques(resource);
    let is_replaced = wanted.iter().any(|other| same(&other.columns, &unique.columns) && !is_alike(other, unique));
    let name = (D::TABLES.shorten)(unique.name(resource));
    let mut indexes = compared.present_indexes().filter(|_| is_replaced);
    let index = indexes.find(|index| (D::TABLES.is_same_name)(&index.name, &name))?;
    let drop =
        Change::drop_index(definition::<D>(resource, compared.table.as_ref()?, index, str::to_owned)?.named(&name));
    Some(std::iter::once(drop).chain(folded::unused::<D>(compared, unique)).collect())
}
