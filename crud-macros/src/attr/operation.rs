//! The operations that `only`, `except` and `access` name.

use crud_shared::spelling;
use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::Spanned;
use crate::ctxt::Ctxt;

/// An operation, or the operations on many records that share a name with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    List,
    Get,
    Create,
    Update,
    Delete,
    Restore,
    Purge,
    Batch,
    History,
}

impl Operation {
    /// The operations by their names.
    pub(crate) const ALL: &'static [(&'static str, Self)] = &[
        ("list", Self::List),
        ("get", Self::Get),
        ("create", Self::Create),
        ("update", Self::Update),
        ("delete", Self::Delete),
        ("restore", Self::Restore),
        ("purge", Self::Purge),
        ("batch", Self::Batch),
        ("history", Self::History),
    ];

    /// The variants of the runtime's `Operation`.
    pub(crate) const fn variants(self) -> &'static [&'static str] {
        match self {
            Self::List => &["List"],
            Self::Get => &["Get"],
            Self::Create => &["Create"],
            Self::Update => &["Update"],
            Self::Delete => &["Delete"],
            Self::Restore => &["Restore", "RestoreMany"],
            Self::Purge => &["Purge", "PurgeMany"],
            Self::Batch => &["BatchCreate", "BatchUpdate", "BatchDelete"],
            Self::History => &["History"],
        }
    }
}

/// The operations of these names. An unknown or repeated one is reported.
pub(super) fn parse_all(names: &[Ident], cx: &Ctxt) -> Vec<Spanned<Operation>> {
    let mut found: Vec<Spanned<Operation>> = Vec::new();
    for ident in names {
        let Some(operation) = parse(ident, Operation::ALL, cx) else { continue };
        if found.iter().any(|other| other.value == operation) {
            refuse_duplicate(ident, cx);
        } else {
            found.push(Spanned::new(operation, ident.span()));
        }
    }
    found
}

/// The operation of this name among the known ones. An unknown one is reported.
pub(super) fn parse<T: Copy>(ident: &Ident, known: &[(&'static str, T)], cx: &Ctxt) -> Option<T> {
    let name = ident.unraw().to_string();
    let found = known.iter().find(|(known, _)| *known == name).map(|(_, operation)| *operation);
    if found.is_none() {
        let hint = spelling::hint(&name, known.iter().map(|(name, _)| *name));
        cx.error(ident.span(), format_args!("unknown operation `{name}`: {hint}"));
    }
    found
}

/// Reports an operation that stands twice.
pub(super) fn refuse_duplicate(ident: &Ident, cx: &Ctxt) {
    cx.error(ident.span(), format_args!("duplicate operation `{}`: remove one", ident.unraw()));
}
