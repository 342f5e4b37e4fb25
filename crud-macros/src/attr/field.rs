//! What `#[crud(…)]` on a field says.

use super::access::{self, Access};
use super::entry::{self, Entry, Form};
use super::{At, Literal, place, serde};
use crate::ctxt::{Ctxt, SpanRange};
use crate::symbol;
use proc_macro2::{Span, TokenStream};

/// A field's attributes, as written. A flag is where it stands.
#[derive(Debug, Default)]
pub(crate) struct FieldAttributes {
    pub(crate) id: Option<Span>,
    pub(crate) created_at: Option<Span>,
    pub(crate) updated_at: Option<Span>,
    pub(crate) filter: Option<Span>,
    pub(crate) sort: Option<Span>,
    pub(crate) unique: Option<Unique>,
    pub(crate) index: Option<Span>,
    pub(crate) default: Option<At<TokenStream>>,
    pub(crate) references: Option<At<TokenStream>>,
    pub(crate) on_delete: Option<At<OnDelete>>,
    pub(crate) precision: Option<At<u32>>,
    pub(crate) scale: Option<At<u32>>,
    pub(crate) read_only: Option<Span>,
    pub(crate) write_only: Option<Span>,
    pub(crate) hidden: Option<Span>,
    pub(crate) immutable: Option<Span>,
    pub(crate) rename: Option<At<String>>,
    pub(crate) column: Option<At<String>>,
    pub(crate) rules: Vec<At<Rule>>,
    pub(crate) owner: Option<Owner>,
    pub(crate) visible: Option<At<Access>>,
}

/// `unique` or `unique(active)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unique {
    pub(crate) active: Option<SpanRange>,
}

/// `owner` or `owner(except = …)`.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) key: Span,
    pub(crate) except: Option<Access>,
}

/// `on_delete = …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDelete {
    Restrict,
    Cascade,
    SetNull,
}

/// One thing that a value must satisfy; the span beside it is the key's.
#[derive(Debug)]
pub(crate) enum Rule {
    Min(At<Literal>),
    Max(At<Literal>),
    MinLength(At<usize>),
    MaxLength(At<usize>),
    Pattern(At<String>),
    Email,
    Url,
    OneOf(Vec<At<Literal>>),
    Custom(At<TokenStream>),
}

/// Reads the attributes of a field.
pub(crate) fn parse(field: &syn::Field, cx: &Ctxt) -> FieldAttributes {
    let mut entries = entry::of_attributes(&field.attrs, place::FIELD, cx);
    entry::refuse_duplicates(&mut entries, &[symbol::CUSTOM], cx);
    let mut attributes = FieldAttributes::default();
    for entry in &entries {
        attributes.take(entry, cx);
    }
    serde::merge_field(&mut attributes, &field.ty, &field.attrs, cx);
    attributes
}

impl FieldAttributes {
    fn take(&mut self, entry: &Entry, cx: &Ctxt) {
        match entry.symbol {
            symbol::ID => self.id = entry.flag(cx),
            symbol::CREATED_AT => self.created_at = entry.flag(cx),
            symbol::UPDATED_AT => self.updated_at = entry.flag(cx),
            symbol::FIELD_FILTER => self.filter = entry.flag(cx),
            symbol::FIELD_SORT => self.sort = entry.flag(cx),
            symbol::FIELD_UNIQUE => self.unique = unique(entry, cx),
            symbol::FIELD_INDEX => self.index = entry.flag(cx),
            symbol::DEFAULT => self.default = default(entry, cx),
            symbol::REFERENCES => self.references = entry.path(cx),
            symbol::ON_DELETE => self.on_delete = on_delete(entry, cx),
            symbol::PRECISION => self.precision = entry.number(cx),
            symbol::SCALE => self.scale = entry.number(cx),
            symbol::READ_ONLY => self.read_only = entry.flag(cx),
            symbol::WRITE_ONLY => self.write_only = entry.flag(cx),
            symbol::HIDDEN => self.hidden = entry.flag(cx),
            symbol::IMMUTABLE => self.immutable = entry.flag(cx),
            symbol::RENAME => self.rename = entry.text(cx),
            symbol::COLUMN => self.column = entry.text(cx),
            symbol::OWNER => self.owner = owner(entry, cx),
            symbol::VISIBLE => self.visible = visible(entry, cx),
            _ => self.rules.extend(rule(entry, cx).map(|rule| At::new(rule, entry.key.span()))),
        }
    }
}

fn unique(entry: &Entry, cx: &Ctxt) -> Option<Unique> {
    if entry.is_flag() {
        return Some(Unique { active: None });
    }
    let tokens = entry.list(cx)?;
    if tokens.to_string() != "active" {
        entry.refuse(cx);
        return None;
    }
    Some(Unique { active: Some(SpanRange::of(tokens)) })
}

fn default(entry: &Entry, cx: &Ctxt) -> Option<At<TokenStream>> {
    let tokens = entry.assigned(cx)?;
    Some(At::new(tokens.clone(), SpanRange::of(tokens)))
}

fn on_delete(entry: &Entry, cx: &Ctxt) -> Option<At<OnDelete>> {
    let choices = [("restrict", OnDelete::Restrict), ("cascade", OnDelete::Cascade), ("set_null", OnDelete::SetNull)];
    entry.choice(&choices, cx)
}

fn owner(entry: &Entry, cx: &Ctxt) -> Option<Owner> {
    let key = entry.key.span();
    if entry.is_flag() {
        return Some(Owner { key, except: None });
    }
    let mut entries = entry::of_tokens(entry.list(cx)?.clone(), place::OWNER, cx);
    entry::refuse_duplicates(&mut entries, &[], cx);
    let mut except = None;
    for entry in &entries {
        let access = access::single(entry.assigned(cx)?, entry.value_span());
        except = access.map_err(|error| cx.push(&error)).ok();
    }
    Some(Owner { key, except })
}

fn visible(entry: &Entry, cx: &Ctxt) -> Option<At<Access>> {
    let access = access::single(entry.list(cx)?, entry.value_span()).map_err(|error| cx.push(&error)).ok()?;
    Some(At::new(access, entry.key.span()))
}

fn rule(entry: &Entry, cx: &Ctxt) -> Option<Rule> {
    Some(match entry.symbol {
        symbol::MIN => Rule::Min(entry.numeric(cx)?),
        symbol::MAX => Rule::Max(entry.numeric(cx)?),
        symbol::MIN_LENGTH => Rule::MinLength(entry.number(cx)?),
        symbol::MAX_LENGTH => Rule::MaxLength(entry.number(cx)?),
        symbol::PATTERN => Rule::Pattern(entry.text(cx)?),
        symbol::EMAIL => entry.flag(cx).map(|_| Rule::Email)?,
        symbol::URL => entry.flag(cx).map(|_| Rule::Url)?,
        symbol::ONE_OF => Rule::OneOf(entry.literals(cx)?),
        symbol::CUSTOM => Rule::Custom(custom(entry, cx)?),
        _ => return None,
    })
}

fn custom(entry: &Entry, cx: &Ctxt) -> Option<At<TokenStream>> {
    let quoted = matches!(&entry.value, Form::Assign(_, tokens) if syn::parse2::<syn::LitStr>(tokens.clone()).is_ok());
    if quoted {
        cx.error(entry.value_span(), "a function is named without quotes: `custom = path::to::function`");
        return None;
    }
    entry.path(cx)
}
