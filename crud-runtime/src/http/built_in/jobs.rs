//! The jobs of the service: `GET /_service/jobs`.

use axum::Json;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::{JobsAccess, to_schema};
use crate::Schema;
use crate::http::description::json_schema::Schema as Document;
use crate::http::handler::authorization::visible_tenant;
use crate::http::routing::argument::query::Query;
use crate::http::routing::context::Context;
use crate::http::routing::route::{Route, get};
use crate::http::routing::rule::role;
use crate::model::problem::{Code, Problem};
use crate::store::jobs::queue::{JobState, QueuedJob};
use crate::store::typed::page::Page;

/// The jobs that a request asks for.
#[derive(Schema)]
struct JobQuery {
    /// The kind of the jobs.
    kind: Option<String>,
    /// The state of the jobs.
    state: Option<JobState>,
    /// The number of jobs to skip.
    #[crud(default = 0)]
    skip: u32,
    /// The maximum number of jobs to return.
    #[crud(range(min = 1, max = 100), default = 20)]
    limit: u32,
}

/// The path of the list.
pub(super) const PATH: &str = "/_service/jobs";

/// The list, for the role that reads it.
pub(super) fn list(access: &JobsAccess) -> Route {
    get(page)
        .access(role(access.role.clone()))
        .check(async |ctx: Context| tenant(&ctx).map(drop))
        .operation_id("listServiceJobs")
        .summary("List the jobs that are not done")
        .description("The jobs that wait, run or have failed, the next to run first.")
        .problems(access.has_tenants.then_some(Code::TenantRequired))
        .reworded(|words| words.answered_with("The jobs, the next to run first."))
}

async fn page(ctx: Context, Query(query): Query<JobQuery>) -> Result<Json<Page<ServiceJob>>, Problem> {
    let JobQuery { kind, state, skip, limit } = query;
    let tenant = tenant(&ctx)?;
    let jobs = ctx.app().jobs();
    let found = jobs.list_of(tenant.as_deref(), kind.as_deref(), state, skip.into(), limit.into()).await?;
    Ok(Json(found.map(ServiceJob::from)))
}

/// The tenant whose jobs the sender of the request sees; `None` for all.
fn tenant(ctx: &Context) -> Result<Option<String>, Problem> {
    visible_tenant(ctx.state(), ctx.principal())
}

/// A job in a response.
#[derive(Serialize)]
struct ServiceJob(Value);

impl From<QueuedJob> for ServiceJob {
    fn from(job: QueuedJob) -> Self {
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Micros, true);
        Self(json!({
            "id": job.id, "kind": job.kind, "state": job.state.as_str(), "payload": job.payload,
            "run_at": time(job.run_at), "unique_key": job.unique_key, "attempts": job.attempts,
            "last_error": job.last_error, "created_at": time(job.created_at), "tenant": job.tenant,
        }))
    }
}

to_schema! {
    ServiceJob, "ServiceJob", job();
}

fn job() -> Document {
    Document::object()
        .member("id", Document::integer().with("format", "int64"))
        .member("kind", Document::text())
        .member("state", Document::choice(JobState::ALL.map(JobState::as_str)))
        .member("payload", Document::any().about("The job, as its type is written to JSON."))
        .member("run_at", Document::date_time())
        .member("unique_key", Document::text().nullable())
        .member("attempts", Document::integer().with("minimum", 0))
        .member("last_error", Document::text().nullable())
        .member("created_at", Document::date_time())
        .member("tenant", Document::text().nullable().about("The tenant of the principal that enqueued it."))
}
