//! The commands `user add`, `passwd`, `disable`, `enable`, `roles` and `list`, and the first user: `admin`.

use crud_config::command::UserTask;

use super::output::print;
use super::random;
use crate::auth::{User, Users};
use crate::model::problem::{Code, FieldError};
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};

/// Runs a command, and prints its result. A password is that in `USER_PASSWORD`, or a random one, which is printed.
pub(super) fn run(users: &Users, task: UserTask) -> BoxFuture<'_, Result<()>> {
    Box::pin(async move {
        match task {
            UserTask::Add { name, roles } => {
                let (password, told) = password()?;
                users.create_user(&name, &password).roles(named(roles)).await.map_err(readable)?;
                print(&format!("{name} is a user now{told}."))
            }
            UserTask::Passwd { name } => {
                let (password, told) = password()?;
                users.set_password(&name, &password).await.map_err(readable)?;
                print(&format!("{name} has a new password{told}. The sessions so far end with their access tokens."))
            }
            UserTask::Disable { name } => {
                users.disable(&name).await.map_err(readable)?;
                print(&format!("{name} can no longer log in. The sessions so far end with their access tokens."))
            }
            UserTask::Enable { name } => {
                users.enable(&name).await.map_err(readable)?;
                print(&format!("{name} can log in."))
            }
            UserTask::Roles { name, roles } => {
                let user = users.set_roles(&name, named(roles)).await.map_err(readable)?;
                print(&format!("{name} has the roles {}, from the next login or refresh on.", listed(&user.roles)))
            }
            UserTask::List => {
                let mut page = users.list().await?;
                if page.is_empty() {
                    print("There are no users.")?;
                }
                while let Some((last, _)) = page.last() {
                    let next = users.list_after(last).await?;
                    print(&page.iter().map(line).collect::<Vec<_>>().join("\n"))?;
                    page = next;
                }
                Ok(())
            }
        }
    })
}

/// Creates `admin` if there are no users yet; prints its password if that was generated.
pub(super) fn create_first(users: &Users) -> BoxFuture<'_, Result<()>> {
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

/// The password to set, and what to print of it.
fn password() -> Result<(String, String)> {
    if let Some(given) = crud_config::variable("USER_PASSWORD")? {
        return Ok((given, String::new()));
    }
    let password = random::password()?;
    let told = format!(", with the password {password}, which is not shown again");
    Ok((password, told))
}

/// The roles of an argument, in which an empty text is none.
fn named(mut roles: Vec<String>) -> Vec<String> {
    roles.retain(|role| !role.is_empty());
    roles
}

/// The line of a user in the list.
fn line((name, user): &(String, User)) -> String {
    let state = if user.disabled { "  disabled" } else { "" };
    format!("{name}  {}{state}", listed(&user.roles))
}

fn listed(roles: &[String]) -> String {
    if roles.is_empty() { "-".to_owned() } else { roles.join(",") }
}

/// An error as the command prints it.
fn readable(error: Error) -> Error {
    match error {
        Error::Problem(problem) if problem.code() == Code::Conflict => {
            Error::Setup("there is a user with this name".to_owned())
        }
        Error::Problem(problem) if !problem.errors().is_empty() => {
            let reasons: Vec<String> = problem.errors().iter().map(FieldError::to_string).collect();
            Error::Setup(reasons.join(", "))
        }
        other => other,
    }
}
