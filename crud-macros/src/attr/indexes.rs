//! Parsed `unique`, `index` and `search`: fields that the database indexes.

use proc_macro2::{Ident, Span};

use super::Spanned;
use super::entry::Entry;
use super::field::Among;
use super::keyed_list::fields_and_entries;
use crate::ctxt::Ctxt;
use crate::key::{IndexKey, SearchKey, UniqueKey};

/// The attribute `unique` on the struct.
#[derive(Debug)]
pub(crate) struct UniqueAttribute {
    pub(crate) fields: Vec<Ident>,
    pub(crate) among: Option<Spanned<Among>>,
    /// The fields that `case_insensitive(…)` names.
    pub(crate) case_insensitive: Vec<Ident>,
}

#[derive(Debug)]
pub(crate) struct IndexAttribute {
    pub(crate) fields: Vec<Ident>,
    /// The field that `some(…)` names.
    pub(crate) some: Option<Ident>,
}

#[derive(Debug)]
pub(crate) struct SearchAttribute {
    pub(crate) key: Span,
    pub(crate) fields: Vec<Ident>,
    pub(crate) language: Option<Spanned<String>>,
}

pub(super) fn unique(entry: &Entry, cx: &Ctxt) -> Option<UniqueAttribute> {
    let (fields, entries) = fields_and_entries::<UniqueKey>(entry, cx)?;
    let (mut among, mut case_insensitive) = (None, Vec::new());
    for (key, entry) in entries {
        match key {
            UniqueKey::Among => among = entry.choice(&Among::WORDS, cx),
            UniqueKey::CaseInsensitive => case_insensitive = entry.names(cx).unwrap_or_default(),
        }
    }
    Some(UniqueAttribute { fields, among, case_insensitive })
}

pub(super) fn index(entry: &Entry, cx: &Ctxt) -> Option<IndexAttribute> {
    let (fields, entries) = fields_and_entries::<IndexKey>(entry, cx)?;
    let mut some = None;
    for (key, entry) in entries {
        match key {
            IndexKey::Some => some = one_name(&entry, cx),
        }
    }
    Some(IndexAttribute { fields, some })
}

pub(super) fn search(entry: &Entry, cx: &Ctxt) -> Option<SearchAttribute> {
    let (fields, entries) = fields_and_entries::<SearchKey>(entry, cx)?;
    let mut language = None;
    for (key, entry) in entries {
        match key {
            SearchKey::Language => language = entry.text(cx),
        }
    }
    Some(SearchAttribute { key: entry.key.span(), fields, language })
}

fn one_name(entry: &Entry, cx: &Ctxt) -> Option<Ident> {
    let names = entry.names(cx)?;
    if let [_, second, ..] = names.as_slice() {
        cx.error(second.span(), format_args!("expected one field in `{}`: remove this", entry.spec.name));
    }
    names.into_iter().next()
}
