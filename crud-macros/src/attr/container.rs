//! Parsed `#[crud(…)]` on a struct.

use std::time::Duration;

use crud_shared::case::RenameRule;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, LitInt, LitStr, Token};

use super::access::{self, Grant};
use super::children::{self, ChildrenAttribute};
use super::entry::{self, Entry, Form};
use super::field::Among;
use super::former;
use super::many_to_many::{self, ManyToManyAttribute};
use super::operation::{self, Operation};
use super::scope::{self, ScopeAttribute};
use super::{Literal, PathAttribute, Selection, Spanned};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{
    AggregateKey, AuditKey, BatchKey, DeprecatedKey, DeriveKey, HooksKey, IdempotencyKey, ImportKey, IndexKey, Key,
    OperationsKey, PaginationKey, RateLimitKey, RenamedFromKey, SearchKey, SoftDeleteKey, StructKey, TableKey,
    UniqueKey, ViewKey,
};

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

/// `renamed_from` on the struct.
#[derive(Debug)]
pub(crate) struct FormerAttribute {
    pub(crate) name: Spanned<String>,
    pub(crate) table: Option<Spanned<String>>,
}

/// `view`: expressions of the SQL. Each is left out where it is malformed, which is reported already.
#[derive(Debug)]
pub(crate) struct ViewAttribute {
    pub(crate) key: Span,
    /// Paths of the resources that it reads.
    pub(crate) reads: Option<Vec<Spanned<TokenStream>>>,
    /// On every database.
    pub(crate) sql: Option<TokenStream>,
    pub(crate) sqlite: Option<TokenStream>,
    pub(crate) postgres: Option<TokenStream>,
    pub(crate) mysql: Option<TokenStream>,
    /// `view` without SQL: it is there already.
    pub(crate) existing: bool,
}

/// A key of an order.
#[derive(Debug)]
pub(crate) struct SortAttribute {
    pub(crate) field: Ident,
    pub(crate) descending: bool,
}

/// `unique` on the struct.
#[derive(Debug)]
pub(crate) struct UniqueAttribute {
    pub(crate) fields: Vec<Ident>,
    pub(crate) among: Option<Spanned<Among>>,
    /// The fields that `case_insensitive(…)` names.
    pub(crate) case_insensitive: Vec<Ident>,
}

/// `index`.
#[derive(Debug)]
pub(crate) struct IndexAttribute {
    pub(crate) fields: Vec<Ident>,
    /// The field that `some(…)` names.
    pub(crate) some: Option<Ident>,
}

/// `search`.
#[derive(Debug)]
pub(crate) struct SearchAttribute {
    pub(crate) key: Span,
    pub(crate) fields: Vec<Ident>,
    pub(crate) language: Option<Spanned<String>>,
}

/// `aggregate`.
#[derive(Debug)]
pub(crate) struct AggregateAttribute {
    pub(crate) group_by: Vec<Ident>,
    pub(crate) over: Vec<Ident>,
    pub(crate) max_groups: Option<Spanned<u32>>,
}

/// `deprecated`.
#[derive(Debug, Default)]
pub(crate) struct Deprecation {
    pub(crate) since: Option<Spanned<String>>,
    pub(crate) sunset: Option<Spanned<String>>,
    pub(crate) link: Option<Spanned<String>>,
}

/// The words of `operations`, or of its `except`.
#[derive(Debug)]
pub(crate) struct OperationsAttribute {
    pub(crate) key: Span,
    pub(crate) operations: Vec<Spanned<Operation>>,
}

/// `pagination`.
#[derive(Debug, Default)]
pub(crate) struct PaginationAttribute {
    pub(crate) default_limit: Option<Spanned<u32>>,
    pub(crate) max_limit: Option<Spanned<u32>>,
    pub(crate) clamp: bool,
    pub(crate) count: Option<Spanned<Count>>,
    pub(crate) cursor: Option<Span>,
}

/// `count` of `pagination`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    Exact,
    Capped(u32),
    None,
}

/// `soft_delete`.
#[derive(Debug)]
pub(crate) struct SoftDeleteAttribute {
    pub(crate) key: Span,
    pub(crate) deleted_at: DeletedAtField,
    pub(crate) include_deleted_by_default: bool,
    pub(crate) auto_restore_on_update: bool,
}

/// The field of the deletion timestamp, where the struct names it, which is a former spelling and reported.
#[derive(Debug)]
pub(crate) enum DeletedAtField {
    /// Left out: the field with `deleted_at`, or that of the default name.
    Default,
    Named(Ident),
    /// Malformed, which is reported already.
    Malformed,
}

/// `batch`.
#[derive(Debug, Default)]
pub(crate) struct BatchAttribute {
    pub(crate) max_size: Option<Spanned<u32>>,
    pub(crate) partial: bool,
}

/// `import`.
#[derive(Debug)]
pub(crate) struct ImportAttribute {
    pub(crate) key: Span,
    pub(crate) max_rows: Option<Spanned<u32>>,
}

/// `idempotency`.
#[derive(Debug, Default)]
pub(crate) struct IdempotencyAttribute {
    pub(crate) required: bool,
    pub(crate) ttl: Option<Spanned<Duration>>,
}

/// `rate_limit`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RateLimit {
    pub(crate) requests: u32,
    pub(crate) seconds: u32,
}

/// `audit`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audit {
    pub(crate) track_changes: bool,
    pub(crate) track_user: bool,
    pub(crate) track_timestamp: bool,
    /// Time for which entries are kept.
    pub(crate) keep: Option<Duration>,
}

/// `hooks`: paths of functions.
#[derive(Debug, Default)]
pub(crate) struct HooksAttribute {
    pub(crate) before: Option<Spanned<TokenStream>>,
    pub(crate) after: Option<Spanned<TokenStream>>,
    pub(crate) committed: Option<Spanned<TokenStream>>,
    pub(crate) validate: Option<Spanned<TokenStream>>,
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
            StructKey::Deprecated => self.deprecation = deprecation(entry, cx),
            StructKey::Table => self.set_table(entry, cx),
            StructKey::RenamedFrom => self.formers.extend(former(entry, cx)),
            StructKey::View => self.view = Some(view(entry, cx)),
            StructKey::Tags => self.tags = tags(entry, cx),
            StructKey::Filter => self.filter = selection(entry, cx),
            StructKey::Sort => self.sort = selection(entry, cx),
            StructKey::HasMany => self.children = children::parse(entry, cx),
            StructKey::ManyToMany => self.many_to_many = many_to_many::parse(entry, cx),
            StructKey::DefaultSort => self.default_sort = sort_keys(entry, cx),
            StructKey::Aggregate => self.aggregate = aggregate(entry, cx),
            StructKey::Export => self.export = entry.flag(cx).is_some(),
            StructKey::Derive => self.set_derived(entry, cx),
            StructKey::Import => self.import = import(entry, cx),
            StructKey::Search => self.search = search(entry, cx),
            StructKey::Pagination => self.pagination = pagination(entry, cx),
            StructKey::Operations => self.set_operations(entry, cx),
            StructKey::Internal => self.internal = entry.flag(cx),
            StructKey::Scope => self.scopes.extend(scope::parse(entry, cx)),
            StructKey::Unique => self.uniques.extend(unique(entry, cx)),
            StructKey::Upsert => self.upserts.extend(entry.names(cx)),
            StructKey::Index => self.indexes.extend(index(entry, cx)),
            StructKey::RenameAll => self.rename_all = rename_all(entry, cx),
            StructKey::SoftDelete => self.soft_delete = soft_delete(entry, cx),
            StructKey::Batch => self.batch = batch(entry, cx),
            StructKey::Idempotency => self.idempotency = idempotency(entry, cx),
            StructKey::RateLimit => self.rate_limit = rate_limit(entry, cx),
            StructKey::Audit => self.audit = audit(entry, cx),
            StructKey::Access => self.access = grants(entry, cx),
            StructKey::Hooks => self.hooks = hooks(entry, cx),
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

/// `crate(::path)`. Inside the expansion's blocks a relative path would name something else.
pub(super) fn krate(entry: &Entry, cx: &Ctxt) -> Option<TokenStream> {
    let path = entry.path(cx)?;
    let parsed: syn::Path = syn::parse2(path.value.clone()).ok()?;
    let absolute = parsed.leading_colon.is_some() || parsed.segments.first().is_some_and(|s| s.ident == "crate");
    if !absolute {
        cx.error(path.span, "expected an absolute path: `crate(::path)` or `crate(crate::path)`");
    }
    absolute.then_some(path.value)
}

/// `rename_all = "camelCase"`.
pub(super) fn rename_all(entry: &Entry, cx: &Ctxt) -> Option<RenameRule> {
    let text = entry.text(cx)?;
    let rule = RenameRule::parse(&text.value);
    if rule.is_none() {
        cx.error(text.span, RenameRule::unknown(&text.value));
    }
    rule
}

fn former(entry: &Entry, cx: &Ctxt) -> Option<FormerAttribute> {
    let Form::List(_, tokens) = &entry.value else {
        return entry.text(cx).map(|name| FormerAttribute { name, table: None });
    };
    let (name, entries) = text_and_entries::<RenamedFromKey>(tokens, entry, cx);
    let mut table = None;
    for (key, entry) in entries {
        match key {
            RenamedFromKey::Table => table = entry.text(cx),
        }
    }
    if name.is_none() {
        entry.refuse(cx);
    }
    Some(FormerAttribute { name: name?, table })
}

/// `("text", key, key = value)`: the text, if there is one, and the keys. A second text is reported.
pub(super) fn text_and_entries<K: Key>(
    tokens: &TokenStream,
    entry: &Entry,
    cx: &Ctxt,
) -> (Option<Spanned<String>>, Entries<K>) {
    let (mut texts, mut entries) = (Vec::new(), Vec::new());
    entry::separated(tokens.clone(), cx, |input| {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            texts.push(Spanned::new(text.value(), text.span()));
        } else {
            entries.extend(entry::parse(input, K::PLACE, cx)?);
        }
        Ok(())
    });
    let mut texts = texts.into_iter();
    let first = texts.next();
    if let Some(second) = texts.next() {
        cx.error(second.span, format_args!("expected one name in `{}(…)`: remove this", entry.spec.name));
    }
    (first, entry::keyed(entries, cx))
}

fn view(entry: &Entry, cx: &Ctxt) -> ViewAttribute {
    let mut view = ViewAttribute {
        key: entry.key.span(),
        reads: None,
        sql: None,
        sqlite: None,
        postgres: None,
        mysql: None,
        existing: entry.is_flag(),
    };
    if view.existing {
        return view;
    }
    let Form::List(_, tokens) = &entry.value else {
        let sql = entry.expression(cx);
        if let Some(sql) = sql.as_ref().filter(|sql| entry::is_literal(&sql.value)) {
            entry.refuse_former(&former::text(&sql.value), cx);
        }
        return ViewAttribute { sql: sql.map(|sql| sql.value), ..view };
    };
    if tokens.is_empty() {
        entry.refuse(cx);
    }
    let (mut expressions, mut entries) = (Vec::new(), Vec::new());
    entry::separated(tokens.clone(), cx, |input| {
        let keyed = input.peek2(syn::token::Paren) || input.peek2(Token![=]);
        if input.peek(Ident::peek_any) && keyed {
            entries.extend(entry::parse(input, ViewKey::PLACE, cx)?);
        } else {
            expressions.push(entry::value_tokens(input)?);
        }
        Ok(())
    });
    for (key, entry) in entry::keyed(entries, cx) {
        let sql = |entry: &Entry| entry.expression(cx).map(|sql| sql.value);
        match key {
            ViewKey::Sqlite => view.sqlite = sql(&entry),
            ViewKey::Postgres => view.postgres = sql(&entry),
            ViewKey::Mysql => view.mysql = sql(&entry),
            ViewKey::Reads => view.reads = reads(&entry, cx),
        }
    }
    if let Some(second) = expressions.get(1) {
        cx.error_at(second, "expected one SQL for every database, or `sqlite = \"…\", postgres = \"…\"`: remove this");
    }
    view.sql = expressions.into_iter().next();
    view.existing = [&view.sql, &view.sqlite, &view.postgres, &view.mysql].iter().all(|sql| sql.is_none());
    view
}

fn reads(entry: &Entry, cx: &Ctxt) -> Option<Vec<Spanned<TokenStream>>> {
    Some(entry::separated(entry.list(cx)?.clone(), cx, |input| {
        let path: syn::Path = input.parse().map_err(|error| entry.malformed(&error))?;
        let span = SpanRange::covering(&path);
        Ok(Spanned::new(path.into_token_stream(), span))
    }))
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

fn selection(entry: &Entry, cx: &Ctxt) -> Option<Selection> {
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
        let former: Option<Token![.]> = input.parse()?;
        let present: Option<Token![::]> = if former.is_none() { input.parse()? } else { None };
        let (sign, dot) = match (former, present) {
            (Some(dot), _) => (dot.to_token_stream(), Some(dot.span)),
            (None, Some(colons)) => (colons.into_token_stream(), None),
            (None, None) => return Ok((name, None)),
        };
        let field = input.call(Ident::parse_any).map_err(|error| {
            let error = if input.is_empty() { syn::Error::new_spanned(sign, "") } else { error };
            entry.malformed(&error)
        })?;
        if let Some(dot) = dot {
            cx.error(dot, format_args!("`{name}.{field}` is now `{name}::{field}`"));
        }
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

/// Keys of an order: `(desc(created_at), name)`.
pub(super) fn sort_keys(entry: &Entry, cx: &Ctxt) -> Vec<SortAttribute> {
    let Some(tokens) = entry.list(cx) else { return Vec::new() };
    if tokens.is_empty() {
        entry.refuse(cx);
    }
    entry::separated(tokens.clone(), cx, |input| {
        let minus: Option<Token![-]> = input.parse()?;
        let word = input.call(Ident::parse_any).map_err(|error| match &minus {
            Some(minus) if input.is_empty() => entry.malformed(&syn::Error::new_spanned(minus, "")),
            _ => entry.malformed(&error),
        })?;
        if minus.is_none() && word == "desc" && input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            let field = descending(&content, &word, entry);
            if field.is_err() {
                // What is left is no error besides.
                content.parse::<TokenStream>()?;
            }
            return Ok(SortAttribute { field: field?, descending: true });
        }
        if input.peek(syn::token::Paren) {
            return Err(entry.malformed(&syn::Error::new(word.span(), "")));
        }
        let field = plain(word, entry, input)?;
        if let Some(minus) = &minus {
            cx.error(minus.span, format_args!("`-{field}` is now `desc({field})`"));
        }
        Ok(SortAttribute { field, descending: minus.is_some() })
    })
}

/// Parses the inside of the parentheses of `desc`.
fn descending(content: ParseStream<'_>, word: &Ident, entry: &Entry) -> syn::Result<Ident> {
    let field = content.call(Ident::parse_any).map_err(|error| {
        let error = if content.is_empty() { syn::Error::new(word.span(), "") } else { error };
        entry.malformed(&error)
    })?;
    let field = plain(field, entry, content)?;
    if content.is_empty() { Ok(field) } else { Err(entry.malformed(&content.error(""))) }
}

/// A field of the record itself. A path to that of another one is reported.
fn plain(field: Ident, entry: &Entry, input: ParseStream<'_>) -> syn::Result<Ident> {
    if input.peek(Token![.]) || input.peek(Token![::]) {
        return Err(field_of_another(entry, &field, input));
    }
    Ok(field)
}

/// The error of an order by a path, such as `author::name`.
fn field_of_another(entry: &Entry, field: &Ident, input: ParseStream<'_>) -> syn::Error {
    let mut path = field.to_token_stream();
    while !input.is_empty() && !input.peek(Token![,]) {
        path.extend(input.parse::<TokenTree>());
    }
    let (name, form) = (entry.spec.name, entry.spec.form);
    let written = path.to_string().replace(' ', "");
    let message =
        format!("`{name}` takes fields of the record itself, and `{written}` is of another one: expected {form}");
    syn::Error::new_spanned(path, message)
}

fn unique(entry: &Entry, cx: &Ctxt) -> Option<UniqueAttribute> {
    let (fields, entries) = fields_and_entries::<UniqueKey>(entry, cx)?;
    let (mut among, mut case_insensitive) = (None, Vec::new());
    for (key, entry) in entries {
        match key {
            UniqueKey::Among => among = entry.choice(&Among::WORDS, cx),
            UniqueKey::CaseInsensitive => case_insensitive = entry.names(cx).unwrap_or_default(),
        }
    }
    Some(UniqueAttribute { fields, among, case_insensitive })
}

fn index(entry: &Entry, cx: &Ctxt) -> Option<IndexAttribute> {
    let (fields, entries) = fields_and_entries::<IndexKey>(entry, cx)?;
    let mut some = None;
    for (key, entry) in entries {
        match key {
            IndexKey::Some => some = one_name(&entry, cx),
        }
    }
    Some(IndexAttribute { fields, some })
}

/// Entries with their keys.
type Entries<K> = Vec<(K, Entry)>;

/// The names in a list, and the keys between them.
fn fields_and_entries<K: Key>(entry: &Entry, cx: &Ctxt) -> Option<(Vec<Ident>, Entries<K>)> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let (mut fields, mut entries) = (Vec::new(), Vec::new());
    entry::separated(tokens.clone(), cx, |input| {
        let keyed = input.peek2(syn::token::Paren) || input.peek2(Token![=]);
        if input.peek(Ident::peek_any) && keyed {
            entries.extend(entry::parse(input, K::PLACE, cx)?);
        } else {
            fields.push(input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?);
        }
        Ok(())
    });
    Some((fields, entry::keyed(entries, cx)))
}

fn search(entry: &Entry, cx: &Ctxt) -> Option<SearchAttribute> {
    let (fields, entries) = fields_and_entries::<SearchKey>(entry, cx)?;
    let mut language = None;
    for (key, entry) in entries {
        match key {
            SearchKey::Language => language = entry.text(cx),
        }
    }
    Some(SearchAttribute { key: entry.key.span(), fields, language })
}

fn aggregate(entry: &Entry, cx: &Ctxt) -> Option<AggregateAttribute> {
    let mut aggregate = AggregateAttribute { group_by: Vec::new(), over: Vec::new(), max_groups: None };
    if entry.list(cx)?.is_empty() {
        entry.refuse(cx);
        return None;
    }
    for (key, entry) in entry.nested(cx)? {
        match key {
            AggregateKey::GroupBy => aggregate.group_by = entry.names(cx).unwrap_or_default(),
            AggregateKey::Over => aggregate.over = entry.names(cx).unwrap_or_default(),
            AggregateKey::MaxGroups => aggregate.max_groups = entry.number(cx),
        }
    }
    Some(aggregate)
}

fn deprecation(entry: &Entry, cx: &Ctxt) -> Option<Deprecation> {
    let mut deprecation = Deprecation::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            DeprecatedKey::Since => deprecation.since = entry.text(cx),
            DeprecatedKey::Sunset => deprecation.sunset = entry.text(cx),
            DeprecatedKey::Link => deprecation.link = entry.text(cx),
        }
    }
    Some(deprecation)
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

fn one_name(entry: &Entry, cx: &Ctxt) -> Option<Ident> {
    let names = entry.names(cx)?;
    if let [_, second, ..] = names.as_slice() {
        cx.error(second.span(), format_args!("expected one field in `{}`: remove this", entry.spec.name));
    }
    names.into_iter().next()
}

fn pagination(entry: &Entry, cx: &Ctxt) -> Option<PaginationAttribute> {
    let mut pagination = PaginationAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            PaginationKey::DefaultLimit => pagination.default_limit = entry.number(cx),
            PaginationKey::MaxLimit => pagination.max_limit = entry.number(cx),
            PaginationKey::OverLimit => {
                let choice = entry.choice(&[("reject", false), ("clamp", true)], cx);
                pagination.clamp = choice.is_some_and(|choice| choice.value);
            }
            PaginationKey::Cursor => pagination.cursor = entry.flag(cx),
            PaginationKey::Count => pagination.count = count(&entry, cx),
        }
    }
    Some(pagination)
}

fn count(entry: &Entry, cx: &Ctxt) -> Option<Spanned<Count>> {
    if entry.call_of("capped").is_some() {
        let cap = entry.call("capped", cx)?;
        return Some(Spanned::new(Count::Capped(cap.value), cap.span));
    }
    entry.choice(&[("exact", Count::Exact), ("none", Count::None)], cx)
}

fn soft_delete(entry: &Entry, cx: &Ctxt) -> Option<SoftDeleteAttribute> {
    let mut soft_delete = SoftDeleteAttribute {
        key: entry.key.span(),
        deleted_at: DeletedAtField::Default,
        include_deleted_by_default: false,
        auto_restore_on_update: false,
    };
    if entry.is_flag() {
        return Some(soft_delete);
    }
    let entries = entry::parse_all(entry.list(cx)?.clone(), SoftDeleteKey::PLACE, cx);
    let (entries, former) = former::split(entries, SoftDeleteKey::PLACE);
    for (_, entry) in &former {
        let field = entry.assigned(cx).and_then(|field| syn::parse2::<Ident>(field.clone()).ok());
        if let Some(field) = &field {
            let written = entry.shown();
            let message = format!("`{written}` is now `#[crud(deleted_at)]` on the field `{field}`");
            cx.error(entry.key.span(), message);
        }
        soft_delete.deleted_at = field.map_or(DeletedAtField::Malformed, DeletedAtField::Named);
    }
    for (key, entry) in entry::keyed(entries, cx) {
        match key {
            SoftDeleteKey::IncludeDeletedByDefault => {
                soft_delete.include_deleted_by_default = entry.boolean(cx).unwrap_or(false);
            }
            SoftDeleteKey::AutoRestoreOnUpdate => {
                soft_delete.auto_restore_on_update = entry.boolean(cx).unwrap_or(false);
            }
        }
    }
    Some(soft_delete)
}

fn batch(entry: &Entry, cx: &Ctxt) -> Option<BatchAttribute> {
    let mut batch = BatchAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            BatchKey::MaxSize => batch.max_size = entry.number(cx),
            BatchKey::Mode => {
                let choice = entry.choice(&[("atomic", false), ("partial", true)], cx);
                batch.partial = choice.is_some_and(|choice| choice.value);
            }
        }
    }
    Some(batch)
}

fn import(entry: &Entry, cx: &Ctxt) -> Option<ImportAttribute> {
    let mut import = ImportAttribute { key: entry.key.span(), max_rows: None };
    for (key, entry) in entry.nested(cx)? {
        match key {
            ImportKey::MaxRows => import.max_rows = entry.number(cx),
        }
    }
    Some(import)
}

fn idempotency(entry: &Entry, cx: &Ctxt) -> Option<IdempotencyAttribute> {
    let mut idempotency = IdempotencyAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            IdempotencyKey::Required => idempotency.required = entry.flag(cx).is_some(),
            IdempotencyKey::Ttl => idempotency.ttl = entry.duration(cx),
        }
    }
    Some(idempotency)
}

/// The longest window of a limit of requests: a day, in seconds.
const LONGEST_WINDOW: u32 = 86_400;

fn rate_limit(entry: &Entry, cx: &Ctxt) -> Option<RateLimit> {
    let (mut numbers, mut entries) = (Vec::new(), Vec::new());
    entry::separated(entry.list(cx)?.clone(), cx, |input| {
        if input.peek(LitInt) {
            numbers.push(input.parse::<LitInt>()?);
        } else {
            entries.extend(entry::parse(input, RateLimitKey::PLACE, cx)?);
        }
        Ok(())
    });
    let mut window = None;
    for (key, entry) in entry::keyed(entries, cx) {
        match key {
            RateLimitKey::Per => window = Some(seconds(&entry, cx)),
        }
    }
    let ([number], Some(window)) = (numbers.as_slice(), window) else {
        entry.refuse(cx);
        return None;
    };
    let requests = number.base10_parse().ok().filter(|requests| *requests > 0);
    if requests.is_none() {
        cx.error(number.span(), "expected a number of requests from `1` to `4_294_967_295`");
    }
    Some(RateLimit { requests: requests?, seconds: window? })
}

/// A duration such as `"30s"`, `"1m"`, `"2h"` or `"1d"` in seconds, at most a day.
fn seconds(entry: &Entry, cx: &Ctxt) -> Option<u32> {
    let text = entry.text(cx)?;
    let units = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)];
    let seconds = units.iter().find_map(|(unit, seconds)| {
        let number: u32 = text.value.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*seconds)
    });
    let seconds = seconds.filter(|seconds| (1..=LONGEST_WINDOW).contains(seconds));
    if seconds.is_none() {
        cx.error(text.span, "expected a window from `\"1s\"` to `\"1d\"`, such as `\"30s\"`, `\"1m\"` or `\"2h\"`");
    }
    seconds
}

fn audit(entry: &Entry, cx: &Ctxt) -> Option<Audit> {
    let mut audit = Audit { track_changes: true, track_user: true, track_timestamp: true, keep: None };
    for (key, entry) in entry.nested(cx)? {
        match key {
            AuditKey::Without => {
                for word in entry.names(cx).unwrap_or_default() {
                    match super::name(&word).as_str() {
                        "changes" => audit.track_changes = false,
                        "user" => audit.track_user = false,
                        "timestamp" => audit.track_timestamp = false,
                        _ => cx.error(word.span(), format_args!("expected {}", entry.spec.form)),
                    }
                }
            }
            AuditKey::Keep => audit.keep = entry.duration(cx).map(|keep| keep.value),
        }
    }
    if let (Some(_), false) = (audit.keep, audit.track_timestamp) {
        cx.error(entry.key.span(), "entries without a time are kept: remove `keep` or `without(timestamp)`");
    }
    Some(audit)
}

fn hooks(entry: &Entry, cx: &Ctxt) -> Option<HooksAttribute> {
    if entry.list(cx)?.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let mut hooks = HooksAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            HooksKey::Before => hooks.before = entry.function(cx),
            HooksKey::After => hooks.after = entry.function(cx),
            HooksKey::Committed => hooks.committed = entry.function(cx),
            HooksKey::Validate => hooks.validate = entry.function(cx),
        }
    }
    Some(hooks)
}

fn grants(entry: &Entry, cx: &Ctxt) -> Option<Vec<Grant>> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    Some(access::grants(tokens, cx))
}
