//! [`Auth`]: tells who sends a request.

use axum::http::HeaderMap;

use super::{Principal, bearer};
use crate::error::{Code, Problem};

/// The authentication of a service.
#[derive(Debug)]
pub struct Auth {}

impl Auth {
    /// Who sends a request with these headers; `None` when it carries no token.
    ///
    /// # Errors
    /// `authentication_failed`, `invalid_token` or `token_expired` when it carries one that does not tell.
    #[allow(clippy::unused_async, clippy::unused_self)]
    pub async fn authenticate(&self, headers: &HeaderMap) -> Result<Option<Principal>, Problem> {
        match bearer::token(headers)? {
            None => Ok(None),
            Some(_) => Err(Problem::new(Code::InvalidToken, "invalid token")),
        }
    }
}
