//! A service configured by `crud.toml` and the environment; programs from `crud init` run by it.

mod audit;
#[cfg(feature = "sqlite")]
mod backup;
#[cfg(feature = "auth")]
mod first_user;
mod import;
mod indexes;
#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "migrations")]
mod migrate;
mod move_records;
mod output;
mod program;
#[cfg(feature = "auth")]
mod random;
#[cfg(feature = "auth")]
mod users;

pub use crud_config::{Config, ConfigError};
pub use program::run;
#[cfg(feature = "auth")]
pub use program::run_with_auth;

use super::builder::Service;
use crate::http::layer::cors::Cors;
use crate::storage::error::{Error, Result};

impl Service {
    /// A service with the database, limits and cross-origin rule of a configuration.
    ///
    /// Its page limits override a struct's attributes; [`resource_with`](Self::resource_with) overrides both.
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
        let service = Self::connect(url).await?.replicas(config.database_read_url.as_deref().unwrap_or("")).await?;
        let service = set_some(service, config.default_limit, Self::default_limit);
        let service = set_some(service, config.max_limit, Self::max_limit);
        let service = set_some(service, config.body_limit, Self::body_limit);
        let service = set_some(service, config.request_timeout, Self::request_timeout);
        let service = set_some(service, config.slow_statement, Self::slow_statement);
        let service = set_some(service, config.head_timeout, Self::head_timeout);
        let service = set_some(service, config.body_timeout, Self::body_timeout);
        let service = set_some(service, config.connections, Self::connections);
        let service = set_some(service, config.requests_in_flight, Self::requests_in_flight);
        let service = set_some(service, config.shutdown_delay, Self::shutdown_delay);
        let service = set_some(service, config.write_probe, Self::write_probe);
        let service = set_some(service, config.text_limit, Self::text_limit);
        let service = set_some(service, config.request_memory, Self::request_memory);
        let service = set_some(service, cors(config), Self::cors);
        let service = if config.json_logs { service.json_logs() } else { service };
        let service = with_metrics(service, config)?;
        let service = with_compression(service, config)?;
        let service = set_some(service, config.docs_role.as_deref(), Self::docs_role);
        let service = with_users_role(service, config)?;
        let service = if config.auth { service } else { service.without_auth() };
        Ok(if config.docs { service } else { service.without_docs() })
    }
}

#[cfg(feature = "metrics")]
#[allow(clippy::unnecessary_wraps, reason = "it fails without the feature")]
fn with_metrics(service: Service, config: &Config) -> Result<Service> {
    let service = set_some(service, config.metrics.as_deref(), Service::metrics);
    Ok(set_some(service, config.metrics_role.as_deref(), Service::metrics_role))
}

#[cfg(not(feature = "metrics"))]
fn with_metrics(service: Service, config: &Config) -> Result<Service> {
    if config.metrics.is_none() && config.metrics_role.is_none() {
        return Ok(service);
    }
    Err(Error::Setup("`metrics` and `metrics_role` need crud-runtime's feature `metrics`".to_owned()))
}

#[cfg(feature = "auth")]
#[allow(clippy::unnecessary_wraps, reason = "it fails without the feature")]
fn with_users_role(service: Service, config: &Config) -> Result<Service> {
    Ok(set_some(service, config.users_role.as_deref(), Service::users_role))
}

#[cfg(not(feature = "auth"))]
fn with_users_role(service: Service, config: &Config) -> Result<Service> {
    if config.users_role.is_none() {
        return Ok(service);
    }
    Err(Error::Setup("`users_role` needs crud-runtime's feature `auth`".to_owned()))
}

#[cfg(feature = "compression")]
#[allow(clippy::unnecessary_wraps, reason = "it fails without the feature")]
fn with_compression(service: Service, config: &Config) -> Result<Service> {
    Ok(if config.compression { service.compression() } else { service })
}

#[cfg(not(feature = "compression"))]
fn with_compression(service: Service, config: &Config) -> Result<Service> {
    if !config.compression {
        return Ok(service);
    }
    Err(Error::Setup("`compression` needs crud-runtime's feature `compression`".to_owned()))
}

/// The cross-origin rule, if the configuration has origins.
fn cors(config: &Config) -> Option<Cors> {
    let origins = config.cors_origins.as_ref()?;
    let mut cors = if *origins == ["*"] { Cors::any() } else { Cors::origins(origins) };
    if config.cors_credentials {
        cors = cors.credentials();
    }
    if let Some(age) = config.cors_max_age {
        cors = cors.max_age(age);
    }
    Some(cors)
}

/// Calls a method of the builder, if there is a value.
fn set_some<T>(service: Service, value: Option<T>, method: fn(Service, T) -> Service) -> Service {
    match value {
        Some(value) => method(service, value),
        None => service,
    }
}
