//! Evaluates predicates in three-valued logic.

use crud_runtime::query::{Comparison, Pattern, Predicate};

use crate::order::order;
use crate::tables::Record;

/// Whether a record satisfies a predicate.
pub(crate) fn satisfies(predicate: &Predicate, record: &Record) -> bool {
    truth(predicate, record) == Some(true)
}

/// Whether the predicate is true or false for the record; `None` where it is unknown, because null is compared.
fn truth(predicate: &Predicate, record: &Record) -> Option<bool> {
    let value = |column: usize| Some(record.get(column)).filter(|value| !value.is_null());
    match predicate {
        Predicate::All => Some(true),
        Predicate::Compare { column, operator, value: other } => {
            let order = order(value(*column)?, other);
            Some(match operator {
                Comparison::Eq => order.is_eq(),
                Comparison::Ne => order.is_ne(),
                Comparison::Gt => order.is_gt(),
                Comparison::Gte => order.is_ge(),
                Comparison::Lt => order.is_lt(),
                Comparison::Lte => order.is_le(),
            })
        }
        Predicate::In { column, negated, values } => {
            let value = value(*column)?;
            Some(values.iter().any(|other| order(value, other).is_eq()) != *negated)
        }
        Predicate::Like { column, pattern, ignore_case } => {
            // Only text columns have patterns.
            let crud_runtime::column::Value::Text(text) = value(*column)? else { return None };
            Some(is_like(text, pattern, *ignore_case))
        }
        Predicate::IsNull { column, null } => Some(value(*column).is_none() == *null),
        Predicate::Search { search, words } => {
            let text = |column: &usize| match record.get(*column) {
                crud_runtime::column::Value::Text(text) => Some(text.as_str()),
                _ => None,
            };
            Some(words.are_in(search.columns.iter().filter_map(text)))
        }
        Predicate::And(terms) => combine(terms, record, false),
        Predicate::Or(terms) => combine(terms, record, true),
        Predicate::Not(term) => truth(term, record).map(|truth| !truth),
        // Storage without subqueries gets no such predicate.
        Predicate::InSubquery(_) => None,
    }
}

/// The value of a conjunction (`deciding` is false) or a disjunction (`deciding` is true).
fn combine(terms: &[Predicate], record: &Record, deciding: bool) -> Option<bool> {
    let mut known = Some(!deciding);
    for term in terms {
        match truth(term, record) {
            Some(truth) if truth == deciding => return Some(deciding),
            Some(_) => {}
            None => known = None,
        }
    }
    known
}

/// Whether text matches a pattern: literal parts with any text between them.
fn is_like(text: &str, pattern: &Pattern, ignore_case: bool) -> bool {
    let cased = |text: &str| if ignore_case { text.to_lowercase() } else { text.to_owned() };
    let (text, parts) = (cased(text), pattern.parts().iter().map(|part| cased(part)).collect::<Vec<_>>());
    let [prefix, infixes @ .., suffix] = &parts[..] else { return parts == [text] };
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
    #[test]
    fn parts_of_a_pattern_do_not_overlap() {
        let is_like = |text: &str, pattern: &str| super::is_like(text, &pattern.into(), false);
        assert!(is_like("lamp", "lamp") && is_like("lamp", "%") && is_like("", "%%"));
        assert!(is_like("abcabc", "a%b%c") && is_like("aa", "a%a"));
        assert!(!is_like("a", "a%a") && !is_like("abc", "a%cb%c") && !is_like("lamp", "LAMP"));
    }
}
