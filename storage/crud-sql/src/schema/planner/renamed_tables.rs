//! The steps of a migration that rename tables.

use std::cmp::Reverse;

use crud_shared::table::split;

use super::present_index::definition;
use crate::catalogue::table::Index;
use crate::identifier::table_identifier;
use crate::model::descriptor::{ColumnDescriptor, Role};
use crate::schema::change::render::{lines, statements};
use crate::schema::change::{Change, inverse};
use crate::schema::comparison::index_names;
use crate::schema::comparison::renamed_tables::RenamedTable;
use crate::schema::ddl::{self, check_name};
use crate::schema::migration_driver::MigrationDriver;
use crate::schema::view::{self, ComparedView};
use crate::storage::migrations::Step;

/// The steps of a migration that renames tables, and nothing else. Views that read them are made anew, by the next one where
/// `lacks`: columns are missing or have other names.
pub(super) fn steps<D: MigrationDriver>(renamed: &[&RenamedTable], views: &[ComparedView], lacks: bool) -> Vec<Step> {
    let reads = |view: &&ComparedView| {
        let all = view.resource.with_depends();
        renamed.iter().any(|one| all.iter().any(|other| other.table == one.resource.table))
    };
    let is_view = |view: &&ComparedView| view.present.as_ref().is_some_and(|present| present.kind == "view");
    let views: Vec<&ComparedView> = views.iter().filter(reads).filter(is_view).collect();
    let drop = |view: &ComparedView| format!("DROP VIEW {};", table_identifier::<D>(view.resource.table));
    let mut steps = Vec::new();
    // Views that read a view are dropped before it.
    for view in views.iter().rev() {
        let create = view.present.as_ref().map(|present| format!("CREATE VIEW {};", present.view)).unwrap_or_default();
        steps.push(Step::alter(view.resource.table, drop(view), create));
    }
    steps.extend(renamed.iter().map(|one| rename::<D>(one)));
    for view in views.iter().filter(|_| !lacks) {
        let create = view::create::<D>(view.resource);
        steps.extend(create.map(|create| Step::alter(view.resource.table, create + ";", drop(view))));
    }
    steps
}

/// Renames a table, and what is named after it.
fn rename<D: MigrationDriver>(renamed: &RenamedTable) -> Step {
    let &RenamedTable { resource, from, ref table } = renamed;
    let to = resource.table;
    let note = format!(
        "-- A program that uses {} fails from here on: stop such servers before, or keep the table with\n\
         -- `table = \"{from}\"`. Further changes are for another file: run `migrate diff` again after this one.",
        table_identifier::<D>(from)
    );
    // An index of words is made from the records.
    let searches = table.searches.iter().cloned().map(Change::DropSearch);
    let (dropped, created) = renamed_indexes::<D>(renamed);
    let before: Vec<Change> = searches.chain(dropped).collect();
    let mut after = created;
    after.extend(table.columns.iter().flat_map(|column| constraints::<D>(renamed, &column.name)));
    // Where columns are missing, or get other names, it is for the next file.
    let has = |column: &ColumnDescriptor| column.role == Role::IsDeleted || table.column::<D>(column.column).is_some();
    let is_complete = resource.columns.iter().all(has);
    after.extend((D::TABLES.search)(resource).filter(|_| is_complete).map(Change::CreateSearch));
    let rename = [Change::RenameTable { from: from.to_owned(), to: to.to_owned() }];
    let written = |table: &str, changes: &[Change]| statements::<D>(table, changes);
    let up = [note, written(from, &before), written(to, &rename), written(to, &after)];
    let down = [written(to, &inverse(&after)), written(to, &inverse(&rename)), written(from, &inverse(&before))];
    Step::alter(to, lines(up), lines(down))
}

/// The changes that give the constraints of a column the names that follow from that of the table.
fn constraints<D: MigrationDriver>(renamed: &RenamedTable, column: &str) -> Vec<Change> {
    let (resource, mut former) = (renamed.resource, renamed.resource.clone());
    former.table = renamed.from;
    let [from, to] = [&former, resource].map(|resource| check_name::<D>(resource, column));
    let condition = renamed.table.check(&from).filter(|_| from != to).map(str::to_owned);
    let check = condition.map(|condition| Change::RenameConstraint { from, to, check: Some(condition) });
    let [from, to] = [&former, resource].map(|resource| ddl::foreign_key_name::<D>(resource, column));
    let is_renamed = D::RENAMES_FOREIGN_KEYS && renamed.table.has_named(&from);
    let key = is_renamed.then_some(Change::RenameConstraint { from, to, check: None });
    check.into_iter().chain(key).collect()
}

/// The changes before the rename and after it that give indexes the names that follow from that of the table.
fn renamed_indexes<D: MigrationDriver>(renamed: &RenamedTable) -> (Vec<Change>, Vec<Change>) {
    let resource = renamed.resource;
    let tables = [split(renamed.from).1, resource.own_table()];
    let mut indexes: Vec<&Index> = renamed.table.indexes.iter().chain(&renamed.table.unfinished).collect();
    // In one order on each database, those named `ux` first.
    indexes.sort_by_key(|index| Reverse(&index.name));
    let pairs = indexes
        .into_iter()
        .filter_map(|index| Some((index, index_names::followed::<D>(index, tables, str::to_owned)?)))
        .filter(|(index, to)| index.name != *to);
    if D::ALTERS {
        return (Vec::new(), pairs.map(|(index, to)| Change::RenameIndex { from: index.name.clone(), to }).collect());
    }
    // As it is: another condition is a difference of the next file.
    let changes = pairs.filter_map(|(index, to)| {
        let present = definition::<D>(resource, &renamed.table, index, str::to_owned)?;
        Some((Change::drop_index(present.clone()), Change::add_index(present.named(&to))))
    });
    changes.unzip()
}
