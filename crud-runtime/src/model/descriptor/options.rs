//! The options of a resource.

use crate::model::access::Access;

/// One key of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// The column's index.
    pub column: usize,
    /// Whether large values come first.
    pub descending: bool,
}

impl SortKey {
    /// Small values first.
    pub const fn ascending(column: usize) -> Self {
        Self { column, descending: false }
    }

    /// Large values first.
    pub const fn descending(column: usize) -> Self {
        Self { column, descending: true }
    }
}

/// The limits of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pagination {
    /// How many records a page has when the request does not say.
    pub default_limit: u32,
    /// How many it has at most.
    pub max_limit: u32,
    /// What happens to a request for more.
    pub over_limit: OverLimit,
}

impl Pagination {
    /// Pages of so many records, and of so many at most; a request for more is refused.
    pub const fn new(default_limit: u32, max_limit: u32) -> Self {
        Self { default_limit, max_limit, over_limit: OverLimit::Reject }
    }

    /// The same where a request for more gives the largest page.
    #[must_use]
    pub const fn clamp(self) -> Self {
        Self { over_limit: OverLimit::Clamp, ..self }
    }
}

/// What happens to a `limit` above the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverLimit {
    /// 422.
    Reject,
    /// The largest is used.
    Clamp,
}

/// Fields that are indexed together, of the records that have a value in one of them.
///
/// Storage that cannot leave records out of an index has all of them in it, which serves the same lists.
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
pub struct PartialIndex {
    /// The columns, in order.
    pub columns: &'static [usize],
    /// The column, one of them, that is not null in the records that are in the index.
    pub some: usize,
}

impl PartialIndex {
    /// An index of these columns, of the records in which the column `some` is not null.
    pub const fn new(columns: &'static [usize], some: usize) -> Self {
        Self { columns, some }
    }
}

/// Soft delete's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoftDelete {
    /// The column of the deletion timestamp.
    pub deleted_at: usize,
    /// Whether lists have soft-deleted records unless the request says otherwise.
    pub include_deleted_by_default: bool,
    /// Whether an update restores.
    pub auto_restore_on_update: bool,
}

impl SoftDelete {
    /// With the timestamp in this column, and every option off.
    pub const fn new(deleted_at: usize) -> Self {
        Self { deleted_at, include_deleted_by_default: false, auto_restore_on_update: false }
    }

    /// Lists have soft-deleted records.
    #[must_use]
    pub const fn include_deleted_by_default(mut self) -> Self {
        self.include_deleted_by_default = true;
        self
    }

    /// An update restores.
    #[must_use]
    pub const fn auto_restore_on_update(mut self) -> Self {
        self.auto_restore_on_update = true;
        self
    }
}

/// The batch options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// How many items a batch has at most.
    pub max_size: u32,
    /// Whether the good items of a batch stand when others fail.
    pub partial: bool,
}

impl Batch {
    /// So many items at most, all of them or none.
    pub const fn atomic(max_size: u32) -> Self {
        Self { max_size, partial: false }
    }

    /// So many items at most, each by itself.
    pub const fn partial(max_size: u32) -> Self {
        Self { max_size, partial: true }
    }
}

/// The audit log's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audit {
    /// Whether the changed values are recorded.
    pub track_changes: bool,
    /// Whether the actor is recorded.
    pub track_user: bool,
    /// Whether the time is recorded.
    pub track_timestamp: bool,
}

impl Audit {
    /// Everything is recorded.
    pub const EVERYTHING: Self = Self { track_changes: true, track_user: true, track_timestamp: true };

    /// So much is recorded: the changed values, the actor, the time.
    pub const fn new(track_changes: bool, track_user: bool, track_timestamp: bool) -> Self {
        Self { track_changes, track_user, track_timestamp }
    }
}

/// Whose records a resource has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The column of the owner's id: the `sub` of their token.
    pub column: usize,
    /// Who sees everybody's records.
    pub except: Option<Access>,
}
