//! Changes of indexes: those that are created, replaced and dropped.

use super::replaced::{drop_other_case, former_index, former_unique, is_of_table, replaced_unique};
use super::{duplicates, folded, remark};
use crate::catalogue::table::IndexedColumn;
use crate::identifier::{identifier, identifiers};
use crate::model::descriptor::Descriptor;
use crate::schema::change::Change;
use crate::schema::change::planned::Planned;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::table_diff::{named_unique, own_index, unused_unique};
use crate::schema::ddl::{self, ACTIVE, IndexDefinition};
use crate::schema::migration_driver::MigrationDriver;
use crate::search_index::PresentSearch;
use crate::storage::indexes::Unique;
use crate::storage::migrations::StepKind;
use crate::storage::schema::DifferenceKind;

/// Drops an index of words that has lost a trigger, or that no struct asks for.
pub(super) fn drop_search(compared: &Compared, unused: &PresentSearch) -> Planned {
    let is_replaced = compared.replaced_searches().any(|replaced| replaced.name == unused.name);
    let kind = if is_replaced { StepKind::Alter } else { StepKind::Unneeded };
    let (name, definition) = (unused.name.clone(), unused.definition.clone());
    Planned::apply_as(kind, vec![Change::DropSearch { name, definition }])
}

/// The generated column that marks active records.
fn mark<D: MigrationDriver>(resource: &Descriptor, deleted_at: usize) -> Change {
    Change::Generated { column: ACTIVE.to_owned(), from: None, to: Some(ddl::active_line::<D>(resource, deleted_at)) }
}

/// Creates the unique index of a constraint. One of other records that has its name makes place for it. `is_first`: whether
/// no other one of the active records comes before it.
pub(super) fn add_unique<D: MigrationDriver>(compared: &Compared, unique: &Unique, is_first: bool) -> Planned {
    let resource = compared.resource;
    let is_marked = compared.table.iter().flat_map(|table| &table.columns).any(|column| column.name == ACTIVE);
    let marking = unique.active.filter(|_| is_first && !D::TABLES.partial_indexes() && !is_marked);
    let mut changes: Vec<Change> = marking.map(|deleted_at| mark::<D>(resource, deleted_at)).into_iter().collect();
    changes.extend(folded::missing::<D>(compared, unique));
    let note = Some(duplicates::comment::<D>(compared, unique));
    let to = ddl::definition_of_unique::<D>(resource, unique);
    let former = replaced_unique::<D>(compared, unique).filter(|former| former.name == to.name);
    let from = former.map(|former| former_unique::<D>(resource, unique, former, &to.name));
    changes.push(Change::Index { from, to: Some(to), note });
    Planned::apply(changes)
}

/// Creates an index that is missing. One of the same columns with another place of nulls, which has its name, makes place
/// for it; any other one keeps it.
pub(super) fn add_index<D: MigrationDriver>(compared: &Compared, name: &str, what: &DifferenceKind) -> Planned {
    let resource = compared.resource;
    let wanted = compared.indexes.iter().find(|wanted| (D::TABLES.shorten)(wanted.name(resource)) == name);
    let Some(wanted) = wanted else { return Planned::apply(Vec::new()) };
    let to = ddl::definition_of_index::<D>(resource, wanted);
    if let Some(former) = former_index::<D>(compared, wanted, name) {
        let column = |(column, former): (&usize, &IndexedColumn)| {
            let nulls = if former.nulls_first == Some(true) { " NULLS FIRST" } else { "" };
            identifier::<D>(resource.columns[*column].column) + nulls
        };
        let columns: Vec<String> = wanted.columns.iter().zip(&former.columns).map(column).collect();
        let condition = ddl::condition::<D>(resource, wanted.among);
        let from = IndexDefinition::of_keys(name, false, columns.join(", "), condition);
        return Planned::apply(vec![Change::Index { from: Some(from), to: Some(to), note: None }]);
    }
    if matches!(what, DifferenceKind::IndexTaken { .. }) {
        let drop = D::render(resource.table, &Change::drop_index(to));
        return remark::<D>(compared, what, &format!("-- If it is of no use: {drop}"));
    }
    Planned::apply(vec![Change::add_index(to, None)])
}

/// Drops a unique index that no field asks for: one that differs from that of a field in letter case alone is dropped once that
/// is there, and any other one by the reader.
pub(super) fn unused_uniques<D: MigrationDriver>(
    compared: &Compared,
    columns: &[&'static str],
    case_insensitive: &[&'static str],
    what: &DifferenceKind,
) -> Planned {
    let resource = compared.resource;
    if let Some(changes) = drop_other_case::<D>(compared, columns, case_insensitive) {
        // The other one, which may be made in a later step, comes first.
        return Planned::apply_as(if D::ONLINE { StepKind::Finish } else { StepKind::Alter }, changes);
    }
    let (unique, names) =
        (named_unique(resource, columns, case_insensitive, false), identifiers::<D>(columns.iter().copied()));
    let note = format!("-- {names} {what}. If that is to end");
    let index = compared.present_indexes().find(|index| unused_unique::<D>(resource, index).as_ref() == Some(what));
    match index.filter(|index| !is_of_table(index)) {
        Some(index) => {
            let drop = Change::drop_index(former_unique::<D>(resource, &unique, index, &index.name));
            Planned::propose(note + ":", vec![drop], format!("-- If the UNIQUE of {names} was dropped:"))
        }
        None => Planned::propose(note + ", write the table anew without it.", Vec::new(), String::new()),
    }
}

/// Proposes to drop an index that serves no list.
pub(super) fn unused_index<D: MigrationDriver>(compared: &Compared, index: &str) -> Planned {
    let (resource, name) = (compared.resource, identifier::<D>(index));
    let present = compared.present_indexes().find(|present| present.name == index);
    let own = present.and_then(|present| own_index::<D>(resource, present));
    let drop = own.map(|own| Change::drop_index(ddl::definition_of_index::<D>(resource, &own)));
    let note = format!("-- {name} serves no list of the structs. Once no program of before runs, drop it:");
    let back = format!("-- Where it is not there any more, this creates {name} again:");
    Planned::propose(note, drop.into_iter().collect(), back)
}
