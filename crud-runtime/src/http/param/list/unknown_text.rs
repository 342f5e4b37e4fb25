//! [`UnknownText`]: a text that a filter compares an enum with, and that none of its variants has.

use crate::model::problem::FieldError;
use crate::model::value::Value;

/// Limit of unknown texts in a request: each costs a query.
pub(super) const MAX_UNKNOWN: usize = 8;

/// A text that a filter compares an enum with, and that none of its variants has: legal where a record has it, which a
/// newer program has written.
#[derive(Debug, Clone)]
pub(crate) struct UnknownText {
    pub(crate) column: usize,
    pub(crate) value: Value,
    /// The error where no record has it.
    pub(crate) error: FieldError,
}
