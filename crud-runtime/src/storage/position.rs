//! [`Position`]: a place in the log of a database.

/// A place in the log of a database, such as an LSN of PostgreSQL's write-ahead log: later writes have greater ones.
///
/// A replica that has replayed the position of its primary after a write shows that write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(u64);

impl Position {
    /// Before everything.
    pub(crate) const START: Self = Self(0);
    /// After everything: no replica reaches it.
    pub(crate) const NEVER: Self = Self(u64::MAX);

    /// The position of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    pub const fn get(self) -> u64 {
        self.0
    }
}
