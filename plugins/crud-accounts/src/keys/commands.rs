//! The commands `keys list`, `keys create` and `keys revoke`.

use std::time::Duration;

use crud_runtime::auth::Principal;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::{Error, PluginCommand, Result, ServiceState};

use super::arguments::Arguments;
use super::new_key::NewKey;
use super::table::ApiKey;

const LIST: &str = "expected `keys list [USERNAME]`";

const CREATE: &str = "expected `keys create NAME --user USERNAME [--role ROLE]… [--permission PERMISSION]… [--days DAYS] \
                      [--tenant TENANT]`";

const REVOKE: &str = "expected `keys revoke ID`";

/// Number of keys that the list reads at a time.
const PAGE: u64 = 1_000;

pub(super) fn all() -> Vec<PluginCommand> {
    vec![
        PluginCommand::new("list", "Prints the API keys, or those of a user: `list [USERNAME]`", list),
        PluginCommand::new(
            "create",
            "Makes an API key and prints it: `create NAME --user USERNAME --role ROLE`",
            create,
        ),
        PluginCommand::new("revoke", "Revokes an API key: `revoke ID`", revoke),
    ]
}

async fn list(state: ServiceState, arguments: Vec<String>) -> Result<()> {
    for line in lines(&state, arguments).await? {
        println!("{line}");
    }
    Ok(())
}

/// The keys, one line for each.
async fn lines(state: &ServiceState, arguments: Vec<String>) -> Result<Vec<String>> {
    let read = Arguments::read(arguments, &[], LIST)?;
    let (keys, fields) = (state.app().store::<ApiKey>(), ApiKey::FIELDS);
    let listed = match read.plain.as_slice() {
        [] => Select::all(),
        [username] => Select::from(fields.user.eq(subject(state, username).await?)),
        _ => return Err(Error::Setup(LIST.to_owned())),
    };
    let listed = listed.order_by(fields.user.asc()).order_by(fields.name.asc()).limit(PAGE);
    let mut lines = Vec::new();
    let mut page = keys.list(listed.clone()).await?;
    while let Some(last) = page.last() {
        let after = fields.user.eq(last.user.as_str()).and(fields.name.gt(last.name.as_str()));
        let after = fields.user.gt(last.user.as_str()).or(after);
        lines.extend(page.iter().map(line));
        page = keys.list(listed.clone().filter(after)).await?;
    }
    Ok(lines)
}

fn line(key: &ApiKey) -> String {
    let time = |label: &str, time: Option<DateTime<Utc>>| match time {
        Some(time) => format!("{label} {}", time.format("%F %R")),
        None => format!("{label} never"),
    };
    let rights = [("roles", &key.roles), ("permissions", &key.permissions)];
    let rights: Vec<String> = rights.iter().map(|(what, names)| format!("{what} [{}]", names.join(", "))).collect();
    let (used, expires) = (time("used", key.last_used_at), time("expires", key.expires_at));
    format!("{}  {}  user {}  {}  {expires}  {used}", key.id, key.name, key.user, rights.join("  "))
}

async fn create(state: ServiceState, arguments: Vec<String>) -> Result<()> {
    println!("{}", made(&state, arguments).await?);
    Ok(())
}

/// Creates a key, and returns its text.
async fn made(state: &ServiceState, arguments: Vec<String>) -> Result<String> {
    let known = ["user", "role", "permission", "days", "tenant"];
    let read = Arguments::read(arguments, &known, CREATE)?;
    let ([name], Some(username)) = (read.plain.as_slice(), read.last("user")) else {
        return Err(Error::Setup(CREATE.to_owned()));
    };
    let days: Option<u16> = match read.last("days") {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| Error::Setup(format!("`--days` is a number of days: {CREATE}")))?),
    };
    let new = NewKey {
        name: name.clone(),
        roles: Some(read.all("role")),
        permissions: Some(read.all("permission")),
        expires_at: days.map(|days| state.app().now() + Duration::from_hours(24 * u64::from(days))),
    };
    let user = user(state, &username, read.last("tenant")).await?;
    Ok(new.make(state.app(), &user).await?.1)
}

async fn revoke(state: ServiceState, arguments: Vec<String>) -> Result<()> {
    let read = Arguments::read(arguments, &[], REVOKE)?;
    let [id] = read.plain.as_slice() else { return Err(Error::Setup(REVOKE.to_owned())) };
    let keys = state.app().store::<ApiKey>();
    let missing = || Problem::new(Code::NotFound, format!("there is no API key `{id}`"));
    let key = keys.find(id.as_str()).await?.ok_or_else(missing)?;
    keys.delete(key.id).await?;
    println!("{} is revoked", key.name);
    Ok(())
}

/// The subject of a user by its name.
async fn subject(state: &ServiceState, username: &str) -> Result<String> {
    let auth = state.auth().ok_or_else(|| Error::Setup("the service has no users".to_owned()))?;
    let found = auth.user_named(username).await?;
    let missing = || Problem::new(Code::NotFound, format!("there is no user {username}"));
    Ok(found.ok_or_else(missing)?.subject)
}

/// The principal of a user with all of the user's roles, in this tenant if one is given.
async fn user(state: &ServiceState, username: &str, tenant: Option<String>) -> Result<Principal> {
    let subject = subject(state, username).await?;
    let auth = state.auth().ok_or_else(|| Error::Setup("the service has no users".to_owned()))?;
    let disabled = || Problem::new(Code::Conflict, format!("the user {username} is disabled"));
    let user = state.model().complete(auth.current_principal(&subject).await?.ok_or_else(disabled)?);
    // A tenant is a number in claims if it is written as one.
    let value = |text: String| serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text));
    Ok(match tenant {
        Some(tenant) => user.with_tenant(value(tenant)),
        None => user,
    })
}

#[cfg(test)]
mod tests {
    use crud_runtime::Service;
    use crud_runtime::access::Role;
    use crud_runtime::auth::Auth;

    use super::super::table::NewApiKey;
    use super::*;
    use crate::ApiKeys;

    /// A service with the editor `ann`.
    async fn service() -> Service {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let service = Service::connect("sqlite::memory:").await.unwrap().auth(auth);
        let service = service.access(|access| access.role(Role::new("editor").implies("staff")));
        let service = service.plugin(ApiKeys::new()).unwrap().migrate().await.unwrap();
        service.users().create_user("ann", "correct horse").roles(["editor"]).await.unwrap();
        service
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[tokio::test]
    async fn key_is_made_listed_and_revoked() {
        let state = service().await.state().unwrap();
        let key = made(&state, words("ci --user ann --role staff --days 30")).await.unwrap();
        let listed = lines(&state, words("ann")).await.unwrap();
        let id = &key[3..15];
        assert!(
            listed[0].starts_with(&format!("{id}  ci  user 1  roles [staff]  permissions []  expires 2")),
            "{listed:?}"
        );
        assert!(listed[0].ends_with("used never") && !listed[0].contains(&key[16..59]), "{listed:?}");
        revoke(state.clone(), words(id)).await.unwrap();
        assert!(lines(&state, Vec::new()).await.unwrap().is_empty());
        assert!(revoke(state, words(id)).await.unwrap_err().to_string().contains("there is no API key"));
    }

    #[tokio::test]
    async fn list_has_every_key() {
        let state = service().await.state().unwrap();
        let keys = state.app().store::<ApiKey>();
        for number in 0..1_001 {
            let new = NewApiKey {
                id: number.to_string(),
                hash: String::new(),
                user: (number / 100).to_string(),
                name: number.to_string(),
                tenant: None,
                roles: Vec::new(),
                permissions: Vec::new(),
                expires_at: None,
                last_used_at: None,
            };
            keys.create(new).await.unwrap();
        }
        let mut ids: Vec<String> = lines(&state, Vec::new()).await.unwrap().iter().map(|line| first(line)).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 1_001);
    }

    /// The first word of a line: the id.
    fn first(line: &str) -> String {
        line.split(' ').next().unwrap().to_owned()
    }

    #[tokio::test]
    async fn mistaken_arguments_say_what_is_expected() {
        let state = service().await.state().unwrap();
        for (arguments, expected) in [
            ("ci", "expected `keys create NAME --user USERNAME"),
            ("ci --user ann --days soon", "`--days` is a number of days"),
            ("ci --user eve --role staff", "there is no user eve"),
            ("ci --user ann --role admin", "which lack `admin`"),
        ] {
            let error = made(&state, words(arguments)).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{arguments}: {error}");
        }
        assert!(lines(&state, words("ann bob")).await.unwrap_err().to_string().contains("expected `keys list"));
    }
}
