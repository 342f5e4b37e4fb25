//! Statements that list the values of many changes: the number of changes in each, and the text.

use std::borrow::Borrow;
use std::ops::Range;

use super::Sql;
use crate::dialect::Dialect;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;

/// Maximum number of changes in one statement. More of them would save little.
const MAX_ROWS: usize = 128;

/// Divides `count` changes into ranges of one statement each, the last range first. Lengths are powers of two, so that
/// a few texts serve batches of any size and the statement cache finds them. `values`: number of values that a change
/// binds; `bindable`: maximum number that a statement binds.
pub(crate) fn ranges(count: usize, values: usize, bindable: usize) -> Vec<Range<usize>> {
    in_powers_of_two(count, MAX_ROWS.min(bindable / values.max(1)))
}

fn in_powers_of_two(count: usize, most: usize) -> Vec<Range<usize>> {
    let most = 1 << most.max(1).ilog2();
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < count {
        let length = most.min(1 << (count - start).ilog2());
        ranges.push(start..start + length);
        start += length;
    }
    ranges.reverse();
    ranges
}

/// Writes rows of placeholders, `VALUES (…), (…)`, and binds the values of these columns.
pub(crate) fn values<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) {
    for (row, values) in rows.enumerate() {
        sql.push(if row == 0 { "VALUES (" } else { ", (" });
        let values = columns.iter().zip(values);
        sql.bind_list(values.map(|(&column, value)| D::operand(&resource.columns[column], value.borrow()).argument));
        sql.push(")");
    }
}

#[cfg(test)]
mod tests {
    use super::in_powers_of_two;

    #[test]
    fn ranges_cover_the_count_in_powers_of_two() {
        assert!(in_powers_of_two(0, 128).is_empty());
        assert_eq!(in_powers_of_two(3, 128), [2..3, 0..2]);
        assert_eq!(in_powers_of_two(301, 128), [300..301, 296..300, 288..296, 256..288, 128..256, 0..128]);
        assert_eq!(in_powers_of_two(5, 3), [4..5, 2..4, 0..2]);
    }
}
