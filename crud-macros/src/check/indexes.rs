//! `unique(a, b)`, `unique(a, b, among(active))`, `unique(a, b, case_insensitive(b))`, `index(a, b)` and
//! `index(a, b, some(b))`.

use proc_macro2::Ident;

use super::lookup::{Lookup, Named};
use super::types::Requirements;
use crate::attr::field::{Among, CASE_INSENSITIVE};
use crate::attr::indexes::{IndexAttribute, UniqueAttribute};
use crate::attr::item::RawField;
use crate::attr::{Spanned, name as unraw};
use crate::ctxt::SpanRange;
use crate::model::{PartialIndex, Requirement, Role, UniqueGroup};

/// The fields that are indexed together.
#[derive(Debug, Default)]
pub(super) struct Indexes {
    pub(super) whole: Vec<Vec<usize>>,
    pub(super) partial: Vec<PartialIndex>,
}

/// The fields that are unique together.
pub(super) fn uniques(
    attributes: &[UniqueAttribute],
    raw: &[RawField<'_>],
    roles: &[Role],
    has_soft_delete: bool,
    has_tenant: bool,
    lookup: &Lookup<'_>,
) -> Vec<UniqueGroup> {
    let resolve = |attribute: &UniqueAttribute| {
        let UniqueAttribute { fields, among, case_insensitive } = attribute;
        if let Some(among) = among {
            check_among(among.value, among.span, has_soft_delete, has_tenant, |span, message| {
                lookup.error_at(span, message);
            });
            if fields.is_empty() {
                lookup.error_at(among.span, "expected fields before this: `unique(a, b, among(active))`");
            }
        }
        let (fields, among) = match without_word(fields, lookup) {
            Some((fields, word)) => (fields, among.as_ref().map_or(word, |among| among.value)),
            None => (&**fields, among.as_ref().map_or(Among::All, |among| among.value)),
        };
        let columns = group(fields, "unique", roles, lookup);
        let case_insensitive = folded(case_insensitive, &columns, raw, lookup);
        UniqueGroup { columns, among, case_insensitive }
    };
    attributes.iter().map(resolve).collect()
}

/// The fields of a group that `case_insensitive(…)` names.
fn folded(names: &[Ident], columns: &[usize], fields: &[RawField<'_>], lookup: &Lookup<'_>) -> Vec<Spanned<usize>> {
    let mut found = Vec::new();
    for Named { index, span } in lookup.find_all(names, CASE_INSENSITIVE) {
        let Some(span) = span else { continue };
        if columns.contains(&index) {
            found.push(Spanned::new(index, span));
            continue;
        }
        let name = &fields[index].name;
        let all = columns.iter().chain([&index]).map(|column| fields[*column].name.as_str());
        let all = all.collect::<Vec<_>>().join(", ");
        let expected = format!("expected `unique({all}, {CASE_INSENSITIVE}({name}))`");
        lookup.error(span, format!("`{name}` is not a field of this constraint: {expected}"));
    }
    found
}

/// Checks the fields that are compared without regard to letter case: they are text, and not a key.
pub(super) fn check_case(uniques: &[UniqueGroup], requirements: &mut Requirements<'_, '_>) {
    let fields = requirements.fields;
    let alone = fields.iter().enumerate().filter_map(|(index, field)| {
        let span = field.unique?.case_insensitive?;
        Some(Spanned::new(index, span))
    });
    let grouped = uniques.iter().flat_map(|group| &group.case_insensitive);
    for Spanned { value: index, span } in alone.chain(grouped.map(|column| Spanned::new(column.value, column.span))) {
        let field = &fields[index];
        let name = &field.name;
        if field.role == Role::Id || field.references.is_some() {
            let is = if field.role == Role::Id { "is the key" } else { "refers to a key" };
            let message = format!("`{name}` {is}, which is compared as it is written: remove `{CASE_INSENSITIVE}`");
            requirements.cx.error(span, message);
        } else {
            let message = format!("`{name}` is not text, so it has no letter case: remove `{CASE_INSENSITIVE}`");
            requirements.require(index, Requirement::Text, span, message);
        }
    }
}

/// The fields before a bare `active`, `global` or `case_insensitive`. The bare word is reported: only fields stand
/// there.
fn without_word<'a>(names: &'a [Ident], lookup: &Lookup<'_>) -> Option<(&'a [Ident], Among)> {
    let (word, fields) = names.split_last().filter(|(last, _)| !lookup.has(last))?;
    let name = unraw(word);
    let among = Among::parse(&name);
    let known: Vec<String> = fields.iter().map(unraw).collect();
    let before = if known.is_empty() { "a, b".to_owned() } else { known.join(", ") };
    let form = match among {
        Some(_) => format!("among({name})"),
        None if name == CASE_INSENSITIVE => format!("{name}({})", known.last().map_or("b", String::as_str)),
        None => return None,
    };
    lookup.error(word.span(), format!("`{name}` is not a field: expected `unique({before}, {form})`"));
    Some((fields, among.unwrap_or(Among::All)))
}

/// Reports `active` or `global` on a resource without soft delete or without a tenant.
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

/// Reports a name of the state of deletion, which has no column.
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
