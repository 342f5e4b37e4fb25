//! The grammar of `scope`: `role("customer"), customer_id(claim("customer"))`.

use proc_macro2::{Ident, TokenTree};
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
        let former: Option<Token![=]> = input.parse()?;
        let claim = if let Some(sign) = former {
            let claim = claim(input, entry)?;
            let shown = format!("claim({})", claim.token());
            cx.error(sign.span, format_args!("`{field} = {shown}` is now `{field}({shown})`"));
            claim
        } else if input.peek(syn::token::Paren) {
            let TokenTree::Group(group) = input.parse()? else { return Err(malformed(input.error(""))) };
            let inside = |input: ParseStream<'_>| claim(input, entry);
            inside.parse2(group.stream())?
        } else {
            return Err(malformed(input.error("")));
        };
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(entry.malformed(&input.error("")));
        }
        Ok(ScopeAttribute { access, field, claim: claim.value() })
    };
    parser.parse2(tokens.clone()).map_err(|error| cx.push(&error)).ok()
}

/// Parses `claim("customer")`.
fn claim(input: ParseStream<'_>, entry: &Entry) -> syn::Result<LitStr> {
    // The end of the list has no span.
    let malformed = |error: &syn::Error| {
        if input.is_empty() { entry.malformed(&syn::Error::new(entry.key.span(), "")) } else { entry.malformed(error) }
    };
    let word = input.call(Ident::parse_any).map_err(|error| malformed(&error))?;
    if word != "claim" || !input.peek(syn::token::Paren) {
        return Err(entry.malformed(&syn::Error::new(word.span(), "")));
    }
    let TokenTree::Group(group) = input.parse()? else { return Err(malformed(&input.error(""))) };
    let claim: LitStr = syn::parse2(group.stream()).map_err(|error| entry.malformed(&error))?;
    if claim.value().is_empty() {
        return Err(syn::Error::new(claim.span(), "the name of a claim cannot be empty"));
    }
    Ok(claim)
}
