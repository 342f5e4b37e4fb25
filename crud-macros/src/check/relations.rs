//! Relations: the names of referred records in requests, and their fields in lists.

use std::collections::HashSet;

use crud_shared::case::RenameRule;
use proc_macro2::Ident;

use super::lookup::Lookup;
use crate::attr::field::{FieldAttributes, OnDelete};
use crate::attr::item::RawField;
use crate::attr::{PathAttribute, Selection, Spanned, name as unraw};
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Capability, Field, FieldPath, ZonePath};

/// The name in JSON and in requests of the record that a field refers to: the attribute's name, or the field's without
/// `_id`.
pub(super) fn name(
    attributes: &FieldAttributes,
    field: &str,
    rename_all: Option<RenameRule>,
    cx: &Ctxt,
) -> Option<Spanned<String>> {
    if let Some(relation) = &attributes.relation {
        return Some(Spanned::new(unraw(relation), relation.span()));
    }
    let target = attributes.references.as_ref().map(|reference| reference.target.span);
    let span = attributes.expand.map(SpanRange::from).or(target)?;
    let Some(name) = field.strip_suffix("_id").filter(|name| !name.is_empty()) else {
        if attributes.expand.is_some() {
            let message = format!("`{field}` does not end in `_id`, so the record needs a name: add `relation(…)`");
            cx.error(span, message);
        }
        return None;
    };
    Some(Spanned::new(rename_all.map_or_else(|| name.to_owned(), |rule| rule.field(name)), span))
}

/// The name in `FIELDS` of the record that a field refers to.
pub(super) fn term(attributes: &FieldAttributes, field: &str) -> Option<Ident> {
    let named = || {
        let name = field.strip_suffix("_id")?;
        // A keyword becomes a raw identifier.
        syn::parse_str(name).or_else(|_| syn::parse_str(&format!("r#{name}"))).ok()
    };
    attributes.relation.clone().or_else(named)
}

/// The paths that `filter` or `sort` names, each once.
pub(super) fn paths(
    fields: &[RawField<'_>],
    selection: Option<&Selection>,
    key: &str,
    lookup: &Lookup<'_>,
) -> Vec<FieldPath> {
    let mut paths: Vec<FieldPath> = Vec::new();
    for PathAttribute { relation, field } in selection.into_iter().flat_map(|selection| &selection.paths) {
        let Some(reference) = reference_of(fields, relation, lookup) else { continue };
        if paths.iter().any(|path| path.reference == reference && path.field == *field) {
            let path = format!("{}::{}", unraw(relation), unraw(field));
            lookup.error(field.span(), format_args!("`{key}` names `{path}` twice: remove one"));
        } else {
            paths.push(FieldPath { reference, field: field.clone() });
        }
    }
    paths
}

/// The field that `time_zone` names. An unknown one is reported.
pub(super) fn zone(fields: &[RawField<'_>], path: &Selection, lookup: &Lookup<'_>) -> Option<ZonePath> {
    if let Some(field) = path.fields.iter().flatten().next() {
        let relation = (!lookup.has(field)).then(|| named_reference(fields, field)).flatten();
        return relation
            .map(|reference| ZonePath::Via(reference, field.span()))
            .or_else(|| lookup.find(field)?.span.map(|_| ZonePath::Own(field.clone())));
    }
    paths(fields, Some(path), "time_zone", lookup).pop().map(ZonePath::Referred)
}

/// The name of the record that a field refers to.
fn relation_of(field: &RawField<'_>) -> Option<String> {
    field.attributes.references.as_ref().filter(|reference| !reference.users)?;
    match &field.attributes.relation {
        Some(relation) => Some(unraw(relation)),
        None => field.name.strip_suffix("_id").map(str::to_owned),
    }
}

/// The field that has a relation of this name.
fn named_reference(fields: &[RawField<'_>], relation: &Ident) -> Option<usize> {
    let name = unraw(relation);
    fields.iter().position(|field| relation_of(field).is_some_and(|other| other == name))
}

/// The field that has a relation of this name. Another name is reported.
pub(super) fn reference_of(fields: &[RawField<'_>], relation: &Ident, lookup: &Lookup<'_>) -> Option<usize> {
    let (name, found) = (unraw(relation), named_reference(fields, relation));
    if found.is_none() {
        let known: Vec<_> = fields.iter().filter_map(relation_of).map(|name| format!("`{name}`")).collect();
        let hint = match &known[..] {
            [] => "no field has `references`".to_owned(),
            known => format!("expected one of {}", known.join(", ")),
        };
        lookup.error(relation.span(), format_args!("there is no relation `{name}`: {hint}"));
    }
    found
}

/// Drops the names of relations that no request can use, and the terms in `FIELDS` that have the name of a field.
pub(super) fn keep_used(fields: &mut [Field<'_>], filter: &[FieldPath], sort: &[FieldPath]) {
    let mut names: HashSet<String> = fields.iter().map(|field| field.name.clone()).collect();
    for (index, field) in fields.iter_mut().enumerate() {
        let Some(reference) = &mut field.references else { continue };
        if !reference.expand && !filter.iter().chain(sort).any(|path| path.reference == index) {
            reference.relation = None;
            // A relation that the attribute names stays a term, for the program's own queries.
            reference.term = reference.term.take().filter(|_| reference.named.is_some());
        }
        reference.term = reference.term.take().filter(|term| names.insert(unraw(term)));
    }
}

/// The fields in `by(…)` of each field's reference; the field itself is the last of them.
pub(super) fn by(fields: &[RawField<'_>], lookup: &Lookup<'_>) -> Vec<Vec<usize>> {
    let of_field = |(index, field): (usize, &RawField<'_>)| {
        let Some(reference) = field.attributes.references.as_ref().filter(|it| !it.by.is_empty()) else {
            return Vec::new();
        };
        let named = lookup.find_all(&reference.by, "by");
        let columns: Vec<usize> = named.iter().map(|named| named.index).collect();
        let is_known = named.len() == reference.by.len() && named.iter().all(|named| named.span.is_some());
        if is_known && (columns.len() < 2 || columns.last() != Some(&index)) {
            let name = &field.name;
            let message = format!("`by(…)` is on the last of several fields: expected `by(…, {name})`");
            lookup.error(reference.by[reference.by.len() - 1].span(), message);
        }
        if columns.len() < 2 || columns.last() != Some(&index) { Vec::new() } else { columns }
    };
    fields.iter().enumerate().map(of_field).collect()
}

/// Checks reference fields: SET NULL needs nullable fields, and an expanded record must not disclose a concealed field
/// of its key.
pub(super) fn check_columns(fields: &[Field<'_>], cx: &Ctxt) {
    for (index, field) in fields.iter().enumerate() {
        let Some(reference) = &field.references else { continue };
        let columns = if reference.by.is_empty() { std::slice::from_ref(&index) } else { &*reference.by };
        let nulls = reference.on_delete == OnDelete::SetNull && !reference.unconstrained;
        let is_required = columns.iter().any(|column| !fields[*column].ty.optional);
        if let Some(span) = reference.on_delete_span.filter(|_| nulls && is_required) {
            let each = if columns.len() > 1 { "nullable fields" } else { "a nullable field" };
            cx.error(span, format_args!("`set_null` needs {each}: expected `Option<…>`"));
        }
        for other in columns.iter().filter(|column| **column != index).map(|column| &fields[*column]) {
            let concealed = other.exposure.concealed().filter(|_| field.exposure.concealed().is_none());
            let concealed = concealed.map(|(span, key)| (SpanRange::from(span), key));
            let visible = other.visible.as_ref().map(|visible| (visible.span, "visible"));
            if let Some((span, key)) = concealed.or(visible) {
                let (name, other) = (&field.name, &other.name);
                let message = format!(
                    "the record that `{name}` refers to has the value of `{other}`: write `{key}` on `{name}` only"
                );
                cx.error(span, message);
            }
        }
    }
}

/// Refuses relations whose names are taken.
pub(super) fn check(fields: &[Field<'_>], filter: &[FieldPath], sort: &[FieldPath], cx: &Ctxt) {
    let mut names = HashSet::new();
    for field in fields {
        let Some(reference) = &field.references else { continue };
        let Some(relation) = &reference.relation else { continue };
        let name = &relation.value;
        if fields.iter().any(|other| other.json.value == *name) || !names.insert(name) {
            let message = format!("the name `{name}` is taken: choose another with `relation(…)`");
            cx.error(relation.span, message);
        }
    }
    check_alike(fields, filter, "filter", |field| field.filterable, cx);
    check_alike(fields, sort, "sort key", |field| field.sortable, cx);
}

/// Refuses paths that client generators would give the name of a field.
fn check_alike(
    fields: &[Field<'_>],
    paths: &[FieldPath],
    what: &str,
    capability: impl Fn(&Field<'_>) -> Capability,
    cx: &Ctxt,
) {
    for path in paths {
        let Some(relation) = fields[path.reference].references.as_ref().and_then(|found| found.relation.as_ref())
        else {
            continue;
        };
        let (relation, field) = (&relation.value, unraw(&path.field));
        let alike = |other: &&Field<'_>| {
            capability(other) != Capability::No && plain(&other.json.value) == plain(&format!("{relation}{field}"))
        };
        if let Some(other) = fields.iter().find(alike) {
            let message = format!(
                "generated clients would give `{relation}.{field}` the name of the {what} `{}`: rename one of them",
                other.json.value
            );
            cx.error(path.field.span(), message);
        }
    }
}

/// A name in the form by which client generators tell names apart.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}
