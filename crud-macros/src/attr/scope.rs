//! The grammar of `scope`: `role("customer"), customer_id(claim("customer"))`, `role("guest"), issue::assignee_id(me)`,
//! `write, author_id(me), within(created_at, "15m")`, `public, customer(tenant)`.

use std::time::Duration;

use crud_shared::duration;
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token};

use super::access::{self, Access};
use super::entry::Entry;
use crate::ctxt::Ctxt;

#[derive(Debug)]
pub(crate) struct ScopeAttribute {
    /// Whether the scope restricts changes alone.
    pub(crate) is_write: bool,
    /// The principals that the scope restricts.
    pub(crate) access: Access,
    /// The exempt principals among those that the scope would restrict.
    pub(crate) except: Option<Access>,
    /// Whether the condition is in `any(…)`: one matching record of a `has_many` is enough.
    pub(crate) is_any: bool,
    /// The relations to the record that has the field.
    pub(crate) relations: Vec<Ident>,
    pub(crate) field: Ident,
    pub(crate) claim: String,
    pub(crate) within: Option<WithinAttribute>,
}

/// The part `within` of a scope.
#[derive(Debug)]
pub(crate) struct WithinAttribute {
    pub(crate) field: Ident,
    pub(crate) time: Duration,
}

/// The claim that `me` stands for.
const SUBJECT: &str = "sub";

/// The claim that `tenant` stands for: an empty name, since the service's authentication names the claim.
const TENANT: &str = "";

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<ScopeAttribute> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let parser = |input: ParseStream<'_>| scope(input, entry);
    parser.parse2(tokens.clone()).map_err(|error| cx.push(&error)).ok()
}

fn scope(input: ParseStream<'_>, entry: &Entry) -> syn::Result<ScopeAttribute> {
    let comma = |input: ParseStream<'_>| -> syn::Result<()> {
        input.parse::<Token![,]>().map(drop).map_err(|error| malformed(input, entry, error))
    };
    let is_write = is_next(input, "write") && !input.peek2(syn::token::Paren);
    if is_write {
        input.call(Ident::parse_any)?;
        comma(input)?;
    }
    let fork = input.fork();
    let is_for_all = is_write && (access::parse(&fork).is_err() || !fork.peek(Token![,]));
    let access = if is_for_all {
        Access::Public
    } else {
        let access = access::parse(input)?;
        comma(input)?;
        access
    };
    let mut except = None;
    if is_next(input, "except") && input.peek2(syn::token::Paren) {
        input.call(Ident::parse_any)?;
        let content;
        syn::parenthesized!(content in input);
        except = Some(access::parse(&content)?);
        end(&content, entry)?;
        comma(input)?;
    }
    let first = name(input, entry)?;
    let is_any = first == "any" && input.peek(syn::token::Paren);
    let (relations, field, claim) = if is_any {
        let content;
        syn::parenthesized!(content in input);
        let condition = condition(&content, name(&content, entry)?, entry)?;
        end(&content, entry)?;
        condition
    } else {
        condition(input, first, entry)?
    };
    input.parse::<Option<Token![,]>>()?;
    let within = if is_next(input, "within") { Some(within(input, is_write, entry)?) } else { None };
    end(input, entry)?;
    Ok(ScopeAttribute { is_write, access, except, is_any, relations, field, claim, within })
}

/// The path of a field and the claim that it is compared with.
fn condition(input: ParseStream<'_>, first: Ident, entry: &Entry) -> syn::Result<(Vec<Ident>, Ident, String)> {
    let (mut relations, mut field) = (Vec::new(), first);
    while input.peek(Token![::]) {
        input.parse::<Token![::]>()?;
        relations.push(std::mem::replace(&mut field, name(input, entry)?));
    }
    if !input.peek(syn::token::Paren) {
        return Err(malformed(input, entry, input.error("")));
    }
    let content;
    syn::parenthesized!(content in input);
    let word = name(&content, entry)?;
    let claim = match word.to_string().as_str() {
        "me" => SUBJECT.to_owned(),
        "tenant" => TENANT.to_owned(),
        _ => claim(&content, &word, entry)?,
    };
    end(&content, entry)?;
    Ok((relations, field, claim))
}

/// The name in `claim("customer")`, after its first word.
fn claim(input: ParseStream<'_>, word: &Ident, entry: &Entry) -> syn::Result<String> {
    if word != "claim" || !input.peek(syn::token::Paren) {
        return Err(entry.malformed(&syn::Error::new(word.span(), "")));
    }
    let content;
    syn::parenthesized!(content in input);
    let claim: LitStr = content.parse().map_err(|error| entry.malformed(&error))?;
    if claim.value().is_empty() {
        return Err(syn::Error::new(claim.span(), "the name of a claim cannot be empty"));
    }
    Ok(claim.value())
}

/// Parses `within(created_at, "15m")`.
fn within(input: ParseStream<'_>, is_write: bool, entry: &Entry) -> syn::Result<WithinAttribute> {
    const FORM: &str = "expected a field and a time: `within(created_at, \"15m\")`";
    let word = input.call(Ident::parse_any)?;
    if !is_write {
        let message = "`within` is for changes: expected `scope(write, author_id(me), within(created_at, \"15m\"))`";
        return Err(syn::Error::new(word.span(), message));
    }
    let expected = |_| syn::Error::new(word.span(), FORM);
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new(word.span(), FORM));
    }
    let content;
    syn::parenthesized!(content in input);
    let field = content.call(Ident::parse_any).map_err(expected)?;
    content.parse::<Token![,]>().map_err(expected)?;
    let text: LitStr = content.parse().map_err(expected)?;
    content.parse::<Option<Token![,]>>()?;
    end(&content, entry)?;
    input.parse::<Option<Token![,]>>()?;
    let time = duration::parse(&text.value()).filter(|time| time.subsec_nanos() == 0);
    let time = time.ok_or_else(|| {
        syn::Error::new(
            text.span(),
            "expected a number with `d`, `h`, `m` or `s`, such as `within(created_at, \"15m\")`",
        )
    })?;
    Ok(WithinAttribute { field, time })
}

fn name(input: ParseStream<'_>, entry: &Entry) -> syn::Result<Ident> {
    input.call(Ident::parse_any).map_err(|error| malformed(input, entry, error))
}

fn is_next(input: ParseStream<'_>, word: &str) -> bool {
    input.fork().call(Ident::parse_any).is_ok_and(|next| next == word)
}

fn end(input: ParseStream<'_>, entry: &Entry) -> syn::Result<()> {
    if input.is_empty() { Ok(()) } else { Err(entry.malformed(&input.error(""))) }
}

/// The error of a value that is not the legal form. The end of a list has no span: an error there is reported at the
/// key.
fn malformed(input: ParseStream<'_>, entry: &Entry, error: syn::Error) -> syn::Error {
    let error = if input.is_empty() { syn::Error::new(entry.key.span(), "") } else { error };
    entry.malformed(&error)
}
