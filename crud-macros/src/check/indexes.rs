//! `unique(a, b)`, `index(a, b)` and `index(a, b, some(b))`.

use proc_macro2::Ident;

use super::lookup::{Lookup, Named};
use crate::attr::container::IndexAttribute;
use crate::attr::item::RawField;
use crate::attr::name as unraw;
use crate::model::{PartialIndex, Role};

/// The fields that are indexed together.
#[derive(Debug, Default)]
pub(super) struct Indexes {
    pub(super) whole: Vec<Vec<usize>>,
    pub(super) partial: Vec<PartialIndex>,
}

/// The fields that are unique together.
pub(super) fn uniques(groups: &[Vec<Ident>], roles: &[Role], lookup: &Lookup<'_>) -> Vec<Vec<usize>> {
    groups.iter().map(|names| group(names, "unique", roles, lookup)).collect()
}

/// The fields of each index.
pub(super) fn resolve(
    attributes: &[IndexAttribute],
    fields: &[RawField<'_>],
    roles: &[Role],
    lookup: &Lookup<'_>,
) -> Indexes {
    let mut indexes = Indexes::default();
    for attribute in attributes {
        let columns = group(&attribute.fields, "index", roles, lookup);
        match &attribute.some {
            None => indexes.whole.push(columns),
            Some(ident) => {
                let some = some(ident, &columns, fields, roles, lookup);
                indexes.partial.extend(some.map(|some| PartialIndex { columns, some }));
            }
        }
    }
    indexes
}

fn group(names: &[Ident], key: &str, roles: &[Role], lookup: &Lookup<'_>) -> Vec<usize> {
    let found = lookup.find_all(names, key);
    let state = |ident: &&Ident| {
        found.iter().any(|named| roles[named.index] == Role::IsDeleted && lookup.is(ident, named.index))
    };
    for ident in names.iter().filter(state) {
        refuse_state(ident, lookup);
    }
    found.iter().map(|named| named.index).collect()
}

/// Reports that the state of deletion, which this names, has no column.
fn refuse_state(ident: &Ident, lookup: &Lookup<'_>) {
    let message = format!("`{}` is computed from the deletion timestamp: name that instead", unraw(ident));
    lookup.error(ident.span(), message);
}

/// The field that `some(…)` names.
fn some(
    ident: &Ident,
    columns: &[usize],
    fields: &[RawField<'_>],
    roles: &[Role],
    lookup: &Lookup<'_>,
) -> Option<usize> {
    let Named { index, span } = lookup.find(ident)?;
    let name = &fields[index].name;
    if let Some(span) = span {
        if roles[index] == Role::IsDeleted {
            refuse_state(ident, lookup);
        } else if !fields[index].ty.optional {
            let message = format!(
                "`some({name})` leaves out no record, because `{name}` is never null: remove it, or make the field an `Option`"
            );
            lookup.error(span, message);
        } else if !columns.contains(&index) {
            let names = columns.iter().chain([&index]).map(|column| fields[*column].name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let message = format!("`{name}` is not a field of this index: expected `index({names}, some({name}))`");
            lookup.error(span, message);
        }
    }
    Some(index)
}
