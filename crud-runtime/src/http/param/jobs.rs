//! The parameters of the list of jobs.

use super::{Parameter, Refused, limit_schema, number, plain_text};
use crate::http::openapi::json_schema::Schema;
use crate::store::jobs::queue::JobState;

/// The page size without `limit`.
pub(crate) const DEFAULT_LIMIT: u64 = 20;

/// The largest page size.
const MAX_LIMIT: u64 = 100;

/// The largest number of jobs to skip.
const MAX_SKIP: u64 = u32::MAX as u64;

/// The filters and the page of a request for the jobs.
#[derive(Debug)]
pub(crate) struct JobQuery {
    pub(crate) kind: Option<String>,
    pub(crate) state: Option<JobState>,
    pub(crate) skip: u64,
    pub(crate) limit: u64,
}

impl Default for JobQuery {
    fn default() -> Self {
        Self { kind: None, state: None, skip: 0, limit: DEFAULT_LIMIT }
    }
}

/// The parameters, in the order of the document.
pub(crate) const PARAMETERS: &[Parameter<JobQuery>] = &[
    Parameter {
        name: "kind",
        description: "The kind of the jobs.",
        schema: || Schema::text(),
        read: |query, value| plain_text(value).map(|value| query.kind = Some(value)),
    },
    Parameter {
        name: "state",
        description: "The state of the jobs.",
        schema: || Schema::choice(JobState::ALL.map(JobState::as_str)),
        read: |query, value| value.parse().map_err(Refused::from).map(|value| query.state = Some(value)),
    },
    Parameter {
        name: "skip",
        description: "The number of jobs to skip.",
        schema: || Schema::integer().with("minimum", 0).with("maximum", MAX_SKIP).with("default", 0),
        read: |query, value| number(value, 0, MAX_SKIP).map(|value| query.skip = value),
    },
    Parameter {
        name: "limit",
        description: "The maximum number of jobs to return.",
        schema: || limit_schema(MAX_LIMIT, DEFAULT_LIMIT),
        read: |query, value| number(value, 1, MAX_LIMIT).map(|value| query.limit = value),
    },
];
