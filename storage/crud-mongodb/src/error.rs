//! The driver's errors as an adapter's.

use mongodb::error::{Error, ErrorKind, WriteFailure};

use crate::model::adapter_error::{AdapterError, BoxError};

/// Failure of a command, as far as the adapter treats it specially.
#[derive(Debug)]
pub(super) enum Failure {
    /// Another document has the key, or a value of a unique index.
    Duplicate,
    /// The document is larger than the server stores.
    TooLarge,
    /// Another transaction was in the way: the same work may succeed in a new one.
    Transient(Error),
    /// The transaction has read what another change has replaced since: the work starts over in a new transaction.
    Outdated,
    /// Anything else.
    Adapter(AdapterError),
}

/// Codes of duplicates.
const DUPLICATE: [i32; 3] = [11_000, 11_001, 12_582];

/// `BSONObjectTooLarge`, and the codes of a document that an update makes too large.
const TOO_LARGE: [i32; 3] = [10_334, 17_419, 17_420];

/// `MaxTimeMSExpired` and `ExceededTimeLimit`.
const TIMEOUT: [i32; 2] = [50, 262];

/// `OutOfDiskSpace`.
const OUT_OF_DISK_SPACE: i32 = 14_031;

/// The server is not there yet, or any more: `HostUnreachable`, `HostNotFound`, `NetworkTimeout`, `ShutdownInProgress`,
/// `PrimarySteppedDown`, `SocketException`, `NotWritablePrimary`, `InterruptedAtShutdown`,
/// `InterruptedDueToReplStateChange`, `NotPrimaryNoSecondaryOk`, `NotPrimaryOrSecondary`.
const UNAVAILABLE: [i32; 11] = [6, 7, 89, 91, 189, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436];

impl Failure {
    /// The failure of a command.
    pub(super) fn of(error: Error) -> Self {
        let code = code(&error);
        let is = |codes: &[i32]| code.is_some_and(|(code, _)| codes.contains(&code));
        // FerretDB passes on SQLite's error of an update.
        let is_sqlite = code.is_some_and(|(_, message)| message.contains("UNIQUE constraint failed"));
        if is(&DUPLICATE) || is_sqlite {
            Self::Duplicate
        } else if is(&TOO_LARGE) {
            Self::TooLarge
        } else if error.contains_label("TransientTransactionError") {
            Self::Transient(error)
        } else {
            Self::Adapter(adapter_error(error))
        }
    }

    /// The adapter's error, where the caller does not treat a duplicate, or another special failure, itself.
    pub(super) fn into_adapter(self) -> AdapterError {
        match self {
            Self::Duplicate => AdapterError::Unique { columns: Vec::new() },
            Self::TooLarge => AdapterError::TooLarge { column: None },
            Self::Transient(error) => AdapterError::Unavailable(Box::new(error)),
            Self::Outdated => AdapterError::Unavailable("other changes of the record were in the way".into()),
            Self::Adapter(error) => error,
        }
    }
}

impl From<AdapterError> for Failure {
    fn from(error: AdapterError) -> Self {
        Self::Adapter(error)
    }
}

/// The adapter's error of a command whose failures are all treated alike.
pub(super) fn adapter_error(error: Error) -> AdapterError {
    let is = |codes: &[i32]| code(&error).is_some_and(|(code, _)| codes.contains(&code));
    let is_away = match *error.kind {
        ErrorKind::Io(_)
        | ErrorKind::ServerSelection { .. }
        | ErrorKind::ConnectionPoolCleared { .. }
        | ErrorKind::DnsResolve { .. } => true,
        _ => is(&UNAVAILABLE),
    };
    if is(&[OUT_OF_DISK_SPACE]) {
        AdapterError::of_disk(error)
    } else if is(&TIMEOUT) {
        AdapterError::Timeout
    } else if is_away {
        AdapterError::Unavailable(Box::new(error))
    } else {
        AdapterError::Other(Box::new(error))
    }
}

/// An error without a specific kind.
pub(super) fn failed(error: impl Into<BoxError>) -> AdapterError {
    AdapterError::Other(error.into())
}

/// The server's code and message.
fn code(error: &Error) -> Option<(i32, &str)> {
    match &*error.kind {
        ErrorKind::Command(error) => Some((error.code, &error.message)),
        ErrorKind::Write(WriteFailure::WriteError(error)) => Some((error.code, &error.message)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use mongodb::bson::{deserialize_from_document, doc};
    use mongodb::error::CommandError;

    use super::*;

    /// The failure of a command that the server answered with a code.
    fn failure(code: i32, message: &str) -> Failure {
        let error = deserialize_from_document(doc! { "code": code, "codeName": "", "errmsg": message });
        let error: CommandError = error.expect("an error of a command");
        Failure::of(ErrorKind::Command(error).into())
    }

    #[test]
    fn codes_of_the_server_are_told_apart() {
        assert!(matches!(failure(11_000, ""), Failure::Duplicate));
        assert!(matches!(failure(1, "UNIQUE constraint failed: index 'x' (2067)"), Failure::Duplicate));
        assert!(matches!(failure(10_334, ""), Failure::TooLarge));
        assert!(matches!(failure(50, ""), Failure::Adapter(AdapterError::Timeout)));
        assert!(matches!(failure(91, ""), Failure::Adapter(AdapterError::Unavailable(_))));
        assert!(matches!(failure(14_031, ""), Failure::Adapter(error) if error.is_of_disk()));
        assert!(matches!(failure(13, "not authorized"), Failure::Adapter(AdapterError::Other(_))));
    }
}
