//! [`KnownEngine`]: programs that speak the protocol of a database server, told apart by the text of their version.

use super::TARGET;
use crate::model::adapter_error::AdapterError;

/// A program that is not the server whose protocol it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownEngine {
    pub(crate) name: &'static str,
    /// A part of its version, in lower case.
    mark: &'static str,
    pub(crate) standing: Standing,
}

/// Standing of an engine: whether a service runs on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The suite runs on it.
    Supported,
    /// The suite has not run on it.
    NotRun,
    /// A service cannot run on it.
    Refused {
        /// The capability that it lacks.
        reason: &'static str,
    },
}

impl KnownEngine {
    pub(crate) const fn new(name: &'static str, mark: &'static str, standing: Standing) -> Self {
        Self { name, mark, standing }
    }

    /// The engine of a version, if it is one of these.
    pub(crate) fn of_version(engines: &'static [Self], version: &str) -> Option<&'static Self> {
        let version = version.to_ascii_lowercase();
        engines.iter().find(|engine| version.contains(engine.mark))
    }

    /// Names the engine in the log, once at start.
    ///
    /// # Errors
    /// When a service cannot run on it.
    pub(crate) fn announce(&self, version: &str) -> Result<(), AdapterError> {
        let name = self.name;
        match self.standing {
            Standing::Supported => tracing::info!(target: TARGET, version, "the database is {name}"),
            Standing::NotRun => tracing::warn!(
                target: TARGET,
                version,
                "the database is {name}: the suite has not run on it. Run it on a copy of your data first; the page \
                 `Engines` of the book says what is known"
            ),
            Standing::Refused { reason } => {
                let line = format!(
                    "the database is {name} (`{version}`), on which a service cannot run: {reason}. Use a database of the page \
                     `Engines` of the book"
                );
                return Err(AdapterError::Other(line.into()));
            }
        }
        Ok(())
    }
}
