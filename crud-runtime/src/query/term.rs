//! Typed query terms: `Product::FIELDS.price.gt(10.0)`, checked by the compiler.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Not;

use super::{Comparison, ListQuery, Predicate, Scope, total_order};
use crate::model::column::{Column, ComparableColumn, IntoColumn, NullableColumn, OrderedColumn, TextColumn};
use crate::model::descriptor::SortKey;
use crate::model::resource::Resource;

/// A field of the resource `R`, of type `T`. The derive puts one for each field into `R::FIELDS`.
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
/// let query = long.sort(Book::FIELDS.title.asc()).limit(5);
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

impl<R, T> Clone for Field<R, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, T> Copy for Field<R, T> {}

impl<R, T> fmt::Debug for Field<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field").field("column", &self.column).finish()
    }
}

impl<R, T> Field<R, T> {
    /// The field at this index of the descriptor's columns; the derive's to call.
    #[doc(hidden)]
    pub const fn new(column: usize) -> Self {
        Self { column, types: PhantomData }
    }

    /// Small values first, nulls before them.
    pub fn asc(self) -> SortTerm<R>
    where
        T: ComparableColumn,
    {
        SortTerm { key: SortKey::ascending(self.column), resource: PhantomData }
    }

    /// Large values first, nulls last.
    pub fn desc(self) -> SortTerm<R>
    where
        T: ComparableColumn,
    {
        SortTerm { key: SortKey::descending(self.column), resource: PhantomData }
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
        /// The value is equal; with `None`, that it is null.
        eq: Eq, ComparableColumn;
        /// The value is another, and not null; with `None`, that it is not null.
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
            (false, _) => Predicate::Compare { column, operator, value },
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
        self.list(false, values)
    }

    /// The value is none of these, and not null.
    pub fn not_in<V: IntoColumn<T>>(self, values: impl IntoIterator<Item = V>) -> Condition<R>
    where
        T: ComparableColumn,
    {
        self.list(true, values)
    }

    fn list<V: IntoColumn<T>>(self, negated: bool, values: impl IntoIterator<Item = V>) -> Condition<R> {
        let values = values.into_iter().map(|value| value.into_column().into_value()).filter(|value| !value.is_null());
        Condition::new(Predicate::In { column: self.column, negated, values: values.collect() })
    }

    /// The text matches a pattern in which `%` stands for any text; case counts.
    pub fn like(self, pattern: impl Into<String>) -> Condition<R>
    where
        T: TextColumn,
    {
        Condition::new(Predicate::Like { column: self.column, pattern: pattern.into(), ignore_case: false })
    }

    /// The text matches a pattern in which `%` stands for any text; case does not count.
    pub fn ilike(self, pattern: impl Into<String>) -> Condition<R>
    where
        T: TextColumn,
    {
        Condition::new(Predicate::Like { column: self.column, pattern: pattern.into(), ignore_case: true })
    }
}

/// A condition on records of `R`.
#[must_use = "a condition selects nothing by itself: hand it to a `Store`"]
pub struct Condition<R> {
    predicate: Predicate,
    resource: PhantomData<fn() -> R>,
}

impl<R> Condition<R> {
    fn new(predicate: Predicate) -> Self {
        Self { predicate, resource: PhantomData }
    }

    /// Both hold.
    pub fn and(self, other: Self) -> Self {
        Self::new(self.predicate.and(other.predicate))
    }

    /// One of them holds.
    pub fn or(self, other: Self) -> Self {
        Self::new(self.predicate.or(other.predicate))
    }

    /// The condition without its type.
    pub fn into_predicate(self) -> Predicate {
        self.predicate
    }
}

impl<R> Not for Condition<R> {
    type Output = Self;

    /// It does not hold. What compares with null holds neither this way nor that.
    fn not(self) -> Self {
        Self::new(Predicate::Not(Box::new(self.predicate)))
    }
}

impl<R> Clone for Condition<R> {
    fn clone(&self) -> Self {
        Self::new(self.predicate.clone())
    }
}

impl<R> fmt::Debug for Condition<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.predicate.fmt(f)
    }
}

impl<R: Resource> Condition<R> {
    /// The records that satisfy it, in this order.
    pub fn sort(self, term: SortTerm<R>) -> Select<R> {
        Select::from(self).sort(term)
    }

    /// So many of the records that satisfy it, at most.
    pub fn limit(self, limit: u64) -> Select<R> {
        Select::from(self).limit(limit)
    }

    /// The records that satisfy it but so many.
    pub fn skip(self, skip: u64) -> Select<R> {
        Select::from(self).skip(skip)
    }

    /// The records that satisfy it, soft-deleted ones too.
    pub fn include_deleted(self) -> Select<R> {
        Select::from(self).include_deleted()
    }

    /// The soft-deleted records that satisfy it.
    pub fn only_deleted(self) -> Select<R> {
        Select::from(self).only_deleted()
    }
}

/// A key of an order over records of `R`.
#[must_use = "a sort term orders nothing by itself"]
pub struct SortTerm<R> {
    key: SortKey,
    resource: PhantomData<fn() -> R>,
}

impl<R> Clone for SortTerm<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for SortTerm<R> {}

impl<R> fmt::Debug for SortTerm<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}

/// A whole query for records of `R`: a condition, an order, a page.
#[must_use = "a query does nothing by itself: hand it to a `Store`"]
pub struct Select<R> {
    filter: Predicate,
    sort: Vec<SortKey>,
    skip: u64,
    limit: Option<u64>,
    scope: Option<Scope>,
    resource: PhantomData<fn() -> R>,
}

impl<R> fmt::Debug for Select<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Select")
            .field("filter", &self.filter)
            .field("sort", &self.sort)
            .field("skip", &self.skip)
            .field("limit", &self.limit)
            .field("scope", &self.scope)
            .finish()
    }
}

impl<R> Clone for Select<R> {
    fn clone(&self) -> Self {
        let Self { filter, sort, skip, limit, scope, resource } = self;
        let (filter, sort) = (filter.clone(), sort.clone());
        Self { filter, sort, skip: *skip, limit: *limit, scope: *scope, resource: *resource }
    }
}

impl<R: Resource> Select<R> {
    /// Every record, in the resource's default order; of those that can be soft-deleted the active ones,
    /// unless the resource includes the others by default.
    pub fn all() -> Self {
        Self { filter: Predicate::All, sort: Vec::new(), skip: 0, limit: None, scope: None, resource: PhantomData }
    }

    /// Soft-deleted records too.
    pub fn include_deleted(mut self) -> Self {
        self.scope = Some(Scope::All);
        self
    }

    /// Soft-deleted records alone.
    pub fn only_deleted(mut self) -> Self {
        self.scope = Some(Scope::Deleted);
        self
    }

    /// Only the records that satisfy this too.
    pub fn filter(mut self, condition: Condition<R>) -> Self {
        self.filter = self.filter.and(condition.predicate);
        self
    }

    /// One more key of the order.
    pub fn sort(mut self, term: SortTerm<R>) -> Self {
        self.sort.push(term.key);
        self
    }

    /// So many records at most.
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Passes over so many records.
    pub fn skip(mut self, skip: u64) -> Self {
        self.skip = skip;
        self
    }

    /// The query without its type.
    pub fn into_list_query(self) -> ListQuery {
        let resource = R::DESCRIPTOR;
        let keys = if self.sort.is_empty() { resource.default_sort.to_vec() } else { self.sort };
        ListQuery {
            filter: self.scope.unwrap_or_else(|| Scope::default_of(resource)).predicate(resource).and(self.filter),
            sort: total_order(resource, keys),
            skip: self.skip,
            limit: self.limit,
            after: None,
        }
    }
}

impl<R: Resource> From<Condition<R>> for Select<R> {
    fn from(condition: Condition<R>) -> Self {
        Self { filter: condition.predicate, ..Self::all() }
    }
}
