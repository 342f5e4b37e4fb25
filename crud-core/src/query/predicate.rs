//! [`Predicate`]: a condition on a record.

use super::pattern::Pattern;
use super::search_terms::SearchTerms;
use crate::model::descriptor::{Descriptor, Search, Tenant};
use crate::model::key::Key;
use crate::model::value::{Kind, Value};

/// A condition on a record. Null satisfies nothing but [`Predicate::IsNull`]: neither a comparison nor
/// the negation of one.
///
/// Storage that meets a variant it does not know must not return more: it fails, or takes the condition to hold for no
/// record.
///
/// ```
/// use crud_runtime::column::Value;
/// use crud_runtime::query::{Comparison, Predicate};
///
/// // `price < 10 AND note IS NULL`, by the indexes of the columns.
/// let cheap = Predicate::Compare { column: 2, operator: Comparison::Lt, value: Value::Int(10) };
/// let cheap = cheap.and(Predicate::IsNull { column: 3, null: true });
/// assert!(matches!(cheap, Predicate::And(terms) if terms.len() == 2));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// Every record.
    All,
    /// Compares a column with a value that is not null.
    Compare {
        /// The column's index.
        column: usize,
        /// The comparison.
        operator: Comparison,
        /// The value to compare with.
        value: Value,
    },
    /// The column's value is one of these, none of them null.
    In {
        /// The column's index.
        column: usize,
        /// Whether the value must be none of them instead.
        negated: bool,
        /// The values.
        values: Vec<Value>,
    },
    /// Text matches a pattern.
    Like {
        /// The column's index.
        column: usize,
        /// The pattern.
        pattern: Pattern,
        /// Whether case is ignored: ASCII's at least.
        ignore_case: bool,
    },
    /// The column is null, or is not.
    IsNull {
        /// The column's index.
        column: usize,
        /// Whether the column must be null.
        null: bool,
    },
    /// The columns have the values of some record of a resource: `IN (SELECT …)`. Only storage with
    /// [`Capabilities::subqueries`](crate::adapter::Capabilities) gets this; for other storage, the service reads the
    /// values first.
    InSubquery(Box<InSubquery>),
    /// Full-text search in some columns. Every record that has each word as a whole word is found, whatever the case of
    /// ASCII letters; other records may be found too. Only storage with
    /// [`Capabilities::full_text`](crate::adapter::Capabilities) gets this.
    Search {
        /// The resource's [`Descriptor::search`].
        search: Search,
        /// The words.
        words: SearchTerms,
    },
    /// All of the conditions hold; an empty list is true.
    And(Vec<Predicate>),
    /// One of the conditions holds; an empty list is false.
    Or(Vec<Predicate>),
    /// The condition does not hold. For null, neither a comparison nor its negation holds.
    Not(Box<Predicate>),
}

impl Predicate {
    /// A comparison of a column of this kind. For an enum, `gt` and the like become a list of the values on that side
    /// in declaration order; enums without this order do not have these operators.
    #[must_use]
    pub fn comparison(column: usize, kind: Kind, operator: Comparison, value: Value) -> Self {
        let (Kind::Enum(texts), Value::Text(text)) = (kind, &value) else {
            return Self::Compare { column, operator, value };
        };
        let Some(rank) = texts.iter().position(|known| known == text) else {
            return Self::Compare { column, operator, value };
        };
        let side = match operator {
            Comparison::Eq | Comparison::Ne => return Self::Compare { column, operator, value },
            Comparison::Gt => &texts[rank + 1..],
            Comparison::Gte => &texts[rank..],
            Comparison::Lt => &texts[..rank],
            Comparison::Lte => &texts[..=rank],
        };
        let values = side.iter().map(|text| Value::Text((*text).to_owned())).collect();
        Self::In { column, negated: false, values }
    }

    /// The condition of [`Self::Search`], for storage without an index of words: each word is somewhere in one of the
    /// texts.
    pub fn of_words(search: Search, words: &SearchTerms) -> Self {
        Self::And(words.as_slice().iter().map(|word| Self::of_word(search, word)).collect())
    }

    /// A word is somewhere in one of the texts.
    #[doc(hidden)]
    pub fn of_word(search: Search, word: &str) -> Self {
        let contains = |&column| Self::Like { column, pattern: Pattern::contains(word), ignore_case: true };
        Self::Or(search.columns.iter().map(contains).collect())
    }

    /// The record of a key.
    pub fn of_key(resource: &Descriptor, key: &Key) -> Self {
        match (resource.key(), key.values()) {
            ([column], [value]) => Self::In { column: *column, negated: false, values: vec![value.clone()] },
            (columns, values) => Self::all_equal(columns, values),
        }
    }

    /// The records of a tenant; with `None`, the records of every tenant.
    #[doc(hidden)]
    pub fn of_tenant(resource: &Descriptor, tenant: Option<&Value>) -> Self {
        Self::of_tenants(resource, tenant)
    }

    /// The records of these tenants; the records of every tenant where the list is empty, or a value is not known.
    #[doc(hidden)]
    pub fn of_tenants<'t>(resource: &Descriptor, tenants: impl IntoIterator<Item = &'t Value>) -> Self {
        let Some(Tenant { column, .. }) = resource.tenant else { return Self::All };
        let mut values: Vec<Value> = Vec::new();
        for tenant in tenants {
            if tenant.is_null() || tenant.is_default() {
                return Self::All;
            }
            if !values.contains(tenant) {
                values.push(tenant.clone());
            }
        }
        match values.len() {
            0 => Self::All,
            1 => Self::Compare { column, operator: Comparison::Eq, value: values.remove(0) },
            _ => Self::In { column, negated: false, values },
        }
    }

    /// The records of a target that records of these tenants can refer to. Where both resources have tenants of one
    /// type, these are the same tenants' records.
    #[doc(hidden)]
    pub fn of_shared_tenants<'t>(
        resource: &Descriptor,
        target: &Descriptor,
        tenants: impl IntoIterator<Item = &'t Value>,
    ) -> Self {
        match (resource.tenant, target.tenant) {
            (Some(own), Some(other)) if resource.columns[own.column].kind == target.columns[other.column].kind => {
                Self::of_tenants(target, tenants)
            }
            _ => Self::All,
        }
    }

    /// The records of these keys.
    pub fn of_keys<'k>(resource: &Descriptor, keys: impl IntoIterator<Item = &'k Key>) -> Self {
        Self::of_values(resource.key(), keys)
    }

    /// The records whose columns have the values of one of these keys.
    #[doc(hidden)]
    pub fn of_values<'k>(columns: &[usize], keys: impl IntoIterator<Item = &'k Key>) -> Self {
        if let [column] = columns {
            let values = keys.into_iter().filter_map(|key| key.single().cloned()).collect();
            return Self::In { column: *column, negated: false, values };
        }
        Self::Or(keys.into_iter().map(|key| Self::all_equal(columns, key.values())).collect())
    }

    fn all_equal(columns: &[usize], values: &[Value]) -> Self {
        let equal = |(column, value): (&usize, &Value)| Self::Compare {
            column: *column,
            operator: Comparison::Eq,
            value: value.clone(),
        };
        Self::And(columns.iter().zip(values).map(equal).collect())
    }

    /// Both conditions hold.
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

    /// One of the conditions holds.
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

/// A subquery: the values that columns have in records of a resource; see [`Predicate::InSubquery`].
///
/// ```
/// use crud_runtime::descriptor::Descriptor;
/// use crud_runtime::query::{InSubquery, Predicate};
///
/// /// `author_id IN (SELECT id FROM authors)`, by the indexes of the columns.
/// fn with_author(authors: &'static Descriptor, author_id: usize) -> Predicate {
///     let columns = vec![(author_id, 0)];
///     let of_authors = InSubquery { columns, resource: authors, filter: Predicate::All };
///     Predicate::InSubquery(Box::new(of_authors))
/// }
/// ```
#[derive(Debug, Clone)]
pub struct InSubquery {
    /// The compared columns, each with the column of the subquery's resource that must have its value in one record; at
    /// least one. Nulls equal nothing.
    pub columns: Vec<(usize, usize)>,
    /// The resource of the subquery.
    pub resource: &'static Descriptor,
    /// Filter of that resource's records.
    pub filter: Predicate,
}

impl PartialEq for InSubquery {
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns && std::ptr::eq(self.resource, other.resource) && self.filter == other.filter
    }
}

/// Comparison of two values.
///
/// ```
/// # use crud_runtime::prelude::*;
/// use crud_runtime::query::{Comparison, Predicate};
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, pages: i32 }
///
/// let long = Book::FIELDS.pages.gt(500).into_predicate();
/// assert!(matches!(long, Predicate::Compare { operator: Comparison::Gt, .. }));
/// ```
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
