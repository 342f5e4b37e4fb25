//! The names of indexes, which follow those of their columns and of their table: an index that kept a former name would hold it
//! against the index of another column that gets the name.

use super::renamed_columns::{Renamed, former};
use crate::catalogue::table::{Index, IndexedColumn, Table};
use crate::dialect::Dialect;
use crate::in_order::in_order;
use crate::model::descriptor::Descriptor;
use crate::storage::indexes::{NO_CASE, SOME, index_name};

/// Gives the indexes of a table, whose columns have their new names, the names that follow from those. Returns the former and
/// the new names, in an order in which no new one is held when it is given.
pub(crate) fn apply<D: Dialect>(
    resource: &Descriptor,
    table: &mut Table,
    renamed: &[Renamed],
) -> Vec<(String, String)> {
    if renamed.is_empty() {
        return Vec::new();
    }
    let former = |name: &str| former::<D>(renamed, name).to_owned();
    let new = |index: &Index| {
        let to = followed::<D>(index, [resource.own_table(); 2], former)?;
        (to != index.name).then(|| (index.name.clone(), to))
    };
    let mut pairs: Vec<(String, String)> = table.indexes.iter().filter_map(new).collect();
    let is_held = |name: &String| pairs.iter().any(|(_, to)| to == name) && !pairs.iter().any(|(from, _)| from == name);
    let held = table.indexes.iter().map(|index| &index.name).filter(|name| is_held(name));
    let aside: Vec<(String, String)> =
        held.map(|name| (name.clone(), (D::TABLES.shorten)(format!("{name}__held")))).collect();
    pairs.extend(aside);
    for index in &mut table.indexes {
        if let Some((_, to)) = pairs.iter().find(|(from, _)| *from == index.name) {
            index.name.clone_from(to);
        }
    }
    // None go in a circle, since those of columns do not.
    in_order(pairs, |(_, to), (from, _)| from == to)
}

/// The former and the new name of an index of the service's own, where its table and its columns get other names: `former` is
/// that of a column. `None` for an index by another name.
pub(crate) fn followed<D: Dialect>(
    index: &Index,
    [old, new]: [&str; 2],
    former: impl Fn(&str) -> String,
) -> Option<String> {
    let before = own::<D>(old, index, former)?;
    let after = own::<D>(new, index, str::to_owned)?;
    before.into_iter().zip(after).find(|(before, _)| *before == index.name).map(|(_, after)| after)
}

/// The names that a service can have given an index of these columns: by the records that are in it.
fn own<D: Dialect>(table: &str, index: &Index, name: impl Fn(&str) -> String) -> Option<Vec<String>> {
    let key = |column: &IndexedColumn| Some((name(column.name.as_deref()?), column.ignores_case));
    let columns: Vec<(String, bool)> = index.columns.iter().map(key).collect::<Option<_>>()?;
    let joined = |prefix: &str, some: Option<usize>| {
        let word = |position, ignores_case| match (ignores_case, some == Some(position)) {
            (true, _) => NO_CASE,
            (false, true) => SOME,
            (false, false) => "",
        };
        let columns = columns.iter().enumerate();
        let columns =
            columns.map(|(position, (column, ignores_case))| (word(position, *ignores_case), column.as_str()));
        (D::TABLES.shorten)(index_name(prefix, table, columns))
    };
    if index.unique {
        return Some(vec![joined("ux", None)]);
    }
    let of_some = (0..columns.len()).map(|position| joined("ix", Some(position)));
    Some([joined("ix", None), joined("ix_deleted", None)].into_iter().chain(of_some).collect())
}
