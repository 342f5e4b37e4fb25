//! Tokens to raw attributes. What is written wrong is reported and left out; each value keeps its span.

pub(crate) mod access;
pub(crate) mod container;
pub(crate) mod entry;
pub(crate) mod field;
mod place;
mod serde;
pub(crate) mod variant;

use proc_macro2::Ident;

use crate::ctxt::SpanRange;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: SpanRange,
}

impl<T> At<T> {
    /// The value at this place.
    pub(crate) fn new(value: T, span: impl Into<SpanRange>) -> Self {
        Self { value, span: span.into() }
    }
}

/// The fields that a struct-level `filter` or `sort` names, or `None` for every field that can.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) key: Ident,
    pub(crate) fields: Option<Vec<Ident>>,
}

/// A number or text that an attribute gives.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Int(i64),
    Float(f64),
    Text(String),
}
