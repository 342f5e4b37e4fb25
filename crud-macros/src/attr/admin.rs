//! Parsed `admin`.

use proc_macro2::{Ident, Span};

use super::Spanned;
use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::AdminKey;

#[derive(Debug, Default)]
pub(crate) struct AdminAttribute {
    pub(crate) title: Option<Ident>,
    pub(crate) list: Vec<Ident>,
    pub(crate) group: Option<Spanned<String>>,
    /// The span of `hide`.
    pub(crate) hide: Option<Span>,
    pub(crate) read_only: bool,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<AdminAttribute> {
    let mut admin = AdminAttribute::default();
    if entry.list(cx)?.is_empty() {
        entry.refuse(cx);
        return None;
    }
    for (key, entry) in entry.nested(cx)? {
        match key {
            AdminKey::Title => admin.title = title(&entry, cx),
            AdminKey::List => admin.list = entry.names(cx).unwrap_or_default(),
            AdminKey::Group => admin.group = entry.text(cx),
            AdminKey::Hide => admin.hide = entry.flag(cx),
            AdminKey::ReadOnly => admin.read_only = entry.flag(cx).is_some(),
        }
    }
    Some(admin)
}

/// Reads `title(name)`: one name.
fn title(entry: &Entry, cx: &Ctxt) -> Option<Ident> {
    let mut names = entry.names(cx)?.into_iter();
    let title = names.next();
    if let Some(second) = names.next() {
        cx.error(second.span(), "expected one field in `title(…)`: remove this");
    }
    title
}
