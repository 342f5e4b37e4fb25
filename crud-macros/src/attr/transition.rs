//! The grammar of `transitions`: `publish: Draft | Review -> Published : role("editor")`, separated by commas.

use proc_macro2::{Ident, Span};
use syn::parse::ParseStream;
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

fn transition(input: ParseStream<'_>, entry: &Entry) -> syn::Result<Transition> {
    let name = input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?;
    // The end of the list has no span.
    let malformed = |error: syn::Error| {
        if input.is_empty() { entry.malformed(&syn::Error::new(name.span(), "")) } else { entry.malformed(&error) }
    };
    let ident = |input: ParseStream<'_>| input.call(Ident::parse_any).map_err(malformed);
    input.parse::<Token![:]>().map_err(malformed)?;
    let mut from = vec![ident(input)?];
    while input.parse::<Option<Token![|]>>().map_err(malformed)?.is_some() {
        from.push(ident(input)?);
    }
    input.parse::<Token![->]>().map_err(malformed)?;
    let to = ident(input)?;
    let access = match input.parse::<Option<Token![:]>>()? {
        Some(_) => Some(access::parse(input)?),
        None if input.is_empty() || input.peek(Token![,]) => None,
        None => return Err(malformed(input.error(""))),
    };
    Ok(Transition { name, from, to, access })
}
