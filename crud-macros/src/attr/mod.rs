//! Tokens to raw attributes. What is malformed is reported and left out; each value keeps its span.

pub(crate) mod access;
pub(crate) mod admin;
pub(crate) mod aggregate;
pub(crate) mod audit;
pub(crate) mod children;
pub(crate) mod computed;
pub(crate) mod container;
pub(crate) mod deprecated;
pub(crate) mod entry;
pub(crate) mod exclusive;
pub(crate) mod field;
pub(crate) mod hooks;
pub(crate) mod indexes;
pub(crate) mod item;
mod keyed_list;
pub(crate) mod many_to_many;
pub(crate) mod of_type;
pub(crate) mod operation;
pub(crate) mod options;
pub(crate) mod pagination;
pub(crate) mod rate_limit;
pub(crate) mod renamed_from;
pub(crate) mod scope;
mod selection;
mod serde;
pub(crate) mod soft_delete;
pub(crate) mod sort_keys;
pub(crate) mod transition;
mod unknown;
pub(crate) mod variant;
pub(crate) mod view;

use proc_macro2::Ident;
use syn::ext::IdentExt;

use crate::ctxt::SpanRange;

/// A value and its span.
#[derive(Debug, Clone)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: SpanRange,
}

impl<T> Spanned<T> {
    /// The value at this span.
    pub(crate) fn new(value: T, span: impl Into<SpanRange>) -> Self {
        Self { value, span: span.into() }
    }
}

/// The fields that a struct-level `filter` or `sort` names, or `None` for every field that it can apply to.
#[derive(Debug)]
pub(crate) struct Selection {
    /// Fields of records that fields refer to: `category::name`.
    pub(crate) paths: Vec<PathAttribute>,
    pub(crate) fields: Option<Vec<Ident>>,
}

/// A number or text that an attribute gives.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Int(i64),
    Float(f64),
    Text(String),
}

/// The name of an identifier, without `r#`.
pub(crate) fn name(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// `category::name`: a field of the record that a field refers to.
#[derive(Debug, Clone)]
pub(crate) struct PathAttribute {
    pub(crate) relation: Ident,
    pub(crate) field: Ident,
}
