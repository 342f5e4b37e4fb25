//! The grammar of who may do what: `public`, `authenticated`, `role("a")`, `permission("p")`, and
//! `any(…)` and `all(…)` of them.

use crud_shared::spelling;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token};

use super::At;
use super::entry::separated;
use crate::ctxt::{Ctxt, SpanRange};
use crate::symbol;

const FORM: &str = "`public`, `authenticated`, `role(\"name\")`, `permission(\"name\")`, `any(…)` or `all(…)`";

/// Who may do something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody.
    Public,
    /// Whoever has a valid token.
    Authenticated,
    /// Whoever has this role.
    Role(String),
    /// Whoever has this permission.
    Permission(String),
    /// Whoever satisfies one of these.
    Any(Vec<Access>),
    /// Whoever satisfies each of these.
    All(Vec<Access>),
}

/// What `access(…)` says of one operation or group.
#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) operation: At<&'static str>,
    pub(crate) access: Access,
}

/// The grants of `access(read = public, write = authenticated)`.
pub(crate) fn grants(tokens: &TokenStream, cx: &Ctxt) -> Vec<Grant> {
    let mut grants: Vec<Grant> = Vec::new();
    for (key, access) in separated(tokens.clone(), cx, |input| {
        let key = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>().map_err(|_| after(&key, "expected `= …`, such as `read = public`"))?;
        Ok((key, parse(input)?))
    }) {
        let name = key.unraw().to_string();
        let Some(&operation) = symbol::ACCESS_OPERATIONS.iter().find(|operation| **operation == name) else {
            cx.error(key.span(), unknown(&name, symbol::ACCESS_OPERATIONS, "operation"));
            continue;
        };
        if grants.iter().any(|grant| grant.operation.value == operation) {
            cx.error(key.span(), format_args!("duplicate operation `{operation}`: write it once"));
            continue;
        }
        grants.push(Grant { operation: At::new(operation, key.span()), access });
    }
    grants
}

/// One access expression, alone: `role("admin")`.
pub(crate) fn single(tokens: &TokenStream, span: SpanRange) -> syn::Result<Access> {
    if tokens.is_empty() {
        return Err(syn::Error::new(span.start, format_args!("expected {FORM}")));
    }
    parse.parse2(tokens.clone())
}

/// What to say of a word that is none of these.
pub(crate) fn unknown(word: &str, known: &'static [&'static str], what: &str) -> String {
    format!("unknown {what} `{word}`: {}", spelling::hint(word, known.iter().copied()))
}

fn after(ident: &Ident, message: &str) -> syn::Error {
    syn::Error::new(ident.span(), message)
}

fn parse(input: ParseStream<'_>) -> syn::Result<Access> {
    let expected = |span| syn::Error::new(span, format_args!("expected {FORM}"));
    let word = input.call(Ident::parse_any).map_err(|error| expected(error.span()))?;
    match word.to_string().as_str() {
        "public" => Ok(Access::Public),
        "authenticated" => Ok(Access::Authenticated),
        "role" => name(input, &word).map(Access::Role),
        "permission" => name(input, &word).map(Access::Permission),
        "any" => several(input, &word).map(Access::Any),
        "all" => several(input, &word).map(Access::All),
        _ => Err(expected(word.span())),
    }
}

fn name(input: ParseStream<'_>, word: &Ident) -> syn::Result<String> {
    let expected = || after(word, &format!("expected a name in quotes: `{word}(\"name\")`"));
    let content = parenthesised(input).map_err(|_| expected())?;
    let text: LitStr = syn::parse2(content).map_err(|_| expected())?;
    if text.value().is_empty() {
        return Err(syn::Error::new(text.span(), format_args!("the name of a {word} cannot be empty")));
    }
    Ok(text.value())
}

fn several(input: ParseStream<'_>, word: &Ident) -> syn::Result<Vec<Access>> {
    let expected = || after(word, &format!("expected a list: `{word}(role(\"a\"), role(\"b\"))`"));
    let content = parenthesised(input).map_err(|_| expected())?;
    let items = (|input: ParseStream<'_>| input.parse_terminated(parse, Token![,])).parse2(content)?;
    if items.is_empty() {
        return Err(expected());
    }
    Ok(items.into_iter().collect())
}

fn parenthesised(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let content;
    syn::parenthesized!(content in input);
    content.parse()
}
