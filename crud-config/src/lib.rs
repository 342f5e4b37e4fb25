//! The configuration of a service: `crud.toml`; the file `.env`, which overrides it; and the environment, which overrides both.
//!
//! [`KEYS`] lists the keys once. The service reads them as [`Config`]; the command that shows and changes them reads them
//! as [`Settings`].

#[cfg(feature = "command")]
pub mod command;
mod environment;
mod key;
mod plugin_table;
mod secret;
mod settings;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crud_shared::duration;

pub use crud_shared::database::{DATABASES, Database};
pub use environment::{ENV_FILE, Environment, variable};
pub use key::{ConfigKey, KEYS};
pub use plugin_table::{PluginTable, PluginValue};
pub use settings::{Setting, Settings, Source};

/// The name of the file, in the working directory of the program.
pub const FILE: &str = "crud.toml";

/// An error in the file or the environment, as a sentence with the legal values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub(crate) String);

/// Makes `?` work on this error in a program's `main`.
#[cfg(feature = "service-error")]
impl From<ConfigError> for crud_core::Error {
    fn from(error: ConfigError) -> Self {
        Self::Setup(error.to_string())
    }
}

/// The configuration of a service. The program decides values that are `None`.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is an independent key.
pub struct Config {
    /// The URL of the database.
    pub database_url: Option<String>,
    /// The address to serve on.
    pub bind: String,
    /// Number of records in a page when the request gives no limit.
    pub default_limit: Option<u32>,
    /// Maximum number of records in a page.
    pub max_limit: Option<u32>,
    /// The greatest size of a body, in bytes.
    pub body_limit: Option<usize>,
    /// Maximum number of characters of a text whose field has no `length(max = …)`.
    pub text_limit: Option<usize>,
    /// Time limit of a request.
    pub request_timeout: Option<Duration>,
    /// The duration from which on a list is logged, with its plan.
    pub slow_statement: Option<Duration>,
    /// Time limit for the arrival of a request's head.
    pub head_timeout: Option<Duration>,
    /// Longest pause within the body of a request.
    pub body_timeout: Option<Duration>,
    /// Time for which the service accepts connections after the stop signal.
    pub shutdown_delay: Option<Duration>,
    /// Time limit of the write of `/ready`; `None` where it only reads.
    pub write_probe: Option<Duration>,
    /// Maximum number of open connections.
    pub connections: Option<u32>,
    /// Maximum number of requests in flight.
    pub requests_in_flight: Option<u32>,
    /// Limit of bytes of bodies and responses that all requests hold together.
    pub request_memory: Option<usize>,
    /// The address that metrics are served on.
    pub metrics: Option<String>,
    /// The role that may read the metrics on the service's address.
    pub metrics_role: Option<String>,
    /// Whether the log is JSON.
    pub json_logs: bool,
    /// Whether responses are compressed.
    pub compression: bool,
    /// The origins whose web pages may call the service, or `*` alone for any.
    pub cors_origins: Option<Vec<String>>,
    /// Whether browsers send cookies with cross-origin requests.
    pub cors_credentials: bool,
    /// Time for which browsers may keep the answer to a preflight request.
    pub cors_max_age: Option<Duration>,
    /// Whether access rules are enforced. The file alone can say that they are not.
    pub auth: bool,
    /// Whether the service has `/openapi.json` and `/docs`.
    pub docs: bool,
    /// The role that may read `/openapi.json` and `/docs`.
    pub docs_role: Option<String>,
    /// The role that may manage users over HTTP.
    pub users_role: Option<String>,
    /// The URLs of read replicas, separated by spaces or commas.
    pub database_read_url: Option<String>,
    /// Whether the records of each tenant are in one shard.
    pub shard_by_tenant: bool,
    /// Whether the tables are another program's: a start creates and alters nothing.
    pub check_schema: bool,
    /// Tables for plugins of the program, as they are written.
    pub plugin_tables: Vec<PluginTable>,
}

impl Config {
    /// Reads `crud.toml` and `.env` in the working directory, if they exist, and the environment.
    ///
    /// # Errors
    /// When a file cannot be read, a key is unknown, or a value is not legal for its key.
    ///
    /// ```no_run
    /// let config = crud_config::Config::load()?;
    /// println!("serving on {}", config.bind);
    /// # Ok::<(), crud_config::ConfigError>(())
    /// ```
    pub fn load() -> Result<Self, ConfigError> {
        Ok(Self::new(&Settings::read(Path::new("."))?))
    }

    /// The configuration from these settings.
    pub fn new(settings: &Settings) -> Self {
        let text = |key| settings.value(key).map(str::to_owned);
        let time = |key| settings.value(key).and_then(duration::parse);
        let bytes = |key| settings.number(key).map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let count = |key| settings.number(key).map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Self {
            database_url: text("database_url"),
            bind: text("bind").unwrap_or_default(),
            default_limit: count("default_limit"),
            max_limit: count("max_limit"),
            body_limit: bytes("body_limit"),
            text_limit: bytes("text_limit"),
            request_timeout: time("request_timeout"),
            slow_statement: time("slow_statement"),
            head_timeout: time("head_timeout"),
            body_timeout: time("body_timeout"),
            shutdown_delay: time("shutdown_delay"),
            write_probe: time("write_probe"),
            connections: count("connections"),
            requests_in_flight: count("requests_in_flight"),
            request_memory: bytes("request_memory"),
            metrics: text("metrics"),
            metrics_role: text("metrics_role"),
            json_logs: settings.value("json_logs") == Some("true"),
            compression: settings.value("compression") == Some("true"),
            cors_origins: settings.value("cors_origins").map(|list| key::items(list).map(str::to_owned).collect()),
            cors_credentials: settings.value("cors_credentials") == Some("true"),
            cors_max_age: time("cors_max_age"),
            auth: settings.value("auth") != Some("false"),
            docs: settings.value("docs") != Some("false"),
            docs_role: text("docs_role"),
            users_role: text("users_role"),
            database_read_url: text("database_read_url"),
            shard_by_tenant: settings.value("shard_by") == Some("tenant"),
            check_schema: settings.value("check_schema") == Some("true"),
            plugin_tables: settings.plugin_tables().to_vec(),
        }
    }
}

/// Hides secrets.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("database_url", &self.database_url.as_deref().map(secret::masked))
            .field("bind", &self.bind)
            .field("default_limit", &self.default_limit)
            .field("max_limit", &self.max_limit)
            .field("body_limit", &self.body_limit)
            .field("text_limit", &self.text_limit)
            .field("request_timeout", &self.request_timeout)
            .field("slow_statement", &self.slow_statement)
            .field("head_timeout", &self.head_timeout)
            .field("body_timeout", &self.body_timeout)
            .field("shutdown_delay", &self.shutdown_delay)
            .field("write_probe", &self.write_probe)
            .field("connections", &self.connections)
            .field("requests_in_flight", &self.requests_in_flight)
            .field("request_memory", &self.request_memory)
            .field("metrics", &self.metrics)
            .field("metrics_role", &self.metrics_role)
            .field("json_logs", &self.json_logs)
            .field("compression", &self.compression)
            .field("cors_origins", &self.cors_origins)
            .field("cors_credentials", &self.cors_credentials)
            .field("cors_max_age", &self.cors_max_age)
            .field("auth", &self.auth)
            .field("docs", &self.docs)
            .field("docs_role", &self.docs_role)
            .field("users_role", &self.users_role)
            .field("database_read_url", &self.database_read_url.as_deref().map(key::masked_urls))
            .field("shard_by_tenant", &self.shard_by_tenant)
            .field("check_schema", &self.check_schema)
            .field("plugin_tables", &self.plugin_tables)
            .finish()
    }
}
