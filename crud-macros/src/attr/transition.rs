//! The grammar of `transitions`: `publish(any(Draft, Review), Published, role("editor"))`, separated by commas, and
//! `initial(Draft, Review)` among them.

use proc_macro2::{Ident, Span, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Token, ext::IdentExt};

use super::access::{self, Access};
use super::entry::{Entry, separated};
use crate::ctxt::Ctxt;

#[derive(Debug)]
pub(crate) struct Transitions {
    pub(crate) key: Span,
    pub(crate) list: Vec<Transition>,
    /// The states that the program may give a new record in place of the default.
    pub(crate) initial: Vec<Ident>,
}

/// The word that lists initial states in the place of a transition.
const INITIAL: &str = "initial";

/// A change of state that has a name.
#[derive(Debug)]
pub(crate) struct Transition {
    pub(crate) name: Ident,
    /// Variants of the field's type.
    pub(crate) from: Vec<Ident>,
    pub(crate) to: Ident,
    /// Access rule of the transition; `None` where the rule of an update applies.
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
    let mut initial = Vec::new();
    let list = separated(tokens.clone(), cx, |input| {
        let member = member(input, entry);
        complete &= member.is_ok();
        member
    });
    let list = list.into_iter().filter_map(|member| match member {
        Member::Transition(transition) => Some(transition),
        Member::Initial(states) => {
            initial.extend(states);
            None
        }
    });
    let list: Vec<Transition> = list.collect();
    if complete && list.is_empty() {
        entry.refuse(cx);
        return None;
    }
    // A malformed transition is reported already. Checks of the others would mislead without it.
    complete.then(|| Transitions { key: entry.key.span(), list, initial })
}

/// An item of the list.
enum Member {
    Transition(Transition),
    Initial(Vec<Ident>),
}

fn member(input: ParseStream<'_>, entry: &Entry) -> syn::Result<Member> {
    let ahead = input.fork();
    let is_initial = ahead.call(Ident::parse_any).is_ok_and(|word| word == INITIAL) && ahead.peek(syn::token::Paren);
    if is_initial { initial(input).map(Member::Initial) } else { transition(input, entry).map(Member::Transition) }
}

/// Parses `initial(Draft, Review)`.
fn initial(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    const EXPECTED: &str = "expected the states that a new record may have, such as `initial(Draft, Review)`";
    let word = input.call(Ident::parse_any)?;
    let TokenTree::Group(group) = input.parse()? else { return Err(syn::Error::new(word.span(), EXPECTED)) };
    let list = |input: ParseStream<'_>| input.parse_terminated(Ident::parse_any, Token![,]);
    // The end of the list has no span: every error is reported at the word.
    let states = list.parse2(group.stream()).map_err(|_| syn::Error::new(word.span(), EXPECTED))?;
    if states.is_empty() { Err(syn::Error::new(word.span(), EXPECTED)) } else { Ok(states.into_iter().collect()) }
}

/// Parses `publish(any(Draft, Review), Published, role("editor"))`.
fn transition(input: ParseStream<'_>, entry: &Entry) -> syn::Result<Transition> {
    let name = input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?;
    if !input.peek(syn::token::Paren) {
        return Err(entry.malformed(&syn::Error::new(name.span(), "")));
    }
    let TokenTree::Group(group) = input.parse()? else { return Err(entry.malformed(&input.error(""))) };
    let inside = |input: ParseStream<'_>| {
        // The end of the list has no span: an error there is reported at the name.
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

/// Parses `Draft` or `any(Draft, Review)`.
pub(super) fn states(input: ParseStream<'_>, entry: &Entry) -> syn::Result<Vec<Ident>> {
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
