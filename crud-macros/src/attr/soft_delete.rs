//! Parsed `soft_delete`.

use proc_macro2::{Ident, Span};

use super::entry::{self, Entry};
use super::former;
use crate::ctxt::Ctxt;
use crate::key::{Key, SoftDeleteKey};

/// `soft_delete`.
#[derive(Debug)]
pub(crate) struct SoftDeleteAttribute {
    pub(crate) key: Span,
    pub(crate) deleted_at: DeletedAtField,
    pub(crate) include_deleted_by_default: bool,
    pub(crate) auto_restore_on_update: bool,
}

/// The field of the deletion timestamp, where the struct names it, which is a former spelling and reported.
#[derive(Debug)]
pub(crate) enum DeletedAtField {
    /// Left out: the field with `deleted_at`, or that of the default name.
    Default,
    Named(Ident),
    /// Malformed, which is reported already.
    Malformed,
}

/// Reads the attribute.
pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<SoftDeleteAttribute> {
    let mut soft_delete = SoftDeleteAttribute {
        key: entry.key.span(),
        deleted_at: DeletedAtField::Default,
        include_deleted_by_default: false,
        auto_restore_on_update: false,
    };
    if entry.is_flag() {
        return Some(soft_delete);
    }
    let entries = entry::parse_all(entry.list(cx)?.clone(), SoftDeleteKey::PLACE, cx);
    let (entries, former) = former::split(entries, SoftDeleteKey::PLACE);
    for (_, entry) in &former {
        let field = entry.assigned(cx).and_then(|field| syn::parse2::<Ident>(field.clone()).ok());
        if let Some(field) = &field {
            let written = entry.shown();
            let message = format!("`{written}` is now `#[crud(deleted_at)]` on the field `{field}`");
            cx.error(entry.key.span(), message);
        }
        soft_delete.deleted_at = field.map_or(DeletedAtField::Malformed, DeletedAtField::Named);
    }
    for (key, entry) in entry::keyed(entries, cx) {
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
