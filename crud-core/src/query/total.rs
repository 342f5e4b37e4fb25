//! [`Total`]: the number of records that satisfy a list's condition.

/// The number of records that satisfy a list's condition.
///
/// ```
/// use crud_runtime::query::Total;
///
/// assert_eq!(Total::Exactly(41).number(), 41);
/// assert!(!Total::AtLeast(10_000).is_exact());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Total {
    /// The exact number.
    Exactly(u64),
    /// A lower bound: the count stopped at its cap.
    AtLeast(u64),
}

impl Total {
    /// The number, or the lower bound.
    pub const fn number(self) -> u64 {
        match self {
            Self::Exactly(number) | Self::AtLeast(number) => number,
        }
    }

    /// Whether the number is exact.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Exactly(_))
    }

    /// Relation of the number of records to [`number`](Self::number): `eq` or `gte`.
    pub const fn relation(self) -> &'static str {
        match self {
            Self::Exactly(_) => "eq",
            Self::AtLeast(_) => "gte",
        }
    }
}
