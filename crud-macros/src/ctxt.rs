//! [`Ctxt`]: the errors of one struct, all of them.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects errors. It must be asked for them with [`check`](Self::check): dropping it unasked panics, so
/// that no path through the macro can lose one.
#[derive(Debug)]
pub(crate) struct Ctxt {
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    /// Without errors.
    pub(crate) const fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Adds an error at a place.
    pub(crate) fn error(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Adds an error that underlines these tokens.
    pub(crate) fn error_at(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error that a parser made.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// One `compile_error!` for each error, or `None` when there is none.
    pub(crate) fn check(self) -> Option<TokenStream> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        let tokens: TokenStream = errors.iter().map(syn::Error::to_compile_error).collect();
        (!errors.is_empty()).then_some(tokens)
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        assert!(std::thread::panicking() || self.errors.borrow().is_none(), "the errors were not asked for");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_come_back_in_order() {
        let cx = Ctxt::new();
        cx.error(Span::call_site(), "first");
        cx.error(Span::call_site(), "second");
        let tokens = cx.check().expect("two errors").to_string();
        assert!(tokens.find("first") < tokens.find("second"), "{tokens}");
    }

    #[test]
    #[should_panic(expected = "the errors were not asked for")]
    fn dropping_it_unasked_panics() {
        drop(Ctxt::new());
    }
}
