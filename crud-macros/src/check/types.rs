//! Requirements of attributes for a field's type. A type that is known by name is checked here; any other is left to
//! the compiler, with the same message.

use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Assert, Field, Requirement};
use crate::ty::Known;

/// Collects the requirements of the fields' types.
pub(super) struct Requirements<'m, 'a> {
    pub(super) fields: &'m [Field<'a>],
    pub(super) cx: &'m Ctxt,
    asserts: Vec<Assert>,
}

impl<'m, 'a> Requirements<'m, 'a> {
    pub(super) const fn new(fields: &'m [Field<'a>], cx: &'m Ctxt) -> Self {
        Self { fields, cx, asserts: Vec::new() }
    }

    /// Requires something of a field's type. Where the type lacks it, the message is reported at this span.
    pub(super) fn require(
        &mut self,
        field: usize,
        requirement: Requirement,
        span: impl Into<SpanRange>,
        message: String,
    ) {
        match self.fields[field].ty.known {
            Some(known) if requirement.is_met_by(known) => {}
            Some(_) => self.cx.error(span, message),
            None => self.asserts.push(Assert { field, requirement, span: span.into(), message }),
        }
    }

    /// Assertions for the compiler.
    pub(super) fn into_asserts(self) -> Vec<Assert> {
        self.asserts
    }
}

impl Requirement {
    /// Whether a type that is known by name meets the requirement.
    const fn is_met_by(self, known: Known) -> bool {
        match self {
            Self::Comparable => known.is_comparable(),
            Self::Ordered => known.is_ordered(),
            Self::Bound => known.can_bound_span(),
            Self::Key => known.can_be_key(),
            Self::Number => known.is_number(),
            Self::Length => known.has_length(),
            Self::Text | Self::TextChoice => matches!(known, Known::Text),
            Self::Decimal => matches!(known, Known::Decimal | Known::DecimalList),
            Self::Timestamp => matches!(known, Known::DateTime | Known::NaiveDateTime),
            Self::Enum => false,
            // A type that is no enum is reported already.
            Self::States(_) => true,
        }
    }

    /// The type that is required, for a message.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Comparable | Self::Key => "a type that can be compared",
            Self::Ordered => "a number, text, a date or a time",
            Self::Bound => "an integer, a `Decimal`, a date or a time",
            Self::Number => "a number",
            Self::Length => "text, bytes or a list",
            Self::Text | Self::TextChoice => "text",
            Self::Decimal => "a `Decimal`",
            Self::Timestamp => "a `DateTime<Utc>`",
            Self::Enum | Self::States(_) => "an enum",
        }
    }
}

impl Known {
    /// Whether values can be compared: for equality and order.
    pub(crate) const fn is_comparable(self) -> bool {
        !matches!(self, Self::Bytes | Self::TextList | Self::List | Self::DecimalList | Self::Json)
    }

    /// Whether values are numbers, text, dates or times.
    pub(super) const fn is_ordered(self) -> bool {
        self.is_comparable() && !matches!(self, Self::Bool | Self::Uuid)
    }

    /// Whether values can be the ends of a span.
    pub(super) const fn can_bound_span(self) -> bool {
        self.is_ordered() && !matches!(self, Self::Text | Self::F32 | Self::F64)
    }

    /// Whether the type is an integer type.
    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64 | Self::U32)
    }

    /// Whether the type is a number type.
    pub(super) const fn is_number(self) -> bool {
        self.is_integer() || matches!(self, Self::F32 | Self::F64 | Self::Decimal)
    }

    /// Whether values have a length.
    pub(super) const fn has_length(self) -> bool {
        matches!(self, Self::Text | Self::Bytes | Self::TextList | Self::List | Self::DecimalList)
    }

    /// Whether the type can hold this integer; true for a type that is not an integer.
    pub(super) fn holds(self, value: i64) -> bool {
        match self {
            Self::I16 => i16::try_from(value).is_ok(),
            Self::I32 => i32::try_from(value).is_ok(),
            Self::U32 => u32::try_from(value).is_ok(),
            _ => true,
        }
    }
}
