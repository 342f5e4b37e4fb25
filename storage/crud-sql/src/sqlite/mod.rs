//! SQLite: by direct calls for URLs, and through sqlx for a program's own pool.

#[cfg(feature = "migrations")]
mod alter;
mod argument;
mod canonical;
mod catalogue;
mod definition;
mod dialect;
mod embedded;
mod error;
mod explain;
mod loading;
mod operand;
#[cfg(feature = "sqlite-pool")]
mod pooled;
#[cfg(feature = "migrations")]
mod rebuild;
mod row;
mod samples;
mod scale;
mod search;
mod spelling;
mod tables;
#[cfg(feature = "migrations")]
mod units;
#[cfg(feature = "migrations")]
mod unreadable_views;

pub use self::embedded::SqliteAdapter;
#[cfg(feature = "sqlite-pool")]
pub use self::pooled::SqlitePoolAdapter;
use super::connections;
use crate::storage::capabilities::Capabilities;

/// Capabilities of SQLite on either engine.
const CAPABILITIES: Capabilities = connections::CAPABILITIES.with_one_writer();
