//! [`run`]: the program around a service.

use std::env;
use std::io::{self, Write};
#[cfg(feature = "sqlite")]
use std::path::Path;

use super::Config;
#[cfg(feature = "auth")]
use super::{first_user, random};
#[cfg(feature = "auth")]
use crate::auth::AuthBuilder;
use crate::error::{Error, Result};
use crate::service::Service;

/// Does what the program's first argument says with the service that `build` makes of a configured one:
///
/// | Argument | |
/// |---|---|
/// | none | creates what the database lacks, and serves on the configured address |
/// | `check` | says whether it would start on the configured database, and creates nothing |
/// | `openapi` | prints the OpenAPI document; needs no database |
///
/// ```no_run
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String }
///
/// #[tokio::main]
/// async fn main() -> crud_runtime::Result<()> {
///     crud_runtime::config::run(|service| service.title("Library API").resource::<Book>()).await
/// }
/// ```
///
/// # Errors
/// When the configuration is wrong or the argument unknown; as [`Service::migrate`] and [`Service::serve`].
pub async fn run(build: impl FnOnce(Service) -> Service) -> Result<()> {
    let (task, config) = read()?;
    let service = build(Service::configured(&config).await?);
    match task {
        Task::Serve => service.migrate().await?.serve(&config.bind).await,
        Task::Check => check(&service, "The service would start").await,
        Task::Openapi => print(&service.openapi()?),
    }
}

/// The same as [`run`] with authentication, whose secret is in the variable `JWT_SECRET_KEY`, unless the builder was
/// given a key. `check` and `openapi` need neither.
///
/// Where the service keeps the users itself and has none yet, it begins with one when it serves: `admin`, with the
/// role `admin`, and the password in the variable `ADMIN_PASSWORD`, or a random one, which is printed this once.
///
/// ```no_run
/// use crud_runtime::auth::Auth;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String }
///
/// #[tokio::main]
/// async fn main() -> crud_runtime::Result<()> {
///     crud_runtime::config::run_with_auth(|service| service.resource::<Book>(), Auth::builder()).await
/// }
/// ```
///
/// # Errors
/// As [`run`] and [`AuthBuilder::build`]; when `ADMIN_PASSWORD` is needed and has fewer than 8 characters or more
/// than 1024 bytes.
#[cfg(feature = "auth")]
pub async fn run_with_auth(build: impl FnOnce(Service) -> Service, auth: AuthBuilder) -> Result<()> {
    let (task, config) = read()?;
    let has_key = auth.has_key();
    // What is not served signs nothing, so that any secret will do; nobody gets to know this one.
    let auth = if has_key || task == Task::Serve { auth } else { auth.secret(random::secret()?) };
    let auth = auth.build()?;
    let keeps_users = auth.keeps_users();
    let service = build(Service::configured(&config).await?).auth(auth);
    match task {
        Task::Serve => {
            let service = service.migrate().await?;
            if keeps_users {
                first_user::create(&service.users()).await?;
            }
            service.serve(&config.bind).await
        }
        Task::Check if has_key => check(&service, "The service would start").await,
        Task::Check => check(&service, "The service would start with a secret in JWT_SECRET_KEY").await,
        Task::Openapi => print(&service.openapi()?),
    }
}

/// What the program is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Serve,
    Check,
    Openapi,
}

/// Reads the argument, and what the service is to run with for that.
fn read() -> Result<(Task, Config)> {
    let mut config = Config::load()?;
    let mut arguments = env::args().skip(1);
    let task = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => Task::Serve,
        (Some("check"), None) => Task::Check,
        (Some("openapi"), None) => Task::Openapi,
        _ => return Err(Error::Setup("the argument is `check`, `openapi`, or none to serve".to_owned())),
    };
    let needs_database = match task {
        Task::Serve => true,
        // To look whether a file could be opened must not create it.
        Task::Check => !config.database_url.as_deref().is_some_and(is_missing_file),
        Task::Openapi => false,
    };
    if !needs_database {
        config.database_url = Some(NOWHERE.to_owned());
        config.database_read_url = None;
    }
    Ok((task, config))
}

/// A database that is empty and leaves nothing behind.
const NOWHERE: &str = "sqlite::memory:";

/// Says what the service would first do on its database; `verdict` is whether it would start.
async fn check(service: &Service, verdict: &str) -> Result<()> {
    let statements = service.plan().await?;
    if statements.is_empty() {
        return print(&format!("{verdict}: the database has all that it needs."));
    }
    let statements = statements.join(";\n");
    print(&format!("{verdict}, and first create what the database lacks:\n{statements};"))
}

#[cfg(feature = "sqlite")]
fn is_missing_file(url: &str) -> bool {
    let options = url.parse::<sqlx::sqlite::SqliteConnectOptions>();
    options.is_ok_and(|options| {
        let file = options.get_filename();
        let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
        // Only then would it be created.
        !file.exists() && directory.is_none_or(Path::is_dir) && !url.contains("mode=")
    })
}

#[cfg(not(feature = "sqlite"))]
fn is_missing_file(_: &str) -> bool {
    false
}

/// Prints a line to standard output; whoever has closed it wants no more of it.
pub(super) fn print(text: &str) -> Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Setup(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
