//! Conversions of columns that become decimals, or are ones no more: a decimal is stored in units of 1/10^scale, so that
//! `15.0` is `1500` in a column of two digits.

use super::definition::{Affinity, affinity};
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::Kind;

/// Form of the values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    /// As they are.
    One,
    /// Whole numbers of a table that was made elsewhere, which are what the field says.
    Elsewhere,
    /// Numbers with a fraction.
    Real,
    /// Decimals in units of a scale that the table does not have.
    Decimal,
}

impl Units {
    /// The form of the values in a column with this type and CHECK condition; `strict`: of a table that a service made.
    pub(super) fn present(declared: &str, check: Option<&str>, strict: bool) -> Self {
        match affinity(declared) {
            Affinity::Integer if !strict => Self::Elsewhere,
            Affinity::Integer if check.is_some_and(is_of_decimal) => Self::Decimal,
            Affinity::Real | Affinity::Numeric => Self::Real,
            _ => Self::One,
        }
    }

    /// Whether values of this form are others in the field's.
    pub(super) fn differ(self, column: &ColumnDescriptor) -> bool {
        self != Self::Elsewhere && (self == Self::Decimal) != (column.kind == Kind::Decimal)
    }

    /// The expression for the field's value of one of this form; `None` where only the reader knows it.
    pub(super) fn converted(self, declared: &str, column: &ColumnDescriptor, old: &str) -> Option<String> {
        let units = 10_i64.checked_pow(column.scale)?;
        match (self, affinity(declared)) {
            _ if !self.differ(column) => Some(old.to_owned()),
            (Self::Real, _) => Some(format!("CAST(round({old} * {units}) AS INTEGER)")),
            (Self::One, Affinity::Integer) => Some(format!("{old} * {units}")),
            _ => None,
        }
    }

    /// The expression for the value of this form of one of the field's.
    pub(super) fn restored(self, declared: &str, column: &ColumnDescriptor, new: &str) -> Option<String> {
        let units = 10_i64.checked_pow(column.scale)?;
        match (self, affinity(declared)) {
            _ if !self.differ(column) => Some(new.to_owned()),
            // A whole number is stored as one, and a fraction is refused by the column.
            (Self::Real, _) | (Self::One, Affinity::Integer) => Some(format!("{new} / {units}.0")),
            _ => None,
        }
    }
}

/// Whether a condition is the one of a decimal: `price` BETWEEN -999 AND 999.
fn is_of_decimal(condition: &str) -> bool {
    let nines = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'9');
    let bounds = condition.split_once(" BETWEEN -").and_then(|(_, rest)| rest.split_once(" AND "));
    bounds.is_some_and(|(least, most)| nines(least) && most.split(' ').next() == Some(least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::column::Column as _;

    #[test]
    fn condition_of_a_decimal_is_found() {
        assert!(is_of_decimal("`price` BETWEEN -999 AND 999"));
        assert!(is_of_decimal("`price` BETWEEN -999 AND 999 AND `price` >= 0"));
        assert!(!is_of_decimal("`stock` BETWEEN -32768 AND 32767"));
        assert!(!is_of_decimal("`stock` >= 0"));
    }

    #[test]
    fn values_are_converted_where_their_form_is_known() {
        let decimal = rust_decimal::Decimal::TYPE.column("price", "").digits(18, 2);
        let real = f64::TYPE.column("price", "");
        let converted = |declared, check, column: &ColumnDescriptor| {
            let units = Units::present(declared, check, true);
            (units.converted(declared, column, "p"), units.restored(declared, column, "p"))
        };
        let some = |text: &str| Some(text.to_owned());
        let check = Some("`price` BETWEEN -99 AND 99");
        assert_eq!(converted("REAL", None, &decimal), (some("CAST(round(p * 100) AS INTEGER)"), some("p / 100.0")));
        assert_eq!(converted("INTEGER", None, &decimal), (some("p * 100"), some("p / 100.0")));
        assert_eq!(converted("INTEGER", check, &decimal), (some("p"), some("p")));
        assert_eq!(converted("INTEGER", check, &real), (None, None));
        assert_eq!(converted("INTEGER", None, &real), (some("p"), some("p")));
        assert_eq!(converted("TEXT", None, &decimal), (None, None));
        assert!(!Units::present("INTEGER", None, false).differ(&decimal), "an INTEGER of another program is in units");
    }
}
