//! A service as `crud.toml` and the environment say: what the programs that `crud init` writes run by.

#[cfg(feature = "auth")]
mod first_user;
#[cfg(feature = "migrations")]
mod migrate;
mod program;
#[cfg(feature = "auth")]
mod random;

pub use crud_config::{Config, ConfigError};
pub use program::run;
#[cfg(feature = "auth")]
pub use program::run_with_auth;

use super::builder::Service;
use crate::storage::error::{Error, Result};

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
        let service = Self::connect(url).await?.read_from(config.database_read_url.as_deref().unwrap_or("")).await?;
        let service = set(service, config.default_limit, Self::default_limit);
        let service = set(service, config.max_limit, Self::max_limit);
        let service = set(service, config.body_limit, Self::body_limit);
        let service = set(service, config.request_timeout, Self::request_timeout);
        let service = set(service, config.head_timeout, Self::head_timeout);
        Ok(set(service, config.body_timeout, Self::body_timeout))
    }
}

/// Calls a builder's method where the configuration has a value.
fn set<T>(service: Service, value: Option<T>, method: fn(Service, T) -> Service) -> Service {
    match value {
        Some(value) => method(service, value),
        None => service,
    }
}
