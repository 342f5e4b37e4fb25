//! Lists of texts or names with keys between them.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::{LitStr, Token};

use super::Spanned;
use super::entry::{self, Entry};
use crate::ctxt::Ctxt;
use crate::key::AttributeKey;

/// Entries with their keys.
pub(super) type Entries<K> = Vec<(K, Entry)>;

/// Reads `("text", key, key = value)`: the text, if there is one, and the keys. A second text is reported.
pub(super) fn text_and_entries<K: AttributeKey>(
    tokens: &TokenStream,
    entry: &Entry,
    cx: &Ctxt,
) -> (Option<Spanned<String>>, Entries<K>) {
    let (mut texts, mut entries) = (Vec::new(), Vec::new());
    entry::separated(tokens.clone(), cx, |input| {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            texts.push(Spanned::new(text.value(), text.span()));
        } else {
            entries.extend(entry::parse(input, K::PLACE, cx)?);
        }
        Ok(())
    });
    let mut texts = texts.into_iter();
    let first = texts.next();
    if let Some(second) = texts.next() {
        cx.error(second.span, format_args!("expected one name in `{}(…)`: remove this", entry.spec.name));
    }
    (first, entry::keyed(entries, cx))
}

/// The names in a list, and the keys between them.
pub(super) fn fields_and_entries<K: AttributeKey>(entry: &Entry, cx: &Ctxt) -> Option<(Vec<Ident>, Entries<K>)> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let (mut fields, mut entries) = (Vec::new(), Vec::new());
    entry::separated(tokens.clone(), cx, |input| {
        let keyed = input.peek2(syn::token::Paren) || input.peek2(Token![=]);
        if input.peek(Ident::peek_any) && keyed {
            entries.extend(entry::parse(input, K::PLACE, cx)?);
        } else {
            fields.push(input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?);
        }
        Ok(())
    });
    Some((fields, entry::keyed(entries, cx)))
}
