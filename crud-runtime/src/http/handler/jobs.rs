//! The jobs of the service: `GET /_service/jobs`.

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::{authorization, response};
use crate::http::frame::{self, Frame};
use crate::http::state::ServiceState;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::query::parse;
use crate::storage::error::Error;
use crate::store::jobs::queue::{JobState, QueuedJob};

/// The parameters of the list.
pub(crate) const PARAMETERS: [&str; 4] = ["kind", "state", "skip", "limit"];

/// The page size without `limit`, and the largest.
pub(crate) const LIMITS: (u64, u64) = (20, 100);

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
    let Parameters { kind, job_state, skip, limit } = Parameters::parse(query)?;
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

struct Parameters {
    kind: Option<String>,
    job_state: Option<JobState>,
    skip: u64,
    limit: u64,
}

impl Parameters {
    fn parse(query: &str) -> Result<Self, Problem> {
        let mut parsed = Self { kind: None, job_state: None, skip: 0, limit: LIMITS.0 };
        let mut errors = FieldErrors::default();
        for (name, value) in parse::pairs(query) {
            let (Ok(name), Ok(value)) = (name, value) else {
                errors.push(FieldError::parameter("query", "value", "must be percent-encoded UTF-8"));
                continue;
            };
            let read: Result<(), String> = match &*name {
                "kind" => {
                    parsed.kind = Some(value.into_owned());
                    Ok(())
                }
                "state" => value.parse().map(|state| parsed.job_state = Some(state)).map_err(str::to_owned),
                "skip" => number(&value, 0, u64::from(u32::MAX)).map(|skip| parsed.skip = skip),
                "limit" => number(&value, 1, LIMITS.1).map(|limit| parsed.limit = limit),
                _ => Err(format!(
                    "is not a parameter; there are {}",
                    PARAMETERS.map(|name| format!("`{name}`")).join(", ")
                )),
            };
            if let Err(detail) = read {
                errors.push(FieldError::parameter(&*name, "value", detail));
            }
        }
        errors.into_result(parsed)
    }
}

fn number(text: &str, min: u64, max: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("must be a number from {min} to {max}"))
}
