//! The grammar of an order: `desc(created_at), name`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::entry::{self, Entry};
use crate::ctxt::Ctxt;

/// A key of an order.
#[derive(Debug)]
pub(crate) struct SortAttribute {
    pub(crate) field: Ident,
    pub(crate) descending: bool,
}

/// Keys of an order: `(desc(created_at), name)`.
pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Vec<SortAttribute> {
    let Some(tokens) = entry.list(cx) else { return Vec::new() };
    if tokens.is_empty() {
        entry.refuse(cx);
    }
    entry::separated(tokens.clone(), cx, |input| {
        let word = input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?;
        if word == "desc" && input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            let field = descending(&content, &word, entry);
            if field.is_err() {
                // The rest is skipped, so that it is not reported as a second error.
                content.parse::<TokenStream>()?;
            }
            return Ok(SortAttribute { field: field?, descending: true });
        }
        if input.peek(syn::token::Paren) {
            return Err(entry.malformed(&syn::Error::new(word.span(), "")));
        }
        Ok(SortAttribute { field: plain(word, entry, input)?, descending: false })
    })
}

/// Parses the inside of the parentheses of `desc`.
fn descending(content: ParseStream<'_>, word: &Ident, entry: &Entry) -> syn::Result<Ident> {
    let field = content.call(Ident::parse_any).map_err(|error| {
        let error = if content.is_empty() { syn::Error::new(word.span(), "") } else { error };
        entry.malformed(&error)
    })?;
    let field = plain(field, entry, content)?;
    if content.is_empty() { Ok(field) } else { Err(entry.malformed(&content.error(""))) }
}

/// A field of the record itself. A path to another record's field is reported.
fn plain(field: Ident, entry: &Entry, input: ParseStream<'_>) -> syn::Result<Ident> {
    if input.peek(Token![.]) || input.peek(Token![::]) {
        return Err(field_of_another(entry, &field, input));
    }
    Ok(field)
}

/// The error of an order by a path, such as `author::name`.
fn field_of_another(entry: &Entry, field: &Ident, input: ParseStream<'_>) -> syn::Error {
    let mut path = field.to_token_stream();
    while !input.is_empty() && !input.peek(Token![,]) {
        path.extend(input.parse::<TokenTree>());
    }
    let (name, form) = (entry.spec.name, entry.spec.form);
    let written = path.to_string().replace(' ', "");
    let message =
        format!("`{name}` takes fields of the record itself, and `{written}` is of another one: expected {form}");
    syn::Error::new_spanned(path, message)
}
