//! Parsed `soft_delete`.

use proc_macro2::Span;

use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::SoftDeleteKey;

#[derive(Debug)]
pub(crate) struct SoftDeleteAttribute {
    pub(crate) key: Span,
    pub(crate) include_deleted_by_default: bool,
    pub(crate) auto_restore_on_update: bool,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<SoftDeleteAttribute> {
    let mut soft_delete =
        SoftDeleteAttribute { key: entry.key.span(), include_deleted_by_default: false, auto_restore_on_update: false };
    for (key, entry) in entry.nested(cx)? {
        match key {
            SoftDeleteKey::IncludeDeletedByDefault => {
                soft_delete.include_deleted_by_default = entry.boolean(cx).unwrap_or(false);
            }
            SoftDeleteKey::AutoRestoreOnUpdate => {
                soft_delete.auto_restore_on_update = entry.boolean(cx).unwrap_or(false);
            }
        }
    }
    Some(soft_delete)
}
