//! [`Truth`]: whether a condition holds for values in memory.

use super::{Comparison, Pattern, Predicate};
use crate::model::descriptor::Descriptor;
use crate::model::value::{Kind, Value, order_in};

/// Whether a condition holds for values in memory, as storage would say.
///
/// ```
/// use crud_runtime::query::Truth;
///
/// assert_eq!((Truth::True.is_satisfied(), Truth::Null.is_satisfied()), (Some(true), Some(false)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// The condition holds.
    True,
    /// The condition does not hold.
    False,
    /// Null is compared: neither the condition nor its negation holds.
    Null,
    /// Storage alone knows: a value is not known, the condition is on other records, or the database's collation decides.
    Unknown,
}

impl Truth {
    /// Whether a record with the values satisfies the condition; `None` where storage alone knows.
    #[must_use]
    pub const fn is_satisfied(self) -> Option<bool> {
        match self {
            Self::True => Some(true),
            Self::False | Self::Null => Some(false),
            Self::Unknown => None,
        }
    }

    const fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            other => other,
        }
    }

    /// The truth of a conjunction (`deciding` is false) or a disjunction (`deciding` is true).
    fn combined(terms: impl Iterator<Item = Self>, deciding: bool) -> Self {
        let (deciding, mut all) = if deciding { (Self::True, Self::False) } else { (Self::False, Self::True) };
        for term in terms {
            match (term, all) {
                (term, _) if term == deciding => return deciding,
                (Self::Unknown, _) | (_, Self::Unknown) => all = Self::Unknown,
                (Self::Null, _) => all = Self::Null,
                _ => {}
            }
        }
        all
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl Predicate {
    /// Whether the condition holds for these values of a resource's columns; `None` is a value that is not known.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::column::Value;
    /// use crud_runtime::query::Truth;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// struct Book { id: i64, pages: i32 }
    ///
    /// let long = Book::FIELDS.pages.gt(500).into_predicate();
    /// let pages = Value::Int(700);
    /// assert_eq!(long.truth(Book::DESCRIPTOR, &|column| (column == 1).then_some(&pages)), Truth::True);
    /// assert_eq!(long.truth(Book::DESCRIPTOR, &|_| None), Truth::Unknown);
    /// ```
    pub fn truth<'v>(&self, resource: &Descriptor, value: &dyn Fn(usize) -> Option<&'v Value>) -> Truth {
        let of = |term: &Self| term.truth(resource, value);
        match self {
            Self::All => Truth::True,
            Self::Compare { column, operator, value: other } => {
                compared(resource, *column, value(*column), other, *operator)
            }
            Self::In { column, negated, values } => {
                let equal = |other| compared(resource, *column, value(*column), other, Comparison::Eq);
                let is_in = Truth::combined(values.iter().map(equal), true);
                if *negated { is_in.not() } else { is_in }
            }
            Self::Like { column, pattern, ignore_case } => match value(*column) {
                Some(Value::Null) => Truth::Null,
                Some(Value::Text(text)) if !resource.has_database_collation => matched(text, pattern, *ignore_case),
                _ => Truth::Unknown,
            },
            Self::IsNull { column, null } => {
                value(*column).map_or(Truth::Unknown, |value| (value.is_null() == *null).into())
            }
            Self::And(terms) => Truth::combined(terms.iter().map(of), false),
            Self::Or(terms) => Truth::combined(terms.iter().map(of), true),
            Self::Not(term) => of(term).not(),
            Self::InSubquery(_) | Self::Search { .. } => Truth::Unknown,
        }
    }
}

/// Whether a comparison of a column's value holds.
fn compared(resource: &Descriptor, column: usize, value: Option<&Value>, other: &Value, operator: Comparison) -> Truth {
    let column = &resource.columns[column];
    let is_collated = resource.has_database_collation && matches!(column.kind, Kind::Text | Kind::Enum(_));
    let has_order = !matches!(column.kind, Kind::Json | Kind::Bytes | Kind::TextList | Kind::List(_));
    let value = match value {
        Some(Value::Null) => return Truth::Null,
        Some(value) if has_order && !is_collated => value,
        _ => return Truth::Unknown,
    };
    let order = order_in(column, value, other);
    Truth::from(match operator {
        Comparison::Eq => order.is_eq(),
        Comparison::Ne => order.is_ne(),
        Comparison::Gt => order.is_gt(),
        Comparison::Gte => order.is_ge(),
        Comparison::Lt => order.is_lt(),
        Comparison::Lte => order.is_le(),
    })
}

/// Whether text matches a pattern. Databases differ in the case of letters beyond ASCII.
fn matched(text: &str, pattern: &Pattern, ignore_case: bool) -> Truth {
    if !ignore_case {
        return is_like(text, pattern.parts()).into();
    }
    if !text.is_ascii() || !pattern.parts().iter().all(|part| part.is_ascii()) {
        return Truth::Unknown;
    }
    let parts: Vec<String> = pattern.parts().iter().map(|part| part.to_ascii_lowercase()).collect();
    is_like(&text.to_ascii_lowercase(), &parts).into()
}

/// Whether text is these parts with any text between them.
fn is_like(text: &str, parts: &[String]) -> bool {
    let [prefix, infixes @ .., suffix] = parts else { return parts.first().is_some_and(|part| part == text) };
    let Some(mut rest) = text.strip_prefix(&**prefix).and_then(|text| text.strip_suffix(&**suffix)) else {
        return false;
    };
    // The first match of each infix leaves the most text for the next one: no backtracking is needed.
    for infix in infixes {
        let Some((_, after)) = rest.split_once(&**infix) else { return false };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_decides_nothing_that_another_term_decides() {
        let all = |terms: &[Truth]| Truth::combined(terms.iter().copied(), false);
        let any = |terms: &[Truth]| Truth::combined(terms.iter().copied(), true);
        assert_eq!(all(&[Truth::Unknown, Truth::False]), Truth::False);
        assert_eq!(all(&[Truth::True, Truth::Unknown, Truth::Null]), Truth::Unknown);
        assert_eq!(all(&[Truth::True, Truth::Null]), Truth::Null);
        assert_eq!(any(&[Truth::Unknown, Truth::True]), Truth::True);
        assert_eq!((all(&[]), any(&[])), (Truth::True, Truth::False));
        assert_eq!(Truth::Null.not().is_satisfied(), Some(false));
    }

    #[test]
    fn parts_of_a_pattern_do_not_overlap() {
        let is_like = |text: &str, pattern: &str| matched(text, &pattern.into(), false) == Truth::True;
        assert!(is_like("lamp", "lamp") && is_like("lamp", "%") && is_like("", "%%"));
        assert!(is_like("abcabc", "a%b%c") && is_like("aa", "a%a"));
        assert!(!is_like("a", "a%a") && !is_like("abc", "a%cb%c") && !is_like("lamp", "LAMP"));
        assert_eq!(matched("lamp", &"LA%".into(), true), Truth::True);
        assert_eq!(matched("ÄPFEL", &"äpfel".into(), true), Truth::Unknown);
    }
}
