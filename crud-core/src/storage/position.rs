//! [`Position`]: a place in the log of a database.

/// A place in the log of a database, such as a timeline and an LSN of PostgreSQL's write-ahead log: later writes have
/// greater positions.
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

    /// The position of this place on a timeline. A promotion begins a new timeline: its writes are later than those
    /// that it shares with the timeline before.
    #[doc(hidden)]
    pub const fn on_timeline(timeline: u32, place: u64) -> Self {
        Self(((timeline as u128) << 64) | place as u128)
    }

    /// The position's number.
    pub const fn get(self) -> u128 {
        self.0
    }
}
