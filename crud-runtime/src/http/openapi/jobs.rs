//! The jobs of the service.

use axum::http::{Method, StatusCode};

use super::json_schema::Schema;
use super::words::{Answer, Path, Words};
use super::{DocumentedResource, Security, access, service};
use crate::http::param;
use crate::http::param::jobs::PARAMETERS;
use crate::model::problem::Code;
use crate::store::jobs::queue::JobState;

/// The path of the list.
pub(crate) fn path(resources: &[DocumentedResource<'_>], security: Option<&Security>) -> Path {
    let number = || Schema::integer().with("minimum", 0);
    let job = Schema::object()
        .member("id", Schema::integer().with("format", "int64"))
        .member("kind", Schema::text())
        .member("state", Schema::choice(JobState::ALL.map(JobState::as_str)))
        .member("payload", Schema::any())
        .member("run_at", Schema::date_time())
        .member("unique_key", Schema::text().nullable())
        .member("attempts", number())
        .member("last_error", Schema::text().nullable())
        .member("created_at", Schema::date_time())
        .member("tenant", Schema::text().nullable().about("The tenant of the principal that enqueued it."));
    let page = Schema::object()
        .member("data", Schema::array(job))
        .member("total", number())
        .member("total_relation", Schema::choice(["eq"]))
        .member("page", number())
        .member("pages", number())
        .member("limit", number())
        .member("skip", number());
    let description = "The jobs that wait, run or have failed, the next to run first.";
    let mut words = Words::new(service::TAG, "listServiceJobs", "List the jobs that are not done", description)
        .parameters(param::document(&[PARAMETERS]))
        .answer(StatusCode::OK, Answer::json("The jobs, the next to run first.", page))
        .problems(&[Code::ValidationFailed])
        .of_database();
    if let Some(security) = security {
        access::secure_log(&mut words, &security.audit_role, resources);
    }
    Path::of("/_service/jobs", Method::GET, words)
}
