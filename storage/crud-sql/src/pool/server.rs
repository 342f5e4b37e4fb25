//! [`Server`]: the server of a URL, and why a service cannot open its database.

use std::io::{self, ErrorKind};
use std::time::Duration;

use sqlx::{Connection, Error};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::model::adapter_error::AdapterError;

/// Maximum time for a server's answer.
const TIME: Duration = Duration::from_secs(5);

/// Advice on characters that would end a password.
const ENCODED: &str = "in a user name or a password, `@`, `:`, `/`, `?`, `#` and `%` are written `%40`, `%3A`, `%2F`, `%3F`, \
                       `%23` and `%25`";

/// The server of a URL.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    /// The name of the server's program, such as `PostgreSQL`.
    pub(crate) title: &'static str,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    pub(crate) database: String,
    /// Whether `host` may be a part of the password, and therefore is not shown.
    pub(crate) is_doubtful: bool,
}

/// Reason why the server refused a connection, by the error code of its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The database does not exist.
    NoDatabase,
    /// The user does not exist, or has another password.
    User,
    /// The user may not connect to the database.
    Denied,
}

/// Whether an `@` comes after the end of a URL's host. If so, an unescaped `/`, `?` or `#` in the password has ended
/// the host too early.
pub(crate) fn is_doubtful(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find(['/', '?', '#']).is_some_and(|end| rest[end..].contains('@'))
}

/// The error of a URL that cannot be parsed. The URL is not shown: it may contain a password.
pub(crate) fn unreadable(error: &Error) -> AdapterError {
    let reason = match error {
        Error::Configuration(error) => error.to_string(),
        error => error.to_string(),
    };
    AdapterError::Other(format!("the URL of the database cannot be read: {reason}; {ENCODED}").into())
}

impl Server {
    /// The error of a pool that could not open its first connection, with what is wrong and what would be right.
    pub(crate) async fn explained<C: Connection>(
        &self,
        error: Error,
        options: &C::Options,
        refusal: impl Fn(&Error) -> Option<Refusal>,
        general: impl Fn(Error) -> AdapterError,
    ) -> AdapterError {
        // The pool has retried without saying why: a direct connection shows the reason.
        let error = match error {
            Error::PoolTimedOut => match timeout(TIME, C::connect_with(options)).await {
                Ok(Ok(_)) => error,
                Ok(Err(error)) => error,
                Err(_) => return self.silent().await,
            },
            error => error,
        };
        let (place, title) = (self.place(), self.title);
        let text = match (&error, refusal(&error)) {
            (_, Some(refusal)) => return AdapterError::Other(self.refused(refusal, &error).into()),
            (Error::Io(error), _) if is_lookup(error) && self.is_doubtful => {
                return AdapterError::Other(
                    format!("the host of the database's URL is unknown, and an `@` comes after it: {ENCODED}").into(),
                );
            }
            (Error::Io(error), _) if is_lookup(error) => {
                format!("the host `{}` is unknown: mend the URL of the database; {ENCODED}", self.host)
            }
            (Error::Io(error), _) if error.kind() == ErrorKind::ConnectionRefused => {
                format!(
                    "nothing listens at {place}: start {title}, or mend the host and the port in the URL of the database"
                )
            }
            (Error::Protocol(_), _) => self.not_its_protocol(),
            (Error::Io(error), _) if is_of_protocol(error) => self.not_its_protocol(),
            (Error::Io(error), _) => format!("{place} cannot be reached: {error}"),
            (Error::PoolTimedOut, _) => format!("{title} at {place} gives no connection within {} s", TIME.as_secs()),
            _ => return general(error),
        };
        AdapterError::Unavailable(text.into())
    }

    /// The error of a server that does not answer.
    async fn silent(&self) -> AdapterError {
        let connected = timeout(TIME, TcpStream::connect((self.host.as_str(), self.port))).await;
        AdapterError::Unavailable(match connected {
            Ok(Ok(_)) => self.not_its_protocol().into(),
            _ => format!(
                "{} does not answer within {} s: mend the URL of the database, or open the way to it",
                self.place(),
                TIME.as_secs()
            )
            .into(),
        })
    }

    fn not_its_protocol(&self) -> String {
        let Self { title, .. } = self;
        format!(
            "what listens at {} does not answer as {title} does: mend the port in the URL of the database",
            self.place()
        )
    }

    fn refused(&self, refusal: Refusal, error: &Error) -> String {
        let Self { title, user, database, .. } = self;
        let place = self.place();
        match refusal {
            Refusal::NoDatabase => format!(
                "{title} at {place} has no database `{database}`: `CREATE DATABASE {database}` creates it, or mend its name in the \
                 URL"
            ),
            Refusal::User => {
                let message = error.as_database_error().map_or_else(String::new, |error| error.message().to_owned());
                format!(
                    "{title} at {place} refuses the user `{user}` ({message}): mend the user or the password in the URL; {ENCODED}"
                )
            }
            Refusal::Denied => format!(
                "{title} at {place} does not let the user `{user}` use the database `{database}`: let its owner grant that"
            ),
        }
    }

    fn place(&self) -> String {
        format!("`{}:{}`", self.host, self.port)
    }
}

/// Whether a host name could not be resolved. Such an error has no separate `ErrorKind`.
fn is_lookup(error: &io::Error) -> bool {
    error.to_string().starts_with("failed to lookup address")
}

/// Whether the server's answer is not of the expected protocol.
fn is_of_protocol(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_whose_password_ends_its_host_is_doubtful() {
        for url in ["postgres://u:1/x@host/shop", "mysql://u:1?x@host/shop", "mysql://u:1#x@host/shop"] {
            assert!(is_doubtful(url), "{url}");
        }
        for url in ["postgres://u:x@host/shop", "postgres://host/shop", "postgres://u:x@y@host/shop?sslmode=disable"] {
            assert!(!is_doubtful(url), "{url}");
        }
    }
}
