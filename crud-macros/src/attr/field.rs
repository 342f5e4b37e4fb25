//! Parsed `#[crud(…)]` on a field.

use crud_shared::spelling;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{LitInt, Token};

use super::access::{self, Access};
use super::computed::{self, Computed};
use super::entry::{self, Entry, Form};
use super::keyed_list::text_and_entries;
use super::of_type::TypeAttribute;
use super::transition::{self, Transitions};
use super::{Literal, Spanned, name as unraw, serde};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{
    AttributeKey, ColumnKey, FieldKey, LengthKey, MembersKey, OwnerKey, RangeKey, ReferencesKey, TenantKey, ValidateKey,
};

/// A field's attributes, as written. A flag is its span.
#[derive(Debug, Default)]
pub(crate) struct FieldAttributes {
    pub(crate) id: Option<Span>,
    /// Whether the attribute is `id(client)`.
    pub(crate) id_of_client: bool,
    pub(crate) created_at: Option<Span>,
    pub(crate) updated_at: Option<Span>,
    pub(crate) deleted_at: Option<Span>,
    /// The key of `created_at(off)` or `updated_at(off)`.
    pub(crate) managed_off: Option<Ident>,
    pub(crate) filter: Option<InLists>,
    pub(crate) sort: Option<InLists>,
    pub(crate) unique: Option<Unique>,
    pub(crate) index: Option<Span>,
    pub(crate) default: Option<Spanned<TokenStream>>,
    /// The span of the word in `default(database)`.
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
    /// The attribute that the field's type defines.
    pub(crate) of_type: Option<TypeAttribute>,
}

/// Filter or sort of a field, as written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InLists {
    /// `filter`; the span is the key's.
    On(Span),
    /// `filter(off)`; the span is the value's.
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

/// `unique`, or with options: `unique(active)`, `unique(global, case_insensitive)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unique {
    pub(crate) among: Among,
    /// The span of `active` or `global`, or else of the key.
    pub(crate) span: SpanRange,
    /// The span of `case_insensitive`.
    pub(crate) case_insensitive: Option<Span>,
}

/// The word for a default that the database fills in.
const DATABASE: &str = "database";

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
    /// The words for a set of records other than the default.
    pub(crate) const WORDS: [(&'static str, Self); 2] = [("active", Self::Active), ("global", Self::Global)];

    /// The set of records that a word names.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find_map(|(known, among)| (known == word).then_some(among))
    }
}

/// The attribute `owner`, with the principals that are exempt from it and those that may name another owner.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) key: Span,
    pub(crate) except: Option<Access>,
    pub(crate) assign: Option<Access>,
}

/// The attribute `tenant`, `tenant(except(…))` or `tenant(members(…))`.
#[derive(Debug)]
pub(crate) struct Tenant {
    pub(crate) key: Span,
    pub(crate) except: Option<Access>,
    pub(crate) members: Option<MembersAttribute>,
}

/// `members(user_id, role)`, or `members(user_id, role, keep = "owner")` with the role that a last member keeps.
#[derive(Debug, Clone)]
pub(crate) struct MembersAttribute {
    /// The field of the user.
    pub(crate) user: Ident,
    /// The field of the user's roles in the tenant.
    pub(crate) role: Option<Ident>,
    /// The role that a tenant's last member with that role cannot lose.
    pub(crate) keep: Option<Spanned<String>>,
}

/// `references(Category)`, or with options: `references(Category, any, unconstrained, by(order_id, line_no))`.
#[derive(Debug, Clone)]
pub(crate) struct References {
    pub(crate) target: Spanned<TokenStream>,
    /// Whether the attribute is `references(users)`: the targets are the users in the service's own table.
    pub(crate) users: bool,
    /// Whether a principal may refer to records that it may not read.
    pub(crate) any: bool,
    /// Whether there is no foreign key.
    pub(crate) unconstrained: bool,
    /// The fields of `by(…)`, which refer to a key of several fields together.
    pub(crate) by: Vec<Ident>,
}

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
    /// `length(unbounded)`
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
    let mut of_type = None;
    let mut unknown = |key, value| TypeAttribute::take(&mut of_type, &field.ty, key, value, cx);
    for (key, entry) in entry::from_attributes_with(&field.attrs, cx, &mut unknown) {
        found.set(key, &entry, cx);
    }
    found.of_type = of_type;
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
            FieldKey::DeletedAt => self.deleted_at = entry.flag(cx),
            FieldKey::Filter => self.filter = in_lists(entry, cx),
            FieldKey::Sort => self.sort = in_lists(entry, cx),
            FieldKey::Unique => self.unique = unique(entry, cx),
            FieldKey::Index => self.index = entry.flag(cx),
            FieldKey::Default => self.set_default(entry, cx),
            FieldKey::References => self.set_references(entry, cx),
            FieldKey::Decimal => self.set_decimal(entry, cx),
            FieldKey::ReadOnly => self.exposure.read_only = entry.flag(cx),
            FieldKey::WriteOnly => self.exposure.write_only = entry.flag(cx),
            FieldKey::Hidden => self.exposure.hidden = entry.flag(cx),
            FieldKey::Immutable => self.exposure.immutable = entry.flag(cx),
            FieldKey::Rename => self.rename = entry.text(cx),
            FieldKey::Column => self.set_column(entry, cx),
            FieldKey::Owner => self.owner = owner(entry, cx),
            FieldKey::Tenant => self.tenant = tenant(entry, cx),
            FieldKey::Computed => self.computed = computed::parse(entry, cx),
            FieldKey::Visible => self.visible = visible(entry, cx),
            FieldKey::Deprecated => self.deprecated = entry.flag(cx),
            FieldKey::Transitions => self.transitions = transition::parse(entry, cx),
            FieldKey::Range => self.set_range(entry, cx),
            FieldKey::Length => self.set_length(entry, cx),
            FieldKey::Validate => self.set_rules(entry, cx),
        }
    }

    /// Reads `default = "pending"`, `default(Status::Open)` or `default(database)`.
    fn set_default(&mut self, entry: &Entry, cx: &Ctxt) {
        if let Form::List(_, tokens) = &entry.value
            && let Ok(word) = syn::parse2::<Ident>(tokens.clone())
            && unraw(&word).starts_with(char::is_lowercase)
        {
            if word == DATABASE {
                self.database_default = Some(word.span());
                return;
            }
            if spelling::is_slip(&unraw(&word), DATABASE) {
                cx.error(word.span(), format_args!("expected {}", entry.spec.form));
                return;
            }
        }
        self.default = entry.expression(cx);
    }

    /// Reads `references(Category, expand, on_delete(restrict))`.
    fn set_references(&mut self, entry: &Entry, cx: &Ctxt) {
        let Form::List(_, tokens) = &entry.value else {
            entry.refuse_argument(cx);
            return;
        };
        let (mut target, mut users, mut entries) = (None, false, Vec::new());
        entry::separated(tokens.clone(), cx, |input| {
            if target.is_none() {
                let path: syn::Path = input.parse().map_err(|error| entry.malformed(&error))?;
                let span = SpanRange::covering(&path);
                users = path.is_ident("users");
                target = Some(Spanned::new(path.into_token_stream(), span));
            } else {
                entries.extend(entry::parse(input, ReferencesKey::PLACE, cx)?);
            }
            Ok(())
        });
        if tokens.is_empty() {
            entry.refuse(cx);
        }
        let (mut any, mut unconstrained, mut by) = (false, false, Vec::new());
        for (key, entry) in entry::keyed(entries, cx) {
            if users && !matches!(key, ReferencesKey::OnDelete) {
                let message =
                    format!("users are not a resource: expected `references(users)`, without `{}`", entry.spec.name);
                cx.error(entry.key.span(), message);
                continue;
            }
            match key {
                ReferencesKey::Any => any = entry.flag(cx).is_some(),
                ReferencesKey::Unconstrained => unconstrained = entry.flag(cx).is_some(),
                ReferencesKey::Expand => self.expand = entry.flag(cx),
                ReferencesKey::Relation => self.relation = entry.parsed_argument(cx).map(|name| name.value),
                ReferencesKey::OnDelete => self.on_delete = on_delete(&entry, cx),
                ReferencesKey::By => by = entry.names(cx).unwrap_or_default(),
            }
        }
        self.references = target.map(|target| References { target, users, any, unconstrained, by });
    }

    /// Reads `decimal(18, 4)` or `decimal(18)`.
    fn set_decimal(&mut self, entry: &Entry, cx: &Ctxt) {
        let Some(tokens) = entry.list(cx) else { return };
        let numbers = entry::separated(tokens.clone(), cx, |input| {
            let number: LitInt = input.parse().map_err(|error| entry.malformed(&error))?;
            let value = number.base10_parse().map_err(|_| entry.malformed(&syn::Error::new(number.span(), "")))?;
            Ok(Spanned::new(value, number.span()))
        });
        if tokens.is_empty() {
            entry.refuse(cx);
        }
        if let Some(third) = numbers.get(2) {
            cx.error(third.span, format_args!("expected {}", entry.spec.form));
        }
        let mut numbers = numbers.into_iter();
        (self.precision, self.scale) = (numbers.next(), numbers.next());
    }

    /// Reads `column = "name"` or `column("name", sql_type = "inet")`.
    fn set_column(&mut self, entry: &Entry, cx: &Ctxt) {
        let Form::List(_, tokens) = &entry.value else {
            self.column = entry.text(cx);
            return;
        };
        if tokens.is_empty() {
            entry.refuse(cx);
        }
        let (name, entries) = text_and_entries::<ColumnKey>(tokens, entry, cx);
        self.column = name;
        for (key, entry) in entries {
            match key {
                ColumnKey::SqlType => self.sql_type = entry.text(cx),
                ColumnKey::Format => self.format = entry.text(cx),
                ColumnKey::RenamedFrom => self.renamed_from = entry.text(cx),
                ColumnKey::Backfill => self.backfill = entry.expression(cx),
            }
        }
    }

    /// Reads `range(min = 0, max = 100)`.
    fn set_range(&mut self, entry: &Entry, cx: &Ctxt) {
        for (key, entry) in rules(entry, cx) {
            match key {
                RangeKey::Min => self.rule(&entry, entry.numeric(cx).map(Rule::Min)),
                RangeKey::Max => self.rule(&entry, entry.numeric(cx).map(Rule::Max)),
            }
        }
    }

    /// Reads `length(min = 1, max = 200)` or `length(unbounded)`.
    fn set_length(&mut self, entry: &Entry, cx: &Ctxt) {
        for (key, entry) in rules(entry, cx) {
            match key {
                LengthKey::Min => self.rule(&entry, entry.number(cx).map(Rule::MinLength)),
                LengthKey::Max => self.rule(&entry, entry.number(cx).map(Rule::MaxLength)),
                LengthKey::Unbounded => self.rule(&entry, entry.flag(cx).map(|_| Rule::AnyLength)),
            }
        }
    }

    /// Reads `validate(email, custom(path::to::function))`.
    fn set_rules(&mut self, entry: &Entry, cx: &Ctxt) {
        for (key, entry) in rules(entry, cx) {
            match key {
                ValidateKey::Pattern => self.rule(&entry, entry.text(cx).map(Rule::Pattern)),
                ValidateKey::Email => self.rule(&entry, entry.flag(cx).map(|_| Rule::Email)),
                ValidateKey::Url => self.rule(&entry, entry.flag(cx).map(|_| Rule::Url)),
                ValidateKey::OneOf => self.rule(&entry, entry.literals(cx).map(Rule::OneOf)),
                ValidateKey::Custom => self.rule(&entry, entry.function(cx).map(Rule::Custom)),
            }
        }
    }

    fn rule(&mut self, entry: &Entry, rule: Option<Rule>) {
        self.rules.extend(rule.map(|rule| Spanned::new(rule, entry.key.span())));
    }
}

/// The rules of `key(…)`, at least one.
fn rules<K: AttributeKey>(entry: &Entry, cx: &Ctxt) -> Vec<(K, Entry)> {
    match entry.list(cx) {
        Some(tokens) if tokens.is_empty() => {
            entry.refuse(cx);
            Vec::new()
        }
        Some(tokens) => entry::from_tokens(tokens.clone(), cx),
        None => Vec::new(),
    }
}

/// Whether an entry is `key(off)`.
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

fn on_delete(entry: &Entry, cx: &Ctxt) -> Option<Spanned<OnDelete>> {
    let choices = [("restrict", OnDelete::Restrict), ("cascade", OnDelete::Cascade), ("set_null", OnDelete::SetNull)];
    entry.choice(&choices, cx)
}

fn owner(entry: &Entry, cx: &Ctxt) -> Option<Owner> {
    let (mut except, mut assign) = (None, None);
    for (key, entry) in entry.nested(cx)? {
        match key {
            OwnerKey::Except => except = access_argument(&entry, cx),
            OwnerKey::Assign => assign = access_argument(&entry, cx),
        }
    }
    Some(Owner { key: entry.key.span(), except, assign })
}

fn tenant(entry: &Entry, cx: &Ctxt) -> Option<Tenant> {
    let (mut except, mut members) = (None, None);
    for (key, entry) in entry.nested(cx)? {
        match key {
            TenantKey::Except => except = access_argument(&entry, cx),
            TenantKey::Members => members = members_of(&entry, cx),
        }
    }
    Some(Tenant { key: entry.key.span(), except, members })
}

fn members_of(entry: &Entry, cx: &Ctxt) -> Option<MembersAttribute> {
    let (mut names, mut entries) = (Vec::new(), Vec::new());
    entry::separated(entry.list(cx)?.clone(), cx, |input| {
        if input.peek2(Token![=]) {
            entries.extend(entry::parse(input, MembersKey::PLACE, cx)?);
        } else {
            names.push(input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?);
        }
        Ok(())
    });
    let keep = entry::keyed(entries, cx).into_iter().find_map(|(key, entry)| match key {
        MembersKey::Keep => entry.text(cx),
    });
    match (names.as_slice(), keep) {
        ([user], None) => Some(MembersAttribute { user: user.clone(), role: None, keep: None }),
        ([user, role], keep) => Some(MembersAttribute { user: user.clone(), role: Some(role.clone()), keep }),
        _ => {
            entry.refuse(cx);
            None
        }
    }
}

/// Reads the access rule in `key(role("admin"))`.
fn access_argument(entry: &Entry, cx: &Ctxt) -> Option<Access> {
    let Some(tokens) = entry.argument() else {
        entry.refuse_argument(cx);
        return None;
    };
    access::single(tokens, SpanRange::covering(tokens)).map_err(|error| cx.push(&error)).ok()
}

fn visible(entry: &Entry, cx: &Ctxt) -> Option<Spanned<Access>> {
    let access = access::single(entry.list(cx)?, entry.value_span()).map_err(|error| cx.push(&error)).ok()?;
    Some(Spanned::new(access, entry.key.span()))
}
