//! The first user: `admin`.

use super::output::print;
use super::random;
use crate::auth::Users;
use crate::model::problem::FieldError;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};

/// Creates `admin` if there are no users yet; prints its password if that was generated.
pub(super) fn create(users: &Users) -> BoxFuture<'_, Result<()>> {
    Box::pin(async move {
        let configured = crud_config::variable("ADMIN_PASSWORD")?;
        let password = configured.clone().map_or_else(random::password, Ok)?;
        let is_new = match users.create_first("admin", &password, ["admin"]).await {
            Err(Error::Problem(problem)) if !problem.errors().is_empty() => {
                let reasons: Vec<&str> = problem.errors().iter().map(FieldError::detail).collect();
                return Err(Error::Setup(format!("ADMIN_PASSWORD {}", reasons.join(", "))));
            }
            other => other?,
        };
        if is_new && configured.is_none() {
            print(&format!("The first user is `admin`, with the password {password}; it is not shown again."))?;
        }
        Ok(())
    })
}
