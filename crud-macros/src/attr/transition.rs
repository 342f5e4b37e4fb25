//! The grammar of `transitions`: `publish(any(Draft, Review), Published, role("editor"))`, separated by commas.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Token, ext::IdentExt};

use super::access::{self, Access};
use super::entry::{Entry, separated};
use super::former as spelling;
use crate::ctxt::Ctxt;

/// `transitions`.
#[derive(Debug)]
pub(crate) struct Transitions {
    pub(crate) key: Span,
    pub(crate) list: Vec<Transition>,
}

/// A change of state that has a name.
#[derive(Debug)]
pub(crate) struct Transition {
    pub(crate) name: Ident,
    /// Variants of the field's type.
    pub(crate) from: Vec<Ident>,
    pub(crate) to: Ident,
    /// Access rule of the transition; `None` for that of an update.
    pub(crate) access: Option<Access>,
}

/// Reads the transitions of a field, at least one.
pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<Transitions> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let mut complete = true;
    let list = separated(tokens.clone(), cx, |input| {
        let transition = transition(input, entry, cx);
        complete &= transition.is_ok();
        transition
    });
    // Where one is malformed, which is reported, nothing follows from the others.
    complete.then(|| Transitions { key: entry.key.span(), list })
}

/// `publish(any(Draft, Review), Published, role("editor"))`, or the former spelling.
fn transition(input: ParseStream<'_>, entry: &Entry, cx: &Ctxt) -> syn::Result<Transition> {
    let name = input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?;
    if !input.peek(syn::token::Paren) {
        return former(name, input, entry, cx);
    }
    let TokenTree::Group(group) = input.parse()? else { return Err(entry.malformed(&input.error(""))) };
    let inside = |input: ParseStream<'_>| {
        // The end of the list has no span.
        let malformed = |error: syn::Error| {
            if input.is_empty() { entry.malformed(&syn::Error::new(name.span(), "")) } else { entry.malformed(&error) }
        };
        let from = states(input, entry).map_err(malformed)?;
        input.parse::<Token![,]>().map_err(malformed)?;
        let to = input.call(Ident::parse_any).map_err(malformed)?;
        let comma: Option<Token![,]> = input.parse().map_err(malformed)?;
        let access = if comma.is_none() || input.is_empty() { None } else { Some(access::parse(input)?) };
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(entry.malformed(&input.error("")));
        }
        Ok((from, to, access))
    };
    let (from, to, access) = inside.parse2(group.stream())?;
    Ok(Transition { name, from, to, access })
}

/// `Draft` or `any(Draft, Review)`.
fn states(input: ParseStream<'_>, entry: &Entry) -> syn::Result<Vec<Ident>> {
    let state = input.call(Ident::parse_any)?;
    if state != "any" || !input.peek(syn::token::Paren) {
        return Ok(vec![state]);
    }
    let TokenTree::Group(group) = input.parse()? else { return Err(input.error("")) };
    let list = |input: ParseStream<'_>| input.parse_terminated(Ident::parse_any, Token![,]);
    let states: Vec<Ident> =
        list.parse2(group.stream()).map_err(|error| entry.malformed(&error))?.into_iter().collect();
    if states.is_empty() { Err(syn::Error::new(state.span(), "")) } else { Ok(states) }
}

/// `publish: Draft | Review -> Published : role("editor")`, which is reported.
fn former(name: Ident, input: ParseStream<'_>, entry: &Entry, cx: &Ctxt) -> syn::Result<Transition> {
    // The end of the list has no span.
    let malformed = |error: syn::Error| {
        if input.is_empty() { entry.malformed(&syn::Error::new(name.span(), "")) } else { entry.malformed(&error) }
    };
    let ident = |input: ParseStream<'_>| input.call(Ident::parse_any).map_err(malformed);
    let colon: Token![:] = input.parse().map_err(malformed)?;
    let mut from = vec![ident(input)?];
    while input.parse::<Option<Token![|]>>().map_err(malformed)?.is_some() {
        from.push(ident(input)?);
    }
    input.parse::<Token![->]>().map_err(malformed)?;
    let to = ident(input)?;
    let rule = input.fork();
    let access = match input.parse::<Option<Token![:]>>()? {
        Some(_) => Some(access::parse(input)?),
        None if input.is_empty() || input.peek(Token![,]) => None,
        None => return Err(malformed(input.error(""))),
    };
    let states: Vec<String> = from.iter().map(Ident::to_string).collect();
    let states = if let [state] = states.as_slice() { state.clone() } else { format!("any({})", states.join(", ")) };
    let rule = access::until_comma(&rule)?.into_iter().skip(1).collect::<TokenStream>();
    let rule = if rule.is_empty() { String::new() } else { format!(", {}", spelling::text(&rule)) };
    cx.error(colon.span, format_args!("a transition is now written `{name}({states}, {to}{rule})`"));
    Ok(Transition { name, from, to, access })
}
