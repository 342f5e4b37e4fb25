//! [`run`]: the program around a service.

use std::env;
use std::io::{self, Write};

use super::Config;
#[cfg(feature = "migrations")]
use super::migrate;
#[cfg(feature = "auth")]
use super::{first_user, random};
#[cfg(feature = "auth")]
use crate::auth::AuthBuilder;
use crate::service::builder::Service;
use crate::storage::backends::Backend;
use crate::storage::error::{Error, Result};

/// Does what the program's first argument says with the service that `build` makes of a configured one:
///
/// | Argument | |
/// |---|---|
/// | none | creates what the database lacks, and serves on the configured address |
/// | `check` | says whether it would start on the configured database, and creates nothing |
/// | `openapi` | prints the OpenAPI document; needs no database |
/// | `migrate diff` | writes what structs and database differ in into the directory `migrations` |
/// | `migrate apply`, `migrate status`, `migrate revert` | applies what the database lacks; tells that; takes the last one back |
///
/// `migrate` is with the feature `migrations`. Where the directory has migrations, the program creates nothing when it
/// serves, and refuses a database that is behind or ahead of them; one in memory is made from the structs all the same.
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
    let request = Request::read()?;
    let service = build(request.service().await?);
    match request.task {
        Task::Serve => service.migrate().await?.serve(&request.config.bind).await,
        Task::Check => check(&service, "The service would start").await,
        Task::Openapi => print(&service.openapi()?),
        #[cfg(feature = "migrations")]
        Task::Migrate(task) => migrate::run(&service, task).await,
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
    let request = Request::read()?;
    let has_key = auth.has_key();
    // A task that does not serve signs nothing: a random secret will do.
    let auth = if has_key || request.task == Task::Serve { auth } else { auth.secret(random::secret()?) };
    let auth = auth.build()?;
    let keeps_users = auth.keeps_users();
    let service = build(request.service().await?).auth(auth);
    match request.task {
        Task::Serve => {
            let service = service.migrate().await?;
            if keeps_users {
                first_user::create(&service.users()).await?;
            }
            service.serve(&request.config.bind).await
        }
        Task::Check if has_key => check(&service, "The service would start").await,
        Task::Check => check(&service, "The service would start with a secret in JWT_SECRET_KEY").await,
        Task::Openapi => print(&service.openapi()?),
        #[cfg(feature = "migrations")]
        Task::Migrate(task) => migrate::run(&service, task).await,
    }
}

/// The task of the program's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Serve,
    Check,
    Openapi,
    #[cfg(feature = "migrations")]
    Migrate(migrate::Task),
}

impl Task {
    fn parse(arguments: &[String]) -> Option<Self> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match arguments.as_slice() {
            [] => Some(Self::Serve),
            ["check"] => Some(Self::Check),
            ["openapi"] => Some(Self::Openapi),
            #[cfg(feature = "migrations")]
            ["migrate", task] => migrate::Task::find(task).map(Self::Migrate),
            _ => None,
        }
    }

    /// Whether it opens the configured database, even where that creates the file.
    fn opens(self) -> bool {
        match self {
            Self::Serve => true,
            Self::Check | Self::Openapi => false,
            #[cfg(feature = "migrations")]
            Self::Migrate(task) => task == migrate::Task::Apply,
        }
    }
}

/// The legal arguments, for an error.
const ARGUMENTS: &str = if cfg!(feature = "migrations") {
    "the argument is `check`, `openapi`, `migrate` with `diff`, `apply`, `status` or `revert`, or none to serve"
} else {
    "the argument is `check`, `openapi`, or none to serve (`migrate` is with crud-runtime's feature `migrations`)"
};

/// A task, and the configuration for it.
struct Request {
    task: Task,
    config: Config,
    /// Whether the database that is configured is in memory.
    #[cfg(feature = "migrations")]
    in_memory: bool,
}

impl Request {
    fn read() -> Result<Self> {
        let mut config = Config::load()?;
        let arguments: Vec<String> = env::args().skip(1).collect();
        let task = Task::parse(&arguments).ok_or_else(|| Error::Setup(ARGUMENTS.to_owned()))?;
        #[cfg(feature = "migrations")]
        let in_memory = config.database_url.as_deref().is_some_and(Backend::is_in_memory);
        // A task that only looks must not create the file.
        let absent = config.database_url.as_deref().is_some_and(Backend::is_missing_file);
        if task == Task::Openapi || absent && !task.opens() {
            config.database_url = Some(IN_MEMORY.to_owned());
            config.database_read_url = None;
        }
        Ok(Self {
            task,
            config,
            #[cfg(feature = "migrations")]
            in_memory,
        })
    }

    /// The service as it is configured.
    async fn service(&self) -> Result<Service> {
        let service = Service::configured(&self.config).await?;
        // A database that begins with the program cannot have applied migrations.
        #[cfg(feature = "migrations")]
        if migrate::exist() && !self.in_memory {
            return Ok(service.migrations(migrate::DIRECTORY));
        }
        Ok(service)
    }
}

/// An empty database in memory.
const IN_MEMORY: &str = "sqlite::memory:";

/// Prints what the service would first create in its database; `verdict` is whether it would start.
async fn check(service: &Service, verdict: &str) -> Result<()> {
    #[cfg(feature = "migrations")]
    if let Some(directory) = &service.migrations {
        service.check_migrated(directory).await?;
    }
    let statements = service.plan().await?;
    if statements.is_empty() {
        return print(&format!("{verdict}: the database has all that it needs."));
    }
    let statements = statements.join(";\n");
    print(&format!("{verdict}, and first create what the database lacks:\n{statements};"))
}

/// Prints a line to standard output; a closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Setup(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
