//! `static __CRUD_DESCRIPTOR`: what the runtime knows of the resource.

use std::time::Duration;

use proc_macro2::{Ident, Literal as LiteralToken, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{access, sql};
use crate::attr::access::Access;
use crate::attr::audit::Audit;
use crate::attr::computed::{Computed, Expressions};
use crate::attr::deprecated::Deprecation;
use crate::attr::field::{Among, OnDelete, Rule};
use crate::attr::pagination::Count;
use crate::attr::transition::Transition;
use crate::attr::{self, Literal};
use crate::model::{
    Aggregate, Batch, Capability, Children, Digits, Field, FieldPath, Format, Former, Idempotency, ManyToMany, Members,
    Model, Operations, Ownership, PartialIndex, Role, Scope, Search, SortKey, UniqueGroup, View,
};

/// The static.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let Model { name, prefix, table, .. } = model;
    let columns = model.fields.iter().map(column).chain(undeclared_state(model));
    let id = index(model.key.first().copied().unwrap_or_default());
    let options = options(model);
    quote! {
        static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            #name,
            ::core::module_path!(),
            #prefix,
            #table,
            &[#(#columns),*],
            #id,
        )
        #options;
    }
}

/// The static of a body: its fields alone.
pub(super) fn of_schema(model: &Model<'_>) -> TokenStream {
    let name = &model.name;
    let columns = model.fields.iter().map(column);
    let doc = (!model.doc.is_empty()).then(|| {
        let doc = &model.doc;
        quote!(.doc(#doc))
    });
    quote! {
        static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            #name,
            ::core::module_path!(),
            "",
            "",
            &[#(#columns),*],
            0,
        )
        #doc;
    }
}

fn options(model: &Model<'_>) -> TokenStream {
    let tags = &model.tags;
    let mut options = quote!(.tags(&[#(#tags),*]));
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
        let (requests, seconds) =
            (LiteralToken::u32_unsuffixed(limit.requests), LiteralToken::u32_unsuffixed(limit.seconds));
        quote!(.rate_limit(__crud::RateLimit::new(#requests, #seconds)))
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

/// The fields of records that fields refer to.
fn paths(method: &str, paths: &[FieldPath], model: &Model<'_>) -> Option<TokenStream> {
    let paths = paths.iter().filter_map(|path| {
        let target = &model.fields[path.reference].references.as_ref()?.target;
        let (reference, field, target) = (index(path.reference), &path.field, &target.value);
        // The field's span, so that the compiler underlines it where the other resource has no such field.
        let field = quote_spanned!(field.span()=> <#target>::FIELDS.#field.comparable());
        Some(quote!(__crud::FieldPath::new(#reference, #field)))
    });
    let paths: Vec<_> = paths.collect();
    let method = format_ident!("{method}");
    (!paths.is_empty()).then(|| quote!(.#method(&[#(#paths),*])))
}

/// The records of other resources that refer to one of this.
fn children(model: &Model<'_>) -> Option<TokenStream> {
    let (id, is_composite) = (model.fields.get(*model.key.first()?)?.stored_type(), model.key.len() > 1);
    let children = model.children.iter().map(|children| {
        let Children { name, resource, field, limit, sort, nested, .. } = children;
        let target = &resource.value;
        let descriptor = quote_spanned!(resource.span.start=> <#target as __crud::Resource>::DESCRIPTOR);
        // The field's span, so that the compiler underlines it where the other resource has no such field.
        let column = if is_composite {
            quote_spanned!(field.span()=> <#target>::FIELDS.#field.referring_by())
        } else {
            quote_spanned!(field.span()=> <#target>::FIELDS.#field.referring::<#id>())
        };
        let keys = sort.iter().map(|(field, descending)| {
            let direction = if *descending { quote!(descending) } else { quote!(ascending) };
            let column = quote_spanned!(field.span()=> <#target>::FIELDS.#field.comparable());
            quote!(__crud::SortKey::#direction(#column))
        });
        let sort = (!sort.is_empty()).then(|| quote!(.sort(&[#(#keys),*])));
        let nested = nested.then(|| quote!(.nested()));
        quote!(__crud::Children::new(#name, || #descriptor, #column, #limit) #sort #nested)
    });
    (!model.children.is_empty()).then(|| quote!(.children(&[#(#children),*])))
}

/// The records of other resources that junctions link to one of this.
fn many_to_many(model: &Model<'_>) -> Option<TokenStream> {
    let id = model.fields.get(*model.key.first()?)?.stored_type();
    let links = model.many_to_many.iter().map(|ManyToMany { name, junction, fields, limit }| {
        let resource = &junction.value;
        let descriptor = quote_spanned!(junction.span.start=> <#resource as __crud::Resource>::DESCRIPTOR);
        let (path, link_path) = (format!("/{{id}}/{name}"), format!("/{{id}}/{name}/{{linked}}"));
        let columns = fields.as_ref().map(|(near, far)| {
            let near = quote_spanned!(near.span()=> <#resource>::FIELDS.#near.referring::<#id>());
            let far = quote_spanned!(far.span()=> <#resource>::FIELDS.#far.column());
            quote!(.columns(#near, #far))
        });
        quote!(__crud::ManyToMany::new(#name, #path, #link_path, || #descriptor, #limit) #columns)
    });
    (!model.many_to_many.is_empty()).then(|| quote!(.many_to_many(&[#(#links),*])))
}

/// Full-text search.
fn search(search: &Search) -> TokenStream {
    let columns = search.columns.iter().map(|&column| index(column));
    let language = search.language.as_ref().map(|language| quote!(.language(#language)));
    quote!(.search(__crud::Search::new(&[#(#columns),*]) #language))
}

/// The deprecation.
fn deprecation(deprecation: &Deprecation) -> TokenStream {
    let Deprecation { since, sunset, link } = deprecation;
    let texts = [("since", since), ("sunset", sunset), ("link", link)];
    let texts = texts.into_iter().filter_map(|(method, text)| {
        let (method, text) = (format_ident!("{method}"), &text.as_ref()?.value);
        Some(quote!(.#method(#text)))
    });
    quote!(.deprecation(__crud::Deprecation::new() #(#texts)*))
}

/// Aggregates.
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

/// A time, in the largest unit that it has a whole number of.
fn duration(time: Duration) -> TokenStream {
    let seconds = time.as_secs();
    let units = [(60 * 60, quote!(from_hours)), (60, quote!(from_mins)), (1, quote!(from_secs))];
    let unit = units.into_iter().find(|(length, _)| seconds.is_multiple_of(*length));
    let (length, constructor) = unit.unwrap_or((1, quote!(from_secs)));
    let count = LiteralToken::u64_unsuffixed(seconds / length);
    quote!(::core::time::Duration::#constructor(#count))
}

/// The owner of the records.
fn owner(model: &Model<'_>) -> Option<TokenStream> {
    let (column, owner) =
        model.fields.iter().enumerate().find_map(|(column, field)| Some((column, field.owner.as_ref()?)))?;
    let (column, except) = (index(column), optional_access(owner.except.as_ref()));
    let assign = owner.assign.as_ref().map(|rule| {
        let rule = access::access(rule);
        quote!(.assign(#rule))
    });
    Some(quote!(.owner(__crud::Owner::new(#column, #except) #assign)))
}

/// The tenant of the records.
fn tenant(model: &Model<'_>) -> Option<TokenStream> {
    let (column, tenant) =
        model.fields.iter().enumerate().find_map(|(column, field)| Some((column, field.tenant.as_ref()?)))?;
    let (column, except) = (index(column), optional_access(tenant.except.as_ref()));
    let members = model.members.map(|Members { user, role }| {
        let (user, role) = (index(user), optional_index(role));
        quote!(.members(#user, #role))
    });
    Some(quote!(.tenant(__crud::Tenant::new(#column, #except) #members)))
}

fn optional_index(column: Option<usize>) -> TokenStream {
    match column {
        Some(column) => {
            let column = index(column);
            quote!(::core::option::Option::Some(#column))
        }
        None => quote!(::core::option::Option::None),
    }
}

/// The computation of the fields that functions compute.
fn computing(model: &Model<'_>) -> Option<TokenStream> {
    let ident = model.ident;
    let values: Vec<_> = model
        .fields
        .iter()
        .filter_map(|field| {
            let function = field.computed.as_ref()?.function()?;
            let (path, ty) = (&function.value, field.ty.written);
            let value = quote_spanned!(function.span.start=> #path(&__crud_record, __crud_request));
            let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
            Some(quote!(#into(#value)))
        })
        .collect();
    (!values.is_empty()).then(|| {
        quote! {
            .computing(|__crud_row, __crud_request| {
                let __crud_record = <#ident as __crud::Resource>::from_row(__crud_row)?;
                __crud::Ok(<[__crud::Value]>::into_vec(__crud::Box::new([#(#values),*])))
            })
        }
    })
}

/// The computation of a field.
fn computed(computed: &Computed) -> TokenStream {
    let Some(Expressions { sql, sqlite, postgres, mysql }) = computed.expressions() else {
        return quote!(.computed(__crud::Computed::by_function()));
    };
    // That of every database fills in what the others leave out.
    let texts = [("sqlite", sqlite), ("postgres", postgres), ("mysql", mysql), ("sql", sql)];
    let texts = texts.into_iter().filter_map(|(database, sql)| {
        let (method, sql) = (format_ident!("{database}"), &sql.as_ref()?.value);
        Some(quote!(.#method(#sql)))
    });
    quote!(.computed(__crud::Computed::new() #(#texts)*))
}

fn optional_access(rule: Option<&Access>) -> TokenStream {
    match rule {
        Some(rule) => {
            let rule = access::access(rule);
            quote!(::core::option::Option::Some(#rule))
        }
        None => quote!(::core::option::Option::None),
    }
}

fn scopes<'s>(method: &str, scopes: impl Iterator<Item = &'s Scope>) -> Option<TokenStream> {
    let all: Vec<TokenStream> = scopes.map(scope).collect();
    let method = format_ident!("{method}");
    (!all.is_empty()).then(|| quote!(.#method(&[#(#all),*])))
}

fn scope(scope: &Scope) -> TokenStream {
    let Scope { access: rule, except, column, path, claim, within, .. } = scope;
    let (rule, column) = (access::access(rule), index(*column));
    let except = except.as_ref().map(|rule| {
        let rule = access::access(rule);
        quote!(.except(#rule))
    });
    let path = path.as_ref().map(|path| {
        let (more, field) = (path.more.iter().map(attr::name), attr::name(&path.field));
        let path = match path.children.map(index) {
            Some(children) => quote!(of_children(#children, &[#(#more),*], #field)),
            None => quote!(of_reference(&[#(#more),*], #field)),
        };
        quote!(.path(__crud::ScopePath::#path))
    });
    let within = within.map(|(column, _, time)| {
        let (column, time) = (index(column), duration(time));
        quote!(.within(#column, #time))
    });
    quote!(__crud::ClaimScope::new(#rule, #column, #claim) #except #path #within)
}

fn uniques(groups: &[UniqueGroup]) -> Option<TokenStream> {
    let all = groups.iter().map(|UniqueGroup { columns, among, case_insensitive }| {
        let (columns, among) = (columns.iter().map(|&column| index(column)), uniqueness(*among));
        let folded = case_insensitive.iter().map(|column| index(column.value));
        let folded = (!case_insensitive.is_empty()).then(|| quote!(.case_insensitive(&[#(#folded),*])));
        quote!(__crud::UniqueGroup::new(&[#(#columns),*], #among) #folded)
    });
    (!groups.is_empty()).then(|| quote!(.uniques(&[#(#all),*])))
}

fn uniqueness(among: Among) -> TokenStream {
    match among {
        Among::All => quote!(__crud::Uniqueness::All),
        Among::Active => quote!(__crud::Uniqueness::Active),
        Among::Global => quote!(__crud::Uniqueness::Global),
    }
}

/// The column of `is_deleted`, where no field declares it.
fn undeclared_state(model: &Model<'_>) -> Option<TokenStream> {
    let json = model.soft_delete.as_ref()?.undeclared_state.as_ref()?;
    let key = json_key(json);
    Some(quote!(__crud::ColumnDescriptor::is_deleted(#json, #key)))
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

fn partial_indexes(indexes: &[PartialIndex]) -> Option<TokenStream> {
    let all = indexes.iter().map(|PartialIndex { columns, some }| {
        let (columns, some) = (columns.iter().map(|&column| index(column)), index(*some));
        quote!(__crud::PartialIndex::new(&[#(#columns),*], #some))
    });
    (!indexes.is_empty()).then(|| quote!(.partial_indexes(&[#(#all),*])))
}

fn groups(method: &str, groups: &[Vec<usize>]) -> TokenStream {
    if groups.is_empty() {
        return TokenStream::new();
    }
    let method = format_ident!("{method}");
    let groups = groups.iter().map(|group| {
        let indices = group.iter().map(|&column| index(column));
        quote!(&[#(#indices),*])
    });
    quote!(.#method(&[#(#groups),*]))
}

fn sort_key(key: &SortKey) -> TokenStream {
    let direction = if key.descending { quote!(descending) } else { quote!(ascending) };
    let column = index(key.column);
    quote!(__crud::SortKey::#direction(#column))
}

fn column(field: &Field<'_>) -> TokenStream {
    let (name, json, storage) = (&field.name, &field.json.value, &field.column.value);
    let key = json_key(json);
    let ty = field.stored_type();
    let ty = quote_spanned!(ty.span()=> <#ty as __crud::Column>::TYPE);
    let mut tokens = quote!(#ty.column(#name, #key));
    if json != name {
        tokens.extend(quote!(.json(#json)));
    }
    if storage != name {
        tokens.extend(quote!(.column(#storage)));
    }
    if !field.doc.is_empty() {
        let doc = &field.doc;
        tokens.extend(quote!(.doc(#doc)));
    }
    let role = match field.role {
        Role::Plain => None,
        Role::Id => Some("Id"),
        Role::CreatedAt => Some("CreatedAt"),
        Role::UpdatedAt => Some("UpdatedAt"),
        Role::DeletedAt => Some("DeletedAt"),
        Role::IsDeleted => Some("IsDeleted"),
    };
    if let Some(role) = role {
        let role = format_ident!("{role}");
        tokens.extend(quote!(.role(__crud::Role::#role)));
    }
    tokens.extend(field.given.then(|| quote!(.given())));
    tokens.extend(capability("filterable", field.filterable));
    tokens.extend(capability("sortable", field.sortable));
    tokens.extend(flags(field));
    if field.owner.is_some() || field.tenant.is_some() || field.in_scope {
        tokens.extend(quote!(.from_principal()));
    }
    if let Some(rule) = &field.visible {
        let rule = access::access(&rule.value);
        tokens.extend(quote!(.visible(#rule)));
    }
    tokens.extend(storage_options(field));
    tokens.extend(field.computed.as_ref().map(computed));
    tokens.extend(transitions(field));
    tokens.extend(rules(field));
    tokens
}

fn capability(method: &str, capability: Capability) -> TokenStream {
    let method = match capability {
        Capability::No => return TokenStream::new(),
        Capability::Yes => format_ident!("{method}"),
        Capability::IfComparable => format_ident!("{method}_if_comparable"),
    };
    quote!(.#method())
}

fn flags(field: &Field<'_>) -> TokenStream {
    let flags = [
        (field.exposure.read_only.is_some(), "read_only"),
        (field.exposure.write_only.is_some(), "write_only"),
        (field.exposure.hidden.is_some(), "hidden"),
        (field.exposure.immutable.is_some(), "immutable"),
        (field.deprecated, "deprecated"),
        (field.indexed, "indexed"),
    ];
    let methods = flags.into_iter().filter(|(on, _)| *on).map(|(_, method)| format_ident!("{method}"));
    quote!(#(.#methods())*)
}

fn storage_options(field: &Field<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    if let Some(unique) = field.unique {
        let among = uniqueness(unique.among);
        let folded = unique.case_insensitive.map(|_| quote!(.case_insensitive()));
        tokens.extend(quote!(.unique(#among) #folded));
    }
    let values = [("default", &field.default), ("backfill", &field.backfill)];
    for (method, written) in values.into_iter().filter_map(|(method, value)| Some((method, value.as_ref()?))) {
        let (method, value, ty) = (format_ident!("{method}"), &written.value, field.ty.written);
        let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
        let value = quote_spanned!(written.span.start=> __crud::IntoColumn::into_column(#value));
        tokens.extend(quote!(.#method(|| #into(#value))));
    }
    if field.database_default.is_some() {
        tokens.extend(quote!(.database_default()));
    }
    if let Some(renamed) = &field.renamed_from {
        let old = &renamed.value;
        tokens.extend(quote!(.renamed_from(#old)));
    }
    if let Some(reference) = &field.references {
        let target = &reference.target.value;
        let target = quote_spanned!(reference.target.span.start=> <#target as __crud::Resource>::DESCRIPTOR);
        let on_delete = match reference.on_delete {
            OnDelete::Restrict => quote!(Restrict),
            OnDelete::Cascade => quote!(Cascade),
            OnDelete::SetNull => quote!(SetNull),
        };
        let any = reference.any.then(|| quote!(.references_any()));
        let unconstrained = reference.unconstrained.then(|| quote!(.unconstrained()));
        let relation = reference.relation.as_ref().map(|relation| {
            let name = &relation.value;
            let method = if reference.expand { quote!(expandable) } else { quote!(relation) };
            quote!(.#method(#name))
        });
        let named = reference.named.as_ref().map(|name| quote!(.named(#name)));
        let by = reference.by.iter().map(|column| index(*column));
        let by = (!reference.by.is_empty()).then(|| quote!(.by(&[#(#by),*])));
        tokens.extend(
            quote!(.references(|| #target, __crud::OnDelete::#on_delete) #by #any #unconstrained #relation #named),
        );
    }
    if let Some(digits) = &field.digits {
        let Digits { precision, scale } = digits.value;
        tokens.extend(quote!(.digits(#precision, #scale)));
    }
    if let Some(sql_type) = &field.sql_type {
        let sql_type = &sql_type.value;
        tokens.extend(quote!(.sql_type(#sql_type)));
    }
    if let Some(format) = &field.format {
        let format = match format {
            Format::Pattern(pattern) => quote!(Pattern(#pattern)),
            Format::Unix => quote!(Unix),
            Format::UnixMillis => quote!(UnixMillis),
            Format::Lowercase => quote!(Lowercase),
            Format::Uppercase => quote!(Uppercase),
            Format::Simple => quote!(Simple),
            Format::Bytes => quote!(Bytes),
            Format::Number => quote!(Number),
        };
        tokens.extend(quote!(.format(__crud::StoredFormat::#format)));
    }
    tokens
}

fn transitions(field: &Field<'_>) -> Option<TokenStream> {
    let ty = field.ty.inner;
    let state = |variant: &Ident| {
        let span = variant.span();
        let value = quote_spanned!(span=> <#ty>::#variant);
        let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
        quote!(|| #into(#value))
    };
    // A known type is not an enum, which is reported.
    let transitions = field.transitions.as_ref().filter(|_| field.ty.known.is_none())?;
    let all = transitions.list.iter().map(|Transition { name, from, to, access }| {
        let name = attr::name(name);
        let path = format!("/{{id}}/{name}");
        let (from, to) = (from.iter().map(state), state(to));
        let access = access.as_ref().map(|access| {
            let access = access::access(access);
            quote!(.access(#access))
        });
        quote!(__crud::Transition::new(#name, #path, &[#(#from),*], #to) #access)
    });
    Some(quote!(.transitions(&[#(#all),*])))
}

fn rules(field: &Field<'_>) -> TokenStream {
    let implied = field.implied_max_length.map(max_length);
    let mut rules = field.rules.iter().map(|rule| rule_tokens(&rule.value, field)).chain(implied).peekable();
    if rules.peek().is_none() {
        return TokenStream::new();
    }
    quote!(.rules(&[#(__crud::Rule::#rules),*]))
}

fn max_length(length: usize) -> TokenStream {
    let length = index(length);
    quote!(MaxLength(#length))
}

fn rule_tokens(rule: &Rule, field: &Field<'_>) -> TokenStream {
    match rule {
        Rule::Min(bound) => {
            let bound = literal(&bound.value);
            quote!(Min(#bound))
        }
        Rule::Max(bound) => {
            let bound = literal(&bound.value);
            quote!(Max(#bound))
        }
        Rule::MinLength(length) => {
            let length = index(length.value);
            quote!(MinLength(#length))
        }
        Rule::MaxLength(length) => max_length(length.value),
        Rule::AnyLength => quote!(AnyLength),
        Rule::Pattern(pattern) => {
            let pattern = &pattern.value;
            quote!(Pattern(#pattern))
        }
        Rule::Email => quote!(Email),
        Rule::Url => quote!(Url),
        Rule::OneOf(values) => {
            let values = values.iter().map(|value| literal(&value.value));
            quote!(OneOf(&[#(#values),*]))
        }
        Rule::Custom(path) => {
            let (function, ty) = (&path.value, field.ty.inner);
            // The closure lets a `fn(&str)` check a `String`.
            let check = quote_spanned!(path.span.start=> |__crud_value: &#ty| #function(__crud_value));
            let from = quote_spanned!(ty.span()=> <#ty as __crud::Column>::from_value);
            quote!(Custom(|__crud_value| __crud::check_custom(#from(__crud_value), #check)))
        }
    }
}

fn literal(literal: &Literal) -> TokenStream {
    match literal {
        Literal::Int(value) => {
            let value = LiteralToken::i64_unsuffixed(*value);
            quote!(__crud::Literal::Int(#value))
        }
        Literal::Float(value) => {
            let value = LiteralToken::f64_unsuffixed(*value);
            quote!(__crud::Literal::Float(#value))
        }
        Literal::Text(value) => quote!(__crud::Literal::Text(#value)),
    }
}

/// An index or length, without a suffix.
pub(super) fn index(index: usize) -> TokenStream {
    LiteralToken::usize_unsuffixed(index).to_token_stream()
}

/// A name as a JSON key with the colon, quoted and escaped (RFC 8259 section 7).
fn json_key(name: &str) -> String {
    use std::fmt::Write;
    let mut key = String::with_capacity(name.len() + 3);
    key.push('"');
    for c in name.chars() {
        match c {
            '"' => key.push_str("\\\""),
            '\\' => key.push_str("\\\\"),
            c if c < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(key, "\\u{:04x}", u32::from(c));
            }
            c => key.push(c),
        }
    }
    key.push_str("\":");
    key
}

#[cfg(test)]
mod tests {
    use super::json_key;

    #[test]
    fn keys_are_escaped() {
        assert_eq!(json_key("price"), "\"price\":");
        assert_eq!(json_key("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000ad\":");
    }
}
