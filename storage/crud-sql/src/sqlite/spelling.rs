//! SQL that both engines send to SQLite.

/// Begins a transaction that changes something. A writer takes its lock at the start: one that began by reading would
/// fail, whatever the timeout, when another had written since.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// Sets the pragmas with which a table is rebuilt.
#[cfg(feature = "migrations")]
pub(super) const SET_PRAGMAS: &str = "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON";

/// Resets them.
#[cfg(feature = "migrations")]
pub(super) const RESET_PRAGMAS: &str = "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON";
