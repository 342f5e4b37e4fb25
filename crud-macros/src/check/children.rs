//! `has_many`: records of other resources that refer to records of this resource.

use crud_shared::list::CONNECTIVES;
use proc_macro2::Span;

use crate::attr::children::ChildrenAttribute;
use crate::attr::sort_keys::SortAttribute;
use crate::attr::{Spanned, name as unraw};
use crate::ctxt::Ctxt;
use crate::model::{Children, Field, Pagination};

/// Default limit of expanded records for each record.
pub(super) const LIMIT: u32 = 20;

/// Maximum number of expanded records of `has_many` in a page: the default of `QueryLimits::expand_rows`.
const EXPAND_ROWS: u64 = 2_000;

/// Resolves `has_many`, and reports a name that is taken.
pub(super) fn resolve(
    attributes: Vec<ChildrenAttribute>,
    fields: &[Field<'_>],
    pagination: Option<&Pagination>,
    is_view: bool,
    cx: &Ctxt,
) -> Vec<Children> {
    let last = attributes.last().map(|children| children.name.span());
    let mut found = Vec::<Children>::new();
    for attribute in attributes {
        let ChildrenAttribute { name, resource, field, limit, sort, nested } = attribute;
        let (span, term, name) = (name.span(), name.clone(), unraw(&name));
        check_name(&name, span, fields, found.iter().map(|other| other.name.as_str()), cx);
        check_limit(limit.as_ref(), cx);
        if let Some(span) = nested.filter(|_| is_view) {
            cx.error(span, "`nested` writes records, and a view is only read: remove it");
        }
        let mut keys = Vec::<(proc_macro2::Ident, bool)>::new();
        for SortAttribute { field, descending } in sort {
            if keys.iter().any(|(known, _)| *known == field) {
                cx.error(field.span(), format_args!("`sort` names `{}` twice: remove one", unraw(&field)));
            } else {
                keys.push((field, descending));
            }
        }
        let limit = limit.map_or(LIMIT, |limit| limit.value);
        let is_term = |field: &Field<'_>| field.references.as_ref().and_then(|it| it.term.as_ref()) == Some(&term);
        let is_free = fields.iter().all(|field| field.name != name && !is_term(field))
            && found.iter().all(|other| other.name != name);
        let term = is_free.then_some(term);
        found.push(Children { name, term, resource, field, limit, sort: keys, nested: nested.is_some() });
    }
    if let (Some(span), Some(pages)) = (last, pagination) {
        check_rows(rows(&found), pages, span, cx);
    }
    found
}

/// Maximum number of `has_many` records that are expanded for one record.
pub(super) fn rows(children: &[Children]) -> u64 {
    children.iter().map(|children| u64::from(children.limit)).sum()
}

/// Refuses a limit of zero records.
pub(super) fn check_limit(limit: Option<&Spanned<u32>>, cx: &Ctxt) {
    if let Some(limit) = limit.filter(|limit| limit.value == 0) {
        cx.error(limit.span, "expected a limit of at least `1`, such as `limit = 20`");
    }
}

/// Refuses a name that a field, a relation or one of `others` has.
pub(super) fn check_name<'n>(
    name: &str,
    span: Span,
    fields: &[Field<'_>],
    mut others: impl Iterator<Item = &'n str>,
    cx: &Ctxt,
) {
    let is_relation = |field: &Field<'_>| {
        let relation = field.references.as_ref().and_then(|reference| reference.relation.as_ref());
        relation.is_some_and(|relation| relation.value == name)
    };
    let is_taken = fields.iter().any(|field| field.json.value == name || is_relation(field));
    if is_taken || others.any(|other| other == name) {
        cx.error(span, format_args!("the name `{name}` is taken: choose another"));
    } else if CONNECTIVES.contains(&name) {
        cx.error(span, format_args!("`{name}` is a connective of conditions: choose another name"));
    }
}

/// Checks that a page without `limit` stays below the limit of expanded records, with up to `beside` for each record.
pub(super) fn check_rows(beside: u64, pages: &Pagination, span: Span, cx: &Ctxt) {
    let rows = u64::from(pages.default_limit) * beside;
    if rows > EXPAND_ROWS {
        let message = format!(
            "a page of {} records would expand up to {rows} other records, expected at most {EXPAND_ROWS}: lower \
             `limit` here or `default_limit` of `pagination`",
            pages.default_limit
        );
        cx.error(span, message);
    }
}
