//! The commands `user add`, `passwd`, `disable`, `enable`, `roles` and `list`.

use std::env;

use super::output::print;
use super::random;
use crate::auth::Users;
use crate::model::problem::{Code, FieldError};
use crate::storage::error::{Error, Result};

/// A subcommand of `user`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UsersCommand {
    /// Creates a user with roles.
    Add(String, Vec<String>),
    /// Sets a password: all sessions of the user end.
    Password(String),
    Disable(String),
    Enable(String),
    /// Replaces the roles.
    Roles(String, Vec<String>),
    /// Prints the users.
    List,
}

impl UsersCommand {
    /// The command that arguments name: `add ada editor,author`, `passwd ada`, `roles ada editor`, `list`.
    pub(super) fn parse(arguments: &[&str]) -> Option<Self> {
        let name = |name: &&str| (*name).to_owned();
        let roles = |list: &str| list.split(',').filter(|role| !role.is_empty()).map(str::to_owned).collect();
        Some(match arguments {
            ["add", user] => Self::Add(name(user), Vec::new()),
            ["add", user, list] => Self::Add(name(user), roles(list)),
            ["passwd", user] => Self::Password(name(user)),
            ["disable", user] => Self::Disable(name(user)),
            ["enable", user] => Self::Enable(name(user)),
            ["roles", user, list] => Self::Roles(name(user), roles(list)),
            ["list"] => Self::List,
            _ => return None,
        })
    }
}

/// Runs a command, and prints its result. A password is that in `USER_PASSWORD`, or a random one, which is printed.
pub(super) async fn run(users: &Users, command: UsersCommand) -> Result<()> {
    match command {
        UsersCommand::Add(name, roles) => {
            let (password, told) = password()?;
            users.create_user(&name, &password).roles(roles).await.map_err(readable)?;
            print(&format!("{name} is a user now{told}."))
        }
        UsersCommand::Password(name) => {
            let (password, told) = password()?;
            users.set_password(&name, &password).await.map_err(readable)?;
            print(&format!("{name} has a new password{told}. The sessions so far end with their access tokens."))
        }
        UsersCommand::Disable(name) => {
            users.disable(&name).await.map_err(readable)?;
            print(&format!("{name} can no longer log in. The sessions so far end with their access tokens."))
        }
        UsersCommand::Enable(name) => {
            users.enable(&name).await.map_err(readable)?;
            print(&format!("{name} can log in."))
        }
        UsersCommand::Roles(name, roles) => {
            let user = users.set_roles(&name, roles).await.map_err(readable)?;
            print(&format!("{name} has the roles {}, from the next login or refresh on.", listed(&user.roles)))
        }
        UsersCommand::List => {
            let lines: Vec<String> = users
                .list()
                .await?
                .into_iter()
                .map(|(name, user)| {
                    let state = if user.disabled { "  disabled" } else { "" };
                    format!("{name}  {}{state}", listed(&user.roles))
                })
                .collect();
            print(&if lines.is_empty() { "There are no users.".to_owned() } else { lines.join("\n") })
        }
    }
}

/// The password to set, and what to print of it.
fn password() -> Result<(String, String)> {
    if let Some(given) = env::var("USER_PASSWORD").ok().filter(|password| !password.is_empty()) {
        return Ok((given, String::new()));
    }
    let password = random::password()?;
    let told = format!(", with the password {password}, which is not shown again");
    Ok((password, told))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_a_command() {
        let roles = vec!["editor".to_owned(), "author".to_owned()];
        assert_eq!(UsersCommand::parse(&["add", "ada"]), Some(UsersCommand::Add("ada".to_owned(), Vec::new())));
        assert_eq!(
            UsersCommand::parse(&["roles", "ada", "editor,author"]),
            Some(UsersCommand::Roles("ada".to_owned(), roles))
        );
        assert_eq!(UsersCommand::parse(&["list"]), Some(UsersCommand::List));
        for wrong in [&[][..], &["add"], &["roles", "ada"], &["list", "x"], &["remove", "ada"]] {
            assert_eq!(UsersCommand::parse(wrong), None, "{wrong:?}");
        }
    }
}
