//! Parsed `hooks`.

use proc_macro2::TokenStream;

use super::Spanned;
use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::HooksKey;

/// The attribute `hooks`: paths of functions.
#[derive(Debug, Default)]
pub(crate) struct HooksAttribute {
    pub(crate) before: Option<Spanned<TokenStream>>,
    pub(crate) after: Option<Spanned<TokenStream>>,
    pub(crate) committed: Option<Spanned<TokenStream>>,
    pub(crate) validate: Option<Spanned<TokenStream>>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<HooksAttribute> {
    if entry.list(cx)?.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let mut hooks = HooksAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            HooksKey::Before => hooks.before = entry.function(cx),
            HooksKey::After => hooks.after = entry.function(cx),
            HooksKey::Committed => hooks.committed = entry.function(cx),
            HooksKey::Validate => hooks.validate = entry.function(cx),
        }
    }
    Some(hooks)
}
