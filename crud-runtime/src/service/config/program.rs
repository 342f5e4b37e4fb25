//! [`run`]: the commands of a program with one service.

use std::env;

use crud_config::Settings;
use crud_config::command::{self, Arguments, Lacking, MigrateTask, ServiceCommand};

#[cfg(feature = "sqlite")]
use super::backup;
use super::into_service::IntoService;
#[cfg(feature = "jobs")]
use super::jobs;
#[cfg(feature = "migrations")]
use super::migrate;
use super::output::{print, setup};
use super::{Config, audit, describe, differences, explain, import, indexes, move_records, plugins};
#[cfg(feature = "auth")]
use super::{random, users};
#[cfg(feature = "auth")]
use crate::auth::AuthBuilder;
use crate::model::principal::Principal;
use crate::service::builder::Service;
use crate::storage::adapter::BoxFuture;
use crate::storage::backends::Backend;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::{Difference, DifferenceKind, Verdict};

/// Runs the command in the program's arguments. `build` completes the configured service, whose configuration is `crud.toml`,
/// the file `.env` and the environment, of which a later one overrides an earlier one:
///
/// | Arguments | |
/// |---|---|
/// | none | creates what the database lacks, or with `check_schema` nothing, and serves on the configured address |
/// | a command, such as `routes` or `migrate diff` | carries it out; `--help` lists them, and `crud` passes them on |
/// | a plugin's name and command, such as `board count` | carries it out: see [`Plugin::commands`](crate::Plugin::commands) |
/// | `--help`, `--version` | prints them, and needs no configuration; for the help `build` gets an empty database |
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
/// `build` returns the service, or a `Result` of it: `|service| Ok(service.schedule("0 3 * * *", Purge)?)`.
///
/// # Errors
/// When the configuration is invalid or the arguments are unknown; the error of `build`; those of [`Service::migrate`] and
/// [`Service::serve`].
pub async fn run<S: IntoService>(build: impl FnOnce(Service) -> S) -> Result<()> {
    let Some(invocation) = Invocation::begin().await? else { return Ok(()) };
    let built = invocation.service().await.and_then(|service| build(service).into_service());
    let Some(service) = invocation.unless_help(built)? else { return Ok(()) };
    match invocation.command {
        None => prepared(service).await?.serve(&invocation.config.bind).await,
        Some(ServiceCommand::Check { indexes: None, all }) => check(service, "The service would start", all).await,
        Some(ServiceCommand::User(_)) => {
            setup("the service has no users, because it has no authentication: `crud add auth` adds it to the project")
        }
        Some(command) => carry_out(&service, &invocation.config, command).await,
    }
}

/// Like [`run`], with authentication. The secret is in the variable `JWT_SECRET_KEY` of the environment or `.env`, unless the builder has a
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
pub async fn run_with_auth<S: IntoService>(build: impl FnOnce(Service) -> S, auth: AuthBuilder) -> Result<()> {
    let Some(invocation) = Invocation::begin().await? else { return Ok(()) };
    let auth = with_secret(auth)?;
    // Commands for users and tables need authentication in any case.
    let is_open = !invocation.config.auth && shows_routes(invocation.command.as_ref());
    let signs = invocation.command.is_none() && !is_open;
    let has_key = auth.has_key();
    // A service that signs nothing can have a random secret.
    let auth = if has_key || signs { auth } else { auth.secret(random::secret()?) };
    let auth = auth.build()?;
    let has_users_table = auth.has_users_table();
    let built = invocation.service().await.and_then(|service| build(service).into_service());
    let Some(service) = invocation.unless_help(built)? else { return Ok(()) };
    let service = if is_open { service } else { service.auth(auth) };
    match invocation.command {
        None => {
            let service = prepared(service).await?;
            if has_users_table && !is_open {
                users::create_first(&service.users()).await?;
            }
            service.serve(&invocation.config.bind).await
        }
        Some(ServiceCommand::Check { indexes: None, all }) if has_key || is_open => {
            check(service, "The service would start", all).await
        }
        Some(ServiceCommand::Check { indexes: None, all }) => {
            check(service, "The service would start with a secret in JWT_SECRET_KEY", all).await
        }
        Some(ServiceCommand::User(task)) if has_users_table => users::run(&service.users(), task).await,
        Some(ServiceCommand::User(_)) => {
            setup("this service does not use the table `auth_users`: create users where its authentication reads them")
        }
        Some(command) => carry_out(&service, &invocation.config, command).await,
    }
}

/// The service, after creating what its tables lack; another program's tables stay as they are. What is created is
/// logged.
async fn prepared(service: Service) -> Result<Service> {
    service.install_log();
    if service.is_unmanaged { service.check_schema().await } else { service.migrate().await.map_err(mendable) }
}

/// The builder with the secret of `.env`, where it has no key.
#[cfg(feature = "auth")]
fn with_secret(auth: AuthBuilder) -> Result<AuthBuilder> {
    if auth.has_key() {
        return Ok(auth);
    }
    Ok(match crud_config::variable("JWT_SECRET_KEY")? {
        Some(secret) => auth.secret(secret),
        None => auth,
    })
}

/// Carries out a command that is the same with and without authentication.
#[cfg_attr(
    not(any(feature = "migrations", feature = "sqlite")),
    expect(unused_variables, reason = "no other command needs the URL of the database")
)]
fn carry_out<'a>(service: &'a Service, config: &'a Config, command: ServiceCommand) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        match command {
            ServiceCommand::Check { indexes: Some(log), .. } => indexes::run(service, log.as_deref()).await,
            ServiceCommand::Openapi => print(&String::from_utf8_lossy(&service.checked_document()?.json(""))),
            ServiceCommand::Routes { roles } => routes(service, roles),
            ServiceCommand::Explain(command) => explain::run(service, &command).await,
            ServiceCommand::Audit(task) => audit::run(service, task).await,
            ServiceCommand::Plugin(words) => plugins::run(service, words).await,
            ServiceCommand::Import(command) => import::run(service, command).await,
            ServiceCommand::Move(command) => move_records::run(service, &command, migration_files()).await,
            #[cfg(feature = "sqlite")]
            ServiceCommand::Backup { file } => backup::run(config.database_url.as_deref(), &file).await,
            #[cfg(feature = "jobs")]
            ServiceCommand::Jobs(task) => jobs::run(service, task).await,
            #[cfg(feature = "migrations")]
            ServiceCommand::Migrate(task) => migrate::run(service, config.database_url.as_deref(), task).await,
            // The command needs a feature that is off, or was carried out before.
            _ => setup("this program does not have the command"),
        }
    })
}

/// The commands that this program lacks, with the features of the runtime that bring them.
const LACKING: &[Lacking<'_>] = &[
    #[cfg(not(feature = "sqlite"))]
    ("backup", "sqlite"),
    #[cfg(not(feature = "auth"))]
    ("user", "auth"),
    #[cfg(not(feature = "jobs"))]
    ("jobs", "jobs"),
    #[cfg(not(feature = "migrations"))]
    ("migrate", "migrations"),
];

/// Whether the command is about routes or their records, which `auth = false` opens.
#[cfg(feature = "auth")]
const fn shows_routes(command: Option<&ServiceCommand>) -> bool {
    use ServiceCommand as C;
    matches!(command, None | Some(C::Check { indexes: None, .. } | C::Openapi | C::Routes { .. } | C::Explain(_)))
}

/// Whether the command may create the configured database.
const fn may_create_database(command: Option<&ServiceCommand>) -> bool {
    matches!(command, None | Some(ServiceCommand::Migrate(MigrateTask::Apply)))
}

/// A command and its configuration. Futures are boxed here and for every command, so that this crate has their machine
/// code.
struct Invocation {
    /// `None`: the program serves.
    command: Option<ServiceCommand>,
    config: Config,
    /// The help of the program, to be printed with the commands of the plugins of the service.
    help: Option<String>,
    /// Whether the configured database is in memory.
    #[cfg(feature = "migrations")]
    in_memory: bool,
}

impl Invocation {
    /// The command of the program; `None` if it needed no service and is carried out.
    fn begin() -> BoxFuture<'static, Result<Option<Self>>> {
        Box::pin(async move {
            match Self::read()? {
                Some(Self { command: Some(ServiceCommand::Describe(command)), config, .. }) => {
                    describe::run(config.database_url.as_deref(), &command).await.map(|()| None)
                }
                invocation => Ok(invocation),
            }
        })
    }

    /// Reads the arguments and the configuration; `None` where the arguments are answered.
    fn read() -> Result<Option<Self>> {
        let command = match command::read(env::args_os(), LACKING) {
            Arguments::Command(command) => command,
            Arguments::Help(text) => return Ok(Some(Self::of_help(text)?)),
            Arguments::Answer(text) => return print(&text).map(|()| None),
            Arguments::Error(text) => return setup(text),
        };
        let mut config = Config::load()?;
        if let Some(ServiceCommand::Move(command)) = &command {
            move_records::check(command)?;
            config.database_url = Some(command.from.clone());
            config.database_read_url = None;
        }
        #[cfg(feature = "migrations")]
        let in_memory = config.database_url.as_deref().is_some_and(Backend::is_in_memory);
        // SQLite creates a missing file when it opens it; a command that only reads must not.
        let is_missing = config.database_url.as_deref().is_some_and(Backend::is_missing_file);
        // The document depends on what a database without transactions refuses: only its running server knows that.
        let depends = Backend::of_url(config.database_url.as_deref().unwrap_or_default())
            .is_some_and(|backend| !backend.capabilities.transactions);
        let is_description = matches!(command, Some(ServiceCommand::Describe(_)));
        if is_missing && config.check_schema && command.is_none() {
            return setup("the file of `database_url` is missing, and with `check_schema` a start creates nothing");
        }
        if matches!(command, Some(ServiceCommand::Routes { .. }))
            || command == Some(ServiceCommand::Openapi) && !depends
            || is_missing && !may_create_database(command.as_ref()) && !is_description
        {
            config.database_url = Some(EMPTY_DATABASE.to_owned());
            config.database_read_url = None;
        }
        Ok(Some(Self {
            command,
            config,
            help: None,
            #[cfg(feature = "migrations")]
            in_memory,
        }))
    }

    /// The invocation for the help, which needs no configuration: the service is on an empty database.
    fn of_help(text: String) -> Result<Self> {
        let mut config = Config::new(&Settings::new("", |_| None)?);
        config.database_url = Some(EMPTY_DATABASE.to_owned());
        let command = Some(ServiceCommand::Plugin(Vec::new()));
        Ok(Self {
            command,
            config,
            help: Some(text),
            #[cfg(feature = "migrations")]
            in_memory: true,
        })
    }

    /// The service; `None` if the help was wanted, which is printed.
    fn unless_help(&self, built: Result<Service>) -> Result<Option<Service>> {
        match &self.help {
            Some(help) => plugins::print_help(help, built).map(|()| None),
            None => built.map(Some),
        }
    }

    /// The configured service.
    fn service(&self) -> BoxFuture<'_, Result<Service>> {
        Box::pin(async move {
            let service = Service::from_config(&self.config).await?;
            // Migrations cannot be applied to a database that starts with the program.
            #[cfg(feature = "migrations")]
            if migrate::has_migrations() && !self.in_memory {
                return Ok(service.migrations_from(migrate::DIRECTORY));
            }
            Ok(service)
        })
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

/// Prints every route with the access that it needs, or whether a principal with roles may use it; then the error that
/// keeps the service from starting, if there is one.
fn routes(service: &Service, roles: Vec<String>) -> Result<()> {
    let table = if roles.is_empty() {
        service.model()?.access_table()
    } else {
        service.model()?.access_table_of(Some(&Principal::new("").with_roles(roles)))
    };
    print(table.to_string().trim_end())?;
    service.check_access()
}

/// An empty database in memory.
const EMPTY_DATABASE: &str = "sqlite::memory:";

/// Prints the statements that the service would run first on its database, after `verdict`, and how the database differs
/// from the structs otherwise: `all` differences, or the first of those that are alike.
///
/// # Errors
/// As a start; [`MigrateError::Mismatch`] where a CHECK refuses values that a struct allows.
fn check(service: Service, verdict: &str, all: bool) -> BoxFuture<'_, Result<()>> {
    Box::pin(async move {
        service.check_access()?;
        service.check_rights().await?;
        // A start creates nothing, and no migration changes another program's tables.
        let is_unmanaged = service.is_unmanaged;
        let service = if is_unmanaged { service.check_schema().await? } else { service };
        let unused = service.unused_table_lines().await;
        let checked = check_tables(&service, verdict, all).await;
        match unused {
            Ok((known, others)) => {
                for line in known.into_iter().chain(others) {
                    print(&line)?;
                }
            }
            Err(error) => print(&format!("The names of tables that no struct has cannot be read: {error}"))?,
        }
        if is_unmanaged { checked } else { checked.map_err(mendable) }
    })
}

/// The error with the commands that change a database which contradicts the structs.
fn mendable(error: Error) -> Error {
    match error {
        Error::Migrate(MigrateError::Mismatch(mut lines)) => {
            let feature = if cfg!(feature = "migrations") { "" } else { " (after `crud add migrations`)" };
            lines.push(format!(
                "To change the database: `crud migrate diff` writes the statements{feature}, `crud migrate apply` applies them."
            ));
            MigrateError::Mismatch(lines).into()
        }
        other => other,
    }
}

/// Compares the tables with the structs.
async fn check_tables(service: &Service, verdict: &str, all: bool) -> Result<()> {
    #[cfg(feature = "migrations")]
    if let Some(directory) = service.migrations.as_ref().filter(|_| !service.is_unmanaged) {
        service.check_migrated(directory).await?;
        crate::service::migrations::check_sums(directory)?;
    }
    // A program with migrations creates nothing.
    let statements = if service.creates_tables() { service.plan().await? } else { Vec::new() };
    let differences = compared(service).await?;
    let refusing = |difference: &&Difference| {
        matches!(difference.what, DifferenceKind::Check { .. }) && difference.verdict() == Verdict::Warning
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
    let others: Vec<&Difference> = others.collect();
    if !others.is_empty() {
        lines.push("The database differs from the structs:".to_owned());
        lines.extend(differences::lines(&others, all));
    }
    print(&lines.join("\n"))
}

/// Differences between the database and the structs, CHECK conditions among them where they can be compared.
async fn compared(service: &Service) -> Result<Vec<Difference>> {
    #[cfg(feature = "migrations")]
    if service.administration.migrations().is_some() {
        match service.migrations().diff().await {
            Ok(differences) => return Ok(differences),
            // A server compares conditions in a temporary table, for which its user may lack the right.
            Err(error) => eprintln!("CHECK conditions are not compared: {error}"),
        }
    }
    service.differences().await
}
