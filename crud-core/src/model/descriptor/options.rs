//! The options of a resource: order, pages, indexes, search, soft delete, batches, idempotency keys, audit log, owner,
//! tenant.

use std::time::Duration;

use super::{Descriptor, Uniqueness};
use crate::model::access::Access;
use crate::model::setters::setters;

/// A sort key: a column and a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SortKey {
    /// The column's index; in a [`ListQuery`](crate::query::ListQuery), an index past the resource's own columns is
    /// that of a [joined](crate::query::ListQuery::joined) column.
    pub column: usize,
    /// Whether large values come first.
    pub descending: bool,
}

impl SortKey {
    /// A key in this direction.
    pub const fn new(column: usize, descending: bool) -> Self {
        Self { column, descending }
    }

    /// Small values first.
    pub const fn ascending(column: usize) -> Self {
        Self { column, descending: false }
    }

    /// Large values first.
    pub const fn descending(column: usize) -> Self {
        Self { column, descending: true }
    }

    /// The order of a resource's key.
    #[doc(hidden)]
    pub fn of_key(resource: &Descriptor, descending: bool) -> Vec<Self> {
        resource.key().iter().map(|column| Self { column: *column, descending }).collect()
    }
}

/// Aggregates: the fields by which records are grouped, and those that are summed and compared.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(aggregate(group_by(status), over(price)))]
/// struct Order {
///     id: i64,
///     status: String,
///     price: i64,
/// }
///
/// let aggregate = Order::DESCRIPTOR.aggregate.unwrap();
/// assert_eq!((aggregate.group_by, aggregate.over, aggregate.max_groups), (&[1][..], &[2][..], 1_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Aggregate {
    /// The columns by which records are grouped.
    pub group_by: &'static [usize],
    /// The columns of sums, averages and extremes.
    pub over: &'static [usize],
    /// Maximum number of groups; a request with more is refused.
    pub max_groups: u32,
}

impl Aggregate {
    /// Groups by columns, at most `max_groups`, with functions over other columns.
    #[must_use]
    pub const fn new(group_by: &'static [usize], over: &'static [usize], max_groups: u32) -> Self {
        Self { group_by, over, max_groups }
    }
}

/// The limits of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pagination {
    /// Number of records in a page when the request has no `limit`.
    pub default_limit: u32,
    /// Maximum number of records in a page.
    pub max_limit: u32,
    /// Treatment of a `limit` above the maximum.
    pub over_limit: OverLimit,
    /// Precision of the total of lists.
    pub count: Count,
    /// Whether pages follow one another by cursors.
    pub cursor: bool,
}

impl Pagination {
    /// Pages with a default and a maximum number of records; a larger `limit` is refused.
    pub const fn new(default_limit: u32, max_limit: u32) -> Self {
        Self { default_limit, max_limit, over_limit: OverLimit::Reject, count: Count::Exact, cursor: false }
    }

    /// Clamps a larger `limit` to the maximum.
    #[must_use]
    pub const fn clamp(self) -> Self {
        Self { over_limit: OverLimit::Clamp, ..self }
    }

    setters! {
        /// Lets pages follow one another by cursors.
        cursor(true);
        /// Sets how precisely lists count their records.
        count(Count);
    }
}

/// Precision of a list's total.
///
/// ```
/// use crud_runtime::descriptor::Count;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(pagination(count(capped(10_000))))]
/// struct Reading {
///     id: i64,
/// }
///
/// assert_eq!(Reading::DESCRIPTOR.pagination.unwrap().count, Count::Capped(10_000));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Count {
    /// Counts all records, at a cost that grows with their number.
    #[default]
    Exact,
    /// Counts up to this many records: a greater number is reported as a lower bound.
    Capped(u32),
    /// Counts nothing.
    None,
}

/// Treatment of a `limit` above the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverLimit {
    /// The request is refused with 422.
    Reject,
    /// The maximum is used.
    Clamp,
}

/// A partial index: several columns, of the records in which one of them is not null.
///
/// Storage without partial indexes indexes every record, which serves the same lists.
///
/// ```
/// use crud_runtime::descriptor::PartialIndex;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(index(customer, made, some(customer)))]
/// struct Order {
///     id: i64,
///     customer: Option<i64>,
///     made: i32,
/// }
///
/// assert_eq!(Order::DESCRIPTOR.partial_indexes, [PartialIndex::new(&[1, 2], 1)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartialIndex {
    /// The columns, in order.
    pub columns: &'static [usize],
    /// The column, one of them, that is not null in the indexed records.
    pub some: usize,
}

impl PartialIndex {
    /// An index on these columns of the records in which the column `some` is not null.
    pub const fn new(columns: &'static [usize], some: usize) -> Self {
        Self { columns, some }
    }
}

/// Full-text search: lists find records by the words of these fields.
///
/// ```
/// use crud_runtime::descriptor::Search;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(search(title, summary))]
/// struct Book {
///     id: i64,
///     title: String,
///     summary: Option<String>,
/// }
///
/// assert_eq!(Book::DESCRIPTOR.search, Some(Search::new(&[1, 2])));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// The columns, in order.
    pub columns: &'static [usize],
    /// The language by whose rules PostgreSQL reduces words to their stems; `simple` for no reduction. Other databases
    /// ignore it.
    pub language: &'static str,
}

impl Search {
    /// Searches these columns for words as they are written.
    pub const fn new(columns: &'static [usize]) -> Self {
        Self { columns, language: "simple" }
    }

    setters! {
        /// Sets the language: a text search configuration of PostgreSQL's.
        language(&'static str);
    }
}

/// Soft delete's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SoftDelete {
    /// The column of the deletion timestamp.
    pub deleted_at: usize,
    /// Whether lists include soft-deleted records by default.
    pub include_deleted_by_default: bool,
    /// Whether an update restores a soft-deleted record.
    pub auto_restore_on_update: bool,
}

impl SoftDelete {
    /// Soft delete with the timestamp in this column, and every option off.
    pub const fn new(deleted_at: usize) -> Self {
        Self { deleted_at, include_deleted_by_default: false, auto_restore_on_update: false }
    }

    setters! {
        /// Lists include soft-deleted records by default.
        include_deleted_by_default(true);
        /// Lets an update restore a soft-deleted record.
        auto_restore_on_update(true);
    }
}

/// The batch options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// Maximum number of items in a batch.
    pub max_size: u32,
    /// Whether the good items of a batch are kept when others fail.
    pub partial: bool,
}

impl Batch {
    /// Batches of at most this many items, which all succeed or all fail.
    pub const fn atomic(max_size: u32) -> Self {
        Self { max_size, partial: false }
    }

    /// Batches of at most this many items, each of which succeeds or fails alone.
    pub const fn partial(max_size: u32) -> Self {
        Self { max_size, partial: true }
    }
}

/// The import options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Import {
    /// Maximum number of records that an all-or-none import creates.
    pub max_rows: u32,
}

/// Idempotency keys: a request that is repeated with its key is carried out once.
///
/// ```
/// use std::time::Duration;
///
/// use crud_runtime::descriptor::Idempotency;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(idempotency(required, ttl = "48h"))]
/// struct Payment {
///     id: i64,
///     amount: Decimal,
/// }
///
/// assert_eq!(Payment::DESCRIPTOR.idempotency, Some(Idempotency::new(Duration::from_hours(48)).required()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Idempotency {
    /// Whether a request without a key is refused.
    pub required: bool,
    /// Time for which a repeated request gets the first one's answer.
    pub ttl: Duration,
}

impl Idempotency {
    /// Keys that are kept for this time, and that a request may leave out.
    pub const fn new(ttl: Duration) -> Self {
        Self { required: false, ttl }
    }

    setters! {
        /// Refuses requests without a key.
        required(true);
    }
}

/// The audit log's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Whether the changed values are recorded.
    pub track_changes: bool,
    /// Whether the actor is recorded.
    pub track_user: bool,
    /// Whether the time is recorded.
    pub track_timestamp: bool,
    /// Time for which entries are kept; none keeps them for ever.
    pub keep: Option<Duration>,
}

impl Audit {
    /// The table of the log: storage that keeps pending entries elsewhere adds them before the table is read.
    pub const LOG: &str = "audit_logs";

    /// Everything is recorded.
    pub const EVERYTHING: Self = Self { track_changes: true, track_user: true, track_timestamp: true, keep: None };

    /// Records, each if `true`: the changed values, the actor, the time.
    pub const fn new(track_changes: bool, track_user: bool, track_timestamp: bool) -> Self {
        Self { track_changes, track_user, track_timestamp, keep: None }
    }

    setters! {
        /// Sets for how long entries are kept.
        keep(Some(Duration));
    }
}

/// The owner of each record of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Owner {
    /// The column of the owner's id: the `sub` of the owner's token.
    pub column: usize,
    /// The rule for principals that see the records of every owner.
    pub except: Option<Access>,
    /// The rule for principals that may name another owner in a body.
    pub assign: Option<Access>,
}

impl Owner {
    /// Owners by their ids in this column; `except` admits principals that see every owner's records.
    pub const fn new(column: usize, except: Option<Access>) -> Self {
        Self { column, except, assign: None }
    }

    setters! {
        /// Principals that this rule admits may name another owner in a body.
        assign(Some(Access));
    }
}

/// The tenant of each record of a resource.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Ticket {
///     id: i64,
///     #[crud(tenant)]
///     shop_id: i64,
///     #[crud(unique)]
///     number: i32,
/// }
///
/// assert_eq!(Ticket::DESCRIPTOR.tenant.map(|tenant| tenant.column), Some(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tenant {
    /// The column of the tenant, from the claim that
    /// `AuthBuilder::tenant_claim` names.
    pub column: usize,
    /// The rule for principals that see the records of every tenant.
    pub except: Option<Access>,
    /// The columns of users and roles, where the records are memberships of the tenant.
    pub members: Option<Members>,
}

impl Tenant {
    /// Tenants in this column; `except` admits principals that see every tenant's records.
    pub const fn new(column: usize, except: Option<Access>) -> Self {
        Self { column, except, members: None }
    }

    /// Makes the records memberships: each of a user in a tenant.
    #[must_use]
    pub const fn members(self, user: usize, role: Option<usize>) -> Self {
        Self { members: Some(Members { user, role, keep: None }), ..self }
    }

    /// Keeps the last member of a tenant with this role from losing it.
    #[must_use]
    pub const fn keep(self, role: &'static str) -> Self {
        match self.members {
            Some(members) => Self { members: Some(Members { keep: Some(role), ..members }), ..self },
            None => self,
        }
    }
}

/// The columns of a membership, beside the tenant's.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Member {
///     id: i64,
///     #[crud(tenant(members(user_id, role)))]
///     team_id: i64,
///     #[crud(unique)]
///     user_id: i64,
///     role: String,
/// }
///
/// let members = Member::DESCRIPTOR.tenant.and_then(|tenant| tenant.members);
/// assert_eq!(members.map(|members| (members.user, members.role)), Some((2, Some(3))));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Members {
    /// The column of the user: the `sub` of the user's token.
    pub user: usize,
    /// The column of the roles that the user has in the tenant, in addition to its own.
    pub role: Option<usize>,
    /// The role that the last member of a tenant with it cannot lose.
    pub keep: Option<&'static str>,
}

/// Fields that are unique together.
///
/// ```
/// use crud_runtime::descriptor::Uniqueness;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(soft_delete, unique(street, number, among(active)))]
/// struct House {
///     id: i64,
///     street: String,
///     number: i32,
///     deleted_at: Option<DateTime<Utc>>,
/// }
///
/// assert_eq!(House::DESCRIPTOR.uniques[0].among, Uniqueness::Active);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UniqueGroup {
    /// The columns, in order.
    pub columns: &'static [usize],
    /// The records among which the values are unique.
    pub among: Uniqueness,
    /// The columns among these whose text is compared without regard to letter case.
    pub case_insensitive: &'static [usize],
}

impl UniqueGroup {
    /// Columns whose values are unique together among these records.
    pub const fn new(columns: &'static [usize], among: Uniqueness) -> Self {
        Self { columns, among, case_insensitive: &[] }
    }

    setters! {
        /// Compares the text of these columns without regard to letter case.
        case_insensitive(&'static [usize]);
    }
}
