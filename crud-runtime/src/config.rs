//! A service as `crud.toml` and the environment say: what the programs that `crud init` writes run by.

use std::env;
use std::io::{self, Write};
#[cfg(feature = "sqlite")]
use std::path::Path;

pub use crud_config::{Config, ConfigError};

use crate::error::{Error, Result};
use crate::service::Service;

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Setup(error.to_string())
    }
}

impl Service {
    /// A service on the database and with the limits of a configuration.
    ///
    /// Limits of pages go before those of a struct's attributes, and behind those of
    /// [`resource_with`](Self::resource_with).
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and [`Error::Setup`] when no database is named.
    pub async fn configured(config: &Config) -> Result<Self> {
        let url = config.database_url.as_deref().ok_or_else(|| {
            Error::Setup(
                "no database is named: set `database_url` in `crud.toml` or `DATABASE_URL` in the environment"
                    .to_owned(),
            )
        })?;
        let service = Self::connect(url).await?;
        let service = set(service, config.default_limit, Self::default_limit);
        let service = set(service, config.max_limit, Self::max_limit);
        let service = set(service, config.body_limit, Self::body_limit);
        let service = set(service, config.request_timeout, Self::request_timeout);
        let service = set(service, config.head_timeout, Self::head_timeout);
        Ok(set(service, config.body_timeout, Self::body_timeout))
    }
}

/// Calls a builder's method, where there is something to say.
fn set<T>(service: Service, value: Option<T>, method: fn(Service, T) -> Service) -> Service {
    match value {
        Some(value) => method(service, value),
        None => service,
    }
}

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
    let mut arguments = env::args().skip(1);
    let argument = (arguments.next(), arguments.next());
    let config = Config::load()?;
    match (argument.0.as_deref(), argument.1) {
        (None, _) => build(Service::configured(&config).await?).migrate().await?.serve(&config.bind).await,
        (Some("check"), None) => check(config, build).await,
        (Some("openapi"), None) => openapi(config, build).await,
        _ => Err(Error::Setup("the argument is `check`, `openapi`, or none to serve".to_owned())),
    }
}

async fn check(mut config: Config, build: impl FnOnce(Service) -> Service) -> Result<()> {
    // To look whether a file could be opened must not create it.
    if config.database_url.as_deref().is_some_and(is_missing_file) {
        config.database_url = Some(NOWHERE.to_owned());
    }
    let statements = build(Service::configured(&config).await?).plan().await?;
    if statements.is_empty() {
        return print("The service would start: the database has all that it needs.");
    }
    let statements = statements.join(";\n");
    print(&format!("The service would start, and first create what the database lacks:\n{statements};"))
}

async fn openapi(mut config: Config, build: impl FnOnce(Service) -> Service) -> Result<()> {
    config.database_url = Some(NOWHERE.to_owned());
    print(&build(Service::configured(&config).await?).openapi()?)
}

/// A database that is empty and leaves nothing behind.
const NOWHERE: &str = "sqlite::memory:";

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
fn print(text: &str) -> Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Setup(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
