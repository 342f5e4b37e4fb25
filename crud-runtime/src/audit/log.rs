//! [`AuditLog`]: the program's own audit entries.

use std::fmt;
use std::sync::Arc;

use super::removal::problem;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::storage::write::{Work, Write};
use crate::store::app::App;
use crate::store::audit_record::{AuditRecord, EntityId, NewAuditRecord, write_entries};
use crate::store::each_row::each_row;
use crate::store::observer::Observers;
use crate::store::writer::{OnlyRecord, record_values};

/// The audit log, for entries about events other than changes: a login, an export, a job.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Resource)]
/// # #[crud(audit)]
/// # struct Book { id: i64 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().migrate().await?;
/// let entry = service.audit_log().log("Report", 7, "export", Some(42), None).await?;
/// assert_eq!(entry.entity_id, Some(7));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct AuditLog {
    pub(super) adapter: Arc<dyn Adapter>,
    pub(super) clock: Clock,
    /// The resources with former names.
    pub(super) renamed: Vec<&'static Descriptor>,
    /// Observers of erasures, with the resources and the handle that they get.
    pub(super) observed: Option<(Observers, Vec<&'static Descriptor>, App)>,
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLog").field("adapter", &self.adapter).finish_non_exhaustive()
    }
}

impl AuditLog {
    pub(crate) fn new(
        adapter: Arc<dyn Adapter>,
        clock: Clock,
        resources: impl Iterator<Item = &'static Descriptor>,
    ) -> Self {
        let renamed = resources.filter(|resource| !resource.formers.is_empty()).collect();
        Self { adapter, clock, renamed, observed: None }
    }

    /// Reports erasures of these resources' records to observers, which work with the handle.
    pub(crate) fn observed(self, observers: Observers, resources: Vec<&'static Descriptor>, app: App) -> Self {
        Self { observed: Some((observers, resources, app)), ..self }
    }

    /// Writes an entry with the current time. The log's table exists if a resource of the service is audited.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn log(
        &self,
        entity_type: impl Into<String>,
        entity_id: impl Into<EntityId>,
        action: impl Into<String>,
        user_id: Option<i64>,
        changes: Option<serde_json::Value>,
    ) -> Result<AuditRecord> {
        let (entity_id, entity_key) = entity_id.into().into_columns();
        let entry = NewAuditRecord {
            entity_type: entity_type.into(),
            entity_id,
            entity_key,
            action: action.into(),
            user_id,
            actor: user_id.map(|id| id.to_string()),
            changes,
            previous: None,
            timestamp: Some(self.clock.stamp()),
            tenant: None,
        };
        let entry = [record_values::with_defaults(AuditRecord::DESCRIPTOR, entry.into())];
        let mut written = None;
        let mut sink = each_row(|row| {
            written = Some(AuditRecord::from_row(row)?);
            Ok(())
        });
        let write = Write::atomic(Work::Insert(&entry), None);
        write_entries(&*self.adapter, write, &mut OnlyRecord(&mut sink)).await.map_err(problem)?;
        written.ok_or_else(|| Problem::internal("the adapter returned no entry").into())
    }
}
