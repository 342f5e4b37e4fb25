//! Fields that lists can filter and sort by: `filter`, `sort`, `default_sort`.

use crud_shared::list::{CONNECTIVES, OPERATORS, PARAMETERS};
use proc_macro2::{Ident, Span};

use super::lookup::{Lookup, Named};
use super::types::Requirements;
use crate::attr::container::StructAttributes;
use crate::attr::field::InLists;
use crate::attr::item::RawField;
use crate::attr::sort_keys::SortAttribute;
use crate::attr::{Selection, Spanned};
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Capability, Field, Requirement, SortKey};

/// The fields with a capability: `filter` or `sort`.
#[derive(Debug)]
pub(super) struct ListCapabilities {
    /// The capability of each field.
    pub(super) fields: Vec<Capability>,
    /// The fields that an attribute names for the capability.
    named: Vec<Named>,
}

/// The fields that lists can filter and sort by.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) filter: ListCapabilities,
    pub(super) sort: ListCapabilities,
}

/// The fields that lists of a resource can filter and sort by.
pub(super) fn of(fields: &[RawField<'_>], id: &[usize], attributes: &StructAttributes, lookup: &Lookup<'_>) -> Lists {
    let filter = fields.iter().map(|field| field.attributes.filter).collect();
    let sort = fields.iter().map(|field| field.attributes.sort).collect();
    Lists {
        filter: capabilities(fields, id, filter, attributes.filter.as_ref(), "filter", lookup),
        sort: capabilities(fields, id, sort, attributes.sort.as_ref(), "sort", lookup),
    }
}

fn capabilities(
    fields: &[RawField<'_>],
    id: &[usize],
    written: Vec<Option<InLists>>,
    selection: Option<&Selection>,
    key: &str,
    lookup: &Lookup<'_>,
) -> ListCapabilities {
    let mut named: Vec<Named> = Vec::new();
    let mut off: Vec<(usize, SpanRange)> = Vec::new();
    for (index, written) in written.into_iter().enumerate() {
        match written {
            Some(InLists::On(span)) => named.push(Named { index, span: Some(span) }),
            Some(InLists::Off(span)) if id.contains(&index) => off.push((index, span)),
            Some(InLists::Off(span)) => {
                let message = format!("only the key is in `{key}` without being named: remove `{key}(off)`");
                lookup.error_at(span, message);
            }
            None => {}
        }
    }
    // `filter` alone leaves out fields that clients may not see, and fields of a type that cannot be compared.
    let unnamed = match selection {
        Some(Selection { fields: None, .. }) => Capability::IfComparable,
        Some(Selection { fields: Some(list), .. }) => {
            named.extend(lookup.find_all(list, key));
            Capability::No
        }
        None => Capability::No,
    };
    for (_, span) in off.iter().filter(|(index, _)| named.iter().any(|named| named.index == *index)) {
        lookup.error_at(*span, format_args!("`{key}` names the key, and `{key}(off)` takes it out: remove one"));
    }
    // Keys are in every path, so nothing is disclosed.
    let is_on = selection.is_some() || !named.is_empty();
    let capability = |(index, field): (usize, &RawField<'_>)| {
        let is_id = id.contains(&index);
        if off.iter().any(|(of, _)| *of == index) {
            Capability::No
        } else if named.iter().any(|named| named.index == index) {
            Capability::Yes
        } else if field.attributes.exposure.concealed().is_some() || is_of_function(field) {
            Capability::No
        } else if is_id && is_on && field.ty.can_be_key() {
            Capability::Yes
        } else {
            unnamed
        }
    };
    ListCapabilities { fields: fields.iter().enumerate().map(capability).collect(), named }
}

/// Whether a function computes the field: storage does not know it.
fn is_of_function(field: &RawField<'_>) -> bool {
    field.attributes.computed.as_ref().is_some_and(|computed| computed.function().is_some())
}

/// Checks the fields that lists can filter and sort by.
pub(super) fn check(lists: &Lists, requirements: &mut Requirements<'_, '_>) {
    check_named(&lists.filter, "filter", "a filter", requirements);
    for field in requirements.fields.iter().filter(|field| field.filterable != Capability::No) {
        check_parameter(field, requirements.cx);
    }
    check_named(&lists.sort, "sort", "an order", requirements);
}

fn check_named(capabilities: &ListCapabilities, key: &str, access: &str, requirements: &mut Requirements<'_, '_>) {
    for &Named { index, span } in &capabilities.named {
        let Some(span) = span else { continue };
        let field = &requirements.fields[index];
        let name = &field.name;
        if let Some((_, attribute)) = field.exposure.concealed() {
            let message = format!("`{name}` is `{attribute}`, and {access} by it would disclose its value: remove one");
            requirements.cx.error(span, message);
        } else if field.is_of_function() {
            let message = format!(
                "a function computes `{name}` when the record is written, so a list cannot {key} by it: remove it here, or \
                 write `computed(sql = \"…\")`"
            );
            requirements.cx.error(span, message);
        } else {
            let message = format!("`{name}` cannot be compared, so a list cannot {key} by it: remove it here");
            requirements.require(index, Requirement::Comparable, span, message);
        }
    }
}

fn check_parameter(field: &Field<'_>, cx: &Ctxt) {
    let (json, span) = (&field.json.value, field.json.span);
    if PARAMETERS.contains(&json.as_str()) {
        let message =
            format!("a filter named `{json}` would hide the parameter `{json}`: choose another with `rename = \"…\"`");
        cx.error(span, message);
    } else if CONNECTIVES.contains(&json.as_str()) {
        let message = format!(
            "a filter named `{json}` would read as the connective `{json}`: choose another with `rename = \"…\"`"
        );
        cx.error(span, message);
    } else if let Some((_, operator)) = json.rsplit_once("__").filter(|(_, end)| OPERATORS.contains(end)) {
        let message = format!(
            "a filter named `{json}` would read as the operator `{operator}`: choose another name with `rename = \"…\"`"
        );
        cx.error(span, message);
    }
}

/// The keys of the default order.
pub(super) fn default_sort(keys: &[SortAttribute], lookup: &Lookup<'_>) -> Vec<Spanned<SortKey>> {
    let names: Vec<Ident> = keys.iter().map(|key| key.field.clone()).collect();
    let descending = |span: Span, index: usize| {
        // The first key of this name: a second one is an error already.
        let first = keys.iter().find(|key| lookup.is(&key.field, index));
        Spanned::new(SortKey { column: index, descending: first.is_some_and(|key| key.descending) }, span)
    };
    let named = lookup.find_all(&names, "default_sort");
    named.into_iter().filter_map(|Named { index, span }| Some(descending(span?, index))).collect()
}

/// Checks the default order.
pub(super) fn check_default_sort(keys: &[Spanned<SortKey>], id: &[usize], requirements: &mut Requirements<'_, '_>) {
    let requests_sort = requirements.fields.iter().any(|field| field.sortable != Capability::No);
    for &Spanned { value: SortKey { column, .. }, span } in keys {
        let field = &requirements.fields[column];
        let name = &field.name;
        if let Some((_, attribute)) = field.exposure.concealed() {
            let message = format!("`{name}` is `{attribute}`, and an order by it would disclose its value: remove one");
            requirements.cx.error(span, message);
        } else if field.is_of_function() {
            let message = format!(
                "a function computes `{name}` when the record is written, so a list cannot sort by it: remove it here"
            );
            requirements.cx.error(span, message);
        } else if requests_sort && field.sortable == Capability::No && !id.contains(&column) {
            requirements.cx.error(span, format_args!("`{name}` is not sortable: add it to `sort(…)`"));
        } else if field.sortable != Capability::Yes {
            let message = format!("`{name}` cannot be compared, so a list cannot sort by it: remove it here");
            requirements.require(column, Requirement::Comparable, span, message);
        }
    }
}
