//! [`run`]: the commands of a program with one service.

use std::env;

use super::Config;
use super::audit::{self, AuditCommand};
#[cfg(feature = "sqlite")]
use super::backup;
use super::import::{self, ImportCommand};
use super::indexes;
#[cfg(feature = "jobs")]
use super::jobs::{self, JobsCommand};
#[cfg(feature = "migrations")]
use super::migrate::{self, MigrateCommand};
use super::move_records::{self, MoveCommand};
use super::output::print;
#[cfg(feature = "auth")]
use super::users::{self, UsersCommand};
#[cfg(feature = "auth")]
use super::{first_user, random};
#[cfg(feature = "auth")]
use crate::auth::AuthBuilder;
use crate::service::builder::Service;
use crate::storage::backends::Backend;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::{Difference, Verdict, What};

/// Runs the command in the program's arguments. `build` completes the configured service:
///
/// | Arguments | |
/// |---|---|
/// | none | creates what the database lacks, and serves on the configured address |
/// | `backup copy.db` | copies a database of SQLite, which may be in use |
/// | `check` | prints whether the service would start on the configured database, and how that differs from the structs; creates nothing. An error also where a CHECK refuses values that a struct allows |
/// | `check --indexes service.log` | prints the indexes that would help the slow lists of a log, and those that nothing uses; `-` reads the log from standard input, and without a log only the database is asked |
/// | `audit erase Product 7` | removes the values of a record from its audit entries |
/// | `import products products.csv` | creates records from a file; `mode=partial`, `dry_run=true`, `on_conflict=sku`, `conflict=ignore`, `raw=true` |
/// | `jobs list` | prints the jobs that are not done; `kind=mail` and `state=dead` select |
/// | `jobs retry 7` | runs a job as soon as possible, such as one that failed too often |
/// | `jobs cancel 7` | removes a job |
/// | `move --from sqlite://shop.db --to postgres://…` | moves every record to an empty database, as it is |
/// | `routes` | prints every route with the access that it needs; needs no database |
/// | `openapi` | prints the OpenAPI document; needs no database, except MongoDB, whose server decides what is refused |
/// | `migrate diff` | writes a migration from the database to the structs into the directory `migrations` |
/// | `migrate data split_names` | writes the file that names a data migration of the program |
/// | `migrate apply` | applies the pending migrations |
/// | `migrate status` | prints the state of each migration |
/// | `migrate revert` | reverts the last migration; `--yes` where that drops records |
/// | `migrate diff --check` | prints what `migrate diff` would write, and fails where that is something |
/// | `migrate verify` | applies all migrations to an empty database, and fails where the structs need more; `--shadow URL` |
/// | `migrate hash` | accepts edits of migrations: writes their hashes into `migrations/crud.sum` |
/// | `migrate rebase 20261121181559` | puts migrations of a branch behind all others; `--shadow URL` |
/// | `user add ada editor` | creates a user with roles; `passwd ada`, `disable ada`, `enable ada`, `roles ada editor`, `list` |
///
/// `jobs` needs the feature `jobs`, `migrate` the feature `migrations`. If the directory has migrations, serving creates nothing,
/// and refuses a database that is behind them; one that a newer program has changed is used while the structs fit. A database
/// in memory is still created from the structs.
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
/// When the configuration is invalid or the arguments are unknown; those of [`Service::migrate`] and [`Service::serve`].
pub async fn run(build: impl FnOnce(Service) -> Service) -> Result<()> {
    let invocation = Invocation::read()?;
    let service = build(invocation.service().await?);
    match invocation.command {
        Command::Serve => service.migrate().await?.serve(&invocation.config.bind).await,
        Command::Check => check(&service, "The service would start").await,
        Command::Indexes(log) => indexes::run(&service, log.as_deref()).await,
        Command::Openapi => print(&service.openapi_json()?),
        Command::Routes => routes(&service),
        Command::Audit(command) => audit::run(&service, command).await,
        Command::Import(command) => import::run(&service, command).await,
        Command::Move(command) => move_records::run(&service, &command, migration_files()).await,
        #[cfg(feature = "sqlite")]
        Command::Backup(file) => backup::run(invocation.config.database_url.as_deref(), &file).await,
        #[cfg(feature = "auth")]
        Command::Users(_) => Err(Error::Setup("the service has no users: it has no authentication".to_owned())),
        #[cfg(feature = "jobs")]
        Command::Jobs(command) => jobs::run(&service, command).await,
        #[cfg(feature = "migrations")]
        Command::Migrate(command) => migrate::run(&service, invocation.config.database_url.as_deref(), command).await,
    }
}

/// Like [`run`], with authentication. The secret is in the environment variable `JWT_SECRET_KEY`, unless the builder has a
/// key; `check` and `openapi` need neither.
///
/// If users are in the service's own table and there are none, serving creates `admin` with the role `admin`. Its
/// password is in the environment variable `ADMIN_PASSWORD`, or a random one that is printed once.
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
/// Errors of [`run`] and [`AuthBuilder::build`]; when `ADMIN_PASSWORD` is used and has fewer than 8 characters or more than
/// 1024 bytes.
#[cfg(feature = "auth")]
pub async fn run_with_auth(build: impl FnOnce(Service) -> Service, auth: AuthBuilder) -> Result<()> {
    let invocation = Invocation::read()?;
    // Commands for users and tables need authentication in any case.
    let is_open = !invocation.config.auth && invocation.command.shows_routes();
    let signs = invocation.command == Command::Serve && !is_open;
    let has_key = auth.has_key();
    // A service that signs nothing can have a random secret.
    let auth = if has_key || signs { auth } else { auth.secret(random::secret()?) };
    let auth = auth.build()?;
    let has_users_table = auth.has_users_table();
    let service = build(invocation.service().await?);
    let service = if is_open { service } else { service.auth(auth) };
    match invocation.command {
        Command::Serve => {
            let service = service.migrate().await?;
            if has_users_table && !is_open {
                first_user::create(&service.users()).await?;
            }
            service.serve(&invocation.config.bind).await
        }
        Command::Check if has_key || is_open => check(&service, "The service would start").await,
        Command::Check => check(&service, "The service would start with a secret in JWT_SECRET_KEY").await,
        Command::Indexes(log) => indexes::run(&service, log.as_deref()).await,
        Command::Openapi => print(&service.openapi_json()?),
        Command::Routes => routes(&service),
        Command::Audit(command) => audit::run(&service, command).await,
        Command::Import(command) => import::run(&service, command).await,
        Command::Move(command) => move_records::run(&service, &command, migration_files()).await,
        #[cfg(feature = "sqlite")]
        Command::Backup(file) => backup::run(invocation.config.database_url.as_deref(), &file).await,
        Command::Users(command) if has_users_table => users::run(&service.users(), command).await,
        Command::Users(_) => Err(Error::Setup("the service's users are elsewhere".to_owned())),
        #[cfg(feature = "jobs")]
        Command::Jobs(command) => jobs::run(&service, command).await,
        #[cfg(feature = "migrations")]
        Command::Migrate(command) => migrate::run(&service, invocation.config.database_url.as_deref(), command).await,
    }
}

/// A command in a program's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Command {
    Serve,
    Check,
    /// Advice on indexes, for a log if it has one.
    Indexes(Option<String>),
    Openapi,
    Routes,
    Audit(AuditCommand),
    Import(ImportCommand),
    Move(MoveCommand),
    #[cfg(feature = "sqlite")]
    Backup(String),
    #[cfg(feature = "auth")]
    Users(UsersCommand),
    #[cfg(feature = "jobs")]
    Jobs(JobsCommand),
    #[cfg(feature = "migrations")]
    Migrate(MigrateCommand),
}

impl Command {
    fn parse(arguments: &[String]) -> Option<Self> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match arguments.as_slice() {
            [] => Some(Self::Serve),
            ["check"] => Some(Self::Check),
            ["check", "--indexes", log @ ..] if log.len() < 2 => {
                Some(Self::Indexes(log.first().map(|log| (*log).to_owned())))
            }
            ["openapi"] => Some(Self::Openapi),
            ["routes"] => Some(Self::Routes),
            ["audit", arguments @ ..] => AuditCommand::parse(arguments).map(Self::Audit),
            #[cfg(feature = "sqlite")]
            ["backup", file] => Some(Self::Backup((*file).to_owned())),
            #[cfg(feature = "auth")]
            ["user", arguments @ ..] => UsersCommand::parse(arguments).map(Self::Users),
            ["import", arguments @ ..] => ImportCommand::parse(arguments).map(Self::Import),
            ["move", arguments @ ..] => MoveCommand::parse(arguments).map(Self::Move),
            #[cfg(feature = "jobs")]
            ["jobs", arguments @ ..] => JobsCommand::parse(arguments).map(Self::Jobs),
            #[cfg(feature = "migrations")]
            ["migrate", arguments @ ..] => MigrateCommand::parse(arguments).map(Self::Migrate),
            _ => None,
        }
    }

    /// Whether the command is about the routes, which `auth = false` opens.
    #[cfg(feature = "auth")]
    const fn shows_routes(&self) -> bool {
        matches!(self, Self::Serve | Self::Check | Self::Openapi | Self::Routes)
    }

    /// Whether the command may create the configured database.
    fn may_create_database(&self) -> bool {
        match self {
            Self::Serve => true,
            Self::Check
            | Self::Indexes(_)
            | Self::Openapi
            | Self::Routes
            | Self::Audit(_)
            | Self::Import(_)
            | Self::Move(_) => false,
            #[cfg(feature = "sqlite")]
            Self::Backup(_) => false,
            #[cfg(feature = "auth")]
            Self::Users(_) => false,
            #[cfg(feature = "jobs")]
            Self::Jobs(_) => false,
            #[cfg(feature = "migrations")]
            Self::Migrate(command) => *command == MigrateCommand::Apply,
        }
    }
}

/// The error for unknown arguments.
fn usage() -> String {
    let jobs = if cfg!(feature = "jobs") { ", `jobs` with `list`, `retry 7` or `cancel 7`" } else { "" };
    let backup = if cfg!(feature = "sqlite") { ", `backup copy.db`" } else { "" };
    let users = if cfg!(feature = "auth") { ", `user` with `add ada`, `passwd ada` or `list`" } else { "" };
    let (migrate, needs) = if cfg!(feature = "migrations") {
        (", `migrate` with `diff`, `data NAME`, `apply`, `status`, `revert`, `verify`, `hash` or `rebase FILE`", "")
    } else {
        ("", " (`migrate` needs crud-runtime's feature `migrations`)")
    };
    format!(
        "expected `check`, `check --indexes service.log`, `openapi`, `routes`, `audit` with `erase Product 7`, `import products products.csv`, `move --from URL --to URL`{backup}{users}{jobs}{migrate}, or no argument to serve{needs}"
    )
}

/// A command and its configuration.
struct Invocation {
    command: Command,
    config: Config,
    /// Whether the configured database is in memory.
    #[cfg(feature = "migrations")]
    in_memory: bool,
}

impl Invocation {
    fn read() -> Result<Self> {
        let mut config = Config::load()?;
        let arguments: Vec<String> = env::args().skip(1).collect();
        let command = Command::parse(&arguments).ok_or_else(|| Error::Setup(usage()))?;
        if let Command::Move(command) = &command {
            command.check()?;
            config.database_url = Some(command.from.clone());
            config.database_read_url = None;
        }
        #[cfg(feature = "migrations")]
        let in_memory = config.database_url.as_deref().is_some_and(Backend::is_in_memory);
        // SQLite creates a missing file when it opens it; a command that only reads must not.
        let is_missing = config.database_url.as_deref().is_some_and(Backend::is_missing_file);
        // What a server of it refuses, only the server knows.
        let depends = Backend::of_url(config.database_url.as_deref().unwrap_or_default())
            .is_some_and(|backend| !backend.capabilities.transactions);
        if command == Command::Routes
            || command == Command::Openapi && !depends
            || is_missing && !command.may_create_database()
        {
            config.database_url = Some(EMPTY_DATABASE.to_owned());
            config.database_read_url = None;
        }
        Ok(Self {
            command,
            config,
            #[cfg(feature = "migrations")]
            in_memory,
        })
    }

    /// The configured service.
    async fn service(&self) -> Result<Service> {
        let service = Service::from_config(&self.config).await?;
        // Migrations cannot be applied to a database that starts with the program.
        #[cfg(feature = "migrations")]
        if migrate::has_migrations() && !self.in_memory {
            return Ok(service.migrations(migrate::DIRECTORY));
        }
        Ok(service)
    }
}

/// The directory of migrations, if it has any.
fn migration_files() -> Option<&'static str> {
    #[cfg(feature = "migrations")]
    if migrate::has_migrations() {
        return Some(migrate::DIRECTORY);
    }
    None
}

/// Prints every route with the access that it needs; an error after them is that with which the service does not start.
fn routes(service: &Service) -> Result<()> {
    print(service.access_table()?.to_string().trim_end())?;
    service.check_access()
}

/// An empty database in memory.
const EMPTY_DATABASE: &str = "sqlite::memory:";

/// Prints the statements that the service would run first on its database, after `verdict`, and how the database differs
/// from the structs otherwise.
///
/// # Errors
/// As a start; [`MigrateError::Mismatch`] where a CHECK refuses values that a struct allows.
async fn check(service: &Service, verdict: &str) -> Result<()> {
    service.check_access()?;
    let unused = service.unused_table_lines().await;
    let checked = check_tables(service, verdict).await;
    match unused {
        Ok((known, others)) => {
            for line in known.into_iter().chain(others) {
                print(&line)?;
            }
        }
        Err(error) => print(&format!("The names of tables that no struct has cannot be read: {error}"))?,
    }
    checked
}

/// Compares the tables with the structs.
async fn check_tables(service: &Service, verdict: &str) -> Result<()> {
    #[cfg(feature = "migrations")]
    if let Some(directory) = &service.migrations {
        service.check_migrated(directory).await?;
        crate::service::migrations::check_sums(directory)?;
    }
    // With migrations, nothing is created.
    let statements = if service.creates_tables() { service.plan().await? } else { Vec::new() };
    let differences = compared(service).await?;
    let refusing = |difference: &&Difference| {
        matches!(difference.what, What::Check { .. }) && difference.verdict() == Verdict::Costs
    };
    let refusing: Vec<String> = differences.iter().filter(refusing).map(Difference::to_string).collect();
    if !refusing.is_empty() {
        return Err(MigrateError::Mismatch(refusing).into());
    }
    let mut lines = vec![if statements.is_empty() {
        format!("{verdict}: the database lacks nothing.")
    } else {
        format!("{verdict}, and would first create what the database lacks:\n{};", statements.join(";\n"))
    }];
    let others = differences.iter().filter(|difference| !(service.creates_tables() && difference.is_created()));
    let others: Vec<String> = others.map(|difference| format!("  {}: {difference}", difference.verdict())).collect();
    if !others.is_empty() {
        lines.push("The database differs from the structs:".to_owned());
        lines.extend(others);
    }
    print(&lines.join("\n"))
}

/// Differences between the database and the structs, CHECK conditions among them where they can be compared.
async fn compared(service: &Service) -> Result<Vec<Difference>> {
    #[cfg(feature = "migrations")]
    if service.adapter.migrations().is_some() {
        match service.diff().await {
            Ok(differences) => return Ok(differences),
            // A server compares conditions in a temporary table, for which its user may lack the right.
            Err(error) => eprintln!("CHECK conditions are not compared: {error}"),
        }
    }
    service.differences().await
}
