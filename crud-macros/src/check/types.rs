//! What attributes want of a field's type. A type that is known by name is judged here; any other is
//! left to the compiler, with the same message.

use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Assert, Model, Wanted};
use crate::ty::Known;

/// Wants something of a field's type, and says so at this place when it is not there.
pub(super) fn want(
    model: &mut Model<'_>,
    field: usize,
    wanted: Wanted,
    span: impl Into<SpanRange>,
    message: String,
    cx: &Ctxt,
) {
    match model.fields[field].ty.known {
        Some(known) if wanted.is_met_by(known) => {}
        Some(_) => cx.error(span, message),
        None => model.asserts.push(Assert { field, wanted, span: span.into(), message }),
    }
}

impl Wanted {
    /// Whether a type that is known by name has it.
    pub(super) const fn is_met_by(self, known: Known) -> bool {
        match self {
            Self::Comparable => known.is_comparable(),
            Self::Number => known.is_number(),
            Self::Length => known.has_length(),
            Self::Text | Self::TextChoice => matches!(known, Known::Text),
            Self::Decimal => matches!(known, Known::Decimal),
            Self::Timestamp => matches!(known, Known::DateTime),
        }
    }

    /// What a type must be, for a message.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Comparable => "a type that can be compared",
            Self::Number => "a number",
            Self::Length => "text, bytes or a list",
            Self::Text | Self::TextChoice => "text",
            Self::Decimal => "a `Decimal`",
            Self::Timestamp => "a `DateTime<Utc>`",
        }
    }
}

impl Known {
    /// Whether values can be tested for equality, and sorted by.
    const fn is_comparable(self) -> bool {
        !matches!(self, Self::Bytes | Self::TextList | Self::Json)
    }

    /// Whether it holds whole numbers.
    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64 | Self::U32)
    }

    /// Whether it holds numbers.
    pub(super) const fn is_number(self) -> bool {
        self.is_integer() || matches!(self, Self::F32 | Self::F64 | Self::Decimal)
    }

    /// Whether values have a length.
    pub(super) const fn has_length(self) -> bool {
        matches!(self, Self::Text | Self::Bytes | Self::TextList)
    }

    /// Whether an integer type has this value; any other type has.
    pub(super) fn holds(self, value: i64) -> bool {
        match self {
            Self::I16 => i16::try_from(value).is_ok(),
            Self::I32 => i32::try_from(value).is_ok(),
            Self::U32 => u32::try_from(value).is_ok(),
            _ => true,
        }
    }
}
