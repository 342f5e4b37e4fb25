//! The operations that `operations` and `access` name.

use crud_shared::operation::{WORDS, Word};
use crud_shared::spelling;
use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::Spanned;
use crate::ctxt::Ctxt;

/// The name of an operation, which its counterpart for many records shares.
pub(crate) type Operation = &'static Word;

/// The operations by their names.
pub(super) fn named() -> impl Iterator<Item = (&'static str, Operation)> {
    WORDS.iter().map(|word| (word.name, word))
}

/// The operations of these names. An unknown or repeated one is reported.
pub(super) fn parse_all(names: &[Ident], cx: &Ctxt) -> Vec<Spanned<Operation>> {
    let mut found: Vec<Spanned<Operation>> = Vec::new();
    let known: Vec<_> = named().collect();
    for ident in names {
        let Some(operation) = parse(ident, &known, cx) else { continue };
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
