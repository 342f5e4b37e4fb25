//! `exclusive(room_id, starts_at..ends_at, status = any(Requested, Approved))`.

use proc_macro2::{Ident, Span};
use quote::ToTokens;

use super::lookup::{Lookup, Named};
use super::types::Requirements;
use crate::attr::exclusive::ExclusiveAttribute;
use crate::model::{Exclusive, Requirement, Role};

/// The fields of a span.
pub(super) struct NamedExclusive {
    key: Span,
    columns: Vec<Named>,
    start: Named,
    end: Named,
    inclusive: bool,
    when: Option<(Named, Vec<Ident>)>,
}

/// The fields that the attributes name. An attribute with an unknown name is reported and left out.
pub(super) fn named(attributes: &[ExclusiveAttribute], lookup: &Lookup<'_>) -> Vec<NamedExclusive> {
    let name = |attribute: &ExclusiveAttribute| {
        let ExclusiveAttribute { key, fields, start, end, inclusive, when } = attribute;
        let all: Vec<Ident> = fields.iter().chain([start, end]).cloned().collect();
        let mut columns = lookup.find_all(&all, "exclusive");
        if columns.len() < all.len() {
            return None;
        }
        let (end, start) = (columns.pop()?, columns.pop()?);
        let when = match when {
            Some((field, variants)) => Some((lookup.find(field)?, variants.clone())),
            None => None,
        };
        Some(NamedExclusive { key: *key, columns, start, end, inclusive: *inclusive, when })
    };
    attributes.iter().filter_map(name).collect()
}

/// Checks the types of the fields.
pub(super) fn check(all: &[NamedExclusive], requirements: &mut Requirements<'_, '_>) -> Vec<Exclusive> {
    all.iter().map(|exclusive| one(exclusive, requirements)).collect()
}

fn one(exclusive: &NamedExclusive, requirements: &mut Requirements<'_, '_>) -> Exclusive {
    let NamedExclusive { key, columns, start, end, inclusive, when } = exclusive;
    let fields = requirements.fields;
    for Named { index, span } in columns.iter().chain([start, end]).chain(when.as_ref().map(|(state, _)| state)) {
        let (name, span) = (&fields[*index].name, span.unwrap_or(*key));
        if fields[*index].computed.is_some() || fields[*index].role == Role::IsDeleted {
            requirements.cx.error(span, format_args!("`{name}` is not stored: expected a stored field"));
        }
    }
    for Named { index, span } in columns {
        let message = format!("`{}` cannot be compared: expected a type that can", fields[*index].name);
        requirements.require(*index, Requirement::Comparable, span.unwrap_or(*key), message);
    }
    for Named { index, span } in [start, end] {
        let (name, expected) = (&fields[*index].name, Requirement::Bound.name());
        let message = format!("`{name}` cannot be an end of a span: expected {expected}");
        requirements.require(*index, Requirement::Bound, span.unwrap_or(*key), message);
    }
    let written = |named: &Named| fields[named.index].ty.inner.to_token_stream().to_string();
    if written(start) != written(end) {
        let (one, other) = (&fields[start.index].name, &fields[end.index].name);
        let message = format!("`{one}` and `{other}` have different types: a span needs two of one type");
        requirements.cx.error(end.span.unwrap_or(*key), message);
    }
    if let Some((state, _)) = when {
        let message = format!("`{}` is not an enum that derives `ResourceEnum`", fields[state.index].name);
        requirements.require(state.index, Requirement::Enum, state.span.unwrap_or(*key), message);
    }
    Exclusive {
        columns: columns.iter().map(|column| column.index).collect(),
        start: start.index,
        end: end.index,
        inclusive: *inclusive,
        when: when.as_ref().map(|(state, variants)| (state.index, variants.clone())),
    }
}
