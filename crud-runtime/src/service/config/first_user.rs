//! The first user: `admin`.

use std::env;

use super::program::print;
use super::random;
use crate::auth::Users;
use crate::model::problem::FieldError;
use crate::storage::error::{Error, Result};

/// Creates `admin` where there are no users yet, and prints the password if it is random.
pub(super) async fn create(users: &Users) -> Result<()> {
    let chosen = env::var("ADMIN_PASSWORD").ok().filter(|password| !password.is_empty());
    let password = chosen.clone().map_or_else(random::password, Ok)?;
    let is_new = match users.create_first("admin", &password, ["admin"]).await {
        Err(Error::Problem(problem)) if !problem.errors().is_empty() => {
            let reasons: Vec<&str> = problem.errors().iter().map(FieldError::detail).collect();
            return Err(Error::Setup(format!("ADMIN_PASSWORD {}", reasons.join(", "))));
        }
        other => other?,
    };
    if is_new && chosen.is_none() {
        print(&format!("The first user is `admin`, with the password {password}; it is not shown again."))?;
    }
    Ok(())
}
