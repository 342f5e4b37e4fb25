//! [`ColumnError`]: why a value does not fit a column.

use std::fmt;

/// Reason why a value does not fit a [`Column`](crate::Column) type: a phrase that continues the field's name, such as
/// `must start with SKU-`.
///
/// ```
/// use crud_runtime::column::ColumnError;
///
/// assert_eq!(ColumnError::new("must start with SKU-").message(), "must start with SKU-");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnError(String);

impl ColumnError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ColumnError {}

/// Result of converting a stored value to a field's type; named by expansions.
#[doc(hidden)]
pub type Parsed<T> = Result<T, ColumnError>;
