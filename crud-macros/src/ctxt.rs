//! [`Ctxt`]: the errors of one struct, all of them.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// From the first token to the last of what an error underlines. The compiler joins the two; a macro
/// cannot, on a stable toolchain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpanRange {
    pub(crate) start: Span,
    pub(crate) end: Span,
}

impl SpanRange {
    /// The range of these tokens, of which there is at least one.
    pub(crate) fn of(tokens: impl ToTokens) -> Self {
        let mut trees = tokens.into_token_stream().into_iter();
        let start = trees.next().map_or_else(Span::call_site, |tree| tree.span());
        Self { start, end: trees.last().map_or(start, |tree| tree.span()) }
    }
}

impl From<Span> for SpanRange {
    fn from(span: Span) -> Self {
        Self { start: span, end: span }
    }
}

/// An error with its line and column.
type Placed = ((usize, usize), TokenStream);

/// The line and column of a span; none outside of a compiler.
fn position(span: Span) -> (usize, usize) {
    if proc_macro::is_available() {
        let span = span.unwrap();
        (span.line(), span.column())
    } else {
        (0, 0)
    }
}

/// Collects errors. It must be asked for them with [`check`](Self::check): dropping it unasked panics, so
/// that no path through the macro can lose one.
#[derive(Debug)]
pub(crate) struct Ctxt {
    errors: RefCell<Option<Vec<Placed>>>,
    hints: RefCell<Hints>,
}

/// What editors are to know of the tokens that were read.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// Each key, whether known or typed half, and the module of the runtime that shows its place's keys.
    pub(crate) keys: Vec<(&'static str, Ident)>,
    /// Each name in a list of fields.
    pub(crate) fields: Vec<Ident>,
}

impl Ctxt {
    /// Without errors.
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())), hints: RefCell::default() }
    }

    /// Remembers a key for editors.
    pub(crate) fn hint_key(&self, module: &'static str, key: &Ident) {
        self.hints.borrow_mut().keys.push((module, key.clone()));
    }

    /// Remembers the name of a field for editors.
    pub(crate) fn hint_field(&self, name: &Ident) {
        self.hints.borrow_mut().fields.push(name.clone());
    }

    /// What editors are to know.
    pub(crate) fn hints(&self) -> Hints {
        self.hints.take()
    }

    /// Adds an error at a place.
    pub(crate) fn error(&self, place: impl Into<SpanRange>, message: impl Display) {
        let SpanRange { start, end } = place.into();
        let message = message.to_string();
        // The message is marked with the end and the rest with the start: the compiler underlines from
        // the one to the other.
        let group = quote_spanned!(end=> { #message });
        self.add(position(start), quote_spanned!(start=> ::core::compile_error! #group));
    }

    /// Adds an error that underlines these tokens.
    pub(crate) fn error_at(&self, tokens: impl ToTokens, message: impl Display) {
        self.error(SpanRange::of(tokens), message);
    }

    /// Adds an error that a parser made.
    pub(crate) fn push(&self, error: &syn::Error) {
        self.add(position(error.span()), error.to_compile_error());
    }

    /// Marks the struct as one that the compiler itself refuses: nothing to say, and nothing to expand.
    pub(crate) fn leave_to_the_compiler(&self) {
        self.add((0, 0), TokenStream::new());
    }

    fn add(&self, position: (usize, usize), error: TokenStream) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push((position, error));
        }
    }

    /// One `compile_error!` for each error, in the order of the source, or `None` when the struct is right.
    pub(crate) fn check(self) -> Option<TokenStream> {
        let mut errors = self.errors.borrow_mut().take().unwrap_or_default();
        errors.sort_by_key(|(position, _)| *position);
        (!errors.is_empty()).then(|| errors.into_iter().map(|(_, error)| error).collect())
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
    fn errors_of_one_place_come_back_in_order() {
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
