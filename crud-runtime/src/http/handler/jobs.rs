//! The jobs of the service: `GET /_service/jobs`.

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::{authorization, response};
use crate::http::frame::{self, Frame};
use crate::http::param;
use crate::http::param::jobs::{JobQuery, PARAMETERS};
use crate::http::state::ServiceState;
use crate::model::problem::Problem;
use crate::storage::error::Error;
use crate::store::jobs::queue::QueuedJob;

/// A page of the jobs.
pub(crate) async fn list(state: ServiceState, request: Request) -> Response {
    if frame::method(&request) != Method::GET {
        return frame::not_allowed(&[Method::GET], request.method());
    }
    let respond = async |request: Request, _| {
        let reader = authorization::authorize_role(&state, request.headers(), state.audit_role()).await?;
        let tenant = authorization::visible_tenant(&state, reader.as_ref())?;
        page(&state, tenant.as_deref(), request.uri().query().unwrap_or_default()).await
    };
    Frame::new(true).answer(&state, request, respond).await
}

async fn page(state: &ServiceState, tenant: Option<&str>, query: &str) -> Result<Response, Problem> {
    let mut parsed = JobQuery::default();
    param::read(query, &[PARAMETERS], &mut parsed)?;
    let JobQuery { kind, state: job_state, skip, limit } = parsed;
    let page = state.app().jobs().list_of(tenant, kind.as_deref(), job_state, skip, limit).await;
    let page = page.map_err(|error| match error {
        Error::Problem(problem) => problem,
        other => Problem::internal(other),
    })?;
    let data: Vec<Value> = page.data.iter().map(view).collect();
    let body = json!({
        "data": data, "total": page.total, "total_relation": "eq", "page": page.page, "pages": page.pages,
        "limit": page.limit, "skip": page.skip,
    });
    Ok(response::json(StatusCode::OK, body.to_string().into_bytes()))
}

fn view(job: &QueuedJob) -> Value {
    let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Micros, true);
    json!({
        "id": job.id, "kind": job.kind, "state": job.state.as_str(), "payload": job.payload,
        "run_at": time(job.run_at), "unique_key": job.unique_key, "attempts": job.attempts,
        "last_error": job.last_error, "created_at": time(job.created_at), "tenant": job.tenant,
    })
}
