//! Raw attributes to the model: every rule across attributes is checked here, all of them on every
//! struct, so that one compilation shows every mistake.

pub(crate) mod enumeration;
mod field;
mod lists;
mod names;
mod rules;
mod unimplemented;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Fields};

use crate::attr::container::{self, Container};
use crate::attr::field::FieldAttributes;
use crate::attr::{At, container as raw};
use crate::case;
use crate::ctxt::Ctxt;
use crate::model::{Field, Model, Options, Pagination, Role};

/// A struct's fields, as written.
pub(crate) type RawFields<'a> = Vec<(&'a syn::Field, &'a Ident, FieldAttributes)>;

/// The named fields of a struct; anything else is an error.
pub(crate) fn named_fields<'a>(input: &'a DeriveInput, cx: &Ctxt) -> Vec<(&'a syn::Field, &'a Ident)> {
    let what = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                return fields.named.iter().filter_map(|field| Some((field, field.ident.as_ref()?))).collect();
            }
            Fields::Unnamed(_) => "a tuple struct",
            Fields::Unit => "a unit struct",
        },
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let message =
        format!("a resource is a struct with named fields, not {what}: `struct {} {{ id: i64 }}`", input.ident);
    cx.error(input.ident.span(), message);
    Vec::new()
}

/// The model of a struct. What is wrong is reported and left out, the rest stands, so that the stubs
/// beside the errors have as much as could be understood.
pub(crate) fn model<'a>(input: &'a DeriveInput, container: Container, fields: RawFields<'a>, cx: &Ctxt) -> Model<'a> {
    refuse_generics(input, cx);
    let name = container::name(&input.ident);
    let plural = case::plural(&name);
    let mut fields: Vec<Field<'a>> = fields
        .into_iter()
        .map(|(field, ident, attrs)| field::build(field, ident, attrs, container.rename_all, cx))
        .collect();
    let id = find_id(&mut fields, &input.ident, cx);
    names::check(&fields, cx);
    let mut model = Model {
        krate: krate(container.krate.as_ref()),
        ident: &input.ident,
        vis: &input.vis,
        doc: field::doc_text(&input.attrs),
        prefix: names::prefix(container.prefix.as_ref(), &plural, cx),
        table: names::table(container.table.as_ref(), &plural, cx),
        tags: container.tags.unwrap_or_else(|| vec![plural]),
        name,
        fields,
        id,
        default_sort: Vec::new(),
        pagination: container.pagination.as_ref().map(|pages| pagination(pages, cx)),
        operations: lists::operations(container.only.as_deref(), container.except.as_ref(), cx),
        uniques: Vec::new(),
        indexes: Vec::new(),
        options: Options {
            soft_delete: container.soft_delete,
            batch: container.batch,
            audit: container.audit,
            access: container.access,
        },
        asserts: Vec::new(),
    };
    lists::capabilities(&mut model, container.filter, container.sort, cx);
    lists::default_sort(&mut model, &container.default_sort, cx);
    model.uniques = lists::groups(&model, &container.uniques, "unique", cx);
    model.indexes = lists::groups(&model, &container.indexes, "index", cx);
    field::check_all(&mut model, cx);
    rules::check(&mut model, cx);
    unimplemented::check(&model, cx);
    model
}

/// The path of the runtime.
pub(crate) fn krate(attribute: Option<&TokenStream>) -> TokenStream {
    attribute.cloned().unwrap_or_else(|| quote!(::crud_runtime))
}

fn refuse_generics(input: &DeriveInput, cx: &Ctxt) {
    if !input.generics.params.is_empty() {
        cx.error_at(&input.generics, format_args!("a resource has no generics: `struct {}`", input.ident));
    } else if let Some(clause) = &input.generics.where_clause {
        cx.error_at(clause, "a resource has no `where` clause: remove it");
    }
}

fn find_id(fields: &mut [Field<'_>], ident: &Ident, cx: &Ctxt) -> usize {
    let marked = fields.iter().position(|field| field.role == Role::Id);
    let Some(id) = marked.or_else(|| fields.iter().position(|field| field.name == "id" && field.role == Role::Plain))
    else {
        if !fields.is_empty() {
            cx.error(ident.span(), "a resource needs a key: a field `id: i64`, or `#[crud(id)]` on another field");
        }
        return 0;
    };
    fields[id].role = Role::Id;
    for other in fields.iter().skip(id + 1).filter(|field| field.role == Role::Id) {
        cx.error(other.ident.span(), "a resource has one key: remove `#[crud(id)]` here or on the other field");
    }
    if fields[id].ty.key().is_none() {
        cx.error_at(fields[id].ty.written, "a key is an `i64`, `i32`, `Uuid` or `String`");
    }
    id
}

fn pagination(pages: &raw::Pagination, cx: &Ctxt) -> Pagination {
    for limit in [&pages.default_limit, &pages.max_limit].into_iter().flatten().filter(|limit| limit.value == 0) {
        cx.error(limit.span, "a page has at least one record: `1` or more");
    }
    let value = |limit: &Option<At<u32>>| limit.as_ref().map(|limit| limit.value);
    // One of the two alone moves the other's default out of its way.
    let max_limit = value(&pages.max_limit).unwrap_or_else(|| 100.max(value(&pages.default_limit).unwrap_or(0)));
    let default_limit = value(&pages.default_limit).unwrap_or_else(|| 20.min(max_limit));
    if let (Some(default), Some(max)) = (&pages.default_limit, &pages.max_limit)
        && max.value < default.value
    {
        let message =
            format!("`max_limit` is less than `default_limit`: write `max_limit = {}` or more", default.value);
        cx.error(max.span, message);
    }
    Pagination { default_limit, max_limit, clamp: pages.clamp }
}
