//! What a list asks of storage.

pub(crate) mod parse;
pub(crate) mod record;
mod term;
pub(crate) mod visibility;

pub use term::{Condition, Field, Select, SortTerm};

use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::value::Value;

/// A list as an adapter runs it: checked against the descriptor, columns by index.
#[derive(Debug, Clone, PartialEq)]
pub struct ListQuery {
    /// Which records.
    pub filter: Predicate,
    /// In which order; the last key is the id, so that the order is total. Nulls come first ascending
    /// and last descending, text and enums order by code point, `false` before `true`, UUIDs as their texts, decimals
    /// as numbers.
    pub sort: Vec<SortKey>,
    /// How many to pass over.
    pub skip: u64,
    /// How many to return at most.
    pub limit: Option<u64>,
    /// Continue after the record with these values of the sort keys, one for each.
    pub after: Option<Vec<Value>>,
}

impl ListQuery {
    /// Every record, deleted ones too, in the resource's default order.
    pub fn all(resource: &'static Descriptor) -> Self {
        Self {
            filter: Predicate::All,
            sort: total_order(resource, resource.default_sort.to_vec()),
            skip: 0,
            limit: None,
            after: None,
        }
    }
}

/// Which records a query sees of a resource whose records can be soft-deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Those that are not deleted.
    Active,
    /// All of them.
    All,
    /// Those that are deleted.
    Deleted,
}

impl Scope {
    /// What a list sees that does not say.
    pub fn default_of(resource: &Descriptor) -> Self {
        let all = resource.soft_delete.is_none_or(|soft_delete| soft_delete.include_deleted_by_default);
        if all { Self::All } else { Self::Active }
    }

    /// Whether a query sees a record in this state.
    pub(crate) const fn sees(self, deleted: bool) -> bool {
        match self {
            Self::Active => !deleted,
            Self::All => true,
            Self::Deleted => deleted,
        }
    }

    /// The condition on the records; none where the resource has no soft delete.
    pub fn predicate(self, resource: &Descriptor) -> Predicate {
        match (self, resource.soft_delete) {
            (Self::All, _) | (_, None) => Predicate::All,
            (Self::Active, Some(soft_delete)) => Predicate::IsNull { column: soft_delete.deleted_at, null: true },
            (Self::Deleted, Some(soft_delete)) => Predicate::IsNull { column: soft_delete.deleted_at, null: false },
        }
    }
}

/// Appends the id where the keys lack it, in the direction of the last key, so that an index on that
/// key serves the whole order.
pub fn total_order(resource: &Descriptor, mut keys: Vec<SortKey>) -> Vec<SortKey> {
    if keys.iter().all(|key| key.column != resource.id) {
        let descending = keys.last().is_some_and(|key| key.descending);
        keys.push(SortKey { column: resource.id, descending });
    }
    keys
}

/// A condition on a record. Null satisfies nothing but [`Predicate::IsNull`]: neither a comparison nor
/// the negation of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// Every record.
    All,
    /// Compares a column with a value that is not null.
    Compare {
        /// The column's index.
        column: usize,
        /// How.
        operator: Comparison,
        /// With what.
        value: Value,
    },
    /// The column's value is one of these, none of them null.
    In {
        /// The column's index.
        column: usize,
        /// Whether it must be none of them instead.
        negated: bool,
        /// The values.
        values: Vec<Value>,
    },
    /// Text matches a pattern in which `%` stands for any text and every other character for itself.
    Like {
        /// The column's index.
        column: usize,
        /// The pattern.
        pattern: String,
        /// Whether case is ignored: ASCII's at least.
        ignore_case: bool,
    },
    /// The column is null, or is not.
    IsNull {
        /// The column's index.
        column: usize,
        /// Which of the two.
        null: bool,
    },
    /// All of them hold; of none, that is true.
    And(Vec<Predicate>),
    /// One of them holds; of none, that is false.
    Or(Vec<Predicate>),
    /// It does not hold. A comparison with null holds neither this way nor that.
    Not(Box<Predicate>),
}

impl Predicate {
    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) | (other, Self::All) => other,
            (Self::And(mut terms), other) => {
                terms.push(other);
                Self::And(terms)
            }
            (first, second) => Self::And(vec![first, second]),
        }
    }

    /// One of them holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Or(mut terms), other) => {
                terms.push(other);
                Self::Or(terms)
            }
            (first, second) => Self::Or(vec![first, second]),
        }
    }
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
}
