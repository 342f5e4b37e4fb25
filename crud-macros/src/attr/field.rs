//! Parsed `#[crud(…)]` on a field.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

use super::access::{self, Access};
use super::computed::{self, Computed};
use super::entry::{self, Entry, Form};
use super::transition::{self, Transitions};
use super::{Literal, Spanned, name as unraw, serde};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{FieldKey, OwnerKey, TenantKey};

/// A field's attributes, as written. A flag is its span.
#[derive(Debug, Default)]
pub(crate) struct FieldAttributes {
    pub(crate) id: Option<Span>,
    /// Whether it is `id = client`.
    pub(crate) id_of_client: bool,
    pub(crate) created_at: Option<Span>,
    pub(crate) updated_at: Option<Span>,
    /// `created_at(off)` or `updated_at(off)`: the key.
    pub(crate) managed_off: Option<Ident>,
    pub(crate) filter: Option<InLists>,
    pub(crate) sort: Option<InLists>,
    pub(crate) unique: Option<Unique>,
    pub(crate) index: Option<Span>,
    pub(crate) default: Option<Spanned<TokenStream>>,
    /// `default(database)`: the word.
    pub(crate) database_default: Option<Span>,
    pub(crate) backfill: Option<Spanned<TokenStream>>,
    pub(crate) references: Option<References>,
    pub(crate) expand: Option<Span>,
    pub(crate) relation: Option<Ident>,
    pub(crate) on_delete: Option<Spanned<OnDelete>>,
    pub(crate) sql_type: Option<Spanned<String>>,
    pub(crate) format: Option<Spanned<String>>,
    pub(crate) precision: Option<Spanned<u32>>,
    pub(crate) scale: Option<Spanned<u32>>,
    pub(crate) exposure: Exposure,
    pub(crate) rename: Option<Spanned<String>>,
    pub(crate) column: Option<Spanned<String>>,
    pub(crate) renamed_from: Option<Spanned<String>>,
    pub(crate) rules: Vec<Spanned<Rule>>,
    pub(crate) owner: Option<Owner>,
    pub(crate) tenant: Option<Tenant>,
    pub(crate) visible: Option<Spanned<Access>>,
    pub(crate) transitions: Option<Transitions>,
    pub(crate) deprecated: Option<Span>,
    pub(crate) computed: Option<Computed>,
}

/// Whether a list can be filtered or sorted by a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InLists {
    /// `filter`; the span is the key's.
    On(Span),
    /// `filter = off`; the span is the value's.
    Off(SpanRange),
}

/// Exposure of a field to clients.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exposure {
    pub(crate) read_only: Option<Span>,
    pub(crate) write_only: Option<Span>,
    pub(crate) hidden: Option<Span>,
    pub(crate) immutable: Option<Span>,
}

impl Exposure {
    /// The attribute that keeps the field from clients, if there is one.
    pub(crate) const fn concealed(&self) -> Option<(Span, &'static str)> {
        match (self.hidden, self.write_only) {
            (Some(span), _) => Some((span, "hidden")),
            (None, Some(span)) => Some((span, "write_only")),
            (None, None) => None,
        }
    }
}

/// `unique`, or with words: `unique(active)`, `unique(global, case_insensitive)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unique {
    pub(crate) among: Among,
    /// The span of the word for the records, or of the key.
    pub(crate) span: SpanRange,
    /// The span of `case_insensitive`.
    pub(crate) case_insensitive: Option<Span>,
}

/// The word for text that is compared without regard to letter case.
pub(crate) const CASE_INSENSITIVE: &str = "case_insensitive";

/// The records among which values are unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// Records of one tenant.
    All,
    /// Records of one tenant that are not deleted.
    Active,
    /// Records of every tenant.
    Global,
}

impl Among {
    /// The words for some of the records.
    pub(crate) const WORDS: [(&'static str, Self); 2] = [("active", Self::Active), ("global", Self::Global)];

    /// The meaning of a word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find_map(|(known, among)| (known == word).then_some(among))
    }
}

/// `owner`, with who else may see and name the owner.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) key: Span,
    pub(crate) except: Option<Access>,
    pub(crate) assign: Option<Access>,
}

/// `tenant`, `tenant(except = …)` or `tenant(members(…))`.
#[derive(Debug)]
pub(crate) struct Tenant {
    pub(crate) key: Span,
    pub(crate) except: Option<Access>,
    pub(crate) members: Option<MembersAttribute>,
}

/// `members(user_id, role)`.
#[derive(Debug, Clone)]
pub(crate) struct MembersAttribute {
    /// The field of the user.
    pub(crate) user: Ident,
    /// The field of the user's roles in the tenant.
    pub(crate) role: Option<Ident>,
}

/// `references = Category`, or with words: `references(Category, any, unconstrained, by(order_id, line_no))`.
#[derive(Debug, Clone)]
pub(crate) struct References {
    pub(crate) target: Spanned<TokenStream>,
    /// Whether a principal may refer to records that it may not read.
    pub(crate) any: bool,
    /// Whether there is no foreign key.
    pub(crate) unconstrained: bool,
    /// The fields of `by(…)`, which refer to a key of several fields together.
    pub(crate) by: Vec<Ident>,
}

/// `on_delete = …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDelete {
    Restrict,
    Cascade,
    SetNull,
}

/// A validation rule. The span beside it is the key's.
#[derive(Debug)]
pub(crate) enum Rule {
    Min(Spanned<Literal>),
    Max(Spanned<Literal>),
    MinLength(Spanned<usize>),
    MaxLength(Spanned<usize>),
    /// `max_length = none`
    AnyLength,
    Pattern(Spanned<String>),
    Email,
    Url,
    OneOf(Vec<Spanned<Literal>>),
    Custom(Spanned<TokenStream>),
}

/// Reads the attributes of a field.
pub(super) fn parse(field: &syn::Field, cx: &Ctxt) -> FieldAttributes {
    let mut found = FieldAttributes::default();
    for (key, entry) in entry::from_attributes(&field.attrs, cx) {
        found.set(key, &entry, cx);
    }
    serde::merge_field(&mut found, &field.ty, &field.attrs, cx);
    found
}

impl FieldAttributes {
    fn set(&mut self, key: FieldKey, entry: &Entry, cx: &Ctxt) {
        match key {
            FieldKey::Id => {
                self.id = Some(entry.key.span());
                self.id_of_client = !entry.is_flag() && entry.choice(&[("client", ())], cx).is_some();
            }
            FieldKey::CreatedAt | FieldKey::UpdatedAt if is_off(entry) => self.managed_off = Some(entry.key.clone()),
            FieldKey::CreatedAt => self.created_at = entry.flag(cx),
            FieldKey::UpdatedAt => self.updated_at = entry.flag(cx),
            FieldKey::Filter => self.filter = in_lists(entry, cx),
            FieldKey::Sort => self.sort = in_lists(entry, cx),
            FieldKey::Unique => self.unique = unique(entry, cx),
            FieldKey::Index => self.index = entry.flag(cx),
            FieldKey::Default if matches!(entry.value, Form::List(..)) => {
                self.database_default = database_default(entry, cx);
            }
            FieldKey::Default => self.default = expression(entry, cx),
            FieldKey::Backfill => self.backfill = expression(entry, cx),
            FieldKey::References => self.references = references(entry, cx),
            FieldKey::Expand => self.expand = entry.flag(cx),
            FieldKey::Relation => self.relation = entry.ident(cx),
            FieldKey::OnDelete => self.on_delete = on_delete(entry, cx),
            FieldKey::SqlType => self.sql_type = entry.text(cx),
            FieldKey::Format => self.format = entry.text(cx),
            FieldKey::Precision => self.precision = entry.number(cx),
            FieldKey::Scale => self.scale = entry.number(cx),
            FieldKey::ReadOnly => self.exposure.read_only = entry.flag(cx),
            FieldKey::WriteOnly => self.exposure.write_only = entry.flag(cx),
            FieldKey::Hidden => self.exposure.hidden = entry.flag(cx),
            FieldKey::Immutable => self.exposure.immutable = entry.flag(cx),
            FieldKey::Rename => self.rename = entry.text(cx),
            FieldKey::Column => self.column = entry.text(cx),
            FieldKey::RenamedFrom => self.renamed_from = entry.text(cx),
            FieldKey::Owner => self.owner = owner(entry, cx),
            FieldKey::Tenant => self.tenant = tenant(entry, cx),
            FieldKey::Computed => self.computed = computed::parse(entry, cx),
            FieldKey::Visible => self.visible = visible(entry, cx),
            FieldKey::Deprecated => self.deprecated = entry.flag(cx),
            FieldKey::Transitions => self.transitions = transition::parse(entry, cx),
            FieldKey::Min => self.rule(entry, entry.numeric(cx).map(Rule::Min)),
            FieldKey::Max => self.rule(entry, entry.numeric(cx).map(Rule::Max)),
            FieldKey::MinLength => self.rule(entry, entry.number(cx).map(Rule::MinLength)),
            FieldKey::MaxLength if entry.is_none() => self.rule(entry, Some(Rule::AnyLength)),
            FieldKey::MaxLength => self.rule(entry, entry.number(cx).map(Rule::MaxLength)),
            FieldKey::Pattern => self.rule(entry, entry.text(cx).map(Rule::Pattern)),
            FieldKey::Email => self.rule(entry, entry.flag(cx).map(|_| Rule::Email)),
            FieldKey::Url => self.rule(entry, entry.flag(cx).map(|_| Rule::Url)),
            FieldKey::OneOf => self.rule(entry, entry.literals(cx).map(Rule::OneOf)),
            FieldKey::Custom => self.rule(entry, entry.function(cx).map(Rule::Custom)),
        }
    }

    fn rule(&mut self, entry: &Entry, rule: Option<Rule>) {
        self.rules.extend(rule.map(|rule| Spanned::new(rule, entry.key.span())));
    }
}

/// Whether it is `key(off)`.
fn is_off(entry: &Entry) -> bool {
    matches!(&entry.value, Form::List(_, tokens) if tokens.to_string() == "off")
}

fn in_lists(entry: &Entry, cx: &Ctxt) -> Option<InLists> {
    if entry.is_flag() {
        return Some(InLists::On(entry.key.span()));
    }
    entry.choice(&[("off", ())], cx).map(|off| InLists::Off(off.span))
}

fn unique(entry: &Entry, cx: &Ctxt) -> Option<Unique> {
    let mut unique = Unique { among: Among::All, span: entry.key.span().into(), case_insensitive: None };
    if entry.is_flag() {
        return Some(unique);
    }
    for word in entry.names(cx)? {
        let name = unraw(&word);
        match Among::parse(&name) {
            Some(among) if unique.among == Among::All => {
                unique.among = among;
                unique.span = word.span().into();
            }
            None if name == CASE_INSENSITIVE && unique.case_insensitive.is_none() => {
                unique.case_insensitive = Some(word.span());
            }
            _ => {
                entry.refuse(cx);
                return None;
            }
        }
    }
    Some(unique)
}

fn expression(entry: &Entry, cx: &Ctxt) -> Option<Spanned<TokenStream>> {
    let tokens = entry.assigned(cx)?;
    Some(Spanned::new(tokens.clone(), SpanRange::covering(tokens)))
}

/// The word of `default(database)`.
fn database_default(entry: &Entry, cx: &Ctxt) -> Option<Span> {
    let names = entry.names(cx)?;
    match names.as_slice() {
        [word] if word == "database" => Some(word.span()),
        _ => {
            entry.refuse(cx);
            None
        }
    }
}

fn references(entry: &Entry, cx: &Ctxt) -> Option<References> {
    let Form::List(_, tokens) = &entry.value else {
        return Some(References { target: entry.path(cx)?, any: false, unconstrained: false, by: Vec::new() });
    };
    let parser = |input: ParseStream<'_>| {
        let path: syn::Path = input.parse()?;
        let (mut any, mut unconstrained, mut by) = (false, false, Vec::new());
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            let word: Ident = input.parse()?;
            if word == "by" && by.is_empty() {
                let fields;
                syn::parenthesized!(fields in input);
                by.extend(fields.parse_terminated(Ident::parse_any, Token![,])?);
                continue;
            }
            let flag = if word == "any" { &mut any } else { &mut unconstrained };
            if std::mem::replace(flag, true) || word != "any" && word != "unconstrained" {
                return Err(input.error(""));
            }
        }
        if any || unconstrained || !by.is_empty() { Ok((path, any, unconstrained, by)) } else { Err(input.error("")) }
    };
    let Ok((path, any, unconstrained, by)) = parser.parse2(tokens.clone()) else {
        entry.refuse(cx);
        return None;
    };
    let span = SpanRange::covering(&path);
    Some(References { target: Spanned::new(path.into_token_stream(), span), any, unconstrained, by })
}

fn on_delete(entry: &Entry, cx: &Ctxt) -> Option<Spanned<OnDelete>> {
    let choices = [("restrict", OnDelete::Restrict), ("cascade", OnDelete::Cascade), ("set_null", OnDelete::SetNull)];
    entry.choice(&choices, cx)
}

fn owner(entry: &Entry, cx: &Ctxt) -> Option<Owner> {
    let (mut except, mut assign) = (None, None);
    for (key, entry) in entry.nested(cx)? {
        match key {
            OwnerKey::Except => except = assigned_access(&entry, cx),
            OwnerKey::Assign => assign = assigned_access(&entry, cx),
        }
    }
    Some(Owner { key: entry.key.span(), except, assign })
}

fn tenant(entry: &Entry, cx: &Ctxt) -> Option<Tenant> {
    let (mut except, mut members) = (None, None);
    for (key, entry) in entry.nested(cx)? {
        match key {
            TenantKey::Except => except = assigned_access(&entry, cx),
            TenantKey::Members => members = members_of(&entry, cx),
        }
    }
    Some(Tenant { key: entry.key.span(), except, members })
}

fn members_of(entry: &Entry, cx: &Ctxt) -> Option<MembersAttribute> {
    match entry.names(cx)?.as_slice() {
        [user] => Some(MembersAttribute { user: user.clone(), role: None }),
        [user, role] => Some(MembersAttribute { user: user.clone(), role: Some(role.clone()) }),
        _ => {
            entry.refuse(cx);
            None
        }
    }
}

/// `key = role("admin")`.
fn assigned_access(entry: &Entry, cx: &Ctxt) -> Option<Access> {
    let access = access::single(entry.assigned(cx)?, entry.value_span());
    access.map_err(|error| cx.push(&error)).ok()
}

fn visible(entry: &Entry, cx: &Ctxt) -> Option<Spanned<Access>> {
    let access = access::single(entry.list(cx)?, entry.value_span()).map_err(|error| cx.push(&error)).ok()?;
    Some(Spanned::new(access, entry.key.span()))
}
