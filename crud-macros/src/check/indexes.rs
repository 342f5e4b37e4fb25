//! `unique(a, b)`, `index(a, b)` and `index(a, b, some(b))`.

use proc_macro2::Ident;

use super::lookup::{Lookup, Named};
use crate::attr::container::IndexAttribute;
use crate::attr::field::Among;
use crate::attr::item::RawField;
use crate::attr::name as unraw;
use crate::ctxt::SpanRange;
use crate::model::{PartialIndex, Role, UniqueGroup};

/// The fields that are indexed together.
#[derive(Debug, Default)]
pub(super) struct Indexes {
    pub(super) whole: Vec<Vec<usize>>,
    pub(super) partial: Vec<PartialIndex>,
}

/// The fields that are unique together. The last word may say among which records, unless it is a field.
pub(super) fn uniques(
    groups: &[Vec<Ident>],
    roles: &[Role],
    has_soft_delete: bool,
    has_tenant: bool,
    lookup: &Lookup<'_>,
) -> Vec<UniqueGroup> {
    let resolve = |names: &Vec<Ident>| {
        let word = names.split_last().filter(|(last, _)| !lookup.has(last));
        let among = word.and_then(|(last, fields)| Some((Among::parse(&unraw(last))?, last, fields)));
        let Some((among, last, fields)) = among else {
            return UniqueGroup { columns: group(names, "unique", roles, lookup), among: Among::All };
        };
        check_among(among, last.span().into(), has_soft_delete, has_tenant, |span, message| {
            lookup.error_at(span, message);
        });
        if fields.is_empty() {
            lookup.error(last.span(), "expected fields before this: `unique(a, b, active)`");
        }
        UniqueGroup { columns: group(fields, "unique", roles, lookup), among }
    };
    groups.iter().map(resolve).collect()
}

/// Reports a set of records that the resource does not have.
pub(super) fn check_among(
    among: Among,
    span: SpanRange,
    has_soft_delete: bool,
    has_tenant: bool,
    error: impl FnOnce(SpanRange, &'static str),
) {
    match among {
        Among::Active if !has_soft_delete => {
            error(span, "`unique(active)` needs `soft_delete`: add it or write `unique`");
        }
        Among::Global if !has_tenant => {
            error(span, "`unique(global)` needs a field with `tenant`: without one, write `unique`");
        }
        _ => {}
    }
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
