//! The program's own entries of the audit log, in a transaction.

use serde_json::Value as Json;

use super::Tx;
use crate::model::column::IntoColumn;
use crate::model::descriptor::Descriptor;
use crate::model::key::{Key, RecordKey};
use crate::model::principal::Principal;
use crate::model::resource::Resource;
use crate::storage::error::{Error, Result};
use crate::store::audit_record::{AuditRecord, EntityId, NewAuditRecord};

impl Tx<'_> {
    /// Writes an entry about a record into the audit log, in the transaction: of an event other than a change, such as `printed`,
    /// with its data. Its author and its time are those of a change; where records of the resource have tenants, its tenant is
    /// that of the transaction, or else the author's.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use serde_json::json;
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(audit)]
    /// struct Invoice { id: i64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let app = Service::connect("sqlite::memory:").await?.resource::<Invoice>().migrate().await?.app();
    /// let entry = app.transaction(async |tx| tx.log::<Invoice>(7, "printed", json!({ "copies": 2 })).await).await?;
    /// assert_eq!((entry.entity_id, &*entry.action), (Some(7), "printed"));
    /// # Ok::<(), crud_runtime::Error>(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] for a resource without an audit log; those of a change.
    pub async fn log<R: Resource>(
        &self,
        id: impl IntoColumn<R::Id>,
        action: impl Into<String>,
        data: impl Into<Option<Json>>,
    ) -> Result<AuditRecord> {
        self.log_of(R::DESCRIPTOR, &id.into_column().into_key(), action.into(), data.into()).await
    }

    async fn log_of(
        &self,
        resource: &'static Descriptor,
        key: &Key,
        action: String,
        changes: Option<Json>,
    ) -> Result<AuditRecord> {
        let name = resource.name;
        let missing = || Error::Setup(format!("{name} has no audit log: add `audit` to its `#[crud(…)]`"));
        let audit = resource.audit.ok_or_else(missing)?;
        let actor = self.app.actor().filter(|_| audit.track_user);
        let (entity_id, entity_key) = EntityId::from_key(key).into_columns();
        let entry = NewAuditRecord {
            entity_type: resource.stored_name().to_owned(),
            entity_id,
            entity_key,
            action,
            user_id: actor.and_then(Principal::user_id),
            actor: actor.map(|actor| actor.actor().into_owned()),
            changes,
            previous: None,
            timestamp: audit.track_timestamp.then(|| self.app.now()),
            tenant: resource.tenant.and_then(|_| self.app.tenant()),
        };
        self.unscoped_store::<AuditRecord>().create(entry).await
    }
}
