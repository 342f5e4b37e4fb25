//! Scales of decimals, which the CHECK of a column has in a comment: the same number is another value in other units.
//!
//! ```sql
//! `price` INTEGER NOT NULL CONSTRAINT `check_price` CHECK (`price` BETWEEN -99999 AND 99999 /* units of 1/10^2 */)
//! ```

/// Beginning of the comment, before the scale.
const BEGIN: &str = " /* units of 1/10^";

/// End of the comment.
const END: &str = " */";

/// Condition that a decimal has at most so many units, quoted as `name`, and this scale.
pub(super) fn condition(name: &str, most: i64, scale: u32) -> String {
    format!("{name} BETWEEN -{most} AND {most}{BEGIN}{scale}{END}")
}

/// Scale of a column in the definition of its table, whose names are in backticks; `None` for a column without a decimal's
/// CHECK, and for a table that was created before the CHECK said it.
pub(super) fn scale(definition: &str, column: &str) -> Option<u32> {
    let name = format!("`{}` BETWEEN -", column.replace('`', "``"));
    definition.split(&name).skip(1).find_map(|bounds| {
        let (most, rest) = bounds.split_once(" AND ")?;
        let (scale, _) = rest.strip_prefix(most)?.strip_prefix(BEGIN)?.split_once(END)?;
        scale.parse().ok()
    })
}

/// A condition without the comment.
#[cfg(feature = "migrations")]
pub(super) fn without_scale(condition: &str) -> String {
    let Some((before, rest)) = condition.split_once(BEGIN) else { return condition.to_owned() };
    rest.split_once(END).map_or_else(|| condition.to_owned(), |(_, after)| format!("{before}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_of_a_column_is_read_from_its_check() {
        let definition = format!(
            "CREATE TABLE `offers` (`price` INTEGER CHECK ({} AND `price` >= 0), `old` INTEGER CHECK (`old` \
             BETWEEN -99 AND 99), `stock` INTEGER CHECK (`stock` BETWEEN -32768 AND 32767), `fee` INTEGER CHECK ({}))",
            condition("`price`", 99_999, 2),
            condition("`fee`", 99, 10)
        );
        let scales = ["price", "old", "stock", "fee", "other"].map(|column| scale(&definition, column));
        assert_eq!(scales, [Some(2), None, None, Some(10), None]);
    }
}
