//! The plugin's tables.

pub(crate) mod directory;
pub(crate) mod object;
pub(crate) mod upload;

use std::time::Duration;

/// The number of rows that the plugin reads at once.
pub(crate) const PAGE: u64 = 200;

/// The time after which an unfinished upload is removed.
pub(crate) const UNFINISHED: Duration = Duration::from_hours(24);
