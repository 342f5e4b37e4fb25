//! `upsert(a, b)`: unique fields by which a create changes the record that has their values.

use proc_macro2::{Ident, Span};

use super::lookup::{Lookup, Named};
use crate::ctxt::Ctxt;
use crate::model::{Field, UniqueGroup};

/// The fields of each group, as they are named.
pub(super) fn named(groups: &[Vec<Ident>], lookup: &Lookup<'_>) -> Vec<Vec<Named>> {
    groups.iter().map(|group| lookup.find_all(group, "upsert")).collect()
}

/// Checks each group, and returns its fields.
pub(super) fn check(
    groups: &[Vec<Named>],
    fields: &[Field<'_>],
    uniques: &[UniqueGroup],
    key: &[usize],
    cx: &Ctxt,
) -> Vec<Vec<usize>> {
    let mut known: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        let columns: Vec<usize> = group.iter().map(|named| named.index).collect();
        // A misspelt name is reported already, and its field gets no further error.
        let spans: Vec<(usize, Span)> = group.iter().filter_map(|named| Some((named.index, named.span?))).collect();
        let mut is_sound = spans.len() == group.len();
        for (index, span) in &spans {
            if let Some(message) = unsuited(&fields[*index]) {
                cx.error(*span, message);
                is_sound = false;
            }
        }
        let Some((_, first)) = spans.first().filter(|_| is_sound) else { continue };
        let names: Vec<&str> = columns.iter().map(|column| fields[*column].name.as_str()).collect();
        if known.iter().any(|other| same(other, &columns)) {
            cx.error(*first, format_args!("`upsert({})` is given twice: remove one", names.join(", ")));
        } else if !is_unique(&columns, fields, uniques, key) && ignores_case(&columns, fields, uniques) {
            let names = names.join(", ");
            let message = format!(
                "`upsert({names})` finds a record by its exact values, and `case_insensitive` makes others conflict: remove one"
            );
            cx.error(*first, message);
        } else if !is_unique(&columns, fields, uniques, key) {
            let message = match names.as_slice() {
                [name] => format!("`{name}` is not unique, so that it finds no one record: make it `unique`"),
                names => format!(
                    "`{0}` are not unique together, so that they find no one record: add `unique({0})`",
                    names.join(", ")
                ),
            };
            cx.error(*first, message);
        } else {
            known.push(columns);
        }
    }
    known
}

/// Reason why a field cannot identify a record.
fn unsuited(field: &Field<'_>) -> Option<String> {
    let name = &field.name;
    if let Some((_, attribute)) = field.exposure.concealed() {
        Some(format!("`{name}` is `{attribute}`, and an upsert by it would disclose its value: remove one"))
    } else if field.visible.is_some() {
        Some(format!("`{name}` is `visible` to some, and an upsert by it would disclose its value to all: remove one"))
    } else if field.is_assigned() || field.exposure.read_only.is_some() {
        Some(format!("the service sets `{name}`, so that no body has it: name a field that clients set"))
    } else if field.database_default.is_some() {
        Some(format!("the database fills in `{name}`, so that a body may lack it: name a field that clients set"))
    } else if field.ty.optional {
        Some(format!("`{name}` can be null, and null is unique nowhere: remove the `Option`, or name another field"))
    } else {
        None
    }
}

fn is_unique(columns: &[usize], fields: &[Field<'_>], uniques: &[UniqueGroup], key: &[usize]) -> bool {
    if let [column] = *columns
        && fields[column].unique.is_some_and(|unique| unique.case_insensitive.is_none())
    {
        return true;
    }
    // A key is unique. One that the service sets is in no body, which is reported already.
    if same(key, columns) {
        return true;
    }
    uniques.iter().any(|unique| unique.case_insensitive.is_empty() && same(&unique.columns, columns))
}

/// Whether a unique constraint on the fields compares text without regard to letter case.
fn ignores_case(columns: &[usize], fields: &[Field<'_>], uniques: &[UniqueGroup]) -> bool {
    let alone = matches!(*columns, [column] if fields[column].unique.is_some_and(|it| it.case_insensitive.is_some()));
    alone || uniques.iter().any(|unique| !unique.case_insensitive.is_empty() && same(&unique.columns, columns))
}

/// Whether two lists have the same fields.
fn same(one: &[usize], other: &[usize]) -> bool {
    one.len() == other.len() && one.iter().all(|column| other.contains(column))
}
