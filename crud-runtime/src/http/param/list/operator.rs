//! [`Operator`]: the operators of filters. A new operator is a row of [`Operator::ALL`], and a name in
//! `crud_shared::list::OPERATORS`, which the derive reserves.

use super::value_list::MAX_LIST;
use crate::http::description::json_schema::Schema;
use crate::http::description::value_schema::{component_name, kind_name, value_schema};
use crate::http::description::wording::sentence;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::scalar;
use crate::model::value::Kind;
use crate::query::{Comparison, Pattern, Predicate};

/// Maximum number of characters in the text of `__like`, `__contains` and the like.
const MAX_PATTERN: usize = 1_000;

/// A value of a comma-separated list of texts: bare, or in double quotes, which are doubled inside.
const LISTED_TEXT: &str = r#"^([^\u0000",][^\u0000,]*|"([^\u0000"]|"")*")?$"#;

/// The phrase for the operator `on` in the document.
const ON: &str = if cfg!(feature = "time-zones") {
    "is on the day: of the record's time zone or of UTC, or as in `2026-11-28[Europe/Berlin]` of another one"
} else {
    "is on the day of UTC"
};

/// A day, with a time zone where the service knows them.
const DAY: &str = if cfg!(feature = "time-zones") {
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(\[[A-Za-z0-9_+/-]+\])?$"
} else {
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
};

/// The operator of a filter, as in `<field>__<operator>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
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
    /// `on`: the day of a time.
    On,
}

impl Operator {
    /// Every operator with its name and a phrase for the document: what it requires of the field.
    pub(super) const ALL: [(&'static str, Self, &'static str); 15] = [
        ("eq", Self::Compare(Comparison::Eq), "equals the value"),
        ("ne", Self::Compare(Comparison::Ne), "differs from the value, and is not null"),
        ("gt", Self::Compare(Comparison::Gt), "is greater than the value"),
        ("gte", Self::Compare(Comparison::Gte), "is greater than the value or equal to it"),
        ("lt", Self::Compare(Comparison::Lt), "is less than the value"),
        ("lte", Self::Compare(Comparison::Lte), "is less than the value or equal to it"),
        ("in", Self::In { negated: false }, "is one of the values"),
        ("nin", Self::In { negated: true }, "is not one of the values, and is not null"),
        ("like", Self::Like { ignore_case: false }, "matches the pattern, case-sensitively; `%` matches any text"),
        ("ilike", Self::Like { ignore_case: true }, "matches the pattern, case-insensitively; `%` matches any text"),
        ("contains", Self::Contains { ignore_case: false }, "contains the text, case-sensitively"),
        ("icontains", Self::Contains { ignore_case: true }, "contains the text, case-insensitively"),
        ("startswith", Self::StartsWith, "begins with the text, case-sensitively"),
        ("isnull", Self::IsNull, "is null, or with `false` is not"),
        ("on", Self::On, ON),
    ];

    /// The operator of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, ..)| *known == name).map(|(_, operator, _)| operator)
    }

    /// Whether columns of this type have the operator.
    pub(super) fn applies(self, column: &ColumnDescriptor) -> bool {
        match self {
            Self::Compare(Comparison::Eq | Comparison::Ne) | Self::In { .. } => column.kind.is_comparable(),
            Self::Compare(_) => column.is_ordered(),
            Self::Like { .. } | Self::Contains { .. } | Self::StartsWith => column.kind.is_text(),
            Self::IsNull => column.nullable,
            Self::On => matches!(column.kind, Kind::DateTime | Kind::NaiveDateTime),
        }
    }

    /// The predicate of an operator on text: a pattern, or literal text.
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
        Self::ALL.into_iter().filter(|(_, operator, _)| operator.applies(column)).map(|(name, ..)| name)
    }

    /// The sentence in the document about a filter with this operator.
    pub(super) fn sentence(self) -> String {
        let found = Self::ALL.into_iter().find(|(_, operator, _)| *operator == self);
        format!("{}.", sentence(found.map_or("", |(_, _, predicate)| predicate)))
    }

    /// The schema of a filter's value. Filters of many fields have equal schemas: those that are larger than a
    /// reference are in the components.
    pub(super) fn schema(self, column: &ColumnDescriptor, place: ValuePlace) -> Schema {
        let value = value_schema(column);
        let (use_of, schema) = match self {
            Self::Compare(_) => ("", value),
            Self::Like { .. } | Self::Contains { .. } | Self::StartsWith => {
                ("Pattern", value.with("maxLength", MAX_PATTERN))
            }
            Self::In { .. } => {
                let is_quoted = column.kind == Kind::Text && place == ValuePlace::Query;
                let item = if is_quoted { value.with("pattern", LISTED_TEXT) } else { value };
                let use_of = if is_quoted { "InQuoted" } else { "In" };
                (use_of, Schema::array(item).with("minItems", 1).with("maxItems", MAX_LIST))
            }
            Self::IsNull => return Schema::boolean(),
            Self::On => {
                ("Day", Schema::text().with("pattern", DAY).with("examples", serde_json::json!(["2026-11-28"])))
            }
        };
        match kind_name(column) {
            Some(kind) => Schema::named(&format!("Filter{use_of}{kind}"), schema),
            None => schema,
        }
    }

    /// The name of a filter in the components, such as `price__gt.Double`: filters of one name and kind are equal in
    /// all resources. `None` where a component cannot have the name, or where the values are specific to the column.
    pub(super) fn component(self, filter: &str, column: &ColumnDescriptor) -> Option<String> {
        let kind = match (self, column.kind) {
            (Self::IsNull, _) | (_, Kind::Bool) => Some("Boolean".to_owned()),
            _ => kind_name(column),
        };
        component_name(&[filter, &kind?])
    }
}

/// The place of a filter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValuePlace {
    /// A query string, where texts of a list are quoted.
    Query,
    /// A condition in JSON.
    Json,
}
