//! The grammar of `transitions`: `publish(any(Draft, Review), Published, role("editor"))`, separated by commas.

use proc_macro2::{Ident, Span, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Token, ext::IdentExt};

use super::access::{self, Access};
use super::entry::{Entry, separated};
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
        let transition = transition(input, entry);
        complete &= transition.is_ok();
        transition
    });
    // Where one is malformed, which is reported, nothing follows from the others.
    complete.then(|| Transitions { key: entry.key.span(), list })
}

/// `publish(any(Draft, Review), Published, role("editor"))`.
fn transition(input: ParseStream<'_>, entry: &Entry) -> syn::Result<Transition> {
    let name = input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?;
    if !input.peek(syn::token::Paren) {
        return Err(entry.malformed(&syn::Error::new(name.span(), "")));
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
