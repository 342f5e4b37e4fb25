//! Changes of indexes: those that are created, replaced and dropped.

use super::replaced::{drop_other_case, former_index, is_of_table, replaced_unique};
use super::{duplicates, folded, present_index, remark};
use crate::catalogue::table::Index;
use crate::identifier::{identifier, identifiers};
use crate::schema::change::Change;
use crate::schema::change::planned::Planned;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::table_diff::{self, names, unique_unused};
use crate::schema::ddl::{self, ACTIVE, IndexDefinition};
use crate::schema::migration_driver::MigrationDriver;
use crate::search_index::SearchIndex;
use crate::storage::indexes::Unique;
use crate::storage::migrations::StepKind;
use crate::storage::schema::DifferenceKind;

/// Drops an index of words that has lost a trigger, or that no struct asks for.
pub(super) fn drop_search(compared: &Compared, unused: &SearchIndex) -> Planned {
    let is_replaced = compared.replaced_searches().any(|replaced| replaced.name == unused.name);
    let kind = if is_replaced { StepKind::Alter } else { StepKind::Unneeded };
    Planned::apply_as(kind, vec![Change::DropSearch(unused.clone())])
}

/// The definition of an index of the table. `None` for one of expressions.
fn present<D: MigrationDriver>(compared: &Compared, index: &Index) -> Option<IndexDefinition> {
    present_index::definition::<D>(compared.resource, compared.table.as_ref()?, index, str::to_owned)
}

/// Creates the unique index of a constraint. One of other records that has its name makes place for it. `is_first`: whether
/// no other one of the active records comes before it.
pub(super) fn add_unique<D: MigrationDriver>(compared: &Compared, unique: &Unique, is_first: bool) -> Planned {
    let resource = compared.resource;
    let is_marked = compared.column::<D>(ACTIVE).is_some();
    let marking = unique.active.filter(|_| is_first && !D::TABLES.partial_indexes() && !is_marked);
    let mark = |deleted_at| Some(ddl::active_line::<D>(resource, deleted_at));
    let mark = marking.map(|by| Change::Generated { column: ACTIVE.to_owned(), from: None, to: mark(by) });
    let mut changes: Vec<Change> = mark.into_iter().collect();
    changes.extend(folded::missing::<D>(compared, unique));
    let note = Some(duplicates::comment::<D>(compared, unique));
    let to = ddl::definition_of_unique::<D>(resource, unique);
    let former = replaced_unique::<D>(compared, unique).filter(|former| former.name == to.name);
    let from = former.and_then(|former| present::<D>(compared, former));
    changes.push(Change::Index { from, to: Some(to), note });
    Planned::apply(changes)
}

/// Creates an index that is missing. One of the same columns with another place of nulls, which has its name, makes place
/// for it; any other one keeps it.
pub(super) fn add_index<D: MigrationDriver>(compared: &Compared, name: &str, what: &DifferenceKind) -> Planned {
    let resource = compared.resource;
    let Some(wanted) = compared.wanted_index::<D>(name) else { return Planned::apply(Vec::new()) };
    let to = ddl::definition_of_index::<D>(resource, wanted);
    if let Some(former) = former_index::<D>(compared, wanted, name) {
        let from = present::<D>(compared, former);
        return Planned::apply(vec![Change::Index { from, to: Some(to), note: None }]);
    }
    if matches!(what, DifferenceKind::IndexTaken { .. }) {
        let drop = D::render(resource.table, &Change::drop_index(to));
        return remark::<D>(compared, what, &format!("-- If it is of no use: {drop}"));
    }
    Planned::apply(vec![Change::add_index(to)])
}

/// Drops a unique index that no field asks for: one that differs from that of a field in letter case alone is dropped once that
/// is there, and any other one by the reader. `None` where another one takes its place.
pub(super) fn unused_unique<D: MigrationDriver>(compared: &Compared, what: &DifferenceKind) -> Option<Planned> {
    let resource = compared.resource;
    let unused = |index| Some((index, table_diff::unused_unique::<D>(resource, index)?));
    let mut unused = compared.present_indexes().filter_map(unused);
    let (index, unique) = unused.find(|(_, unique)| unique_unused(resource, unique) == *what)?;
    // A rebuild drops it, or the one in its place has its name.
    let name = (D::TABLES.shorten)(unique.name(resource));
    if replaced_unique::<D>(compared, &unique).is_some_and(|former| is_of_table(former) || former.name == name) {
        return None;
    }
    if let Some(changes) = drop_other_case::<D>(compared, &unique) {
        // The other one, which may be made in a later step, comes first.
        return Some(Planned::apply_as(if D::ONLINE { StepKind::Finish } else { StepKind::Alter }, changes));
    }
    let names = identifiers::<D>(names(resource, &unique.columns));
    let note = format!("-- {names} {what}. If that is to end");
    Some(match Some(index).filter(|index| !is_of_table(index)).and_then(|index| present::<D>(compared, index)) {
        Some(index) => {
            let back = format!("-- If the UNIQUE of {names} was dropped:");
            Planned::propose(note + ":", vec![Change::drop_index(index)], back)
        }
        None => Planned::propose(note + ", write the table anew without it.", Vec::new(), String::new()),
    })
}

/// Proposes to drop an index that serves no list.
pub(super) fn unused_index<D: MigrationDriver>(compared: &Compared, index: &str) -> Planned {
    let name = identifier::<D>(index);
    let own = compared.present_indexes().find(|present| present.name == index);
    let drop = own.and_then(|own| present::<D>(compared, own)).map(Change::drop_index);
    let note = format!("-- {name} serves no list of the structs. Once no program of before runs, drop it:");
    let back = format!("-- Where it is not there any more, this creates {name} again:");
    Planned::propose(note, drop.into_iter().collect(), back)
}
