//! [`Position`]: a place in the log of a database.

/// A place in the log of a database, such as a timeline and an LSN of PostgreSQL's write-ahead log: later writes have
/// greater ones.
///
/// A replica that has replayed the position of its primary after a write shows that write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(u128);

impl Position {
    /// Before everything.
    #[doc(hidden)]
    pub const START: Self = Self(0);
    /// After everything: no replica reaches it.
    #[doc(hidden)]
    pub const NEVER: Self = Self(u128::MAX);

    /// The position of this number.
    pub const fn new(number: u128) -> Self {
        Self(number)
    }

    /// The position of this place on a timeline: a promotion begins a new one, on which every write is later than those
    /// that it has in common with the one before.
    #[doc(hidden)]
    pub const fn on_timeline(timeline: u32, place: u64) -> Self {
        Self(((timeline as u128) << 64) | place as u128)
    }

    /// Its number.
    pub const fn get(self) -> u128 {
        self.0
    }
}
