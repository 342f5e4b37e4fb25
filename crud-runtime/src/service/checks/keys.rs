//! The check that the database keeps keys unique, before a service serves tables that it did not migrate.

use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;

impl Service {
    /// Refuses tables that do not keep the keys of their resources unique. A database that does not answer yet is asked again
    /// by the first request.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] with a line for each table.
    pub(in crate::service) async fn check_keys(&self) -> Result<()> {
        if self.is_compared() {
            return Ok(());
        }
        match self.adapter.ambiguous_keys(&self.described_tables()?).await {
            Ok(ambiguous) if ambiguous.is_empty() => Ok(()),
            Ok(ambiguous) => {
                let lines = ambiguous.iter().map(ToString::to_string).collect();
                Err(Error::Migrate(MigrateError::Mismatch(lines)))
            }
            Err(error) => {
                tracing::warn!(%error, "whether keys are unique is not known yet: the first request finds out");
                Ok(())
            }
        }
    }
}
