//! The grammar of access rules: `public`, `authenticated`, `role("a")`, `permission("p")`, and `any(…)` and `all(…)` of
//! rules.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token, ext::IdentExt};

use super::Spanned;
use super::entry::separated;
use super::operation::{self, Operation};
use crate::ctxt::{Ctxt, SpanRange};

const FORM: &str = "`public`, `authenticated`, `role(\"name\")`, `permission(\"name\")`, `any(…)` or `all(…)`";

/// Access rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Access {
    /// Every client.
    Public,
    /// A client with a valid token.
    Authenticated,
    /// A client with this role.
    Role(String),
    /// A client with this permission.
    Permission(String),
    /// A client that satisfies one of these rules.
    Any(Vec<Access>),
    /// A client that satisfies each of these rules.
    All(Vec<Access>),
}

/// The operations that a grant covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    All,
    Read,
    Write,
    One(Operation),
}

/// Access rule of one operation or group in `access(…)`.
#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) scope: Spanned<Scope>,
    pub(crate) access: Access,
}

/// The grants of `access(read(public), write(authenticated))`.
pub(super) fn grants(tokens: &TokenStream, cx: &Ctxt) -> Vec<Grant> {
    let scopes: Vec<(&'static str, Scope)> = Scope::known().collect();
    let mut grants: Vec<Grant> = Vec::new();
    for (key, access) in separated(tokens.clone(), cx, |input| {
        let key = input.call(Ident::parse_any)?;
        let expected = "expected who may do it in parentheses, such as `read(public)`";
        let content = parenthesised(input).map_err(|_| after(&key, expected))?;
        let access = single(&content, key.span().into())?;
        Ok((key, access))
    }) {
        let Some(scope) = operation::parse(&key, &scopes, cx) else { continue };
        if grants.iter().any(|grant| grant.scope.value == scope) {
            operation::refuse_duplicate(&key, cx);
        } else {
            grants.push(Grant { scope: Spanned::new(scope, key.span()), access });
        }
    }
    grants
}

impl Scope {
    /// The operations and their groups by their names.
    fn known() -> impl Iterator<Item = (&'static str, Self)> {
        let groups = [("read", Self::Read), ("write", Self::Write), ("all", Self::All)];
        operation::named().map(|(name, operation)| (name, Self::One(operation))).chain(groups)
    }

    /// The name in `access(…)`.
    pub(crate) fn name(self) -> &'static str {
        Self::known().find(|(_, scope)| *scope == self).map_or("all", |(name, _)| name)
    }
}

/// One access expression, alone: `role("admin")`.
pub(crate) fn single(tokens: &TokenStream, span: SpanRange) -> syn::Result<Access> {
    if tokens.is_empty() {
        return Err(syn::Error::new(span.start, format_args!("expected {FORM}")));
    }
    let alone = |input: ParseStream<'_>| {
        let access = parse(input)?;
        if input.is_empty() {
            return Ok(access);
        }
        Err(input.error("expected one rule, such as `any(role(\"a\"), role(\"b\"))`"))
    };
    alone.parse2(tokens.clone())
}

fn after(ident: &Ident, message: &str) -> syn::Error {
    syn::Error::new(ident.span(), message)
}

/// Parses one access expression.
pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Access> {
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
