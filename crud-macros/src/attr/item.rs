//! The item that a derive stands on: a struct with named fields.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Expr, ExprLit, Fields, GenericParam, Lit, Meta, Type, Visibility};

use super::container::{self, StructAttributes};
use super::field::{self, FieldAttributes};
use super::name;
use crate::ctxt::Ctxt;
use crate::ty::FieldType;

/// A struct as it is written.
pub(crate) struct RawStruct<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The struct's name, without `r#`.
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) attributes: StructAttributes,
    pub(crate) fields: Vec<RawField<'a>>,
    /// Whether `fields` has every field: none was left out for an error.
    pub(crate) complete: bool,
}

/// A field as it is written.
pub(crate) struct RawField<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The field's name, without `r#`.
    pub(crate) name: String,
    /// The doc comments, as attributes.
    pub(crate) docs: Vec<&'a Attribute>,
    pub(crate) doc: String,
    pub(crate) ty: FieldType<'a>,
    pub(crate) attributes: FieldAttributes,
}

/// Reads a struct. An item that is not a struct with named fields is reported.
pub(crate) fn parse<'a>(input: &'a DeriveInput, cx: &Ctxt) -> RawStruct<'a> {
    let attributes = container::parse(&input.attrs, cx);
    let (fields, complete) = named_fields(input, cx);
    RawStruct {
        ident: &input.ident,
        vis: &input.vis,
        name: name(&input.ident),
        doc: doc_text(&input.attrs),
        attributes,
        fields,
        complete,
    }
}

/// The named fields that could be read, and whether they are all fields.
fn named_fields<'a>(input: &'a DeriveInput, cx: &Ctxt) -> (Vec<RawField<'a>>, bool) {
    let found = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let standalone = fields.named.iter().filter(|field| is_standalone(&field.ty, input, cx));
                let read: Vec<_> = standalone.filter_map(|field| parse_field(field, cx)).collect();
                let complete = read.len() == fields.named.len();
                return (read, complete);
            }
            Fields::Unnamed(_) => "a tuple struct",
            Fields::Unit => "a unit struct",
        },
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let name = name(&input.ident);
    let message = format!("expected a struct with named fields, found {found}: `struct {name} {{ id: i64, … }}`");
    cx.error(input.ident.span(), message);
    (Vec::new(), false)
}

fn parse_field<'a>(field: &'a syn::Field, cx: &Ctxt) -> Option<RawField<'a>> {
    let ident = field.ident.as_ref()?;
    if let Some((_, default)) = &field.default {
        cx.error_at(default, "expected a default as an attribute: `#[crud(default(…))]`");
    }
    Some(RawField {
        ident,
        vis: &field.vis,
        name: name(ident),
        docs: field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect(),
        doc: doc_text(&field.attrs),
        ty: FieldType::new(&field.ty),
        attributes: field::parse(field, cx),
    })
}

/// Whether a type means the same outside of the struct. A type with a generic parameter does not, and the parameter is
/// an error already. A type with an omitted lifetime does not, and the compiler reports that.
fn is_standalone(ty: &Type, input: &DeriveInput, cx: &Ctxt) -> bool {
    if omits_lifetime(ty.to_token_stream()) {
        cx.leave_to_the_compiler();
        return false;
    }
    let parameters: Vec<String> = input.generics.params.iter().map(parameter_name).collect();
    !mentions(ty.to_token_stream(), &parameters)
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

fn omits_lifetime(tokens: TokenStream) -> bool {
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let omitted = match tree {
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                !matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'')
            }
            TokenTree::Group(group) => omits_lifetime(group.stream()),
            _ => false,
        };
        if omitted {
            return true;
        }
    }
    false
}

/// The text of the doc comments, each line without the space that follows `///`.
fn doc_text(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let text: Vec<String> = attributes.iter().filter_map(line).collect();
    let lines: Vec<&str> =
        text.iter().flat_map(|text| text.split('\n')).map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}
