//! The log: entries of the audit log, numbered in an order without gaps that fill later.

use std::collections::HashMap;
use std::sync::OnceLock;

use crud_runtime::audit::AuditRecord;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use tokio::sync::watch;

use crate::entry::{Entry, EntryKind};

/// The numbered entries of the audit log.
#[derive(Debug)]
#[allow(dead_code, reason = "the parts of the crate that read it follow")]
pub(crate) struct Log {
    parts: OnceLock<Parts>,
    /// The last number that this process knows.
    last: watch::Sender<i64>,
}

#[derive(Debug)]
struct Parts {
    app: App,
    /// Resources by their names in the log.
    resources: HashMap<&'static str, &'static Descriptor>,
}

impl Default for Log {
    fn default() -> Self {
        Self { parts: OnceLock::new(), last: watch::Sender::new(0) }
    }
}

#[allow(dead_code, reason = "the parts of the crate that read it follow")]
impl Log {
    /// Learns the resources and the storage of the finished service.
    pub(crate) fn open(&self, app: &App, resources: impl IntoIterator<Item = &'static Descriptor>) {
        let named = resources.into_iter().map(|resource| (resource.name, resource)).collect();
        self.parts.get_or_init(|| Parts { app: app.clone(), resources: named });
    }

    /// The entries after a number, at most so many, in the order of their numbers. Entries of other resources are left out.
    pub(crate) async fn after(&self, seq: i64, limit: u64) -> Result<Vec<Entry>, Problem> {
        let Some(parts) = self.parts.get() else { return Ok(Vec::new()) };
        let fields = AuditRecord::FIELDS;
        let query = Select::from(fields.id.gt(seq)).order_by(fields.id.asc()).limit(limit);
        let found = parts.app.store::<AuditRecord>().list(query).await?;
        Ok(found.into_iter().filter_map(|record| parts.entry(record)).collect())
    }

    /// The last number that this process knows: no entry of a list that is read after it is missing up to it.
    pub(crate) fn mark(&self) -> i64 {
        *self.last.borrow()
    }

    /// A receiver that changes with each new number.
    pub(crate) fn changed(&self) -> watch::Receiver<i64> {
        self.last.subscribe()
    }
}

impl Parts {
    fn entry(&self, record: AuditRecord) -> Option<Entry> {
        let resource = *self.resources.get(&*record.entity_type)?;
        let key = record.entity_key.or_else(|| record.entity_id.map(|id| id.to_string()))?;
        let kind = match &*record.action {
            "create" => EntryKind::Create,
            "update" => EntryKind::Update,
            "delete" => EntryKind::Delete,
            "soft_delete" => EntryKind::SoftDelete,
            "restore" => EntryKind::Restore,
            "link" | "unlink" => EntryKind::Links,
            own => EntryKind::Own(own.strip_prefix("event:")?.to_owned()),
        };
        Some(Entry {
            seq: record.id,
            log_id: record.id,
            resource,
            key,
            kind,
            changes: record.changes,
            previous: record.previous,
            timestamp: record.timestamp,
            actor: record.actor,
            tenant: record.tenant,
        })
    }
}
