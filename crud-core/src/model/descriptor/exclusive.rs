//! [`Exclusive`]: spans of records that must not overlap.

use crate::model::setters::setters;
use crate::model::value::Value;

/// A span of each record, from one column to another: no two spans of records with equal values in other columns overlap.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(exclusive(room_id, starts_at..ends_at))]
/// struct Booking {
///     id: i64,
///     room_id: i64,
///     starts_at: DateTime<Utc>,
///     ends_at: DateTime<Utc>,
/// }
///
/// let span = &Booking::DESCRIPTOR.exclusives[0];
/// assert_eq!((span.columns, span.start, span.end), (&[1][..], 2, 3));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Exclusive {
    /// Columns whose equal values make records compete: rooms, for example. A record with a null in one competes with none.
    pub columns: &'static [usize],
    /// The column of the start; without a value, the span begins before all others.
    pub start: usize,
    /// The column of the end; without a value, the span does not end.
    pub end: usize,
    /// Whether the end belongs to the span.
    pub inclusive: bool,
    /// The records that count: those with one of these values in a column. `None`: all records but deleted ones.
    pub when: Option<States>,
}

/// A column, and its values with which records count.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct States {
    /// The column.
    pub column: usize,
    /// Functions that return the values.
    pub values: &'static [fn() -> Value],
}

impl Exclusive {
    /// Spans from one column up to another, without the end.
    #[must_use]
    pub const fn new(columns: &'static [usize], start: usize, end: usize) -> Self {
        Self { columns, start, end, inclusive: false, when: None }
    }

    /// The columns of the index that finds the spans which a span may overlap.
    #[doc(hidden)]
    pub fn group(&self) -> Vec<usize> {
        self.columns.iter().copied().chain([self.start]).collect()
    }

    setters! {
        /// Makes the end a part of the span.
        inclusive(true);
    }

    /// Counts only records with one of these values in a column.
    #[must_use]
    pub const fn when(self, column: usize, values: &'static [fn() -> Value]) -> Self {
        Self { when: Some(States { column, values }), ..self }
    }
}
