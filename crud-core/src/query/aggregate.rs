//! [`AggregateQuery`]: the query for groups of records with sums, averages and extremes, as storage gets it.

use chrono::{Datelike, NaiveDateTime, NaiveTime, Timelike};

use super::offsets::Offsets;
use super::predicate::Predicate;
use crate::model::column::Column;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Kind, Value};

/// Groups of the records that satisfy a condition, checked against the descriptor.
///
/// ```
/// use crud_runtime::query::{AggregateQuery, Function, GroupKey, Measure, Predicate};
///
/// /// The number of records and the sum of the fourth column, for each value of the second.
/// fn by_status() -> AggregateQuery {
///     AggregateQuery::new(Predicate::All, 1_001).group_by(GroupKey::new(1)).measure(Measure::new(Function::Sum, 3))
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AggregateQuery {
    /// The condition on the records.
    pub filter: Predicate,
    /// The keys of a group, by which groups are ordered. Without a key, all records are one group, even if there are
    /// none.
    pub group_by: Vec<GroupKey>,
    /// The values of a group beside the number of its records.
    pub measures: Vec<Measure>,
    /// Maximum number of groups.
    pub limit: u64,
    /// The time zone of the spans, such as `Europe/Berlin`; UTC without it. The service turns the name into `offsets`.
    pub zone: Option<String>,
    /// The offsets of that time zone during the times of the records.
    pub offsets: Offsets,
}

impl AggregateQuery {
    /// One group of the records that satisfy a condition; once keys are added, at most this many groups.
    #[must_use]
    pub const fn new(filter: Predicate, limit: u64) -> Self {
        Self { filter, group_by: Vec::new(), measures: Vec::new(), limit, zone: None, offsets: Offsets::new(0) }
    }

    /// Adds a key.
    #[must_use]
    pub fn group_by(mut self, key: GroupKey) -> Self {
        self.group_by.push(key);
        self
    }

    /// Adds a value of each group.
    #[must_use]
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measures.push(measure);
        self
    }
}

/// A key of groups: a column, or the time span that its value is in.
///
/// ```
/// use crud_runtime::query::{Bucket, GroupKey};
///
/// let by_status = GroupKey::new(1); // the second column
/// let by_month = GroupKey::by(2, Bucket::Month);
/// assert_eq!((by_status.bucket, by_month.bucket), (None, Some(Bucket::Month)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupKey {
    /// The column.
    pub column: usize,
    /// The span, for a column of times.
    pub bucket: Option<Bucket>,
}

impl GroupKey {
    /// A key of a column's values.
    #[must_use]
    pub const fn new(column: usize) -> Self {
        Self { column, bucket: None }
    }

    /// A key of the spans that a column's values are in.
    #[must_use]
    pub const fn by(column: usize, bucket: Bucket) -> Self {
        Self { column, bucket: Some(bucket) }
    }

    /// The column that describes the key's values; for a span, a column of text.
    #[doc(hidden)]
    #[must_use]
    pub const fn values_of(self, resource: &Descriptor) -> ColumnDescriptor {
        let column = resource.columns[self.column];
        match self.bucket {
            None => column,
            Some(_) => ColumnDescriptor {
                nullable: column.nullable,
                ..<String as Column>::TYPE.column(column.json, column.key).json(column.json)
            },
        }
    }
}

/// A span of time, in the text of ISO 8601: `2026`, `2026-11`, `2026-W45`, `2026-11-05`, `2026-11-05T14`. Spans are in
/// UTC, or in the time zone of the aggregate; values without a zone are taken as they are. Where clocks are set back,
/// the hour that they show twice is one span.
///
/// ```
/// use crud_runtime::prelude::*;
/// use crud_runtime::query::{Aggregation, Bucket};
///
/// #[derive(Debug, Clone, Resource)]
/// struct Order { id: i64, price: i64, ordered_at: DateTime<Utc> }
///
/// /// The sales of each month.
/// fn by_month() -> Aggregation<Order> {
///     Aggregation::new().group_by_time(Order::FIELDS.ordered_at, Bucket::Month).sum(Order::FIELDS.price)
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a database that leaves a span out does not compile")]
pub enum Bucket {
    /// A year.
    Year,
    /// A month.
    Month,
    /// A week from Monday to Sunday. A week around New Year belongs to the year with more of its days.
    Week,
    /// A day.
    Day,
    /// An hour.
    Hour,
}

impl Bucket {
    /// Every span, with its name.
    pub const ALL: [(&'static str, Self); 5] =
        [("year", Self::Year), ("month", Self::Month), ("week", Self::Week), ("day", Self::Day), ("hour", Self::Hour)];

    /// Whether a column's values can be in such spans: times, unless another program's format spells them.
    #[must_use]
    pub const fn is_of(self, column: &ColumnDescriptor) -> bool {
        match column.kind {
            _ if column.format.is_some() => false,
            Kind::DateTime | Kind::NaiveDateTime => true,
            Kind::Date => !matches!(self, Self::Hour),
            _ => false,
        }
    }

    /// The span that a value is in.
    #[doc(hidden)]
    #[must_use]
    pub fn of(self, value: &Value, offsets: &Offsets) -> Value {
        let text = match value {
            Value::DateTime(time) => self.text(offsets.local(*time)),
            Value::NaiveDateTime(time) => self.text(*time),
            Value::Date(date) => self.text(date.and_time(NaiveTime::MIN)),
            _ => return Value::Null,
        };
        Value::Text(text)
    }

    fn text(self, time: NaiveDateTime) -> String {
        let (year, month, day) = (time.year(), time.month(), time.day());
        match self {
            Self::Year => format!("{year:04}"),
            Self::Month => format!("{year:04}-{month:02}"),
            Self::Week => {
                let week = time.iso_week();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Self::Day => format!("{year:04}-{month:02}-{day:02}"),
            Self::Hour => format!("{year:04}-{month:02}-{day:02}T{:02}", time.hour()),
        }
    }
}

/// A value of a group: a function over a column's values.
///
/// ```
/// use crud_runtime::query::{Function, Measure};
///
/// let sales = Measure::new(Function::Sum, 3); // of the fourth column
/// assert_eq!((sales.function, sales.column), (Function::Sum, 3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measure {
    /// The function.
    pub function: Function,
    /// The column.
    pub column: usize,
}

impl Measure {
    /// A function over a column.
    #[must_use]
    pub const fn new(function: Function, column: usize) -> Self {
        Self { function, column }
    }

    /// The column that describes the function's results: `i64` for a sum of integers, `f64` for an average or a sum of
    /// floats.
    #[doc(hidden)]
    #[must_use]
    pub const fn values_of(self, resource: &Descriptor) -> ColumnDescriptor {
        let column = resource.columns[self.column];
        let kind = match (self.function, column.kind) {
            (Function::Avg, _) | (Function::Sum, Kind::F32 | Kind::F64) => Kind::F64,
            (Function::Sum, kind) if kind.integer_range().is_some() => Kind::I64,
            (_, kind) => kind,
        };
        match self.function {
            Function::Sum | Function::Avg => {
                ColumnDescriptor { kind, nullable: true, format: None, sql_type: None, ..column }
            }
            Function::Min | Function::Max => ColumnDescriptor { nullable: true, ..column },
        }
    }
}

/// A function over the values of a group that are not null. The result is null where every value is null.
///
/// ```
/// use crud_runtime::prelude::*;
/// use crud_runtime::query::Function;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Order { id: i64, status: String, price: i64 }
///
/// let columns = Order::DESCRIPTOR.columns;
/// assert!(Function::Max.is_of(&columns[1]) && !Function::Sum.is_of(&columns[1]), "a text has an order, and no sum");
/// assert!(Function::Sum.is_of(&columns[2]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a database that leaves a function out does not compile")]
pub enum Function {
    /// The sum.
    Sum,
    /// The average.
    Avg,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
}

impl Function {
    /// Every function, with its name.
    pub const ALL: [(&'static str, Self); 4] =
        [("sum", Self::Sum), ("avg", Self::Avg), ("min", Self::Min), ("max", Self::Max)];

    /// Whether the function applies to a column: sums and averages need numbers.
    #[must_use]
    pub const fn is_of(self, column: &ColumnDescriptor) -> bool {
        match self {
            Self::Sum | Self::Avg => column.kind.is_number(),
            Self::Min | Self::Max => column.kind.is_ordered(),
        }
    }
}

/// A group.
///
/// ```
/// use crud_runtime::column::Value;
/// use crud_runtime::query::Group;
///
/// /// A line of a report.
/// fn line(group: &Group) -> String {
///     match (group.keys.as_slice(), group.measures.as_slice()) {
///         ([Value::Text(status)], [Value::Int(sales)]) => format!("{status}: {} orders for {sales}", group.count),
///         _ => format!("{} orders", group.count),
///     }
/// }
///
/// let group = Group::new(vec![Value::Text("open".to_owned())], 2, vec![Value::Int(12)]);
/// assert_eq!(line(&group), "open: 2 orders for 12");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// The values of the group's keys.
    pub keys: Vec<Value>,
    /// The number of the group's records.
    pub count: u64,
    /// The results of the functions.
    pub measures: Vec<Value>,
}

impl Group {
    /// A group of `count` records.
    #[must_use]
    pub const fn new(keys: Vec<Value>, count: u64, measures: Vec<Value>) -> Self {
        Self { keys, count, measures }
    }
}
