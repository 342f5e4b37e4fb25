//! `static __CRUD_DESCRIPTOR`: what the runtime knows of the resource.

mod column;
mod computed;
mod exclusive;
mod indexes;
mod presentation;
mod principal;
mod relation;
mod rule;

use proc_macro2::{Literal as LiteralToken, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use self::column::{column, undeclared_state};
use self::computed::computing;
use self::exclusive::exclusives;
use self::indexes::{groups, partial_indexes, uniques};
use self::presentation::presentation;
use self::principal::{owner, scopes, tenant};
use self::relation::{children, many_to_many, paths, zone};
use super::tokens::{duration, index};
use super::{access, sql};
use crate::attr::audit::Audit;
use crate::attr::deprecated::Deprecation;
use crate::attr::pagination::Count;
use crate::model::{Aggregate, Batch, Former, Idempotency, Model, Operations, Ownership, Search, SortKey, View};

/// The static with the descriptor of a resource.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let Model { name, prefix, table, .. } = model;
    let columns = columns(model.fields.iter().map(column).chain(undeclared_state(model)));
    let id = index(model.key.first().copied().unwrap_or_default());
    let options = options(model);
    quote! {
        #columns
        static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            #name,
            ::core::module_path!(),
            #prefix,
            #table,
            &__CRUD_COLUMNS,
            #id,
        )
        #options;
    }
}

/// The static with the descriptor of a body: its fields alone.
pub(super) fn of_schema(model: &Model<'_>) -> TokenStream {
    let name = &model.name;
    let columns = columns(model.fields.iter().map(column));
    let doc = (!model.doc.is_empty()).then(|| {
        let doc = &model.doc;
        quote!(.doc(#doc))
    });
    quote! {
        #columns
        static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            #name,
            ::core::module_path!(),
            "",
            "",
            &__CRUD_COLUMNS,
            0,
        )
        #doc;
    }
}

/// The static of the columns. Inside the descriptor's static, the compiler would promote the columns to another
/// constant, and check both values.
fn columns(columns: impl Iterator<Item = TokenStream>) -> TokenStream {
    let columns: Vec<_> = columns.collect();
    let count = index(columns.len());
    quote!(static __CRUD_COLUMNS: [__crud::ColumnDescriptor; #count] = [#(#columns),*];)
}

fn options(model: &Model<'_>) -> TokenStream {
    let tags = &model.tags;
    let mut options = quote!(.tags(&[#(#tags),*]));
    options.extend(model.api_name.as_ref().map(|name| quote!(.api_name(#name))));
    options.extend(model.presentation.as_ref().map(presentation));
    let moved_from = &model.moved_from;
    options.extend((!moved_from.is_empty()).then(|| quote!(.moved_from(&[#(#moved_from),*]))));
    options.extend(model.deprecation.as_ref().map(deprecation));
    options.extend(match model.ownership {
        Ownership::Program => None,
        Ownership::NewTable => Some(quote!(.new_table())),
        Ownership::Unmanaged => Some(quote!(.unmanaged())),
    });
    options.extend(model.database_collation.then(|| quote!(.database_collation())));
    options.extend(formers(&model.formers));
    options.extend(model.view.as_ref().map(view));
    if model.key.len() > 1 {
        let parts = model.key.iter().map(|part| index(*part));
        options.extend(quote!(.composite(&[#(#parts),*])));
    }
    options.extend(model.no_key.then(|| quote!(.keyless())));
    if !model.doc.is_empty() {
        let doc = &model.doc;
        options.extend(quote!(.doc(#doc)));
    }
    if !model.default_sort.is_empty() {
        let keys = model.default_sort.iter().map(sort_key);
        options.extend(quote!(.default_sort(&[#(#keys),*])));
    }
    options.extend(paths("paths", &model.paths, model));
    options.extend(paths("sort_paths", &model.sort_paths, model));
    options.extend(children(model));
    options.extend(many_to_many(model));
    options.extend(model.search.as_ref().map(search));
    options.extend(model.aggregate.as_ref().map(aggregate));
    options.extend(model.export.then(|| quote!(.export())));
    options.extend(model.rate_limit.map(|limit| {
        let (requests, per) = (LiteralToken::u32_unsuffixed(limit.requests), duration(limit.per));
        quote!(.rate_limit(__crud::RateLimit::new(#requests, #per)))
    }));
    options.extend(model.import.map(|max_rows| quote!(.import(#max_rows))));
    if let Some(pages) = model.pagination {
        let (default_limit, max_limit) = (pages.default_limit, pages.max_limit);
        let clamp = pages.clamp.then(|| quote!(.clamp()));
        let cursor = pages.cursor.then(|| quote!(.cursor()));
        let count = match pages.count {
            Count::Exact => None,
            Count::Capped(cap) => Some(quote!(.count(__crud::Count::Capped(#cap)))),
            Count::None => Some(quote!(.count(__crud::Count::None))),
        };
        options.extend(quote!(.pagination(__crud::Pagination::new(#default_limit, #max_limit) #clamp #count #cursor)));
    }
    options.extend(changes(model));
    if let Some(grants) = &model.access {
        options.extend(access::expand(grants));
    }
    options.extend(owner(model));
    options.extend(tenant(model));
    options.extend(model.hooks.as_ref().map(|_| quote!(.hooks(&__CRUD_HOOKS))));
    options.extend(computing(model));
    options.extend(operations(&model.operations));
    options.extend(scopes("scopes", model.scopes.iter().filter(|scope| !scope.is_write)));
    options.extend(scopes("write_scopes", model.scopes.iter().filter(|scope| scope.is_write)));
    options.extend(uniques(&model.uniques));
    options.extend(exclusives(model));
    options.extend(zone(model));
    options.extend(groups("upserts", &model.upserts));
    options.extend(groups("indexes", &model.indexes));
    options.extend(partial_indexes(&model.partial_indexes));
    options.extend(sql::expand(model));
    options
}

/// The names that the struct had.
fn formers(formers: &[Former]) -> Option<TokenStream> {
    let formers: Vec<_> =
        formers.iter().map(|Former { name, table }| quote!(__crud::Former::new(#name, #table))).collect();
    (!formers.is_empty()).then(|| quote!(.formers(&[#(#formers),*])))
}

/// Full-text search.
fn search(search: &Search) -> TokenStream {
    let columns = search.columns.iter().map(|&column| index(column));
    let language = search.language.as_ref().map(|language| quote!(.language(#language)));
    quote!(.search(__crud::Search::new(&[#(#columns),*]) #language))
}

fn deprecation(deprecation: &Deprecation) -> TokenStream {
    let Deprecation { since, sunset, link } = deprecation;
    let texts = [("since", since), ("sunset", sunset), ("link", link)];
    let texts = texts.into_iter().filter_map(|(method, text)| {
        let (method, text) = (format_ident!("{method}"), &text.as_ref()?.value);
        Some(quote!(.#method(#text)))
    });
    quote!(.deprecation(__crud::Deprecation::new() #(#texts)*))
}

fn aggregate(aggregate: &Aggregate) -> TokenStream {
    let group_by = aggregate.group_by.iter().map(|&column| index(column));
    let over = aggregate.over.iter().map(|&column| index(column));
    let max_groups = LiteralToken::u32_unsuffixed(aggregate.max_groups);
    quote!(.aggregate(__crud::Aggregate::new(&[#(#group_by),*], &[#(#over),*], #max_groups)))
}

/// The view, with the resources that it reads.
fn view(view: &View) -> TokenStream {
    let reads = view.reads.iter().map(|resource| {
        let path = &resource.value;
        quote_spanned!(resource.span.start=> || <#path as __crud::Resource>::DESCRIPTOR)
    });
    let texts = [("sql", &view.sql), ("sqlite", &view.sqlite), ("postgres", &view.postgres), ("mysql", &view.mysql)];
    let texts = texts.into_iter().filter_map(|(database, sql)| {
        let (method, sql) = (format_ident!("{database}"), sql.as_ref()?);
        Some(quote!(.#method(#sql)))
    });
    let constructor = if view.existing { quote!(existing) } else { quote!(new) };
    quote!(.view(__crud::View::#constructor(&[#(#reads),*]) #(#texts)*))
}

/// Soft delete, batches, idempotency keys and the audit log.
fn changes(model: &Model<'_>) -> TokenStream {
    let mut options = TokenStream::new();
    if let Some(soft_delete) = &model.soft_delete {
        let deleted_at = index(soft_delete.deleted_at);
        let include = soft_delete.include_deleted_by_default.then(|| quote!(.include_deleted_by_default()));
        let restore = soft_delete.auto_restore_on_update.then(|| quote!(.auto_restore_on_update()));
        options.extend(quote!(.soft_delete(__crud::SoftDelete::new(#deleted_at) #include #restore)));
    }
    if let Some(Batch { max_size, partial }) = model.batch {
        let mode = if partial { quote!(partial) } else { quote!(atomic) };
        let max_size = LiteralToken::u32_unsuffixed(max_size);
        options.extend(quote!(.batch(__crud::Batch::#mode(#max_size))));
    }
    if let Some(Idempotency { required, ttl }) = model.idempotency {
        let (ttl, required) = (duration(ttl), required.then(|| quote!(.required())));
        options.extend(quote!(.idempotency(__crud::Idempotency::new(#ttl) #required)));
    }
    match model.audit {
        None => {}
        Some(Audit { track_changes: true, track_user: true, track_timestamp: true, keep: None }) => {
            options.extend(quote!(.audit(__crud::Audit::EVERYTHING)));
        }
        Some(Audit { track_changes, track_user, track_timestamp, keep }) => {
            let keep = keep.map(duration).map(|keep| quote!(.keep(#keep)));
            options.extend(quote!(.audit(__crud::Audit::new(#track_changes, #track_user, #track_timestamp) #keep)));
        }
    }
    options
}

fn operations(operations: &Operations) -> TokenStream {
    let (start, method, names) = match operations {
        Operations::All => return TokenStream::new(),
        Operations::Only(names) => ("NONE", "with", names),
        Operations::Except(names) => ("ALL", "without", names),
    };
    let (start, method) = (format_ident!("{start}"), format_ident!("{method}"));
    let names = names.iter().flat_map(|name| name.variants).map(|name| format_ident!("{name}"));
    quote!(.operations(__crud::Operations::#start #(.#method(__crud::Operation::#names))*))
}

fn sort_key(key: &SortKey) -> TokenStream {
    let direction = if key.descending { quote!(descending) } else { quote!(ascending) };
    let column = index(key.column);
    quote!(__crud::SortKey::#direction(#column))
}
