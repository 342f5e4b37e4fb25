//! The grammar of `many_to_many`: `labels(IssueLabel)` and `labels(IssueLabel::issue_id, IssueLabel::label_id, limit = 20)`.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Path, Token};

use super::Spanned;
use super::children::named;
use super::entry::{self, Entry};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{AttributeKey, ManyToManyKey};

/// Records of another resource that a junction links to records of this resource.
#[derive(Debug)]
pub(crate) struct ManyToManyAttribute {
    /// Name of the records in requests.
    pub(crate) name: Ident,
    pub(crate) junction: Spanned<proc_macro2::TokenStream>,
    /// The fields of the junction that refer to this record and to the other one.
    pub(crate) fields: Option<(Ident, Ident)>,
    pub(crate) limit: Option<Spanned<u32>>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Vec<ManyToManyAttribute> {
    let Some(tokens) = entry.list(cx) else { return Vec::new() };
    if tokens.is_empty() {
        entry.refuse(cx);
    }
    entry::separated(tokens.clone(), cx, |input| named(input, entry, |content, name| inside(content, name, entry, cx)))
}

/// Parses the inside of the parentheses of a name.
fn inside(content: ParseStream<'_>, name: Ident, entry: &Entry, cx: &Ctxt) -> syn::Result<ManyToManyAttribute> {
    // The end of the list has no span: an error there is reported at the name.
    let malformed = |error: syn::Error| {
        let error = if content.is_empty() { syn::Error::new(name.span(), "") } else { error };
        entry.malformed(&error)
    };
    let first = content.call(Path::parse_mod_style).map_err(malformed)?;
    let (junction, fields) = if is_second_path(content) {
        content.parse::<Token![,]>()?;
        let second = content.call(Path::parse_mod_style).map_err(malformed)?;
        let of_name = || entry.malformed(&syn::Error::new(name.span(), ""));
        let (junction, near) = split(first).ok_or_else(of_name)?;
        let (other, far) = split(second).ok_or_else(of_name)?;
        if junction.to_token_stream().to_string() != other.to_token_stream().to_string() {
            let span = SpanRange::covering(&other);
            cx.error(span, "expected two fields of one junction: `IssueLabel::issue_id, IssueLabel::label_id`");
        }
        (junction, Some((near, far)))
    } else {
        (first, None)
    };
    let mut entries = Vec::new();
    while !content.is_empty() {
        content.parse::<Token![,]>().map_err(malformed)?;
        if !content.is_empty() {
            entries.extend(entry::parse(content, ManyToManyKey::PLACE, cx)?);
        }
    }
    let mut limit = None;
    for (key, entry) in entry::keyed(entries, cx) {
        match key {
            ManyToManyKey::Limit => limit = entry.number(cx),
        }
    }
    let span = SpanRange::covering(&junction);
    Ok(ManyToManyAttribute { name, junction: Spanned::new(junction.into_token_stream(), span), fields, limit })
}

/// Whether a second path follows, rather than an option or the end.
fn is_second_path(content: ParseStream<'_>) -> bool {
    let ahead = content.fork();
    let is_path = ahead.parse::<Token![,]>().is_ok() && ahead.call(Path::parse_mod_style).is_ok();
    is_path && (ahead.is_empty() || ahead.peek(Token![,]))
}

/// Splits `Type::field` into the path of the type and the field.
fn split(mut path: Path) -> Option<(Path, Ident)> {
    let field = path.segments.pop()?.ident;
    path.segments.pop_punct()?;
    Some((path, field))
}
