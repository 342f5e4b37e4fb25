//! What `#[crud(…)]` on a struct says.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::{Attribute, Token};

use super::access::{self, Grant};
use super::entry::{self, Entry};
use super::place::{self, Place};
use super::{At, Literal, Selection};
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::symbol;

/// The struct's attributes, as written.
#[derive(Debug, Default)]
pub(crate) struct Container {
    pub(crate) krate: Option<TokenStream>,
    pub(crate) prefix: Option<At<String>>,
    pub(crate) table: Option<At<String>>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) filter: Option<Selection>,
    pub(crate) sort: Option<Selection>,
    pub(crate) default_sort: Vec<SortKey>,
    pub(crate) pagination: Option<Pagination>,
    pub(crate) only: Option<Vec<Ident>>,
    pub(crate) except: Option<(Ident, Vec<Ident>)>,
    pub(crate) uniques: Vec<Vec<Ident>>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) rename_all: Option<RenameRule>,
    pub(crate) soft_delete: Option<SoftDelete>,
    pub(crate) batch: Option<Batch>,
    pub(crate) audit: Option<Audit>,
    pub(crate) access: Option<AccessList>,
}

/// A key of `default_sort`.
#[derive(Debug)]
pub(crate) struct SortKey {
    pub(crate) field: Ident,
    pub(crate) descending: bool,
}

/// `index`.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) fields: Vec<Ident>,
    /// The field that `some(…)` names.
    pub(crate) some: Option<Ident>,
}

/// `pagination`.
#[derive(Debug, Default)]
pub(crate) struct Pagination {
    pub(crate) default_limit: Option<At<u32>>,
    pub(crate) max_limit: Option<At<u32>>,
    pub(crate) clamp: bool,
}

/// `soft_delete`.
#[derive(Debug)]
pub(crate) struct SoftDelete {
    pub(crate) key: Span,
    /// Whether `deleted_at_field` is there, well-formed or not.
    pub(crate) names_field: bool,
    pub(crate) deleted_at_field: Option<Ident>,
    pub(crate) include_deleted_by_default: bool,
    pub(crate) auto_restore_on_update: bool,
}

/// `batch`.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) max_size: Option<At<u32>>,
    pub(crate) partial: bool,
}

/// `audit`.
#[derive(Debug)]
pub(crate) struct Audit {
    pub(crate) track_changes: bool,
    pub(crate) track_user: bool,
    pub(crate) track_timestamp: bool,
}

/// `access`.
#[derive(Debug)]
pub(crate) struct AccessList {
    pub(crate) grants: Vec<Grant>,
}

/// Reads the attributes of a struct.
pub(crate) fn parse(attributes: &[Attribute], cx: &Ctxt) -> Container {
    let mut entries = entry::of_attributes(attributes, place::CONTAINER, cx);
    entry::refuse_duplicates(&mut entries, &[symbol::UNIQUE, symbol::INDEX], cx);
    let mut container = Container::default();
    for entry in &entries {
        container.take(entry, cx);
    }
    super::serde::merge_container(&mut container, attributes, cx);
    container
}

impl Container {
    fn take(&mut self, entry: &Entry, cx: &Ctxt) {
        match entry.symbol {
            symbol::CRATE => self.krate = krate(entry, cx),
            symbol::PREFIX => self.prefix = entry.text(cx),
            symbol::TABLE => self.table = entry.text(cx),
            symbol::TAGS => self.tags = tags(entry, cx),
            symbol::FILTER => self.filter = selection(entry, cx),
            symbol::SORT => self.sort = selection(entry, cx),
            symbol::DEFAULT_SORT => self.default_sort = default_sort(entry, cx),
            symbol::PAGINATION => self.pagination = pagination(entry, cx),
            symbol::ONLY => self.only = entry.names(cx),
            symbol::EXCEPT => self.except = entry.names(cx).map(|names| (entry.key.clone(), names)),
            symbol::UNIQUE => self.uniques.extend(entry.names(cx)),
            symbol::INDEX => self.indexes.extend(index(entry, cx)),
            symbol::RENAME_ALL => self.rename_all = rename_all(entry, cx),
            symbol::SOFT_DELETE => self.soft_delete = soft_delete(entry, cx),
            symbol::BATCH => self.batch = batch(entry, cx),
            symbol::AUDIT => self.audit = audit(entry, cx),
            symbol::ACCESS => self.access = access_list(entry, cx),
            _ => {}
        }
    }
}

/// `crate = ::path`. A relative path would mean something else inside the expansion's blocks.
pub(crate) fn krate(entry: &Entry, cx: &Ctxt) -> Option<TokenStream> {
    let path = entry.path(cx)?;
    let parsed: syn::Path = syn::parse2(path.value.clone()).ok()?;
    let absolute = parsed.leading_colon.is_some() || parsed.segments.first().is_some_and(|s| s.ident == "crate");
    if !absolute {
        cx.error(path.span, "the path of the crate is absolute: `crate = ::path` or `crate = crate::path`");
    }
    absolute.then_some(path.value)
}

/// `rename_all = "camelCase"`.
pub(crate) fn rename_all(entry: &Entry, cx: &Ctxt) -> Option<RenameRule> {
    let text = entry.text(cx)?;
    let rule = RenameRule::parse(&text.value);
    if rule.is_none() {
        cx.error(text.span, RenameRule::unknown(&text.value));
    }
    rule
}

fn tags(entry: &Entry, cx: &Ctxt) -> Option<Vec<String>> {
    let literals = entry.literals(cx)?;
    let text = |literal: At<Literal>| match literal.value {
        Literal::Text(text) if !text.is_empty() => Some(text),
        _ => {
            cx.error(literal.span, "a tag is a text in quotes: `tags(\"Products\")`");
            None
        }
    };
    Some(literals.into_iter().filter_map(text).collect())
}

fn selection(entry: &Entry, cx: &Ctxt) -> Option<Selection> {
    let fields = if entry.is_flag() { None } else { Some(entry.names(cx)?) };
    Some(Selection { key: entry.key.clone(), fields })
}

fn default_sort(entry: &Entry, cx: &Ctxt) -> Vec<SortKey> {
    let Some(tokens) = entry.list(cx) else { return Vec::new() };
    if tokens.is_empty() {
        entry.refuse(cx);
    }
    entry::separated(tokens.clone(), cx, |input| {
        let minus: Option<Token![-]> = input.parse()?;
        let field = input.call(Ident::parse_any).map_err(|error| match &minus {
            Some(minus) if input.is_empty() => entry.malformed(&syn::Error::new_spanned(minus, "")),
            _ => entry.malformed(&error),
        })?;
        Ok(SortKey { field, descending: minus.is_some() })
    })
}

fn index(entry: &Entry, cx: &Ctxt) -> Option<Index> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let (mut fields, mut entries) = (Vec::new(), Vec::new());
    entry::separated(tokens.clone(), cx, |input| {
        let keyed = input.peek2(syn::token::Paren) || input.peek2(Token![=]);
        if input.peek(Ident::peek_any) && keyed {
            entries.extend(entry::of_input(input, place::INDEX, cx)?);
        } else {
            fields.push(input.call(Ident::parse_any).map_err(|error| entry.malformed(&error))?);
        }
        Ok(())
    });
    entry::refuse_duplicates(&mut entries, &[], cx);
    let some = entries.first().and_then(|some| some.names(cx));
    if let Some([_, second, ..]) = some.as_deref() {
        cx.error(second.span(), "`some` names one field: remove this");
    }
    Some(Index { fields, some: some.and_then(|names| names.into_iter().next()) })
}

fn inner(entry: &Entry, place: Place, cx: &Ctxt) -> Option<Vec<Entry>> {
    if entry.is_flag() {
        return Some(Vec::new());
    }
    let mut entries = entry::of_tokens(entry.list(cx)?.clone(), place, cx);
    entry::refuse_duplicates(&mut entries, &[], cx);
    Some(entries)
}

fn pagination(entry: &Entry, cx: &Ctxt) -> Option<Pagination> {
    let mut pagination = Pagination::default();
    for entry in &inner(entry, place::PAGINATION, cx)? {
        match entry.symbol {
            symbol::DEFAULT_LIMIT => pagination.default_limit = entry.number(cx),
            symbol::MAX_LIMIT => pagination.max_limit = entry.number(cx),
            _ => {
                let choice = entry.choice(&[("reject", false), ("clamp", true)], cx);
                pagination.clamp = choice.is_some_and(|choice| choice.value);
            }
        }
    }
    Some(pagination)
}

fn soft_delete(entry: &Entry, cx: &Ctxt) -> Option<SoftDelete> {
    let mut soft_delete = SoftDelete {
        key: entry.key.span(),
        names_field: false,
        deleted_at_field: None,
        include_deleted_by_default: false,
        auto_restore_on_update: false,
    };
    for entry in &inner(entry, place::SOFT_DELETE, cx)? {
        match entry.symbol {
            symbol::DELETED_AT_FIELD => {
                soft_delete.names_field = true;
                soft_delete.deleted_at_field = entry.ident(cx);
            }
            symbol::INCLUDE_DELETED => soft_delete.include_deleted_by_default = entry.boolean(cx).unwrap_or_default(),
            _ => soft_delete.auto_restore_on_update = entry.boolean(cx).unwrap_or_default(),
        }
    }
    Some(soft_delete)
}

fn batch(entry: &Entry, cx: &Ctxt) -> Option<Batch> {
    let mut batch = Batch { max_size: None, partial: false };
    for entry in &inner(entry, place::BATCH, cx)? {
        match entry.symbol {
            symbol::MAX_SIZE => batch.max_size = entry.number(cx),
            _ => {
                let choice = entry.choice(&[("atomic", false), ("partial", true)], cx);
                batch.partial = choice.is_some_and(|choice| choice.value);
            }
        }
    }
    Some(batch)
}

fn audit(entry: &Entry, cx: &Ctxt) -> Option<Audit> {
    let mut audit = Audit { track_changes: true, track_user: true, track_timestamp: true };
    for entry in &inner(entry, place::AUDIT, cx)? {
        match entry.symbol {
            symbol::TRACK_CHANGES => audit.track_changes = entry.boolean(cx).unwrap_or(true),
            symbol::TRACK_USER => audit.track_user = entry.boolean(cx).unwrap_or(true),
            _ => audit.track_timestamp = entry.boolean(cx).unwrap_or(true),
        }
    }
    Some(audit)
}

fn access_list(entry: &Entry, cx: &Ctxt) -> Option<AccessList> {
    let tokens = entry.list(cx)?;
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    Some(AccessList { grants: access::grants(tokens, cx) })
}

/// The name of an identifier, without `r#`.
pub(crate) fn name(ident: &Ident) -> String {
    ident.unraw().to_string()
}
