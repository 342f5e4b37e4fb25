//! Parsed `#[crud(…)]` on a struct.

use crud_shared::case::RenameRule;
use proc_macro2::{Ident, Span, TokenStream};
use syn::Attribute;

use super::access::{self, Grant};
use super::admin::{self, AdminAttribute};
use super::aggregate::{self, AggregateAttribute};
use super::audit::{self, Audit};
use super::children::{self, ChildrenAttribute};
use super::deprecated::{self, Deprecation};
use super::entry::{self, Entry, Form};
use super::exclusive::{self, ExclusiveAttribute};
use super::hooks::{self, HooksAttribute};
use super::indexes::{self, IndexAttribute, SearchAttribute, UniqueAttribute};
use super::keyed_list::{fields_and_entries, text_and_entries};
use super::many_to_many::{self, ManyToManyAttribute};
use super::operation::{self, Operation};
use super::options::{self, BatchAttribute, IdempotencyAttribute, ImportAttribute};
use super::pagination::{self, PaginationAttribute};
use super::rate_limit::{self, RateLimit};
use super::renamed_from::{self, FormerAttribute};
use super::scope::{self, ScopeAttribute};
use super::soft_delete::{self, SoftDeleteAttribute};
use super::sort_keys::{self, SortAttribute};
use super::view::{self, ViewAttribute};
use super::{Literal, Selection, Spanned, selection};
use crate::ctxt::Ctxt;
use crate::key::{DeriveKey, OperationsKey, StructKey, TableKey};

/// The struct's attributes, as written.
#[derive(Debug, Default)]
pub(crate) struct StructAttributes {
    pub(crate) krate: Option<TokenStream>,
    pub(crate) prefix: Option<Spanned<String>>,
    pub(crate) moved_from: Vec<Spanned<String>>,
    pub(crate) deprecation: Option<Deprecation>,
    pub(crate) table: Option<Spanned<String>>,
    pub(crate) schema: Option<Spanned<String>>,
    /// The span of `unmanaged`.
    pub(crate) unmanaged: Option<Span>,
    /// The span of `table(new)`.
    pub(crate) new_table: Option<Span>,
    /// Whether texts keep the database's collation.
    pub(crate) database_collation: bool,
    pub(crate) formers: Vec<FormerAttribute>,
    pub(crate) view: Option<ViewAttribute>,
    pub(crate) no_key: Option<Span>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) api_name: Option<Spanned<String>>,
    pub(crate) admin: Option<AdminAttribute>,
    pub(crate) filter: Option<Selection>,
    pub(crate) sort: Option<Selection>,
    pub(crate) children: Vec<ChildrenAttribute>,
    pub(crate) many_to_many: Vec<ManyToManyAttribute>,
    pub(crate) default_sort: Vec<SortAttribute>,
    pub(crate) search: Option<SearchAttribute>,
    pub(crate) aggregate: Option<AggregateAttribute>,
    pub(crate) export: bool,
    pub(crate) to_schema: bool,
    /// The span of `serialize`.
    pub(crate) serialize: Option<Span>,
    pub(crate) import: Option<ImportAttribute>,
    pub(crate) pagination: Option<PaginationAttribute>,
    pub(crate) only: Option<OperationsAttribute>,
    pub(crate) except: Option<OperationsAttribute>,
    pub(crate) internal: Option<Span>,
    pub(crate) scopes: Vec<ScopeAttribute>,
    pub(crate) uniques: Vec<UniqueAttribute>,
    pub(crate) exclusives: Vec<ExclusiveAttribute>,
    /// The attribute `time_zone`: one field, or one path.
    pub(crate) time_zone: Option<Selection>,
    pub(crate) upserts: Vec<Vec<Ident>>,
    pub(crate) indexes: Vec<IndexAttribute>,
    pub(crate) rename_all: Option<RenameRule>,
    pub(crate) soft_delete: Option<SoftDeleteAttribute>,
    pub(crate) batch: Option<BatchAttribute>,
    pub(crate) idempotency: Option<IdempotencyAttribute>,
    pub(crate) rate_limit: Option<RateLimit>,
    pub(crate) audit: Option<Audit>,
    pub(crate) access: Option<Vec<Grant>>,
    pub(crate) hooks: Option<HooksAttribute>,
}

impl StructAttributes {
    /// Whether records are only read: those of a view, and those without a key.
    pub(crate) const fn is_read_only(&self) -> bool {
        self.view.is_some() || self.no_key.is_some()
    }
}

/// The words of `operations`, or of its `except`.
#[derive(Debug)]
pub(crate) struct OperationsAttribute {
    pub(crate) key: Span,
    pub(crate) operations: Vec<Spanned<Operation>>,
}

/// Reads the attributes of a struct.
pub(super) fn parse(attributes: &[Attribute], cx: &Ctxt) -> StructAttributes {
    let mut found = StructAttributes::default();
    for (key, entry) in entry::from_attributes(attributes, cx) {
        found.set(key, &entry, cx);
    }
    super::serde::merge_struct(&mut found, attributes, cx);
    found
}

impl StructAttributes {
    fn set(&mut self, key: StructKey, entry: &Entry, cx: &Ctxt) {
        match key {
            StructKey::Crate => self.krate = krate(entry, cx),
            StructKey::Prefix => self.prefix = entry.text(cx),
            StructKey::MovedFrom => self.moved_from = prefixes(entry, cx),
            StructKey::Deprecated => self.deprecation = deprecated::parse(entry, cx),
            StructKey::Table => self.set_table(entry, cx),
            StructKey::RenamedFrom => self.formers.extend(renamed_from::parse(entry, cx)),
            StructKey::View => self.view = Some(view::parse(entry, cx)),
            StructKey::ApiName => self.api_name = entry.text(cx),
            StructKey::Tags => self.tags = tags(entry, cx),
            StructKey::Admin => self.admin = admin::parse(entry, cx),
            StructKey::Filter => self.filter = selection::parse(entry, cx),
            StructKey::Sort => self.sort = selection::parse(entry, cx),
            StructKey::HasMany => self.children = children::parse(entry, cx),
            StructKey::ManyToMany => self.many_to_many = many_to_many::parse(entry, cx),
            StructKey::DefaultSort => self.default_sort = sort_keys::parse(entry, cx),
            StructKey::Aggregate => self.aggregate = aggregate::parse(entry, cx),
            StructKey::Export => self.export = entry.flag(cx).is_some(),
            StructKey::Derive => self.set_derived(entry, cx),
            StructKey::Import => self.import = options::import(entry, cx),
            StructKey::Search => self.search = indexes::search(entry, cx),
            StructKey::Pagination => self.pagination = pagination::parse(entry, cx),
            StructKey::Operations => self.set_operations(entry, cx),
            StructKey::Internal => self.internal = entry.flag(cx),
            StructKey::Scope => self.scopes.extend(scope::parse(entry, cx)),
            StructKey::Unique => self.uniques.extend(indexes::unique(entry, cx)),
            StructKey::Exclusive => self.exclusives.extend(exclusive::parse(entry, cx)),
            StructKey::TimeZone => self.time_zone = time_zone(entry, cx),
            StructKey::Upsert => self.upserts.extend(entry.names(cx)),
            StructKey::Index => self.indexes.extend(indexes::index(entry, cx)),
            StructKey::RenameAll => self.rename_all = rename_all(entry, cx),
            StructKey::SoftDelete => self.soft_delete = soft_delete::parse(entry, cx),
            StructKey::Batch => self.batch = options::batch(entry, cx),
            StructKey::Idempotency => self.idempotency = options::idempotency(entry, cx),
            StructKey::RateLimit => self.rate_limit = rate_limit::parse(entry, cx),
            StructKey::Audit => self.audit = audit::parse(entry, cx),
            StructKey::Access => self.access = grants(entry, cx),
            StructKey::Hooks => self.hooks = hooks::parse(entry, cx),
        }
    }

    fn set_table(&mut self, entry: &Entry, cx: &Ctxt) {
        let Form::List(_, tokens) = &entry.value else {
            self.table = entry.text(cx);
            return;
        };
        if tokens.is_empty() {
            entry.refuse(cx);
        }
        let (name, entries) = text_and_entries::<TableKey>(tokens, entry, cx);
        self.table = name;
        for (key, entry) in entries {
            match key {
                TableKey::Schema => self.schema = entry.text(cx),
                TableKey::Unmanaged => self.unmanaged = entry.flag(cx),
                TableKey::New => self.new_table = entry.flag(cx),
                TableKey::NoKey => self.no_key = entry.flag(cx),
                TableKey::Collation => self.database_collation = entry.choice(&[("database", ())], cx).is_some(),
            }
        }
    }

    fn set_derived(&mut self, entry: &Entry, cx: &Ctxt) {
        let Some(tokens) = entry.list(cx) else { return };
        if tokens.is_empty() {
            entry.refuse(cx);
        }
        for (key, entry) in entry::from_tokens(tokens.clone(), cx) {
            match key {
                DeriveKey::Serialize => self.serialize = entry.flag(cx),
                DeriveKey::ToSchema => self.to_schema = entry.flag(cx).is_some(),
            }
        }
    }

    fn set_operations(&mut self, entry: &Entry, cx: &Ctxt) {
        let Some((names, entries)) = fields_and_entries::<OperationsKey>(entry, cx) else { return };
        let attribute =
            |key: Span, names: &[Ident]| OperationsAttribute { key, operations: operation::parse_all(names, cx) };
        for (key, entry) in entries {
            match key {
                OperationsKey::Except => {
                    let names = entry.names(cx);
                    self.except = names.map(|names| attribute(entry.key.span(), &names));
                }
            }
        }
        if !names.is_empty() {
            self.only = Some(attribute(entry.key.span(), &names));
        }
    }
}

/// Reads `crate(::path)`. Inside the expansion's blocks, a relative path would name something else.
pub(super) fn krate(entry: &Entry, cx: &Ctxt) -> Option<TokenStream> {
    let path = entry.path(cx)?;
    let parsed: syn::Path = syn::parse2(path.value.clone()).ok()?;
    let absolute = parsed.leading_colon.is_some() || parsed.segments.first().is_some_and(|s| s.ident == "crate");
    if !absolute {
        cx.error(path.span, "expected an absolute path: `crate(::path)` or `crate(crate::path)`");
    }
    absolute.then_some(path.value)
}

/// Reads the field of the time zone: one.
fn time_zone(entry: &Entry, cx: &Ctxt) -> Option<Selection> {
    if entry.is_flag() {
        entry.refuse(cx);
        return None;
    }
    let selection = selection::parse(entry, cx)?;
    if selection.fields.iter().flatten().count() + selection.paths.len() == 1 {
        return Some(selection);
    }
    entry.refuse(cx);
    None
}

/// Reads `rename_all = "camelCase"`.
pub(super) fn rename_all(entry: &Entry, cx: &Ctxt) -> Option<RenameRule> {
    let text = entry.text(cx)?;
    let rule = RenameRule::parse(&text.value);
    if rule.is_none() {
        cx.error(text.span, RenameRule::unknown(&text.value));
    }
    rule
}

fn tags(entry: &Entry, cx: &Ctxt) -> Option<Vec<String>> {
    let literals = entry.literals(cx)?;
    let text = |literal: Spanned<Literal>| match literal.value {
        Literal::Text(text) if !text.is_empty() => Some(text),
        _ => {
            cx.error(literal.span, "expected a tag in quotes: `tags(\"Products\")`");
            None
        }
    };
    Some(literals.into_iter().filter_map(text).collect())
}

fn prefixes(entry: &Entry, cx: &Ctxt) -> Vec<Spanned<String>> {
    let text = |literal: Spanned<Literal>| match literal.value {
        Literal::Text(text) => Some(Spanned::new(text, literal.span)),
        _ => {
            cx.error(literal.span, "expected a prefix in quotes: `moved_from(\"/v1/products\")`");
            None
        }
    };
    entry.literals(cx).unwrap_or_default().into_iter().filter_map(text).collect()
}

fn grants(entry: &Entry, cx: &Ctxt) -> Option<Vec<Grant>> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    Some(access::grants(tokens, cx))
}
