//! Tables that have the name that they had before: how they are found.

use crate::catalogue::Catalogue;
use crate::catalogue::table::Table;
use crate::dialect::Dialect;
use crate::model::descriptor::Descriptor;

/// A table that is there by its former name, and not by its own.
#[derive(Debug, Clone)]
pub(crate) struct RenamedTable {
    pub(crate) resource: &'static Descriptor,
    pub(crate) from: &'static str,
    pub(crate) table: Table,
}

/// The tables that are there by a former name alone, which no other resource has.
pub(crate) fn find<D: Dialect>(tables: &Catalogue, resources: &[&'static Descriptor]) -> Vec<RenamedTable> {
    let is_missing = |resource: &&'static Descriptor| resource.is_managed() && tables.get(resource.table).is_none();
    let find = |resource: &'static Descriptor| {
        let is_used = |from: &str| resources.iter().any(|other| (D::TABLES.is_same_name)(other.table, from));
        resource.former_tables().filter(|from| !is_used(from)).find_map(|from| {
            let table = tables.get(from).filter(|table| table.kind == "table")?.clone();
            Some(RenamedTable { resource, from, table })
        })
    };
    resources.iter().copied().filter(is_missing).filter_map(find).collect()
}

/// Gives the foreign keys of a table the names that the tables will have.
pub(crate) fn apply<D: Dialect>(renamed: &[RenamedTable], table: &mut Table) {
    for key in &mut table.foreign_keys {
        if let Some(to) = renamed.iter().find(|renamed| (D::TABLES.is_same_name)(renamed.from, &key.table)) {
            to.resource.table.clone_into(&mut key.table);
        }
    }
}
