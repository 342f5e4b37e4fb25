//! [`Difference`]: an answer that differs from the rules.

/// A difference between an answer of the service and its rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Difference {
    /// The way to the records, such as `list` or `expand`.
    pub way: &'static str,
    /// A sentence that describes the difference.
    pub sentence: String,
    /// A command that repeats the request.
    pub curl: String,
}
