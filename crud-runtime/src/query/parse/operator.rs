//! [`Operator`]: the operators of filters. A new operator is a row of [`Operator::ALL`], and a name in
//! `crud_shared::list::OPERATORS`, which the derive reserves.

use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::scalar;
use crate::query::{Comparison, Pattern, Predicate};

/// Maximum number of characters in the text of `__like`, `__contains` and the like.
pub(crate) const MAX_PATTERN: usize = 1_000;

/// The operator of a filter, as in `<field>__<operator>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `eq`, `ne`, `gt`, `gte`, `lt`, `lte`; a `<field>` alone is `eq`.
    Compare(Comparison),
    /// `in`, `nin`.
    In { negated: bool },
    /// `like`, `ilike`: a pattern.
    Like { ignore_case: bool },
    /// `contains`, `icontains`: literal text.
    Contains { ignore_case: bool },
    /// `startswith`: literal text.
    StartsWith,
    /// `isnull`.
    IsNull,
}

impl Operator {
    /// Every operator with its name.
    pub(crate) const ALL: [(&'static str, Self); 14] = [
        ("eq", Self::Compare(Comparison::Eq)),
        ("ne", Self::Compare(Comparison::Ne)),
        ("gt", Self::Compare(Comparison::Gt)),
        ("gte", Self::Compare(Comparison::Gte)),
        ("lt", Self::Compare(Comparison::Lt)),
        ("lte", Self::Compare(Comparison::Lte)),
        ("in", Self::In { negated: false }),
        ("nin", Self::In { negated: true }),
        ("like", Self::Like { ignore_case: false }),
        ("ilike", Self::Like { ignore_case: true }),
        ("contains", Self::Contains { ignore_case: false }),
        ("icontains", Self::Contains { ignore_case: true }),
        ("startswith", Self::StartsWith),
        ("isnull", Self::IsNull),
    ];

    /// The operator of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, operator)| operator)
    }

    /// Whether columns of this type have the operator.
    pub(crate) fn applies(self, column: &ColumnDescriptor) -> bool {
        match self {
            Self::Compare(Comparison::Eq | Comparison::Ne) | Self::In { .. } => column.kind.is_comparable(),
            Self::Compare(_) => column.kind.is_ordered(),
            Self::Like { .. } | Self::Contains { .. } | Self::StartsWith => column.kind.is_text(),
            Self::IsNull => column.nullable,
        }
    }

    /// The predicate of an operator on text: a pattern, or literal text that it finds.
    ///
    /// # Errors
    /// When the text is longer than [`MAX_PATTERN`], or has a NUL.
    pub(super) fn pattern(self, text: &str, column: usize) -> Result<Predicate, ColumnError> {
        scalar::plain_text(text)?;
        if text.chars().nth(MAX_PATTERN).is_some() {
            return Err(ColumnError::new(format!("must have at most {MAX_PATTERN} characters")));
        }
        let (pattern, ignore_case) = match self {
            Self::Contains { ignore_case } => (Pattern::contains(text), ignore_case),
            Self::StartsWith => (Pattern::starts_with(text), false),
            _ => (Pattern::like(text), self == Self::Like { ignore_case: true }),
        };
        Ok(Predicate::Like { column, pattern, ignore_case })
    }

    /// The names of the operators that a column has.
    pub(super) fn names(column: &ColumnDescriptor) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter(|(_, operator)| operator.applies(column)).map(|(name, _)| name)
    }
}
