//! Raw attributes to the model. Every rule across attributes is checked here, all of them on every struct, so that one
//! compilation shows every mistake.
//!
//! First the names in lists are resolved to fields and each field gets its role, then the fields are built, then they are
//! checked. The model is put together last, from its finished parts.

mod access;
mod admin;
mod aggregate;
mod children;
pub(crate) mod computed;
mod defaults;
mod deprecation;
pub(crate) mod enumeration;
mod exclusives;
mod field;
mod former;
mod indexes;
mod keys;
mod lists;
mod lookup;
mod many_to_many;
mod members;
mod names;
pub(crate) mod no_key;
mod operations;
mod options;
mod ownership;
mod relations;
mod resolved_names;
mod roles;
mod rules;
pub(crate) mod schema;
mod scopes;
mod search;
mod soft_delete;
mod storage_form;
mod timestamps;
mod transitions;
mod types;
mod upserts;
pub(crate) mod view;

use crud_shared::plural;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

use self::lookup::Lookup;
use self::resolved_names::ResolvedNames;
use self::types::Requirements;
use crate::attr::item::{RawField, RawStruct};
use crate::ctxt::Ctxt;
use crate::model::{Exclusive, Field, Model};
use crud_shared::case::RenameRule;

/// The model of a struct. A part with an error is reported and left out, so that the stubs beside the errors have as
/// much as possible.
pub(crate) fn resource<'a>(raw: RawStruct<'a>, generics: &Generics, cx: &Ctxt) -> Model<'a> {
    let key = roles::key(&raw.fields, raw.ident, raw.complete, raw.attributes.no_key, cx);
    timestamps::check(&raw, cx);
    roles::check_deletion(&raw, cx);
    with_key(raw, key, generics, cx)
}

/// The model of a struct with this key.
fn with_key<'a>(raw: RawStruct<'a>, key: Vec<usize>, generics: &Generics, cx: &Ctxt) -> Model<'a> {
    let is_plain = generics.params.is_empty();
    refuse_generics(&raw.name, generics, cx);
    let RawStruct { ident, vis, name, doc, mut attributes, fields: raw, .. } = raw;
    let plural = plural::of_type(&name);
    let (is_view, no_key) = (attributes.is_read_only(), attributes.no_key);
    let operations = operations::offered(&attributes, cx);
    view::check_access(&attributes, cx);
    let ownership = ownership::check(&attributes, cx);

    let lookup = Lookup::new(&name, &raw, cx);
    let scopes = std::mem::take(&mut attributes.scopes);
    let resolved = ResolvedNames::of(&raw, &key, &attributes, scopes, &lookup);
    let soft_delete = attributes.soft_delete.as_ref();

    let by = relations::by(&raw, &lookup);
    let fields = built(raw, &resolved, (&key, &by), (is_view, is_plain), attributes.rename_all, cx);

    let mut requirements = Requirements::new(&fields, cx);
    names::check(&fields, !key.is_empty() || no_key.is_some(), cx);
    relations::check(&fields, &resolved.paths, &resolved.sort_paths, cx);
    relations::check_columns(&fields, cx);
    roles::check_key(&key, &mut requirements);
    soft_delete::check(&fields, resolved.deletion, &mut requirements);
    let upserts = upserts::check(&resolved.upserts, &fields, &resolved.uniques, &key, cx);
    let exclusives = check_groups(&resolved, &fields, soft_delete.is_some(), &mut requirements);
    lists::check(&resolved.lists, &mut requirements);
    lists::check_default_sort(&resolved.default_sort, &key, &mut requirements);
    let logs_restores =
        attributes.audit.is_some() && soft_delete.is_some_and(|attribute| attribute.auto_restore_on_update);
    let is_created = !is_view && operations.create();
    field::check_all(logs_restores, is_created, &mut requirements);
    let search =
        attributes.search.as_ref().map(|attribute| search::option(attribute, &resolved.search, &mut requirements));
    let aggregate = attributes
        .aggregate
        .as_ref()
        .map(|attribute| aggregate::option(attribute, &resolved.aggregate, &mut requirements));
    rules::check(&mut requirements);
    storage_form::check(&mut requirements);
    defaults::check(&fields, cx);
    transitions::check(&mut requirements);
    let default_sort: Vec<_> = resolved.default_sort.into_iter().map(|key| key.value).collect();
    access::check(&fields, &default_sort, is_view, is_created, cx);
    let soft_delete = soft_delete
        .zip(resolved.deletion)
        .map(|(attribute, deletion)| soft_delete::option(&fields, attribute, deletion, attributes.rename_all, cx));
    let asserts = requirements.into_asserts();
    let pagination = attributes.pagination.as_ref().map(|attribute| options::pagination(attribute, cx));
    let named = (attributes.schema.as_ref(), attributes.table.as_ref(), attributes.formers.as_slice());
    let (table, formers) = ownership::tables(named, &name, &plural, cx);
    let children = children::resolve(attributes.children, &fields, pagination.as_ref(), is_view, cx);
    let many_to_many = many_to_many::resolve(attributes.many_to_many, &fields, &children, pagination.as_ref(), cx);

    let prefix = names::prefix(attributes.prefix.as_ref(), &former::prefix(&formers, &plural), cx);

    Model {
        krate: krate(attributes.krate.as_ref()),
        ident,
        vis,
        doc,
        moved_from: names::former_prefixes(&attributes.moved_from, &prefix, cx),
        deprecation: deprecation::option(attributes.deprecation, cx),
        prefix,
        table,
        ownership,
        database_collation: attributes.database_collation,
        formers,
        view: view::option(attributes.view, cx),
        tags: attributes.tags.unwrap_or_else(|| vec![plural]),
        api_name: attributes.api_name.map(|name| names::api_name(name, cx)),
        presentation: admin::option(attributes.admin.as_ref(), &resolved.admin, &fields, cx),
        name,
        fields,
        key,
        no_key: no_key.is_some(),
        paths: resolved.paths,
        sort_paths: resolved.sort_paths,
        children,
        many_to_many,
        default_sort,
        search,
        aggregate,
        export: attributes.export,
        to_schema: attributes.to_schema,
        serialize: attributes.serialize,
        import: attributes.import.as_ref().map(|attribute| options::import(attribute, &operations, cx)),
        pagination,
        operations,
        scopes: resolved.scopes.into_iter().map(|scope| scope.value).collect(),
        members: resolved.members.map(|members| members.fields()),
        uniques: resolved.uniques,
        exclusives,
        time_zone: resolved.time_zone,
        upserts,
        indexes: resolved.indexes.whole,
        partial_indexes: resolved.indexes.partial,
        soft_delete,
        batch: attributes.batch.as_ref().map(|attribute| options::batch(attribute, cx)),
        idempotency: attributes.idempotency.as_ref().map(|attribute| options::idempotency(attribute, cx)),
        rate_limit: attributes.rate_limit,
        audit: attributes.audit,
        access: attributes.access,
        // Generics are an error already. Hooks would name the struct without them, which is a second error.
        hooks: attributes.hooks.filter(|_| is_plain),
        asserts,
    }
}

/// The fields of a struct. `key` has the fields of its key; `by`, for each field, the fields that refer together with
/// it. `is_view`: records are only read. `is_plain`: the struct has no generics.
fn built<'a>(
    raw: Vec<RawField<'a>>,
    resolved: &ResolvedNames,
    (key, by): (&[usize], &[Vec<usize>]),
    (is_view, is_plain): (bool, bool),
    rename_all: Option<RenameRule>,
    cx: &Ctxt,
) -> Vec<Field<'a>> {
    let ResolvedNames { roles, lists, uniques, scopes, .. } = resolved;
    let parts = field::Parts { key, roles, lists, uniques, scopes, is_view, by };
    let fields = raw.into_iter().enumerate();
    let mut fields: Vec<Field<'a>> =
        fields.map(|(index, raw)| field::build(raw, index, &parts, rename_all, cx)).collect();
    relations::keep_used(&mut fields, &resolved.paths, &resolved.sort_paths);
    if !is_plain {
        // Generics are an error already. The call of a function would name the struct without them, which is a second
        // error.
        for field in &mut fields {
            field.computed = None;
        }
    }
    fields
}

/// Checks unique groups, indexes, scopes and exclusive spans; returns the spans.
fn check_groups(
    resolved: &ResolvedNames,
    fields: &[Field<'_>],
    has_soft_delete: bool,
    requirements: &mut Requirements<'_, '_>,
) -> Vec<Exclusive> {
    let (ResolvedNames { uniques, indexes, .. }, cx) = (resolved, requirements.cx);
    let grouped = uniques.iter().map(|group| ("unique", &group.columns));
    let grouped = grouped.chain(indexes.whole.iter().map(|columns| ("index", columns)));
    let grouped = grouped.chain(indexes.partial.iter().map(|index| ("index", &index.columns)));
    computed::check(fields, grouped, &resolved.search, cx);
    field::check_uniques(fields, has_soft_delete, resolved.has_tenant, cx);
    indexes::check_case(uniques, requirements);
    scopes::check(&resolved.scopes, fields, cx);
    if let Some(members) = &resolved.members {
        members::check(members, fields, uniques, cx);
    }
    exclusives::check(&resolved.exclusives, requirements)
}

/// The path of the runtime.
fn krate(attribute: Option<&TokenStream>) -> TokenStream {
    attribute.cloned().unwrap_or_else(|| quote!(::crud_runtime))
}

fn refuse_generics(name: &str, generics: &Generics, cx: &Ctxt) {
    if !generics.params.is_empty() {
        cx.error_at(generics, format_args!("a resource cannot have generics: expected `struct {name}`"));
    } else if let Some(clause) = &generics.where_clause {
        cx.error_at(clause, "a resource cannot have a `where` clause: remove it");
    }
}
