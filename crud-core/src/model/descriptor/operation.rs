//! [`Operation`]: the operations that HTTP offers.

/// An operation on a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// `GET {prefix}`
    List,
    /// `GET {prefix}/{id}`
    Get,
    /// `POST {prefix}`
    Create,
    /// `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`
    Update,
    /// `DELETE {prefix}/{id}`
    Delete,
    /// `POST {prefix}/{id}/restore`
    Restore,
    /// `POST {prefix}/restore`
    RestoreMany,
    /// `DELETE {prefix}/{id}/permanent`
    Purge,
    /// `DELETE {prefix}/deleted`
    PurgeMany,
    /// `POST {prefix}/batch`
    BatchCreate,
    /// `PUT {prefix}/batch`
    BatchUpdate,
    /// `DELETE {prefix}/batch` and `POST {prefix}/batch/delete`
    BatchDelete,
    /// `GET {prefix}/{id}/history`
    History,
    /// `GET {prefix}/aggregate`
    Aggregate,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 14] = [
        Self::List,
        Self::Get,
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::Restore,
        Self::RestoreMany,
        Self::Purge,
        Self::PurgeMany,
        Self::BatchCreate,
        Self::BatchUpdate,
        Self::BatchDelete,
        Self::History,
        Self::Aggregate,
    ];

    /// The operation that does the same to many records.
    #[doc(hidden)]
    pub const fn of_many(self) -> Option<Self> {
        match self {
            Self::Create => Some(Self::BatchCreate),
            Self::Update => Some(Self::BatchUpdate),
            Self::Delete => Some(Self::BatchDelete),
            Self::Restore => Some(Self::RestoreMany),
            Self::Purge => Some(Self::PurgeMany),
            _ => None,
        }
    }

    /// Whether the operation reads and changes nothing.
    #[doc(hidden)]
    pub const fn is_read(self) -> bool {
        matches!(self, Self::List | Self::Get | Self::History | Self::Aggregate)
    }

    /// Whether requests can ask for deleted records too.
    #[doc(hidden)]
    pub const fn reads_deleted(self) -> bool {
        matches!(self, Self::List | Self::Get | Self::Aggregate)
    }
}

/// A set of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operations(u16);

impl Operations {
    /// Every operation.
    pub const ALL: Self = Self(u16::MAX);
    /// No operation.
    pub const NONE: Self = Self(0);

    /// The set with one more.
    #[must_use]
    pub const fn with(self, operation: Operation) -> Self {
        Self(self.0 | 1 << operation as u16)
    }

    /// The set with one less.
    #[must_use]
    pub const fn without(self, operation: Operation) -> Self {
        Self(self.0 & !(1 << operation as u16))
    }

    /// Whether the set has this operation.
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u16) != 0
    }
}
