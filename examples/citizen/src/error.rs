//! The errors of the club's handlers.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use crud_runtime::error::Problem;
use serde::Serialize;
use utoipa::IntoResponses;

use crate::members::Members;

/// Any error, for a program that only reports it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// An error of the club's handlers. Its answer is `{"error": "there is no member grace"}`; what a store refuses is a problem
/// document, as of the resources' routes.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClubError {
    #[error("log in first")]
    NotLoggedIn,
    #[error("the name or the password is wrong")]
    WrongPassword,
    #[error("there is no member {0}")]
    NoMember(String),
    #[error(transparent)]
    Crud(#[from] crud_runtime::Error),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Session(#[from] axum_login::Error<Members>),
}

impl From<Problem> for ClubError {
    fn from(problem: Problem) -> Self {
        Self::Crud(problem.into())
    }
}

/// Refused by the club.
#[derive(Serialize, IntoResponses)]
#[response(status = "4XX")]
pub(crate) struct Failure {
    error: String,
}

impl IntoResponse for ClubError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Crud(error) => return error.into_response(),
            Self::NotLoggedIn | Self::WrongPassword => StatusCode::UNAUTHORIZED,
            Self::NoMember(_) => StatusCode::NOT_FOUND,
            Self::Database(_) | Self::Session(_) => {
                tracing::error!(error = %self, "a request failed");
                return StatusCode::INTERNAL_SERVER_ERROR.into_response();
            }
        };
        (status, Json(Failure { error: self.to_string() })).into_response()
    }
}
