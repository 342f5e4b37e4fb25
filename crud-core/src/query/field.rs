//! [`Field`]: typed conditions and sort keys, such as `Product::FIELDS.price.gt(10.0)`.

use std::marker::PhantomData;

use super::pattern::Pattern;
use super::predicate::{Comparison, InSubquery, Predicate};
use super::scope::Scope;
use super::select::{Condition, SortTerm};
use crate::model::column::{
    Column, ComparableColumn, IntoColumn, NullableColumn, OrderedColumn, TextColumn, ZoneColumn,
};
use crate::model::descriptor::SortKey;
use crate::model::problem::{FieldError, Problem};
use crate::model::resource::{HoldsKey, Resource};

/// A field of the resource `R`, of type `T`: `R::FIELDS` has one for each field.
///
/// An operator that the type lacks does not exist:
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Resource)]
/// struct Book { id: i64, title: String, pages: i32, isbn: Option<String> }
///
/// let long = Book::FIELDS.pages.gt(500).and(Book::FIELDS.title.like("The %"));
/// let query = long.order_by(Book::FIELDS.title.asc()).limit(5);
/// ```
///
/// ```compile_fail
/// # use crud_runtime::prelude::*;
/// # #[derive(Resource)]
/// # struct Book { id: i64, title: String, pages: i32 }
/// Book::FIELDS.pages.like("5%"); // `like` is for text
/// ```
pub struct Field<R, T> {
    column: usize,
    types: PhantomData<fn() -> (R, T)>,
}

/// Implements `Clone`, `Copy` and `Debug` for a type that wraps an index, whatever its type parameters are.
macro_rules! copied {
    ($($name:ident, $field:ident;)+) => { $(
        impl<R, S> Clone for $name<R, S> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<R, S> Copy for $name<R, S> {}

        impl<R, S> ::std::fmt::Debug for $name<R, S> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($name)).field(stringify!($field), &self.$field).finish()
            }
        }
    )+ };
}

pub(super) use copied;

copied! {
    Field, column;
}

impl<R, T> Field<R, T> {
    /// The field at this index of the descriptor's columns; called by expansions.
    #[doc(hidden)]
    pub const fn new(column: usize) -> Self {
        Self { column, types: PhantomData }
    }

    /// The index of a column that can be compared; called by expansions.
    #[doc(hidden)]
    pub const fn comparable(self) -> usize
    where
        T: ComparableColumn,
    {
        self.column
    }

    /// The index of a column of time zones; called by expansions.
    #[doc(hidden)]
    pub const fn zoned(self) -> usize
    where
        T: ZoneColumn,
    {
        self.column
    }

    /// The index of a column that holds keys of this type; called by expansions.
    #[doc(hidden)]
    pub const fn referring<K>(self) -> usize
    where
        T: HoldsKey<K>,
    {
        self.column
    }

    /// The index of a column in a reference to a composite key; called by expansions. The service checks the reference
    /// at its start.
    #[doc(hidden)]
    pub const fn referring_by(self) -> usize {
        self.column
    }

    /// The column's index.
    #[doc(hidden)]
    pub const fn column(self) -> usize {
        self.column
    }

    /// Small values first, nulls before them.
    pub fn asc(self) -> SortTerm<R>
    where
        T: ComparableColumn,
    {
        SortTerm::new(SortKey::ascending(self.column))
    }

    /// Large values first, nulls last.
    pub fn desc(self) -> SortTerm<R>
    where
        T: ComparableColumn,
    {
        SortTerm::new(SortKey::descending(self.column))
    }

    /// The value is null.
    pub fn is_null(self) -> Condition<R>
    where
        T: NullableColumn,
    {
        Condition::new(Predicate::IsNull { column: self.column, null: true })
    }

    /// The value is not null.
    pub fn is_not_null(self) -> Condition<R>
    where
        T: NullableColumn,
    {
        Condition::new(Predicate::IsNull { column: self.column, null: false })
    }
}

impl Problem {
    /// 422 `validation_failed` at a field of a body: a rule of the program's own that a value breaks. `code` is for
    /// programs, such as `stock`; `detail` continues the field's name, such as `is more than there is in stock`.
    ///
    /// ```
    /// use crud_runtime::error::Problem;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Line { id: i64, quantity: i32 }
    /// let problem = Problem::at(Line::FIELDS.quantity, "stock", "is more than there is in stock");
    /// assert_eq!(problem.detail(), "quantity: is more than there is in stock");
    /// ```
    pub fn at<R: Resource, T>(field: Field<R, T>, code: &'static str, detail: impl Into<String>) -> Self {
        Self::validation([FieldError::field(R::DESCRIPTOR.columns[field.column()].json, code, detail)])
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident: $operator:ident, $bound:ident;)+) => { $(
        $(#[$doc])*
        pub fn $name(self, value: impl IntoColumn<T>) -> Condition<R>
        where
            T: $bound,
        {
            self.compare(Comparison::$operator, value)
        }
    )+ };
}

impl<R, T: Column> Field<R, T> {
    comparisons! {
        /// The value is equal; `None` means null.
        eq: Eq, ComparableColumn;
        /// The value is different, and not null; `None` means not null.
        ne: Ne, ComparableColumn;
        /// The value is greater.
        gt: Gt, OrderedColumn;
        /// The value is greater or equal.
        gte: Gte, OrderedColumn;
        /// The value is less.
        lt: Lt, OrderedColumn;
        /// The value is less or equal.
        lte: Lte, OrderedColumn;
    }

    fn compare(self, operator: Comparison, value: impl IntoColumn<T>) -> Condition<R> {
        let value = value.into_column().into_value();
        let column = self.column;
        Condition::new(match (value.is_null(), operator) {
            (false, _) => Predicate::comparison(column, T::KIND, operator, value),
            (true, Comparison::Eq) => Predicate::IsNull { column, null: true },
            (true, Comparison::Ne) => Predicate::IsNull { column, null: false },
            // Nothing is greater or less than null.
            (true, _) => Predicate::Or(Vec::new()),
        })
    }

    /// The value is one of these.
    pub fn is_in<V: IntoColumn<T>>(self, values: impl IntoIterator<Item = V>) -> Condition<R>
    where
        T: ComparableColumn,
    {
        self.list_condition(false, values)
    }

    /// The value is none of these, and not null.
    pub fn not_in<V: IntoColumn<T>>(self, values: impl IntoIterator<Item = V>) -> Condition<R>
    where
        T: ComparableColumn,
    {
        self.list_condition(true, values)
    }

    /// The value equals a field of some record that satisfies a condition; soft-deleted records do not count. The
    /// database evaluates the subquery in the same statement.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Article { id: i64, author_id: i64 }
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Follow { id: i64, follower_id: i64, author_id: i64 }
    /// # async fn of(articles: Store<Article>) -> crud_runtime::Result<()> {
    /// let followed = Follow::FIELDS.follower_id.eq(7);
    /// let feed = articles.list(Article::FIELDS.author_id.in_subquery(Follow::FIELDS.author_id, followed)).await?;
    /// # let _ = feed; Ok(()) }
    /// ```
    pub fn in_subquery<S: Resource, U: IntoColumn<T>>(self, field: Field<S, U>, of: Condition<S>) -> Condition<R>
    where
        T: ComparableColumn,
    {
        let filter = Scope::Active.predicate(S::DESCRIPTOR).and(of.into_predicate());
        let select = InSubquery { columns: vec![(self.column, field.column)], resource: S::DESCRIPTOR, filter };
        Condition::new(Predicate::InSubquery(Box::new(select)))
    }

    fn list_condition<V: IntoColumn<T>>(self, negated: bool, values: impl IntoIterator<Item = V>) -> Condition<R> {
        let values = values.into_iter().map(|value| value.into_column().into_value()).filter(|value| !value.is_null());
        Condition::new(Predicate::In { column: self.column, negated, values: values.collect() })
    }

    /// The text matches a pattern in which `%` stands for any text; case is significant.
    pub fn like(self, pattern: impl Into<String>) -> Condition<R>
    where
        T: TextColumn,
    {
        self.matches(Pattern::like(&pattern.into()), false)
    }

    /// The text matches a pattern in which `%` stands for any text; case is ignored.
    pub fn ilike(self, pattern: impl Into<String>) -> Condition<R>
    where
        T: TextColumn,
    {
        self.matches(Pattern::like(&pattern.into()), true)
    }

    /// The text contains this one; case is significant, and `%` is a character like any other.
    pub fn contains(self, text: &str) -> Condition<R>
    where
        T: TextColumn,
    {
        self.matches(Pattern::contains(text), false)
    }

    /// The text contains this one; case is ignored, and `%` is a character like any other.
    pub fn icontains(self, text: &str) -> Condition<R>
    where
        T: TextColumn,
    {
        self.matches(Pattern::contains(text), true)
    }

    /// The text begins with this one; case is significant, and `%` is a character like any other.
    pub fn starts_with(self, text: &str) -> Condition<R>
    where
        T: TextColumn,
    {
        self.matches(Pattern::starts_with(text), false)
    }

    fn matches(self, pattern: Pattern, ignore_case: bool) -> Condition<R> {
        Condition::new(Predicate::Like { column: self.column, pattern, ignore_case })
    }
}
