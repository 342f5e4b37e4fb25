//! [`Position`]: how far storage has got.

/// A place in the order of what is written, such as PostgreSQL's place in its write-ahead log: what is written
/// later has a greater one.
///
/// A replica that has got as far as the position that its primary had after a write shows that write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(u64);

impl Position {
    /// Before everything.
    pub(crate) const START: Self = Self(0);
    /// Where no storage ever gets.
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
