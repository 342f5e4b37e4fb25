//! [`JobRecord`]: a job as it is stored.

use chrono::{DateTime, Utc};

use crate::Resource;

/// A job, in the table `crud_jobs`. A job that is done is removed.
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_jobs", new), prefix = "/_service/jobs", index(dead, run_at))]
pub(crate) struct JobRecord {
    pub(super) id: i64,
    /// The kind of the job.
    #[crud(length(min = 1, max = 100))]
    pub(super) kind: String,
    /// The job's fields.
    pub(super) payload: serde_json::Value,
    /// The time of the next run.
    pub(super) run_at: DateTime<Utc>,
    /// At most one job has the key.
    #[crud(unique, length(max = 255))]
    pub(super) unique_key: Option<String>,
    /// Whether the job failed too often to be run again.
    #[crud(default = false)]
    pub(super) dead: bool,
    /// Number of runs that were begun.
    #[crud(default = 0)]
    pub(super) attempts: i32,
    /// End of the lease of the server that runs the job.
    pub(super) leased_until: Option<DateTime<Utc>>,
    /// Error of the last attempt.
    pub(super) last_error: Option<String>,
    /// The tenant of the principal that enqueued the job.
    pub(super) tenant: Option<String>,
    #[crud(created_at)]
    pub(super) created_at: DateTime<Utc>,
}
