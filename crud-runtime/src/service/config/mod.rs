//! A service configured by `crud.toml` and the environment; programs from `crud init` run by it.

mod audit;
#[cfg(feature = "sqlite")]
mod backup;
mod describe;
mod differences;
mod explain;
mod import;
mod indexes;
mod into_service;
#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "migrations")]
mod migrate;
mod move_records;
mod output;
mod plugins;
mod program;
#[cfg(feature = "auth")]
mod random;
#[cfg(feature = "auth")]
mod users;

pub use crud_config::{Config, ConfigError};
use crud_config::{PluginValue, variable};
pub use into_service::IntoService;
pub use program::run;
#[cfg(feature = "auth")]
pub use program::run_with_auth;

use super::access::options::AccessOptions;
use super::builder::Service;
use super::document_options::DocumentOptions;
use super::plugin_settings::{SettingsSource, SettingsTable, WrittenValue};
use super::server_options::ServerOptions;
use crate::http::layer::cors::Cors;
use crate::http::limits::Limits;
use crate::storage::error::{Error, Result};

/// # Configuration
///
/// A service of `crud.toml` and the environment.
impl Service {
    /// A service with the database, limits and cross-origin rule of a configuration. The secret of cursors and the filter of the
    /// log can be in `.env`, as `CRUD_SECRET` and `RUST_LOG`.
    ///
    /// With `check_schema`, tables are those of another program, as after [`check_schema`](Self::check_schema), and
    /// [`migrate`](Self::migrate) creates the service's own alone. Its page limits override a struct's attributes;
    /// [`resource_with`](Self::resource_with) overrides both.
    ///
    /// # Errors
    /// Errors of [`connect`](Self::connect); [`Error::Setup`] without a `database_url`.
    pub async fn from_config(config: &Config) -> Result<Self> {
        let url = config.database_url.as_deref().ok_or_else(|| {
            Error::Setup(
                "the database is missing: set `database_url` in `crud.toml` or `DATABASE_URL` in the environment"
                    .to_owned(),
            )
        })?;
        let mut service = Self::connect(url).await?.replicas(config.database_read_url.as_deref().unwrap_or("")).await?;
        if config.shard_by_tenant {
            service = service.shard_by_tenant();
        }
        service.is_unmanaged = config.check_schema;
        service.plugin_settings = settings_source(config);
        let service = service.limits(|limits| with_limits(limits, config));
        check_features(config)?;
        let (secret, log_filter) = (variable("CRUD_SECRET")?, variable("RUST_LOG")?);
        let service = service.server(|server| {
            let mut server = with_server(server, config);
            server.log_filter = log_filter.map(String::into_boxed_str);
            set_some(server, secret, ServerOptions::secret)
        });
        let service = service.access(|access| with_access(access, config));
        let service = if config.auth { service } else { service.without_auth() };
        Ok(service.openapi(|document| {
            let document = set_some(document, config.docs_role.as_deref(), DocumentOptions::docs_role);
            if config.docs { document } else { document.without_docs() }
        }))
    }
}

/// The tables of plugins, and the variables that override them.
fn settings_source(config: &Config) -> SettingsSource {
    let tables = config.plugin_tables.iter().map(|table| {
        let values = table.values.iter().map(|(key, value)| {
            let value = match value {
                PluginValue::Text(text) => WrittenValue::Text(text.clone()),
                PluginValue::Bare(text) => WrittenValue::Bare(text.clone()),
            };
            (key.clone(), value)
        });
        SettingsTable { name: table.name.clone(), values: values.collect() }
    });
    SettingsSource { tables: tables.collect(), variables: Some(|name| Ok(variable(name)?)) }
}

/// The options of the server, with those of the configuration.
fn with_server(server: ServerOptions, config: &Config) -> ServerOptions {
    let server = set_some(server, config.slow_statement, ServerOptions::slow_statement);
    let server = set_some(server, config.shutdown_delay, ServerOptions::shutdown_delay);
    let server = set_some(server, config.write_probe, ServerOptions::write_probe);
    let server = set_some(server, cors(config), ServerOptions::cors);
    #[cfg(feature = "metrics")]
    let server = set_some(server, config.metrics.as_deref(), ServerOptions::metrics);
    #[cfg(feature = "compression")]
    let server = if config.compression { server.compression() } else { server };
    if config.json_logs { server.json_logs() } else { server }
}

/// The options of access, with the roles of the configuration.
#[cfg_attr(not(any(feature = "auth", feature = "metrics")), allow(unused_variables))]
fn with_access(access: AccessOptions, config: &Config) -> AccessOptions {
    #[cfg(feature = "metrics")]
    let access = set_some(access, config.metrics_role.as_deref(), AccessOptions::metrics_role);
    #[cfg(feature = "auth")]
    let access = set_some(access, config.users_role.as_deref(), AccessOptions::users_role);
    access
}

/// The limits, with those of the configuration.
fn with_limits(limits: Limits, config: &Config) -> Limits {
    let limits = set_some(limits, config.default_limit, Limits::default_limit);
    let limits = set_some(limits, config.max_limit, Limits::max_limit);
    let limits = set_some(limits, config.body_limit, Limits::body);
    let limits = set_some(limits, config.text_limit, Limits::text);
    let limits = set_some(limits, config.request_timeout, Limits::request_timeout);
    let limits = set_some(limits, config.head_timeout, Limits::head_timeout);
    let limits = set_some(limits, config.body_timeout, Limits::body_timeout);
    let limits = set_some(limits, config.connections, Limits::connections);
    let limits = set_some(limits, config.requests_in_flight, Limits::requests_in_flight);
    set_some(limits, config.request_memory, Limits::request_memory)
}

/// Refuses the keys whose feature is off.
fn check_features(config: &Config) -> Result<()> {
    let has_metrics = config.metrics.is_some() || config.metrics_role.is_some();
    let lacking = [
        (
            has_metrics && !cfg!(feature = "metrics"),
            "`metrics` and `metrics_role` need crud-runtime's feature `metrics`: `crud add metrics` adds it",
        ),
        (
            config.compression && !cfg!(feature = "compression"),
            "`compression` needs crud-runtime's feature `compression`: `crud add compression` adds it",
        ),
        (config.users_role.is_some() && !cfg!(feature = "auth"), "`users_role` needs crud-runtime's feature `auth`"),
    ];
    match lacking.into_iter().find(|(is_lacking, _)| *is_lacking) {
        Some((_, reason)) => output::setup(reason),
        None => Ok(()),
    }
}

/// The cross-origin rule, if the configuration has origins.
fn cors(config: &Config) -> Option<Cors> {
    let origins = config.cors_origins.as_ref()?;
    let cors = if *origins == ["*"] { Cors::any() } else { Cors::origins(origins) };
    let cors = if config.cors_credentials { cors.credentials() } else { cors };
    Some(set_some(cors, config.cors_max_age, Cors::max_age))
}

/// Calls a method of the builder, if there is a value.
fn set_some<B, T>(builder: B, value: Option<T>, method: fn(B, T) -> B) -> B {
    match value {
        Some(value) => method(builder, value),
        None => builder,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crud_config::ConfigKey;

    use super::*;

    #[test]
    fn values_that_are_in_force_without_a_key_are_those_of_the_service() {
        let limits = Limits::default();
        let seconds = |time: Duration| format!("{}s", time.as_secs());
        for (key, value) in [
            ("body_limit", limits.body.to_string()),
            ("text_limit", limits.text.to_string()),
            ("request_timeout", seconds(limits.request)),
            ("head_timeout", seconds(limits.head)),
            ("body_timeout", seconds(limits.body_idle)),
            ("requests_in_flight", limits.requests.to_string()),
            ("request_memory", limits.memory.to_string()),
        ] {
            assert_eq!(ConfigKey::find(key).map(|key| key.unset), Some(value.as_str()), "{key}");
        }
    }
}
