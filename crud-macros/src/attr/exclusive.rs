//! The grammar of `exclusive`: `room_id, starts_at..ends_at, status = any(Requested, Approved)`.

use proc_macro2::{Ident, Span};
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

use super::entry::Entry;
use super::transition::states;
use crate::ctxt::Ctxt;

#[derive(Debug)]
pub(crate) struct ExclusiveAttribute {
    pub(crate) key: Span,
    /// The fields before the span: spans must not overlap among records with equal values in them.
    pub(crate) fields: Vec<Ident>,
    pub(crate) start: Ident,
    pub(crate) end: Ident,
    /// Whether the end belongs to the span: `..=`.
    pub(crate) inclusive: bool,
    /// The field of a state, with the variants in which records count.
    pub(crate) when: Option<(Ident, Vec<Ident>)>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<ExclusiveAttribute> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let parser = |input: ParseStream<'_>| exclusive(input, entry);
    parser.parse2(tokens.clone()).map_err(|error| cx.push(&error)).ok()
}

fn exclusive(input: ParseStream<'_>, entry: &Entry) -> syn::Result<ExclusiveAttribute> {
    let key = entry.key.span();
    // The end of the list has no span: an error there is reported at the key.
    let malformed = |error: syn::Error| {
        if input.is_empty() { entry.malformed(&syn::Error::new(key, "")) } else { entry.malformed(&error) }
    };
    let name = || input.call(Ident::parse_any).map_err(malformed);
    let (mut fields, mut start) = (Vec::new(), name()?);
    while !input.peek(Token![..]) {
        input.parse::<Token![,]>().map_err(malformed)?;
        fields.push(std::mem::replace(&mut start, name()?));
    }
    let inclusive = input.peek(Token![..=]);
    if inclusive {
        input.parse::<Token![..=]>()?;
    } else {
        input.parse::<Token![..]>()?;
    }
    let end = name()?;
    let comma: Option<Token![,]> = input.parse()?;
    let when = if comma.is_none() || input.is_empty() {
        None
    } else {
        let state = name()?;
        input.parse::<Token![=]>().map_err(malformed)?;
        let variants = states(input, entry).map_err(malformed)?;
        input.parse::<Option<Token![,]>>()?;
        Some((state, variants))
    };
    if !input.is_empty() {
        return Err(malformed(input.error("")));
    }
    Ok(ExclusiveAttribute { key, fields, start, end, inclusive, when })
}
