//! Problem documents (RFC 9457): problems and errors as responses.

pub mod principal;
pub mod request_id;

use std::sync::Arc;
use std::time::Duration;

use axum_core::body::Body;
use axum_core::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use serde::Serialize;

use crate::model::problem::{Code, Details, FieldError, Problem, chain};
use crate::storage::error::Error;

/// The JSON of a problem document.
#[derive(Serialize)]
struct Document<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    code: &'static str,
    detail: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
}

/// The JSON of a problem, as a response has it; with a sample request id where there is one.
pub fn example(problem: &Problem) -> serde_json::Value {
    let code = problem.code();
    let document = Document {
        r#type: "about:blank",
        title: code.title(),
        status: code.status().as_u16(),
        code: code.as_str(),
        detail: problem.detail(),
        errors: problem.errors(),
        request_id: (code == Code::Internal).then_some("019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6a7b"),
    };
    serde_json::to_value(document).unwrap_or_default()
}

/// Target of the log lines, the same as for requests.
const TARGET: &str = "crud_runtime::http";

/// The media type of a problem document.
pub const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The problem of a response, kept in its extensions.
#[derive(Debug, Clone)]
pub struct WrittenProblem {
    /// The problem, without its cause, which is logged.
    pub problem: Arc<Problem>,
    /// Whether the database does not fit the resources.
    pub is_of_schema: bool,
}

impl WrittenProblem {
    /// A copy of the problem.
    #[must_use]
    pub fn to_problem(&self) -> Problem {
        let (code, detail) = (self.problem.code(), self.problem.detail().to_owned());
        let errors = self.problem.errors().to_vec();
        Problem::from(Details { code, detail, errors, retry_after: None, source: None })
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (id, is_of_schema) = (request_id::current(), self.is_of_schema());
        let Details { code, detail, errors, retry_after, source } = self.into_details();
        if let Some(source) = source {
            let (request_id, error) = (id.as_deref(), chain(&*source));
            if code == Code::Internal {
                tracing::error!(target: TARGET, request_id, error, "request failed");
            } else {
                tracing::warn!(target: TARGET, request_id, error, code = code.as_str(), "request failed");
            }
        }
        let document = Document {
            r#type: "about:blank",
            title: code.title(),
            status: code.status().as_u16(),
            code: code.as_str(),
            detail: &detail,
            errors: &errors,
            request_id: id.as_deref().filter(|_| code == Code::Internal),
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut response = (code.status(), Body::from(body)).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, PROBLEM_JSON);
        let busy = (code == Code::Unavailable).then_some(Duration::from_secs(1));
        if let Some(wait) = retry_after.or(busy) {
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if let Some(challenge) = code.challenge() {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        // Kept for a program that writes problems in another format.
        let written = Details { code, detail, errors, retry_after: None, source: None };
        let problem = Arc::new(Problem::from(written));
        response.extensions_mut().insert(WrittenProblem { problem, is_of_schema });
        response
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        match self {
            Self::Problem(problem) => problem.into_response(),
            other => Problem::internal(other).into_response(),
        }
    }
}
