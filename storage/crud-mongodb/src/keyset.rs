//! Keyset continuation: the condition of a record that comes after another one.

use crate::model::descriptor::SortKey;
use crate::model::value::Value;
use crate::query::{Comparison, Predicate};

/// The condition of records after the one with these values of the sort keys: beyond it in the first key in which
/// they differ. Null comes first ascending, last descending.
pub(super) fn after(keys: &[SortKey], values: &[Value]) -> Predicate {
    let mut ways = Vec::with_capacity(keys.len());
    let mut equal = Predicate::All;
    for (key, value) in keys.iter().zip(values) {
        if let Some(beyond) = beyond(*key, value) {
            ways.push(equal.clone().and(beyond));
        }
        equal = equal.and(if value.is_null() {
            Predicate::IsNull { column: key.column, null: true }
        } else {
            Predicate::Compare { column: key.column, operator: Comparison::Eq, value: value.clone() }
        });
    }
    Predicate::Or(ways)
}

/// The condition of records whose value of this key comes later; `None` where no value does.
fn beyond(SortKey { column, descending, .. }: SortKey, value: &Value) -> Option<Predicate> {
    let compare = |operator| Predicate::Compare { column, operator, value: value.clone() };
    match (value.is_null(), descending) {
        (true, false) => Some(Predicate::IsNull { column, null: false }),
        (true, true) => None,
        (false, false) => Some(compare(Comparison::Gt)),
        (false, true) => Some(compare(Comparison::Lt).or(Predicate::IsNull { column, null: true })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_comes_first_ascending_and_last_descending() {
        let null = |null| Predicate::IsNull { column: 1, null };
        assert_eq!(beyond(SortKey::ascending(1), &Value::Null), Some(null(false)));
        assert_eq!(beyond(SortKey::descending(1), &Value::Null), None);
        let less = Predicate::Compare { column: 1, operator: Comparison::Lt, value: Value::Int(3) };
        assert_eq!(beyond(SortKey::descending(1), &Value::Int(3)), Some(less.or(null(true))));
    }

    #[test]
    fn a_later_key_decides_among_equal_ones() {
        let keys = [SortKey::ascending(1), SortKey::ascending(0)];
        let compare = |column, operator, value| Predicate::Compare { column, operator, value: Value::Int(value) };
        let tie = compare(1, Comparison::Eq, 3).and(compare(0, Comparison::Gt, 7));
        let expected = Predicate::Or(vec![compare(1, Comparison::Gt, 3), tie]);
        assert_eq!(after(&keys, &[Value::Int(3), Value::Int(7)]), expected);
    }
}
