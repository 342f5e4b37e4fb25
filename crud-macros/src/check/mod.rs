//! Raw attributes to the model: every rule across attributes is checked here, all of them on every
//! struct, so that one compilation shows every mistake.

mod access;
mod deletion;
pub(crate) mod enumeration;
mod field;
mod indexes;
mod lists;
mod names;
mod rules;
mod types;

use crud_shared::plural;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Fields, GenericParam, Type};

use crate::attr::field::FieldAttributes;
use crate::attr::{
    self,
    container::{self, Container},
};
use crate::attr::{At, container as raw};
use crate::ctxt::Ctxt;
use crate::model::{Audit, Batch, Field, Model, Pagination, Role};

/// A struct's fields, as written.
pub(crate) struct RawFields<'a> {
    fields: Vec<(&'a syn::Field, &'a Ident, FieldAttributes)>,
    /// Whether these are all of them: none was left out for an error of its own.
    complete: bool,
}

/// The named fields of a struct; anything else is an error.
pub(crate) fn named_fields<'a>(input: &'a DeriveInput, cx: &Ctxt) -> RawFields<'a> {
    let what = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let standing = fields.named.iter().filter(|field| stands_alone(&field.ty, input, cx));
                let read = |field: &'a syn::Field| Some((field, field.ident.as_ref()?, attr::field::parse(field, cx)));
                let read: Vec<_> = standing.filter_map(read).collect();
                let complete = read.len() == fields.named.len();
                return RawFields { fields: read, complete };
            }
            Fields::Unnamed(_) => "a tuple struct",
            Fields::Unit => "a unit struct",
        },
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let name = container::name(&input.ident);
    let message = format!("a resource is a struct with named fields, not {what}: `struct {name} {{ id: i64, … }}`");
    cx.error(input.ident.span(), message);
    RawFields { fields: Vec::new(), complete: false }
}

/// Whether a type means the same outside of the struct: it names no generic parameter, which is an error
/// of its own, and leaves no lifetime out, which the compiler reports.
fn stands_alone(ty: &Type, input: &DeriveInput, cx: &Ctxt) -> bool {
    if leaves_lifetime_out(ty.to_token_stream()) {
        cx.leave_to_the_compiler();
        return false;
    }
    let names: Vec<String> = input.generics.params.iter().map(parameter_name).collect();
    !mentions(ty.to_token_stream(), &names)
}

fn parameter_name(parameter: &GenericParam) -> String {
    match parameter {
        GenericParam::Lifetime(parameter) => parameter.lifetime.ident.to_string(),
        GenericParam::Type(parameter) => parameter.ident.to_string(),
        GenericParam::Const(parameter) => parameter.ident.to_string(),
    }
}

fn mentions(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => names.contains(&ident.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

fn leaves_lifetime_out(tokens: TokenStream) -> bool {
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let out = match tree {
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                !matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'')
            }
            TokenTree::Group(group) => leaves_lifetime_out(group.stream()),
            _ => false,
        };
        if out {
            return true;
        }
    }
    false
}

/// The model of a struct. What is wrong is reported and left out, the rest stands, so that the stubs
/// beside the errors have as much as could be understood.
pub(crate) fn model<'a>(input: &'a DeriveInput, container: Container, fields: RawFields<'a>, cx: &Ctxt) -> Model<'a> {
    refuse_generics(input, cx);
    let name = container::name(&input.ident);
    let plural = plural::of_type(&name);
    let complete = fields.complete;
    let operations = lists::operations(&container, cx);
    let mut fields: Vec<Field<'a>> = fields
        .fields
        .into_iter()
        .map(|(field, ident, attrs)| field::build(field, ident, attrs, container.rename_all, cx))
        .collect();
    let id = find_id(&mut fields, &input.ident, complete, cx);
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
        operations,
        uniques: Vec::new(),
        indexes: Vec::new(),
        partial_indexes: Vec::new(),
        soft_delete: None,
        batch: container.batch.as_ref().map(|attribute| batch(attribute, cx)),
        audit: container.audit.as_ref().map(audit),
        access: container.access,
        asserts: Vec::new(),
    };
    if let Some(attribute) = &container.soft_delete {
        deletion::settle(&mut model, attribute, container.rename_all, cx);
    }
    lists::capabilities(&mut model, container.filter, container.sort, cx);
    lists::default_sort(&mut model, &container.default_sort, cx);
    model.uniques = container.uniques.iter().map(|names| lists::group(&model, names, "unique", cx)).collect();
    indexes::settle(&mut model, &container.indexes, cx);
    field::check_all(&mut model, cx);
    deletion::check(&model, container.soft_delete.is_some(), cx);
    rules::check(&mut model, cx);
    access::check(&model, cx);
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

fn find_id(fields: &mut [Field<'_>], ident: &Ident, complete: bool, cx: &Ctxt) -> usize {
    let marked = fields.iter().position(|field| field.role == Role::Id);
    let Some(id) = marked.or_else(|| fields.iter().position(|field| field.name == "id" && field.role == Role::Plain))
    else {
        if complete {
            cx.error(ident.span(), "a resource needs a key: a field `id: i64`, or `#[crud(id)]` on another field");
        }
        return 0;
    };
    fields[id].role = Role::Id;
    for other in fields.iter().skip(id + 1).filter(|field| field.role == Role::Id) {
        let span = other.role_span.unwrap_or_else(|| other.ident.span());
        cx.error(span, "a resource has one key: remove `id` here or on the other field");
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

fn batch(attribute: &raw::Batch, cx: &Ctxt) -> Batch {
    if let Some(size) = attribute.max_size.as_ref().filter(|size| size.value == 0) {
        cx.error(size.span, "a batch has at least one item: `max_size = 1000`");
    }
    Batch { max_size: attribute.max_size.as_ref().map_or(1000, |size| size.value), partial: attribute.partial }
}

const fn audit(attribute: &raw::Audit) -> Audit {
    let raw::Audit { track_changes, track_user, track_timestamp } = *attribute;
    Audit { track_changes, track_user, track_timestamp }
}
