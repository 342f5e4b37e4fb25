//! Predicates as filters.
//!
//! A predicate is three-valued, a filter is not: a negation is carried to the leaves, where null satisfies neither a
//! comparison nor its negation.
//!
//! ```text
//! NOT (price > 5 OR name LIKE 'a%')
//! {$and: [{price: {$lte: 5}}, {$nor: [{name: /\Aa/s}], name: {$ne: null}}]}
//! ```

use mongodb::bson::{Bson, Document, Regex, doc};

use super::field::{KEY, field};
use super::value::operand;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Search};
use crate::model::value::Value;
use crate::query::{Comparison, Pattern, Predicate, SearchTerms};

/// The longest pattern that the server takes.
const MAX_PATTERN: usize = 32_000;

/// A character between words, by its general category, as [`SearchTerms`] has them. Words contain no such character, so
/// that they need no escape.
const SEPARATOR: &str = r"[\p{Z}\p{P}\p{S}\p{C}]";

/// The filter of a predicate.
///
/// # Errors
/// [`AdapterError::Unsupported`] of a predicate that is newer than this adapter; [`AdapterError::Constraint`] of a
/// pattern that is longer than the server takes.
pub(super) fn filter(resource: &Descriptor, predicate: &Predicate) -> Result<Document, AdapterError> {
    term(resource, predicate, false)
}

/// A filter that matches no record.
fn never() -> Document {
    doc! { KEY: { "$in": [] } }
}

fn term(resource: &Descriptor, predicate: &Predicate, negated: bool) -> Result<Document, AdapterError> {
    let name = |column: usize| field(resource, column);
    Ok(match predicate {
        Predicate::All if negated => never(),
        Predicate::All => doc! {},
        Predicate::Compare { column, operator, value } => compare(resource, *column, *operator, value, negated),
        Predicate::In { column, negated: none_of, values } => one_of(resource, *column, *none_of != negated, values),
        Predicate::Like { column, pattern, ignore_case } => {
            let regex = Bson::RegularExpression(regex(*column, pattern, *ignore_case)?);
            if negated {
                doc! { "$nor": [{ name(*column): regex }], name(*column): { "$ne": Bson::Null } }
            } else {
                doc! { name(*column): regex }
            }
        }
        Predicate::IsNull { column, null } if *null != negated => doc! { name(*column): Bson::Null },
        Predicate::IsNull { column, .. } => doc! { name(*column): { "$ne": Bson::Null } },
        Predicate::Search { search, words } => {
            let found = found(resource, *search, words)?;
            if negated {
                doc! { "$nor": [found] }
            } else {
                found
            }
        }
        Predicate::And(terms) => junction(resource, terms, negated, true)?,
        Predicate::Or(terms) => junction(resource, terms, negated, false)?,
        Predicate::Not(inner) => term(resource, inner, !negated)?,
        // The store reads the values first: the adapter has no subqueries.
        Predicate::InSubquery(_) => return Err(AdapterError::Unsupported { what: "conditions on other records" }),
    })
}

/// The filter of a full-text search: each word in one of the texts, the last one at least as a beginning.
fn found(resource: &Descriptor, search: Search, words: &SearchTerms) -> Result<Document, AdapterError> {
    let words = words.as_slice();
    let mut all = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let end = if index + 1 == words.len() { String::new() } else { format!(r"(?:\z|{SEPARATOR})") };
        let pattern = format!(r"(?:\A|{SEPARATOR}){word}{end}");
        let any = search.columns.iter().map(|&column| {
            let pattern = pattern.as_str().try_into().map_err(|_| AdapterError::Constraint { column: Some(column) })?;
            let options = "i".try_into().map_err(|_| AdapterError::Constraint { column: Some(column) })?;
            Ok(doc! { field(resource, column): Bson::RegularExpression(Regex { pattern, options }) })
        });
        all.push(doc! { "$or": any.collect::<Result<Vec<_>, AdapterError>>()? });
    }
    Ok(if all.is_empty() {
        never()
    } else {
        doc! { "$and": all }
    })
}

/// A conjunction or disjunction. By De Morgan, the negation of one is the other, over the negated terms.
fn junction(
    resource: &Descriptor,
    terms: &[Predicate],
    negated: bool,
    conjunction: bool,
) -> Result<Document, AdapterError> {
    let all = conjunction != negated;
    let mut terms = terms.iter().map(|inner| term(resource, inner, negated)).collect::<Result<Vec<_>, _>>()?;
    // The server refuses an empty list.
    Ok(match (terms.len(), all) {
        (0, true) => doc! {},
        (0, false) => never(),
        (1, _) => terms.remove(0),
        (_, true) => doc! { "$and": terms },
        (_, false) => doc! { "$or": terms },
    })
}

fn compare(resource: &Descriptor, column: usize, operator: Comparison, value: &Value, negated: bool) -> Document {
    let operator = if negated { opposite(operator) } else { operator };
    let operand = operand(&resource.columns[column], value);
    let not_null = || doc! { "$ne": Bson::Null };
    let (bson, exact) = (operand.bson, operand.exact);
    let condition = match (operator, exact) {
        (Comparison::Eq, true) => doc! { "$eq": bson },
        (Comparison::Eq, false) => return never(),
        (Comparison::Ne, true) => doc! { "$nin": [bson, Bson::Null] },
        (Comparison::Ne, false) => not_null(),
        (Comparison::Gte, true) => doc! { "$gte": bson },
        (Comparison::Lt, true) => doc! { "$lt": bson },
        // The operand is the greatest that can be stored below the value: nothing lies between them.
        (Comparison::Gt, _) | (Comparison::Gte, false) => doc! { "$gt": bson },
        (Comparison::Lte, _) | (Comparison::Lt, false) => doc! { "$lte": bson },
    };
    doc! { field(resource, column): condition }
}

const fn opposite(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Eq => Comparison::Ne,
        Comparison::Ne => Comparison::Eq,
        Comparison::Gt => Comparison::Lte,
        Comparison::Gte => Comparison::Lt,
        Comparison::Lt => Comparison::Gte,
        Comparison::Lte => Comparison::Gt,
    }
}

fn one_of(resource: &Descriptor, column: usize, negated: bool, values: &[Value]) -> Document {
    let operands = values.iter().map(|value| operand(&resource.columns[column], value));
    let mut exact: Vec<Bson> = operands.filter(|operand| operand.exact).map(|operand| operand.bson).collect();
    if negated {
        exact.push(Bson::Null);
        return doc! { field(resource, column): { "$nin": exact } };
    }
    doc! { field(resource, column): { "$in": exact } }
}

/// The regular expression of a pattern. Every punctuation character is escaped by itself: `\Q…\E` would end at a `\E`
/// of the pattern.
fn regex(column: usize, pattern: &Pattern, ignore_case: bool) -> Result<Regex, AdapterError> {
    let written = pattern.written(".*", |regex, character| {
        if character.is_ascii_punctuation() {
            regex.push('\\');
        }
        regex.push(character);
    });
    // A prefix is a range of an index.
    let open = pattern.parts().len() > 1 && pattern.parts().last().is_some_and(String::is_empty);
    let (mut written, end) = (&*written, if open { "" } else { r"\z" });
    while let (true, Some(prefix)) = (open, written.strip_suffix(".*")) {
        written = prefix;
    }
    let regex = format!(r"\A{written}{end}");
    if regex.len() > MAX_PATTERN {
        return Err(AdapterError::Constraint { column: Some(column) });
    }
    let options = if ignore_case { "is" } else { "s" };
    let pattern = regex.try_into().map_err(|_| AdapterError::Constraint { column: Some(column) })?;
    Ok(Regex { pattern, options: options.try_into().map_err(|_| AdapterError::Constraint { column: None })? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::descriptor::{ColumnDescriptor, Role};

    static BOOK: Descriptor = Descriptor::new(
        "Book",
        "shop",
        "/books",
        "books",
        &[
            ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id),
            ColumnDescriptor::new::<Option<String>>("title", "title", "\"title\":", "title"),
            ColumnDescriptor::new::<Option<i32>>("pages", "pages", "\"pages\":", "pages"),
        ],
        0,
    );

    fn of(predicate: &Predicate) -> Document {
        filter(&BOOK, predicate).unwrap()
    }

    fn pages(operator: Comparison) -> Predicate {
        Predicate::Compare { column: 2, operator, value: Value::Int(5) }
    }

    fn like(pattern: &str) -> Predicate {
        Predicate::Like { column: 1, pattern: pattern.into(), ignore_case: false }
    }

    fn pattern(text: &str) -> String {
        regex(1, &text.into(), false).unwrap().pattern.to_string()
    }

    #[test]
    fn a_negation_is_carried_to_the_leaves_and_excludes_null() {
        let negated = Predicate::Not(Box::new(Predicate::Or(vec![pages(Comparison::Gt), like("a%")])));
        let title = doc! { "$nor": [of(&like("a%"))], "title": { "$ne": Bson::Null } };
        assert_eq!(of(&negated), doc! { "$and": [{ "pages": { "$lte": 5_i64 } }, title] });
        let unequal = doc! { "pages": { "$nin": [5_i64, Bson::Null] } };
        assert_eq!(of(&Predicate::Not(Box::new(pages(Comparison::Eq)))), unequal);
    }

    #[test]
    fn an_empty_conjunction_is_true_and_an_empty_disjunction_false() {
        assert_eq!(of(&Predicate::And(Vec::new())), doc! {});
        assert_eq!(of(&Predicate::Or(Vec::new())), never());
        assert_eq!(of(&Predicate::Not(Box::new(Predicate::Or(Vec::new())))), doc! {});
        assert_eq!(of(&Predicate::Not(Box::new(Predicate::All))), never());
    }

    #[test]
    fn a_pattern_is_anchored_and_escaped() {
        assert_eq!(pattern("a_b"), r"\Aa\_b\z");
        assert_eq!(pattern("a%b"), r"\Aa.*b\z");
        assert_eq!(pattern("a%%"), r"\Aa");
        assert_eq!(pattern("%"), r"\A");
        assert_eq!(pattern(r"\E.*é"), r"\A\\E\.\*é\z");
    }
}
