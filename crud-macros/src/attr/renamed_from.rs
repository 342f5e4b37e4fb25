//! Parsed `renamed_from` of a struct.

use super::Spanned;
use super::entry::{Entry, Form};
use super::keyed_list::text_and_entries;
use crate::ctxt::Ctxt;
use crate::key::RenamedFromKey;

/// The attribute `renamed_from` on the struct.
#[derive(Debug)]
pub(crate) struct FormerAttribute {
    pub(crate) name: Spanned<String>,
    pub(crate) table: Option<Spanned<String>>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<FormerAttribute> {
    let Form::List(_, tokens) = &entry.value else {
        return entry.text(cx).map(|name| FormerAttribute { name, table: None });
    };
    let (name, entries) = text_and_entries::<RenamedFromKey>(tokens, entry, cx);
    let mut table = None;
    for (key, entry) in entries {
        match key {
            RenamedFromKey::Table => table = entry.text(cx),
        }
    }
    if name.is_none() {
        entry.refuse(cx);
    }
    Some(FormerAttribute { name: name?, table })
}
