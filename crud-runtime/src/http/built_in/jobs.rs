//! The jobs of the service: `GET /_service/jobs`, `POST /_service/jobs/{id}/retry` and `/cancel`.

use std::sync::Arc;

use axum::Json;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::{BuiltInRoute, NoParameters};
use crate::Schema;
use crate::http::description::documented_type::DocumentedType;
use crate::http::description::json_schema::Schema as Document;
use crate::http::handler::authorization::visible_entries;
use crate::http::param::log::VisibleEntries;
use crate::http::routing::argument::path::Path;
use crate::http::routing::argument::query::Query;
use crate::http::routing::context::Context;
use crate::http::routing::route::{Route, get, post};
use crate::http::routing::rule::role;
use crate::http::state::ServiceState;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::query::claims::tenant_required;
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

/// A job in the path.
#[derive(Schema)]
struct JobPath {
    /// The `id` of the job.
    id: i64,
}

/// The access of the jobs.
#[derive(Debug)]
pub(crate) struct JobsAccess {
    /// The role that reads the jobs.
    pub(crate) role: Arc<str>,
    /// Whether that role also retries and cancels jobs, as only a role that the program states for jobs does.
    pub(crate) changes: bool,
    /// The option that states the role, if the program has it.
    pub(crate) stated_by: Option<&'static str>,
    /// Whether records have tenants.
    pub(crate) has_tenants: bool,
}

/// The routes: the list, and those of the role that retries and cancels.
pub(crate) fn routes(access: &JobsAccess) -> Vec<BuiltInRoute> {
    let of_role = |route: Route, id: &str, summary: &str, description: &str| {
        let route = route.access(role(access.role.clone())).check(async |ctx: Context| tenant(&ctx).map(drop));
        route.operation_id(id).summary(summary).description(description)
    };
    let required = access.has_tenants.then_some(Code::TenantRequired);
    let description = "The jobs that wait, run or have failed, the next to run first.";
    let list = of_role(get(page), "listServiceJobs", "List the jobs that are not done", description)
        .problems(required)
        .reworded(|words| words.answered_with("The jobs, the next to run first."));
    let mut routes = vec![("/_service/jobs", list, access.stated_by)];
    if access.changes {
        let problems = || required.into_iter().chain([Code::NotFound, Code::Conflict]);
        let description = "Runs the job as soon as possible, with all its attempts. 409 `conflict` while it runs.";
        let retry = of_role(post(retry), "retryServiceJob", "Retry a job", description)
            .problems(problems())
            .reworded(|words| words.answered_with("The job is queued."));
        let description = "Removes the job. 409 `conflict` while it runs.";
        let cancel = of_role(post(cancel), "cancelServiceJob", "Cancel a job", description)
            .problems(problems())
            .reworded(|words| words.answered_with("The job is removed."));
        routes.extend([
            ("/_service/jobs/{id}/retry", retry, access.stated_by),
            ("/_service/jobs/{id}/cancel", cancel, access.stated_by),
        ]);
    }
    routes
}

async fn retry(ctx: Context, _: Query<NoParameters>, path: Path<JobPath>) -> Result<(), Problem> {
    let jobs = ctx.app().jobs();
    jobs.require(tenant(&ctx)?.as_deref(), path.id).await?;
    tracing::info!(job = path.id, admin = admin(&ctx), "a job is retried");
    Ok(jobs.retry(path.id).await?)
}

async fn cancel(ctx: Context, _: Query<NoParameters>, path: Path<JobPath>) -> Result<(), Problem> {
    let jobs = ctx.app().jobs();
    jobs.require(tenant(&ctx)?.as_deref(), path.id).await?;
    tracing::info!(job = path.id, admin = admin(&ctx), "a job is cancelled");
    Ok(jobs.cancel(path.id).await?)
}

/// The id of the sender of the request.
fn admin(ctx: &Context) -> &str {
    ctx.principal().map_or("", |principal| principal.subject())
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

crate::__documented! {
    ServiceJob, "ServiceJob", DocumentedType::new("ServiceJob", &job());
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

/// The tenant whose jobs a reader sees; `None` for all, where records have no tenants or each resource exempts the
/// reader.
///
/// # Errors
/// `tenant_required`.
fn visible_tenant(state: &ServiceState, reader: Option<&Principal>) -> Result<Option<String>, Problem> {
    match visible_entries(state, reader)? {
        VisibleEntries::All => Ok(None),
        // A job belongs to no resource.
        VisibleEntries::Of { tenant, .. } => tenant.map(Some).ok_or_else(|| tenant_required(reader)),
    }
}
