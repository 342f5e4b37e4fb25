//! The progress of a data migration, in the table `crud_data_migrations`.

use std::fmt;

use crate::Resource;
use crate::storage::error::Result;
use crate::storage::migrations::Direction;
use crate::store::app::App;

/// The progress of a data migration, in the table `crud_data_migrations`. The history resets it when the migration begins.
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_data_migrations", new), prefix = "/_service/data_migrations")]
pub(crate) struct ProgressRecord {
    /// The version.
    #[crud(length(max = 32))]
    id: String,
    #[crud(length(max = 4))]
    direction: String,
    /// The key of the last record that is done, as text.
    pub(super) last_key: Option<String>,
    /// The number of the records that are done.
    pub(super) done: i64,
    /// The number of the records there were at the begin.
    pub(super) total: Option<i64>,
    /// Whether all records are done.
    pub(super) finished: bool,
}

impl ProgressRecord {
    pub(super) fn is_of(&self, direction: Direction) -> bool {
        self.direction == direction.as_str()
    }

    pub(super) fn progress(&self) -> MigrationProgress {
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        MigrationProgress { done: count(self.done), total: self.total.map(count), last_key: self.last_key.clone() }
    }
}

/// The progress of a data migration that has begun. Displayed as ``45000 of 80000 records, up to the key `45000` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MigrationProgress {
    /// The number of records that are done.
    pub done: u64,
    /// The number of records that there were at the begin; `None` before the first batch, and without batches.
    pub total: Option<u64>,
    /// The key of the last record that is done, as text.
    pub last_key: Option<String>,
}

impl fmt::Display for MigrationProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { done, total, last_key } = self;
        match total {
            Some(total) => write!(f, "{done} of {total} records")?,
            None => write!(f, "{done} records")?,
        }
        last_key.as_ref().map_or(Ok(()), |key| write!(f, ", up to the key `{key}`"))
    }
}

/// The progress of the data migration of a version, if it has begun.
///
/// # Errors
/// When the database fails, and before the first data migration of a database.
pub(crate) async fn progress(app: &App, version: i64) -> Result<Option<MigrationProgress>> {
    let record = app.own_store::<ProgressRecord>().find(version.to_string().as_str()).await?;
    Ok(record.map(|record| record.progress()))
}
