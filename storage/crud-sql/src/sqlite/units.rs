//! Conversions of columns that become decimals, are ones no more, or get another scale: a decimal is stored in units of
//! 1/10^scale, so that `15.0` is `1500` in a column of two digits.

use super::definition::{Affinity, affinity};
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::Kind;

/// A text, which no column of numbers takes: a value with digits that the new scale does not have fails the statement.
const MORE_DIGITS: &str = "'has more digits'";

/// Form of the values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    /// As they are.
    One,
    /// Whole numbers of a table that was made elsewhere, which are what the field says.
    Elsewhere,
    /// Numbers with a fraction.
    Real,
    /// Decimals in units of this scale, where the table has it.
    Decimal(Option<u32>),
}

impl Units {
    /// The form of the values in a column with this type, scale and CHECK condition; `strict`: of a table that a service made.
    pub(super) fn present(declared: &str, scale: Option<u32>, check: Option<&str>, strict: bool) -> Self {
        match affinity(declared) {
            Affinity::Integer if scale.is_some() => Self::Decimal(scale),
            Affinity::Integer if !strict => Self::Elsewhere,
            Affinity::Integer if check.is_some_and(is_of_decimal) => Self::Decimal(None),
            Affinity::Real | Affinity::Numeric => Self::Real,
            _ => Self::One,
        }
    }

    /// Whether values of this form are others in the field's.
    pub(super) fn differ(self, column: &ColumnDescriptor) -> bool {
        match self {
            Self::Elsewhere => false,
            Self::Decimal(scale) if column.kind == Kind::Decimal => scale.is_some_and(|scale| scale != column.scale),
            form => matches!(form, Self::Decimal(_)) != (column.kind == Kind::Decimal),
        }
    }

    /// Whether only the scale differs: each value is converted as it is, or fails the statement.
    pub(super) fn rescales(self, column: &ColumnDescriptor) -> bool {
        matches!(self, Self::Decimal(Some(_))) && column.kind == Kind::Decimal
    }

    /// The expression for the field's value of one of this form; `None` where only the reader knows it.
    pub(super) fn converted(self, declared: &str, column: &ColumnDescriptor, old: &str) -> Option<String> {
        let units = units(column.scale)?;
        match (self, affinity(declared)) {
            _ if !self.differ(column) => Some(old.to_owned()),
            (Self::Decimal(Some(from)), _) => from_units(from, column, old),
            (Self::Real, _) => Some(format!("CAST(round({old} * {units}) AS INTEGER)")),
            (Self::One, Affinity::Integer) => Some(format!("{old} * {units}")),
            _ => None,
        }
    }

    /// The expression for the value of this form of one of the field's.
    pub(super) fn restored(self, declared: &str, column: &ColumnDescriptor, new: &str) -> Option<String> {
        let units = units(column.scale)?;
        match (self, affinity(declared)) {
            _ if !self.differ(column) => Some(new.to_owned()),
            (Self::Decimal(Some(to)), _) => to_units(column, to, new),
            // A whole number is stored as one, and a fraction is refused by the column.
            (Self::Real, _) | (Self::One, Affinity::Integer) => Some(format!("{new} / {units}.0")),
            _ => None,
        }
    }
}

/// Number of units of a scale in 1.
fn units(scale: u32) -> Option<i64> {
    10_i64.checked_pow(scale)
}

/// The field's value of a decimal.
fn from_units(from: u32, column: &ColumnDescriptor, old: &str) -> Option<String> {
    match column.kind {
        Kind::Decimal => rescaled(from, column.scale, old),
        Kind::F32 | Kind::F64 => Some(format!("{old} / {}.0", units(from)?)),
        kind if kind.integer_range().is_some() => rescaled(from, 0, old),
        _ => None,
    }
}

/// The decimal of a field's value.
fn to_units(column: &ColumnDescriptor, to: u32, new: &str) -> Option<String> {
    match column.kind {
        Kind::Decimal => rescaled(column.scale, to, new),
        Kind::F32 | Kind::F64 => Some(format!("CAST(round({new} * {}) AS INTEGER)", units(to)?)),
        kind if kind.integer_range().is_some() => rescaled(0, to, new),
        _ => None,
    }
}

/// Units of a scale in those of another one. Null stays null.
fn rescaled(from: u32, to: u32, value: &str) -> Option<String> {
    let factor = units(from.abs_diff(to))?;
    Some(if to >= from {
        format!("{value} * {factor}")
    } else {
        format!("CASE WHEN {value} % {factor} <> 0 THEN {MORE_DIGITS} ELSE {value} / {factor} END")
    })
}

/// Whether a condition is the one of a decimal: `price` BETWEEN -999 AND 999.
fn is_of_decimal(condition: &str) -> bool {
    let nines = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'9');
    let bounds = condition.split_once(" BETWEEN -").and_then(|(_, rest)| rest.split_once(" AND "));
    bounds.is_some_and(|(least, most)| nines(least) && most.split(' ').next() == Some(least))
}

#[cfg(test)]
mod tests {
    use super::is_of_decimal;

    #[test]
    fn condition_of_a_decimal_is_found() {
        assert!(is_of_decimal("`price` BETWEEN -999 AND 999"));
        assert!(is_of_decimal("`price` BETWEEN -999 AND 999 AND `price` >= 0"));
        assert!(!is_of_decimal("`stock` BETWEEN -32768 AND 32767"));
        assert!(!is_of_decimal("`stock` >= 0"));
    }
}
