//! [`Operator`]: the operators of filters. A new operator is a row of [`Operator::ALL`], and a name in
//! `crud_shared::list::OPERATORS`, which the derive reserves.

use crate::model::descriptor::ColumnDescriptor;
use crate::query::Comparison;

/// The operator of a filter, as in `<field>__<operator>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `eq`, `ne`, `gt`, `gte`, `lt`, `lte`; a `<field>` alone is `eq`.
    Compare(Comparison),
    /// `in`, `nin`.
    In { negated: bool },
    /// `like`, `ilike`.
    Like { ignore_case: bool },
    /// `isnull`.
    IsNull,
}

impl Operator {
    /// Every operator with its name.
    pub(crate) const ALL: [(&'static str, Self); 11] = [
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
            Self::Like { .. } => column.kind.is_text(),
            Self::IsNull => column.nullable,
        }
    }

    /// The names of the operators that a column has.
    pub(super) fn names(column: &ColumnDescriptor) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter(|(_, operator)| operator.applies(column)).map(|(name, _)| name)
    }
}
