//! Errors of vtgate, the proxy of Vitess, without the statement and the values that it appends to MySQL's errors.
//!
//! ```text
//! target: app.0.primary: vttablet: rpc error: code = AlreadyExists desc = Duplicate entry 'a@b.example' for key
//!   'users.ux_users__email' (errno 1062) (sqlstate 23000) (CallerID: root): Sql: "insert into …", BindVars: {…}
//!                           ^ the message ends here
//! ```

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use sqlx::error::{DatabaseError, ErrorKind};
use sqlx::mysql::MySqlDatabaseError;

use crate::connection_error::speaks_of_connection;

/// Start of the text that vtgate appends to an error of MySQL.
const APPENDED: &str = " (errno ";

/// Starts of the texts that vtgate appends to its own errors.
const STATEMENTS: [&str; 2] = [": Sql: \"", ", BindVars: {"];

/// The code of errors that have no other code.
const UNKNOWN: u16 = 1105;
/// The code of a statement that was interrupted or timed out, and of a read of too many rows.
const INTERRUPTED: u16 = 1317;

/// Meaning of a vtgate error without a specific MySQL code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// No server of a shard answers, or the transaction was lost. A later request may succeed.
    Unavailable,
    /// The statement exceeded its time limit.
    Timeout,
    /// The error has another meaning.
    Unknown,
}

/// The meaning of an error's code and message.
pub(super) fn meaning(number: u16, message: &str) -> Meaning {
    /// A shard has no primary, or the transaction on the shard has to start over.
    const AWAY: [&str; 6] =
        ["no healthy tablet", "not_serving", "not serving", "operation not allowed in state", "vt15001", "vt09032"];
    const LATE: [&str; 3] = ["deadline exceeded", "maximum statement execution time exceeded", "query timed out"];
    /// A limit of vttablet, which a retry would exceed again.
    const TOO_MANY: &str = "row count exceeded";
    let text = message.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|words| text.contains(words));
    match number {
        UNKNOWN | INTERRUPTED if has(&AWAY) => Meaning::Unavailable,
        UNKNOWN if speaks_of_connection(message) => Meaning::Unavailable,
        UNKNOWN | INTERRUPTED if has(&LATE) => Meaning::Timeout,
        INTERRUPTED if !text.contains(TOO_MANY) => Meaning::Unavailable,
        _ => Meaning::Unknown,
    }
}

/// An error of vtgate whose message contains no values.
#[derive(Debug)]
pub(super) struct VtgateError {
    number: u16,
    state: Option<String>,
    message: String,
}

impl VtgateError {
    pub(super) const fn number(&self) -> u16 {
        self.number
    }

    /// The SQLSTATE.
    pub(super) fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

/// Removes the statement and the values that vtgate appends to an error's message. Errors of other servers are
/// unchanged.
pub(super) fn without_values(error: sqlx::Error) -> sqlx::Error {
    let Some(found) = error.as_database_error().and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>()) else {
        return error;
    };
    match end_of_message(found.message()) {
        None => error,
        Some(end) => sqlx::Error::Database(Box::new(VtgateError {
            number: found.number(),
            state: found.code().map(str::to_owned),
            message: found.message()[..end].to_owned(),
        })),
    }
}

/// The end of a vtgate error's own message; `None` for errors of other servers.
fn end_of_message(message: &str) -> Option<usize> {
    let ends = std::iter::once(APPENDED).chain(STATEMENTS).filter_map(|word| message.find(word));
    ends.min()
}

/// Whether vtgate reported an error: its own error, or one of a tablet behind it.
pub(super) fn is_of_vtgate(error: &sqlx::Error) -> bool {
    let Some(error) = error.as_database_error() else { return false };
    let message = error.message();
    error.try_downcast_ref::<VtgateError>().is_some() || message.starts_with("target: ") || message.starts_with("VT")
}

impl fmt::Display for VtgateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.message)
    }
}

impl Error for VtgateError {}

impl DatabaseError for VtgateError {
    fn message(&self) -> &str {
        &self.message
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        self.state.as_deref().map(Cow::Borrowed)
    }

    fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUPLICATE: &str = "target: app.0.primary: vttablet: rpc error: code = AlreadyExists desc = Duplicate entry \
         'a@b.example' for key 'users.ux_users__email' (errno 1062) (sqlstate 23000) (CallerID: root): Sql: \"insert into \
         users(email) values (:v1)\", BindVars: {v1: \"type:VARCHAR value:\\\"a@b.example\\\"\"}";

    #[test]
    fn a_message_ends_before_the_statement_and_its_values() {
        let message = |text: &str| end_of_message(text).map(|end| text[..end].to_owned());
        let ended = message(DUPLICATE).expect("a message of vtgate");
        assert!(ended.ends_with("for key 'users.ux_users__email'"), "{ended}");
        let own = "target: app.0.primary: vttablet: tx pool full: Sql: \"select 1\", BindVars: {v1: \"secret\"}";
        assert_eq!(message(own).expect("a message of vtgate"), "target: app.0.primary: vttablet: tx pool full");
        assert_eq!(message("Duplicate entry 'a' for key 'users.ux_users__email'"), None);
    }

    #[test]
    fn errors_without_a_code_of_mysql_mean_what_their_text_says() {
        for (number, text, expected) in [
            (1105, "target: app.-80.primary: no healthy tablet available for 'keyspace:\"app\"'", Meaning::Unavailable),
            (1105, "target: app.0.primary: vttablet: operation not allowed in state NOT_SERVING", Meaning::Unavailable),
            (1105, "VT15001: transaction error, issue ROLLBACK and retry the transaction: x", Meaning::Unavailable),
            (
                1105,
                "VT09032: previous transaction failed. Issue a ROLLBACK to resolve the failure.",
                Meaning::Unavailable,
            ),
            (1105, "unavailable: connection error", Meaning::Unavailable),
            (
                1317,
                "target: app.0.primary: vttablet: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
                Meaning::Timeout,
            ),
            (1317, "transaction 7: ended at 2026-01-01 (unlocked closed connection)", Meaning::Unavailable),
            (1317, "caller id: root: row count exceeded 10000", Meaning::Unknown),
            (1105, "VT12001: unsupported: x", Meaning::Unknown),
            (1062, "no healthy tablet", Meaning::Unknown),
        ] {
            assert_eq!(meaning(number, text), expected, "{text}");
        }
    }
}
