//! [`Lookup`]: the fields that lists name.

use crud_shared::spelling;
use proc_macro2::{Ident, Span};

use crate::attr::item::RawField;
use crate::attr::name as unraw;
use crate::ctxt::{Ctxt, SpanRange};

/// Finds fields by their names.
pub(super) struct Lookup<'m> {
    resource: &'m str,
    fields: Vec<&'m str>,
    cx: &'m Ctxt,
}

/// A field that a list names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    /// The index of the field.
    pub(super) index: usize,
    /// The span of the name. `None` for a misspelt name, which is reported already and gets no further error.
    pub(super) span: Option<Span>,
}

impl<'m> Lookup<'m> {
    pub(super) fn new(resource: &'m str, fields: &'m [RawField<'_>], cx: &'m Ctxt) -> Self {
        Self { resource, fields: fields.iter().map(|field| field.name.as_str()).collect(), cx }
    }

    /// The field of this name. An unknown name is reported, and returns the field that was most likely meant.
    pub(super) fn find(&self, ident: &Ident) -> Option<Named> {
        self.cx.hint_field(ident);
        let name = unraw(ident);
        let fields = || self.fields.iter().copied();
        if let Some(index) = fields().position(|field| field == name) {
            return Some(Named { index, span: Some(ident.span()) });
        }
        let hint = spelling::hint(&name, fields());
        self.cx.error(ident.span(), format_args!("`{}` has no field `{name}`: {hint}", self.resource));
        let meant = spelling::nearest(&name, fields())?;
        Some(Named { index: fields().position(|field| field == meant)?, span: None })
    }

    /// The field of each name. An unknown or repeated name is reported.
    pub(super) fn find_all(&self, list: &[Ident], key: &str) -> Vec<Named> {
        let mut found: Vec<Named> = Vec::new();
        for ident in list {
            let Some(named) = self.find(ident) else { continue };
            if named.span.is_some() && found.iter().any(|other| other.index == named.index && other.span.is_some()) {
                self.error(ident.span(), format_args!("`{key}` names `{}` twice: remove one", unraw(ident)));
            } else {
                found.push(named);
            }
        }
        found
    }

    /// Whether a name is that of the field with this index.
    pub(super) fn is(&self, ident: &Ident, index: usize) -> bool {
        self.fields.get(index).is_some_and(|name| *name == unraw(ident))
    }

    /// Whether there is a field of this name.
    pub(super) fn has(&self, ident: &Ident) -> bool {
        self.fields.contains(&unraw(ident).as_str())
    }

    /// Reports an error of several tokens.
    pub(super) fn error_at(&self, span: SpanRange, message: impl std::fmt::Display) {
        self.cx.error(span, message);
    }

    pub(super) fn error(&self, span: Span, message: impl std::fmt::Display) {
        self.cx.error(span, message);
    }
}
