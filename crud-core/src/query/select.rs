//! [`Select`]: a typed query, whose fields the compiler checks.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Not;

use super::joined::JoinedColumn;
use super::list::{ListQuery, total_order};
use super::predicate::Predicate;
use super::scope::Scope;
use super::search_terms::SearchTerms;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::resource::{Resource, Searchable};

/// A condition on records of `R`.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Book { id: i64, year: i32, is_lent: bool }
/// # async fn of(books: Store<Book>) -> crud_runtime::Result<()> {
/// let lent = Book::FIELDS.year.lt(1950).and(Book::FIELDS.is_lent.eq(true));
/// let others = books.count(!lent.clone()).await?;
/// let first = books.first(lent.order_by(Book::FIELDS.year.asc())).await?;
/// # let _ = (others, first); Ok(()) }
/// ```
#[must_use = "a condition selects nothing by itself: pass it to a `Store`"]
pub struct Condition<R> {
    predicate: Predicate,
    resource: PhantomData<fn() -> R>,
}

impl<R> Condition<R> {
    pub(super) fn new(predicate: Predicate) -> Self {
        Self { predicate, resource: PhantomData }
    }

    /// Every record.
    pub fn all() -> Self {
        Self::new(Predicate::All)
    }

    /// Both conditions hold.
    pub fn and(self, other: Self) -> Self {
        Self::new(self.predicate.and(other.predicate))
    }

    /// One of the conditions holds.
    pub fn or(self, other: Self) -> Self {
        Self::new(self.predicate.or(other.predicate))
    }

    /// The condition without its type.
    pub fn into_predicate(self) -> Predicate {
        self.predicate
    }
}

/// A condition on the records that a call changes: a [`Condition`], not a [`Select`], because changes have no order or
/// limit.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Book { id: i64, is_lent: bool }
/// # async fn of(books: Store<Book>) -> crud_runtime::Result<()> {
/// use crud_runtime::query::Condition;
///
/// books.delete_where(Book::FIELDS.is_lent.eq(false)).await?;
/// // Every record.
/// books.delete_where(Condition::all()).await?;
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a condition on the records to change, found `{Self}`",
    label = "expected a condition, such as `Book::FIELDS.year.lt(1950)`",
    note = "to change every record, pass `crud_runtime::query::Condition::all()`"
)]
pub trait IntoCondition<R> {
    /// The condition.
    fn into_condition(self) -> Condition<R>;
}

#[diagnostic::do_not_recommend]
impl<R> IntoCondition<R> for Condition<R> {
    fn into_condition(self) -> Self {
        self
    }
}

impl<R> Not for Condition<R> {
    type Output = Self;

    /// The condition does not hold. For null, neither a comparison nor its negation holds.
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
    /// The records that satisfy the condition, in this order.
    pub fn order_by(self, term: SortTerm<R>) -> Select<R> {
        Select::from(self).order_by(term)
    }

    /// The records that satisfy the condition and hold the words of a text; see [`Select::search`].
    pub fn search(self, text: &str) -> Select<R>
    where
        R: Searchable,
    {
        Select::from(self).search(text)
    }

    /// At most this many of the records that satisfy the condition.
    pub fn limit(self, limit: u64) -> Select<R> {
        Select::from(self).limit(limit)
    }

    /// The records that satisfy the condition, without the first ones.
    pub fn offset(self, offset: u64) -> Select<R> {
        Select::from(self).offset(offset)
    }

    /// The records that satisfy the condition, soft-deleted ones included.
    pub fn include_deleted(self) -> Select<R> {
        Select::from(self).include_deleted()
    }

    /// The soft-deleted records that satisfy the condition.
    pub fn only_deleted(self) -> Select<R> {
        Select::from(self).only_deleted()
    }
}

/// A key of an order over records of `R`.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Book { id: i64, title: String, year: i32 }
/// # async fn of(books: Store<Book>) -> crud_runtime::Result<()> {
/// let newest = Book::FIELDS.year.desc();
/// let list = books.list(Select::all().order_by(newest).order_by(Book::FIELDS.title.asc())).await?;
/// # let _ = list; Ok(()) }
/// ```
#[must_use = "a sort term orders nothing by itself"]
pub struct SortTerm<R> {
    key: SortKey,
    /// For a key of a referred record, the column that refers to that record, and its resource.
    of: Option<(usize, &'static Descriptor)>,
    resource: PhantomData<fn() -> R>,
}

impl<R> SortTerm<R> {
    pub(super) const fn new(key: SortKey) -> Self {
        Self { key, of: None, resource: PhantomData }
    }

    /// A sort key on the record that a column refers to.
    pub(super) const fn joined(key: SortKey, reference: usize, resource: &'static Descriptor) -> Self {
        Self { key, of: Some((reference, resource)), resource: PhantomData }
    }
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

/// A typed query for records of `R`: a condition, an order, a page.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Book { id: i64, title: String, year: i32 }
/// # async fn of(books: Store<Book>) -> crud_runtime::Result<()> {
/// let (title, year) = (Book::FIELDS.title, Book::FIELDS.year);
/// let query = Select::all().filter(year.gte(1900)).order_by(title.asc()).limit(20).offset(40);
/// let page = books.page(query).await?;
/// # let _ = page; Ok(()) }
/// ```
#[must_use = "a query does nothing by itself: pass it to a `Store`"]
pub struct Select<R> {
    filter: Predicate,
    sort: Vec<SortKey>,
    joined: Vec<JoinedColumn>,
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
            .field("joined", &self.joined)
            .field("skip", &self.skip)
            .field("limit", &self.limit)
            .field("scope", &self.scope)
            .finish()
    }
}

impl<R> Clone for Select<R> {
    fn clone(&self) -> Self {
        let Self { filter, sort, joined, skip, limit, scope, resource } = self;
        let (filter, sort, joined) = (filter.clone(), sort.clone(), joined.clone());
        Self { filter, sort, joined, skip: *skip, limit: *limit, scope: *scope, resource: *resource }
    }
}

impl<R: Resource> Select<R> {
    /// Every record, in the resource's default order. With soft delete: the active ones, unless the resource
    /// includes deleted ones by default.
    pub fn all() -> Self {
        Self {
            filter: Predicate::All,
            sort: Vec::new(),
            joined: Vec::new(),
            skip: 0,
            limit: None,
            scope: None,
            resource: PhantomData,
        }
    }

    /// The query of a request, whose condition says which deleted records are included.
    #[doc(hidden)]
    pub fn requested(query: ListQuery) -> Self {
        let ListQuery { filter, sort, joined, skip, limit, .. } = query;
        Self { filter, sort, joined, skip, limit, scope: Some(Scope::All), resource: PhantomData }
    }

    /// Includes soft-deleted records.
    pub fn include_deleted(self) -> Self {
        Self { scope: Some(Scope::All), ..self }
    }

    /// Returns soft-deleted records only.
    pub fn only_deleted(self) -> Self {
        Self { scope: Some(Scope::Deleted), ..self }
    }

    /// Adds a condition: records must satisfy it too. `None` adds none, for parameters that may be absent.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64, title: String, year: i32 }
    /// # async fn of(books: Store<Book>, since: Option<i32>, title: Option<String>) -> crud_runtime::Result<()> {
    /// let fields = Book::FIELDS;
    /// let query = Select::all()
    ///     .filter(since.map(|year| fields.year.gte(year)))
    ///     .filter(title.map(|title| fields.title.icontains(&title)));
    /// # books.list(query).await?; Ok(()) }
    /// ```
    pub fn filter(mut self, condition: impl Into<Option<Condition<R>>>) -> Self {
        if let Some(condition) = condition.into() {
            self.filter = self.filter.and(condition.predicate);
        }
        self
    }

    /// Adds a full-text search: the fields of `#[crud(search(…))]` must hold each word of the text, the last one at
    /// least as the beginning of a word. A text without a word finds no record.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use crud_runtime::query::Select;
    /// # #[derive(Debug, Clone, Resource)]
    /// #[crud(search(title, summary))]
    /// struct Book { id: i64, title: String, summary: String, year: i32 }
    ///
    /// # async fn of(books: Store<Book>) -> crud_runtime::Result<()> {
    /// let found = books.list(Select::all().search("old man sea")).await?;
    /// let newer = books.list(Book::FIELDS.year.gt(1950).search("old man").limit(5)).await?;
    /// # let _ = (found, newer); Ok(()) }
    /// ```
    pub fn search(mut self, text: &str) -> Self
    where
        R: Searchable,
    {
        let found = R::DESCRIPTOR.search.zip(SearchTerms::of(text));
        let found = found.map_or(Predicate::Or(Vec::new()), |(search, words)| Predicate::Search { search, words });
        self.filter = self.filter.and(found);
        self
    }

    /// Appends a key to the order.
    pub fn order_by(mut self, term: SortTerm<R>) -> Self {
        let mut key = term.key;
        if let Some((reference, resource)) = term.of {
            let column = JoinedColumn::new(reference, resource, key.column, Scope::Active.predicate(resource));
            let known = self.joined.iter().position(|known| *known == column);
            let index = known.unwrap_or_else(|| {
                self.joined.push(column);
                self.joined.len() - 1
            });
            key.column = R::DESCRIPTOR.columns.len() + index;
        }
        self.sort.push(key);
        self
    }

    /// Sets how many records to return at most.
    pub fn limit(self, limit: u64) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Sets how many records to skip.
    pub fn offset(self, offset: u64) -> Self {
        Self { skip: offset, ..self }
    }

    /// The query without its type.
    pub fn into_list_query(self) -> ListQuery {
        let resource = R::DESCRIPTOR;
        let keys = if self.sort.is_empty() { resource.default_sort.to_vec() } else { self.sort };
        ListQuery {
            filter: self.scope.unwrap_or_else(|| Scope::default_of(resource)).predicate(resource).and(self.filter),
            sort: total_order(resource, keys),
            joined: self.joined,
            limit_per: None,
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

impl<R: Resource> From<SortTerm<R>> for Select<R> {
    fn from(term: SortTerm<R>) -> Self {
        Self::all().order_by(term)
    }
}
