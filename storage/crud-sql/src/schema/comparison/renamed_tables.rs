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
    let mut found: Vec<RenamedTable> = Vec::new();
    let has_former =
        |resource: &&'static Descriptor| resource.is_managed() && resource.former_tables().next().is_some();
    for resource in resources.iter().copied().filter(has_former) {
        if tables.get(resource.table).is_some() {
            continue;
        }
        for from in resource.former_tables() {
            let is_used = resources.iter().any(|other| (D::TABLES.is_same_name)(other.table, from));
            let table = tables.get(from).filter(|table| !is_used && table.kind == "table");
            if let Some(table) = table.cloned() {
                found.push(RenamedTable { resource, from, table });
                break;
            }
        }
    }
    found
}

/// Gives the foreign keys of a table the names that the tables will have.
pub(crate) fn apply<D: Dialect>(renamed: &[RenamedTable], table: &mut Table) {
    for key in &mut table.foreign_keys {
        if let Some(to) = renamed.iter().find(|renamed| (D::TABLES.is_same_name)(renamed.from, &key.table)) {
            to.resource.table.clone_into(&mut key.table);
        }
    }
}
