//! [`Aggregation`]: groups of records with sums, averages and extremes, by typed fields.

use std::fmt;
use std::marker::PhantomData;

use super::aggregate::{AggregateQuery, Bucket, Function, GroupKey, Measure};
use super::field::Field;
use super::predicate::Predicate;
use crate::model::column::{ComparableColumn, NumberColumn, OrderedColumn};

/// Groups of the records of `R`, and the values of each group, in this order.
///
/// ```
/// use crud_runtime::column::Value;
/// use crud_runtime::prelude::*;
/// use crud_runtime::query::{Aggregation, Group};
///
/// #[derive(Debug, Clone, Resource)]
/// struct Order { id: i64, status: String, price: i64 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Order>().migrate().await?;
/// let orders = service.store::<Order>();
/// orders.create(NewOrder::new("open", 5)).await?;
/// orders.create(NewOrder::new("open", 7)).await?;
/// let by_status = Aggregation::new().group_by(Order::FIELDS.status).sum(Order::FIELDS.price);
/// let groups = orders.aggregate(Select::all(), by_status).await?;
/// assert_eq!(groups, [Group::new(vec![Value::Text("open".to_owned())], 2, vec![Value::Int(12)])]);
/// # Ok(()) }
/// ```
pub struct Aggregation<R> {
    query: AggregateQuery,
    resource: PhantomData<fn() -> R>,
}

impl<R> Aggregation<R> {
    /// One group of all records.
    #[must_use]
    pub const fn new() -> Self {
        Self { query: AggregateQuery::new(Predicate::All, u64::MAX), resource: PhantomData }
    }

    /// Groups by the values of a field.
    #[must_use]
    pub fn group_by<T: ComparableColumn>(self, field: Field<R, T>) -> Self {
        self.with(|query| query.group_by(GroupKey::new(field.column())))
    }

    /// Groups by the spans that the times of a field are in: of UTC, or of the [time zone](Self::time_zone).
    #[must_use]
    pub fn group_by_time<T: OrderedColumn>(self, field: Field<R, T>, bucket: Bucket) -> Self {
        self.with(|query| query.group_by(GroupKey::by(field.column(), bucket)))
    }

    /// Sets the time zone of the spans, by its name in the IANA database, such as `Europe/Berlin`; this needs
    /// crud-runtime's feature `time-zones`. A store refuses an unknown name.
    #[must_use]
    pub fn time_zone(self, name: impl Into<String>) -> Self {
        self.with(|query| AggregateQuery { zone: Some(name.into()), ..query })
    }

    /// Adds the sum of a field.
    #[must_use]
    pub fn sum<T: NumberColumn>(self, field: Field<R, T>) -> Self {
        self.measure(Function::Sum, field.column())
    }

    /// Adds the average of a field.
    #[must_use]
    pub fn avg<T: NumberColumn>(self, field: Field<R, T>) -> Self {
        self.measure(Function::Avg, field.column())
    }

    /// Adds the least value of a field.
    #[must_use]
    pub fn min<T: OrderedColumn>(self, field: Field<R, T>) -> Self {
        self.measure(Function::Min, field.column())
    }

    /// Adds the greatest value of a field.
    #[must_use]
    pub fn max<T: OrderedColumn>(self, field: Field<R, T>) -> Self {
        self.measure(Function::Max, field.column())
    }

    fn measure(self, function: Function, column: usize) -> Self {
        self.with(|query| query.measure(Measure::new(function, column)))
    }

    fn with(self, change: impl FnOnce(AggregateQuery) -> AggregateQuery) -> Self {
        Self { query: change(self.query), resource: PhantomData }
    }

    /// The query for storage, over every record.
    #[doc(hidden)]
    #[must_use]
    pub fn into_query(self) -> AggregateQuery {
        self.query
    }
}

impl<R> Default for Aggregation<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Clone for Aggregation<R> {
    fn clone(&self) -> Self {
        Self { query: self.query.clone(), resource: PhantomData }
    }
}

impl<R> fmt::Debug for Aggregation<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Aggregation").field(&self.query).finish()
    }
}
