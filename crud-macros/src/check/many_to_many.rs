//! `many_to_many`: records of other resources that a junction links to records of this resource.

use crud_shared::operation::WORDS;
use proc_macro2::Span;

use super::children;
use crate::attr::many_to_many::ManyToManyAttribute;
use crate::attr::name as unraw;
use crate::ctxt::Ctxt;
use crate::model::{Children, Field, ManyToMany, Pagination};

/// Path segments after a key, beside operations, that are routes or will be.
const RESERVED: [&str; 3] = ["permanent", "aggregate", "events"];

/// Resolves `many_to_many`, and reports a name that is taken.
pub(super) fn resolve(
    attributes: Vec<ManyToManyAttribute>,
    fields: &[Field<'_>],
    children: &[Children],
    pagination: Option<&Pagination>,
    cx: &Ctxt,
) -> Vec<ManyToMany> {
    let last = attributes.last().map(|links| links.name.span());
    let mut found = Vec::<ManyToMany>::new();
    for ManyToManyAttribute { name, junction, fields: sides, limit } in attributes {
        let (span, name) = (name.span(), unraw(&name));
        let others = children.iter().map(|other| other.name.as_str());
        let others = others.chain(found.iter().map(|other| other.name.as_str()));
        children::check_name(&name, span, fields, others, cx);
        check_segment(&name, span, fields, cx);
        children::check_limit(limit.as_ref(), cx);
        let limit = limit.map_or(children::LIMIT, |limit| limit.value);
        found.push(ManyToMany { name, junction, fields: sides, limit });
    }
    if let (Some(span), Some(pages)) = (last, pagination) {
        let linked: u64 = found.iter().map(|links| u64::from(links.limit)).sum();
        children::check_rows(children::rows(children) + linked, pages, span, cx);
    }
    found
}

/// Checks the name as a path segment after the key.
fn check_segment(name: &str, span: Span, fields: &[Field<'_>], cx: &Ctxt) {
    if WORDS.iter().map(|word| word.name).chain(RESERVED).any(|reserved| reserved == name) {
        cx.error(span, format_args!("`{name}` is the name of an operation or a route: choose another"));
        return;
    }
    let transitions = fields.iter().filter_map(|field| field.transitions.as_ref());
    if transitions.flat_map(|transitions| &transitions.list).any(|transition| unraw(&transition.name) == name) {
        cx.error(span, format_args!("`{name}` is a transition, whose route has the name: choose another"));
    }
}
