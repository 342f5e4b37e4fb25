//! [`KnownEngine`]: programs that speak the protocol of a database server, recognized by the text of their version.

use super::TARGET;
use crate::model::adapter_error::AdapterError;

/// A program that speaks the protocol of another server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownEngine {
    pub(crate) name: &'static str,
    /// A part of the program's version text, in lower case.
    mark: &'static str,
    pub(crate) standing: Standing,
}

/// Whether a service runs on an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The test suite runs on the engine.
    Supported,
    /// The test suite has not run on the engine.
    NotRun,
    /// A service cannot run on the engine.
    Refused {
        /// The capability that the engine lacks.
        reason: &'static str,
    },
}

impl KnownEngine {
    pub(crate) const fn new(name: &'static str, mark: &'static str, standing: Standing) -> Self {
        Self { name, mark, standing }
    }

    /// The engine with this version text, if it is a known one.
    pub(crate) fn of_version(engines: &'static [Self], version: &str) -> Option<&'static Self> {
        let version = version.to_ascii_lowercase();
        engines.iter().find(|engine| version.contains(engine.mark))
    }

    /// Names the engine in the log, once at start.
    ///
    /// # Errors
    /// When a service cannot run on the engine.
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
