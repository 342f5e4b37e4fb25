//! [`ObservedKind`]: the kind of a change.

/// The kind of a change that is observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObservedKind {
    /// A new record.
    Create,
    /// Other values for a record.
    Update,
    /// A record is deleted softly.
    SoftDelete,
    /// A record is restored.
    Restore,
    /// A record is removed for good: by a purge, by a delete without soft delete, or with a record that it refers to.
    Remove,
}
