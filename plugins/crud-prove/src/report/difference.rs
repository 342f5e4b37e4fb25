//! [`Difference`]: an answer that is not what the rules say.

/// A difference between an answer of the service and its rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Difference {
    /// The way to the record, such as `list` or `expand`.
    pub way: &'static str,
    /// The sentence that says it.
    pub sentence: String,
    /// A command that repeats the request.
    pub curl: String,
}
