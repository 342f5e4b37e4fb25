//! [`Kind`]: the kind of a column's values.

/// Kind of value that a column holds. It decides how a value is read from JSON and query strings, stored and written.
///
/// ```
/// use crud_runtime::Column;
/// use crud_runtime::column::Kind;
///
/// assert_eq!((String::KIND, <Option<i64>>::KIND), (Kind::Text, Kind::I64));
/// assert!(Kind::Date.is_ordered() && !Kind::Json.is_comparable());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A 16-bit signed integer.
    I16,
    /// A 32-bit signed integer.
    I32,
    /// A 64-bit signed integer.
    I64,
    /// A 32-bit unsigned integer.
    U32,
    /// A single-precision float; never NaN or infinite.
    F32,
    /// A double-precision float; never NaN or infinite.
    F64,
    /// Unicode text without NUL characters.
    Text,
    /// An instant, to the microsecond.
    DateTime,
    /// A calendar date.
    Date,
    /// A time of day, to the microsecond.
    Time,
    /// A date and time of day without a zone, to the microsecond.
    NaiveDateTime,
    /// A UUID.
    Uuid,
    /// A decimal number; the column's digits, by `decimal`, bound it.
    Decimal,
    /// Any JSON value.
    Json,
    /// Bytes, base64 (RFC 4648 section 4) in JSON.
    Bytes,
    /// A list of texts.
    TextList,
    /// A list of values of this kind, none of them null: a number, `true` or `false`, a date or time, a UUID.
    List(&'static Self),
    /// One of these texts.
    Enum(&'static [&'static str]),
}

impl Kind {
    /// Whether values can be tested for equality in a filter, and sorted by: all but JSON, bytes and lists.
    pub const fn is_comparable(self) -> bool {
        !matches!(self, Self::Json | Self::Bytes | Self::TextList | Self::List(_))
    }

    /// Whether values identify a record: those that can be compared, but for floats.
    pub const fn can_be_key(self) -> bool {
        self.is_comparable() && !matches!(self, Self::F32 | Self::F64)
    }

    /// Whether `gt`, `gte`, `lt` and `lte` apply: numbers, text, dates and times.
    pub const fn is_ordered(self) -> bool {
        self.is_comparable() && !matches!(self, Self::Bool | Self::Uuid | Self::Enum(_))
    }

    /// Whether values can be the ends of a span: numbers that are exact, dates and times.
    pub const fn can_bound_span(self) -> bool {
        self.is_ordered() && !matches!(self, Self::Text | Self::F32 | Self::F64)
    }

    /// Whether `like` and `ilike` apply.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text)
    }

    /// Whether values are integers, floats or decimals.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64 | Self::U32 | Self::F32 | Self::F64 | Self::Decimal)
    }

    /// Whether values have a length: text, bytes and lists.
    pub const fn has_length(self) -> bool {
        matches!(self, Self::Text | Self::Bytes | Self::TextList | Self::List(_))
    }

    /// The smallest and largest integer, for the integer kinds.
    pub const fn integer_range(self) -> Option<(i64, i64)> {
        match self {
            Self::I16 => Some((i16::MIN as i64, i16::MAX as i64)),
            Self::I32 => Some((i32::MIN as i64, i32::MAX as i64)),
            Self::I64 => Some((i64::MIN, i64::MAX)),
            Self::U32 => Some((0, u32::MAX as i64)),
            _ => None,
        }
    }

    /// Whether the kind is an integer kind whose range has this number.
    #[doc(hidden)]
    pub const fn has_integer(self, number: i64) -> bool {
        match self.integer_range() {
            Some((min, max)) => min <= number && number <= max,
            None => false,
        }
    }
}
