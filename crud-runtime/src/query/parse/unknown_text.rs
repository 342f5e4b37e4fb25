//! [`UnknownText`]: a text that a filter compares an enum with, and that none of its variants has.

use super::filter::Filter;
use super::parser::{Parser, Purpose, Subject, error_at};
use crate::model::problem::FieldError;
use crate::model::scalar;
use crate::model::value::{Kind, Value};
use crate::query::Predicate;

/// Limit of unknown texts in a request: each costs a query.
const MAX_UNKNOWN: usize = 8;

/// A text that a filter compares an enum with, and that none of its variants has: legal where a record has it, which a
/// newer program has written.
#[derive(Debug, Clone)]
pub(crate) struct UnknownText {
    pub(crate) column: usize,
    pub(crate) value: Value,
    /// The error where no record has it.
    pub(crate) error: FieldError,
}

impl Parser<'_> {
    /// Keeps the unknown texts of a filter by a field of the listed records, for storage to be asked; rejects others.
    pub(super) fn check_texts(&mut self, name: &str, filter: &Filter, predicate: &Predicate) {
        let values: &[Value] = match predicate {
            Predicate::Compare { value, .. } => std::slice::from_ref(value),
            Predicate::In { values, .. } => values,
            _ => return,
        };
        let column = filter.column();
        let is_own = matches!(self.subject, Subject::Listed) && filter.relation.is_none();
        for value in values.iter().filter(|value| column.is_unknown(value)) {
            let (Kind::Enum(labels), Value::Text(text)) = (column.kind, value) else { continue };
            let Err(error) = scalar::one_of(labels, text) else { continue };
            let error = error_at(self.within.as_deref(), name, "value", error.message());
            if is_own && self.purpose == Purpose::List && self.unknown.len() < MAX_UNKNOWN {
                self.unknown.push(UnknownText { column: filter.index, value: value.clone(), error });
            } else {
                self.errors.push(error);
            }
        }
    }
}
