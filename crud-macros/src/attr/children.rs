//! The grammar of `has_many`: `orders(Order::customer_id, limit = 20, sort(desc(created_at)))`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::Spanned;
use super::entry::{self, Entry};
use super::sort_keys::{self, SortAttribute};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{AttributeKey, HasManyKey};

/// Records of another resource that refer to records of this resource.
#[derive(Debug)]
pub(crate) struct ChildrenAttribute {
    /// Name of the list in requests.
    pub(crate) name: Ident,
    pub(crate) resource: Spanned<TokenStream>,
    /// The field of the other resource that refers.
    pub(crate) field: Ident,
    pub(crate) limit: Option<Spanned<u32>>,
    pub(crate) sort: Vec<SortAttribute>,
    /// The span of `nested`.
    pub(crate) nested: Option<Span>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Vec<ChildrenAttribute> {
    let Some(tokens) = entry.list(cx) else { return Vec::new() };
    if tokens.is_empty() {
        entry.refuse(cx);
    }
    entry::separated(tokens.clone(), cx, |input| named(input, entry, |content, name| inside(content, name, entry, cx)))
}

/// Parses a name with parentheses.
pub(super) fn named<T>(
    input: ParseStream<'_>,
    entry: &Entry,
    inside: impl FnOnce(ParseStream<'_>, Ident) -> syn::Result<T>,
) -> syn::Result<T> {
    let name = input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?;
    if !input.peek(syn::token::Paren) {
        return Err(entry.malformed(&syn::Error::new(name.span(), "")));
    }
    let content;
    syn::parenthesized!(content in input);
    let found = inside(&content, name);
    if found.is_err() {
        // The rest is skipped, so that it is not reported as a second error.
        content.parse::<TokenStream>()?;
    }
    found
}

/// Parses the inside of the parentheses of a name.
fn inside(content: ParseStream<'_>, name: Ident, entry: &Entry, cx: &Ctxt) -> syn::Result<ChildrenAttribute> {
    // The end of the list has no span: an error there is reported at the name.
    let malformed = |error: syn::Error| {
        let error = if content.is_empty() { syn::Error::new(name.span(), "") } else { error };
        entry.malformed(&error)
    };
    let mut resource = content.call(syn::Path::parse_mod_style).map_err(malformed)?;
    if !content.is_empty() && !content.peek(Token![,]) {
        return Err(malformed(content.error("")));
    }
    let field = resource.segments.pop().map(|field| field.ident);
    let Some(field) = field.filter(|_| !resource.segments.is_empty()) else {
        return Err(entry.malformed(&syn::Error::new(name.span(), "")));
    };
    // Drops the last `::`.
    resource.segments.pop_punct();
    let span = SpanRange::covering(&resource);
    let mut entries = Vec::new();
    while !content.is_empty() {
        content.parse::<Token![,]>().map_err(malformed)?;
        if !content.is_empty() {
            entries.extend(entry::parse(content, HasManyKey::PLACE, cx)?);
        }
    }
    let (mut limit, mut sort, mut nested) = (None, Vec::new(), None);
    for (key, entry) in entry::keyed(entries, cx) {
        match key {
            HasManyKey::Limit => limit = entry.number(cx),
            HasManyKey::Sort => sort = sort_keys::parse(&entry, cx),
            HasManyKey::Nested => nested = entry.flag(cx),
        }
    }
    let resource = Spanned::new(resource.into_token_stream(), span);
    Ok(ChildrenAttribute { name, resource, field, limit, sort, nested })
}
