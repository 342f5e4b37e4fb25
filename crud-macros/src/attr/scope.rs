//! The grammar of `scope`: `role("customer"), customer_id = claim("customer")`.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token};

use super::access::{self, Access};
use super::entry::Entry;
use crate::ctxt::Ctxt;

/// `scope`.
#[derive(Debug)]
pub(crate) struct ScopeAttribute {
    /// The principals that it restricts.
    pub(crate) access: Access,
    pub(crate) field: Ident,
    pub(crate) claim: String,
}

/// Reads a scope.
pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<ScopeAttribute> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let parser = |input: ParseStream<'_>| {
        let access = access::parse(input)?;
        // The end of the list has no span.
        let malformed = |error: syn::Error| {
            if input.is_empty() {
                entry.malformed(&syn::Error::new(entry.key.span(), ""))
            } else {
                entry.malformed(&error)
            }
        };
        input.parse::<Token![,]>().map_err(malformed)?;
        let field = input.call(Ident::parse_any).map_err(malformed)?;
        input.parse::<Token![=]>().map_err(malformed)?;
        let word = input.call(Ident::parse_any).map_err(malformed)?;
        if word != "claim" || !input.peek(syn::token::Paren) {
            return Err(entry.malformed(&syn::Error::new(word.span(), "")));
        }
        let content;
        syn::parenthesized!(content in input);
        let claim: LitStr = content.parse().map_err(|error| entry.malformed(&error))?;
        if claim.value().is_empty() {
            return Err(syn::Error::new(claim.span(), "the name of a claim cannot be empty"));
        }
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(entry.malformed(&input.error("")));
        }
        Ok(ScopeAttribute { access, field, claim: claim.value() })
    };
    parser.parse2(tokens.clone()).map_err(|error| cx.push(&error)).ok()
}
