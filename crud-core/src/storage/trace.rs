//! Reports of statements to subscribers of `tracing`.

use tracing::Value;

/// Reports a statement that is about to run, in the span of the call that runs it. Its text has placeholders, not values.
pub fn statement(text: impl Value) {
    tracing::debug!(target: "crud_runtime::statement", text, "statement");
}

/// The span that statements on another thread belong to; none where they are not reported.
pub fn span() -> tracing::Span {
    if tracing::enabled!(target: "crud_runtime::statement", tracing::Level::DEBUG) {
        tracing::Span::current()
    } else {
        tracing::Span::none()
    }
}
