//! The rights of the database's user, checked at the start.

use crate::model::descriptor::Operation;
use crate::model::resource::Resource;
use crate::service::builder::Service;
use crate::service::tables::is_internal;
use crate::storage::error::{Error, Result};
use crate::store::audit_record::AuditRecord;
use crate::store::tables::secret::Secret;

impl Service {
    /// Requires that the database's user may read the tables that are there, and warns where it can change nothing.
    ///
    /// The audit log may be write-only, and cursors work without the table of their secret. With session variables, the
    /// rights are those of the callers.
    ///
    /// # Errors
    /// [`Error::Setup`] with the statements that grant the missing rights.
    pub(in crate::service) async fn check_rights(&self) -> Result<()> {
        let mut tables = self.described_tables()?;
        let spared = [AuditRecord::DESCRIPTOR.name, Secret::DESCRIPTOR.name];
        tables.retain(|table| !(is_internal(table) && spared.contains(&table.name)));
        let rights = self.administration.rights(&tables).await.map_err(Error::Database)?;
        let changes = [Operation::Create, Operation::Update, Operation::Delete];
        let is_changed =
            |operation: &Operation| self.resources.iter().any(|options| options.descriptor.offers(*operation));
        if let Some(reason) = rights.read_only.filter(|_| changes.iter().any(is_changed)) {
            tracing::warn!(
                "the database takes no changes: {reason}; reads are served, and each change is refused. `write_probe` makes \
                 `/ready` 503 then"
            );
        }
        if rights.grants.is_empty() || self.access.session_variables.is_some() {
            return Ok(());
        }
        let (user, grants) = (rights.user, rights.grants.join(";\n  "));
        Err(Error::Setup(format!(
            "the database's user `{user}` may not read tables of the service: let their owner run\n  {grants};"
        )))
    }
}
