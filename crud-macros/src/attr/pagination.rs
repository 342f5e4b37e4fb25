//! Parsed `pagination`.

use proc_macro2::Span;

use super::Spanned;
use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::PaginationKey;

#[derive(Debug, Default)]
pub(crate) struct PaginationAttribute {
    pub(crate) default_limit: Option<Spanned<u32>>,
    pub(crate) max_limit: Option<Spanned<u32>>,
    pub(crate) clamp: bool,
    pub(crate) count: Option<Spanned<Count>>,
    pub(crate) cursor: Option<Span>,
}

/// The key `count` of `pagination`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    Exact,
    Capped(u32),
    None,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<PaginationAttribute> {
    let mut pagination = PaginationAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            PaginationKey::DefaultLimit => pagination.default_limit = entry.number(cx),
            PaginationKey::MaxLimit => pagination.max_limit = entry.number(cx),
            PaginationKey::OverLimit => {
                let choice = entry.choice(&[("reject", false), ("clamp", true)], cx);
                pagination.clamp = choice.is_some_and(|choice| choice.value);
            }
            PaginationKey::Cursor => pagination.cursor = entry.flag(cx),
            PaginationKey::Count => pagination.count = count(&entry, cx),
        }
    }
    Some(pagination)
}

fn count(entry: &Entry, cx: &Ctxt) -> Option<Spanned<Count>> {
    if entry.call_of("capped").is_some() {
        let cap = entry.call("capped", cx)?;
        return Some(Spanned::new(Count::Capped(cap.value), cap.span));
    }
    entry.choice(&[("exact", Count::Exact), ("none", Count::None)], cx)
}
