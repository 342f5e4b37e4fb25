//! [`Ctxt`]: collects all errors of one struct.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The first and the last token that an error underlines. The compiler joins the two; on a stable toolchain, a macro
/// cannot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpanRange {
    pub(crate) start: Span,
    pub(crate) end: Span,
}

impl SpanRange {
    /// The range from the first to the last of these tokens.
    pub(crate) fn covering(tokens: impl ToTokens) -> Self {
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
type Positioned = ((usize, usize), TokenStream);

/// The line and column of a span; 0 outside of a compiler.
fn position(span: Span) -> (usize, usize) {
    if proc_macro::is_available() {
        let span = span.unwrap();
        (span.line(), span.column())
    } else {
        (0, 0)
    }
}

/// Collects errors. Dropping it without [`check`](Self::check) panics, so that no path through the macro loses one.
#[derive(Debug)]
pub(crate) struct Ctxt {
    errors: RefCell<Option<Vec<Positioned>>>,
    hints: RefCell<Hints>,
}

/// Hints for editors about the tokens that were read.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// Each key that was read, complete or half typed, and the runtime's module that offers the keys of its place.
    pub(crate) keys: Vec<(&'static str, Ident)>,
    /// Each name in a list of fields.
    pub(crate) fields: Vec<Ident>,
}

impl Ctxt {
    /// A collector without errors.
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())), hints: RefCell::default() }
    }

    /// Records a key for editors.
    pub(crate) fn hint_key(&self, module: &'static str, key: &Ident) {
        self.hints.borrow_mut().keys.push((module, key.clone()));
    }

    /// Records the name of a field for editors.
    pub(crate) fn hint_field(&self, name: &Ident) {
        self.hints.borrow_mut().fields.push(name.clone());
    }

    /// The hints for editors.
    pub(crate) fn hints(&self) -> Hints {
        self.hints.take()
    }

    /// Adds an error at a span.
    pub(crate) fn error(&self, span: impl Into<SpanRange>, message: impl Display) {
        let SpanRange { start, end } = span.into();
        let message = message.to_string();
        // The message has the end's span, the rest the start's: the compiler underlines from one to the other.
        let group = quote_spanned!(end=> { #message });
        self.add(position(start), quote_spanned!(start=> ::core::compile_error! #group));
    }

    /// Adds an error that underlines these tokens.
    pub(crate) fn error_at(&self, tokens: impl ToTokens, message: impl Display) {
        self.error(SpanRange::covering(tokens), message);
    }

    /// Adds a parser's error.
    pub(crate) fn push(&self, error: &syn::Error) {
        self.add(position(error.span()), error.to_compile_error());
    }

    /// Marks the struct as one that the compiler itself refuses: there is no message, and nothing to expand.
    pub(crate) fn leave_to_the_compiler(&self) {
        self.add((0, 0), TokenStream::new());
    }

    fn add(&self, position: (usize, usize), error: TokenStream) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push((position, error));
        }
    }

    /// One `compile_error!` for each error, in the order of the source, or `None` when there is no error.
    pub(crate) fn check(self) -> Option<TokenStream> {
        let mut errors = self.errors.borrow_mut().take().unwrap_or_default();
        errors.sort_by_key(|(position, _)| *position);
        (!errors.is_empty()).then(|| errors.into_iter().map(|(_, error)| error).collect())
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        assert!(std::thread::panicking() || self.errors.borrow().is_none(), "the errors were not checked");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_one_span_keep_their_order() {
        let cx = Ctxt::new();
        cx.error(Span::call_site(), "first");
        cx.error(Span::call_site(), "second");
        let tokens = cx.check().expect("two errors").to_string();
        assert!(tokens.find("first") < tokens.find("second"), "{tokens}");
    }

    #[test]
    #[should_panic(expected = "the errors were not checked")]
    fn dropping_it_unchecked_panics() {
        drop(Ctxt::new());
    }
}
