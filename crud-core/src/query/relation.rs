//! [`ToOne`] and [`ToMany`]: typed conditions and sort keys on the records of a relation.

use std::marker::PhantomData;

use super::field::{Field, copied};
use super::predicate::{InSubquery, Predicate};
use super::scope::Scope;
use super::select::{Condition, SortTerm};
use crate::model::column::ComparableColumn;
use crate::model::descriptor::SortKey;
use crate::model::resource::Resource;

/// The record of `S` that a field of `R` refers to. `R::FIELDS` has a `ToOne` for each relation that requests use: by
/// `expand`, `relation(…)`, or a path such as `filter(author::name)`.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Author { id: i64, name: String }
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, pages: i32, #[crud(references(Author, expand))] author_id: Option<i64> }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Author>().resource::<Book>().migrate().await?;
/// let (authors, books) = (service.store::<Author>(), service.store::<Book>());
/// let eliot = authors.create(NewAuthor::new("Eliot")).await?;
/// books.create(NewBook::new(880).author_id(eliot.id)).await?;
/// books.create(NewBook::new(12)).await?;
/// let author = Book::FIELDS.author;
/// let by_eliot = author.is(Author::FIELDS.name.ilike("e%")).or(Book::FIELDS.pages.gt(1_000));
/// let found = books.list_with(by_eliot.order_by(author.asc(Author::FIELDS.name)), author).await?;
/// assert_eq!(found[0].1.as_ref().map(|author| &*author.name), Some("Eliot"));
/// # Ok(()) }
/// ```
pub struct ToOne<R, S> {
    column: usize,
    types: PhantomData<fn() -> (R, S)>,
}

impl<R, S> ToOne<R, S> {
    /// The relation of the column at this index; called by expansions.
    #[doc(hidden)]
    pub const fn new(column: usize) -> Self {
        Self { column, types: PhantomData }
    }

    /// The column that refers.
    #[doc(hidden)]
    pub const fn column(self) -> usize {
        self.column
    }
}

impl<R: Resource, S: Resource> ToOne<R, S> {
    /// The record that is referred to satisfies a condition and is not soft-deleted.
    pub fn is(self, condition: Condition<S>) -> Condition<R> {
        let resource = S::DESCRIPTOR;
        let reference = R::DESCRIPTOR.columns[self.column].references;
        let columns = reference.map_or_else(Vec::new, |reference| reference.pairs(self.column));
        let filter = Scope::Active.predicate(resource).and(condition.into_predicate());
        Condition::new(Predicate::InSubquery(Box::new(InSubquery { columns, resource, filter })))
    }

    /// Small values of a field of the other record first. A missing or soft-deleted record comes before them.
    ///
    /// On storage that cannot join, such as `MongoDB`, a list in this order is 422 `unsupported_here`.
    pub fn asc<T: ComparableColumn>(self, field: Field<S, T>) -> SortTerm<R> {
        self.sort(field.column(), false)
    }

    /// Large values of a field of the other record first. A missing or soft-deleted record comes last.
    ///
    /// On storage that cannot join, such as `MongoDB`, a list in this order is 422 `unsupported_here`.
    pub fn desc<T: ComparableColumn>(self, field: Field<S, T>) -> SortTerm<R> {
        self.sort(field.column(), true)
    }

    fn sort(self, column: usize, descending: bool) -> SortTerm<R> {
        SortTerm::joined(SortKey::new(column, descending), self.column, S::DESCRIPTOR)
    }
}

/// The records of `S` that refer to a record of `R`. `R::FIELDS` has a `ToMany` for each `has_many`.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(has_many(orders(Order::customer_id)))]
/// struct Customer { id: i64, name: String }
///
/// #[derive(Debug, Clone, Resource)]
/// struct Order { id: i64, open: bool, #[crud(references(Customer))] customer_id: i64 }
///
/// let waiting = Customer::FIELDS.orders.any(Order::FIELDS.open.eq(true));
/// let done = !waiting.clone();
/// ```
pub struct ToMany<R, S> {
    index: usize,
    types: PhantomData<fn() -> (R, S)>,
}

impl<R, S> ToMany<R, S> {
    /// The relation at this index of the descriptor's children; called by expansions.
    #[doc(hidden)]
    pub const fn new(index: usize) -> Self {
        Self { index, types: PhantomData }
    }
}

impl<R: Resource, S: Resource> ToMany<R, S> {
    /// One of the referring records satisfies a condition and is not soft-deleted.
    pub fn any(self, condition: Condition<S>) -> Condition<R> {
        let resource = S::DESCRIPTOR;
        let columns = R::DESCRIPTOR.children[self.index].pairs(R::DESCRIPTOR);
        let filter = Scope::Active.predicate(resource).and(condition.into_predicate());
        Condition::new(Predicate::InSubquery(Box::new(InSubquery { columns, resource, filter })))
    }
}

copied! {
    ToOne, column;
    ToMany, index;
}
