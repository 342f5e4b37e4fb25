//! The grammar of `filter` and `sort` on a struct: `name, category::name`.

use proc_macro2::Ident;
use syn::Token;
use syn::ext::IdentExt;

use super::entry::{self, Entry};
use super::{PathAttribute, Selection};
use crate::ctxt::Ctxt;

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<Selection> {
    if entry.is_flag() {
        return Some(Selection { fields: None, paths: Vec::new() });
    }
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let (mut fields, mut paths) = (Vec::new(), Vec::new());
    let names = entry::separated(tokens.clone(), cx, |input| {
        let name = input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?;
        if input.peek(Token![.]) {
            return Err(entry.malformed(&input.error("")));
        }
        let Some(colons) = input.parse::<Option<Token![::]>>()? else { return Ok((name, None)) };
        let field = input.call(Ident::parse_any).map_err(|error| {
            let error = if input.is_empty() { syn::Error::new_spanned(colons, "") } else { error };
            entry.malformed(&error)
        })?;
        Ok((name, Some(field)))
    });
    for (name, field) in names {
        match field {
            Some(field) => paths.push(PathAttribute { relation: name, field }),
            None => fields.push(name),
        }
    }
    Some(Selection { fields: Some(fields), paths })
}
