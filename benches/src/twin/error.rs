//! Errors as problem documents.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio_postgres::error::SqlState;

/// SQLite's extended code of a reference to a record that is not there.
const FOREIGN_KEY: std::ffi::c_int = 787;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("Product with id {0} not found")]
    NotFound(i64),
    #[error("the request is not valid")]
    Invalid(Vec<FieldError>),
    #[error("{0}")]
    BadParameter(String),
    #[error(transparent)]
    Path(#[from] PathRejection),
    #[error(transparent)]
    Query(#[from] QueryRejection),
    #[error(transparent)]
    Body(#[from] JsonRejection),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Postgres(#[from] tokio_postgres::Error),
    #[error("the writer is busy")]
    Busy,
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

#[derive(Debug, Serialize)]
pub(crate) struct FieldError {
    pointer: &'static str,
    detail: &'static str,
}

impl FieldError {
    pub(crate) const fn new(pointer: &'static str, detail: &'static str) -> Self {
        Self { pointer, detail }
    }
}

#[derive(Serialize)]
struct Problem {
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
}

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Invalid(_) | Self::BadParameter(_) | Self::Path(_) | Self::Query(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::Body(rejection) => rejection.status(),
            Self::Database(sqlx::Error::Database(error))
                if error.is_foreign_key_violation() || error.is_unique_violation() =>
            {
                StatusCode::CONFLICT
            }
            Self::Sqlite(error) if error.sqlite_error().is_some_and(|error| error.extended_code == FOREIGN_KEY) => {
                StatusCode::CONFLICT
            }
            Self::Postgres(error) if error.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION) => StatusCode::CONFLICT,
            Self::Busy | Self::Database(sqlx::Error::PoolTimedOut) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Database(_) | Self::Sqlite(_) | Self::Postgres(_) | Self::Json(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        let detail = match (&self, status) {
            (Self::Database(_) | Self::Sqlite(_) | Self::Postgres(_), StatusCode::CONFLICT) => {
                "category_id refers to no record, or a unique value is in use".to_owned()
            }
            (Self::Database(_) | Self::Sqlite(_) | Self::Postgres(_) | Self::Json(_), _) => {
                tracing::error!(error = %self, "request failed");
                "internal error".to_owned()
            }
            (other, _) => other.to_string(),
        };
        let errors = if let Self::Invalid(errors) = self { errors } else { Vec::new() };
        let problem = Problem { status: status.as_u16(), detail, errors };
        (status, [(header::CONTENT_TYPE, "application/problem+json")], Json(problem)).into_response()
    }
}
