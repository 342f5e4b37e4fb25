//! Parsed `aggregate`.

use proc_macro2::Ident;

use super::Spanned;
use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::AggregateKey;

#[derive(Debug)]
pub(crate) struct AggregateAttribute {
    pub(crate) group_by: Vec<Ident>,
    pub(crate) over: Vec<Ident>,
    pub(crate) max_groups: Option<Spanned<u32>>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<AggregateAttribute> {
    let mut aggregate = AggregateAttribute { group_by: Vec::new(), over: Vec::new(), max_groups: None };
    if entry.list(cx)?.is_empty() {
        entry.refuse(cx);
        return None;
    }
    for (key, entry) in entry.nested(cx)? {
        match key {
            AggregateKey::GroupBy => aggregate.group_by = entry.names(cx).unwrap_or_default(),
            AggregateKey::Over => aggregate.over = entry.names(cx).unwrap_or_default(),
            AggregateKey::MaxGroups => aggregate.max_groups = entry.number(cx),
        }
    }
    Some(aggregate)
}
