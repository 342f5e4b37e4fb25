//! SQL that both engines use.

/// Begins a transaction of changes. It takes the write lock at once: if it read first, it would fail whenever another
/// writer had committed since, whatever the timeout.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// Sets the pragmas with which a table is rebuilt.
#[cfg(feature = "migrations")]
pub(super) const SET_PRAGMAS: &str = "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON";

/// Resets the pragmas after a table is rebuilt.
#[cfg(feature = "migrations")]
pub(super) const RESET_PRAGMAS: &str = "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON";
