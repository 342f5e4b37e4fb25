//! [`TenantReads`]: the audit entries of reads in tenants that are not the reader's.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::adapter_error::AdapterError;
use crate::model::clock::Clock;
use crate::model::descriptor::{Audit, Descriptor};
use crate::model::principal::Principal;
use crate::model::resource::Resource;
use crate::model::value::Value;
use crate::query::claims::claim_text;
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::layers::tenant_read_audit::TenantReadAudit;
use crate::storage::write::{Work, Write};
use crate::store::audit_record::{AuditRecord, write_entries};
use crate::store::writer::audit_recorder::AuditEntries;
use crate::store::writer::no_sink::NoSink;

/// Reads of one request by a principal that `tenant(except(…))` lets read in every tenant. Each other tenant whose rows
/// it reads gets an entry before the rows are returned.
///
/// An entry names the resource and no record:
/// `{"entity_type": "Ticket", "action": "read", "tenant": "7", "changes": {"operation": "GET /tickets"}, …}`.
pub(crate) struct TenantReads {
    adapter: Arc<dyn Adapter>,
    clock: Clock,
    reader: Arc<Principal>,
    /// The tenant of the reader, as entries have it.
    own: Option<String>,
    /// The method and the path of the request.
    operation: String,
    seen: Mutex<Seen>,
}

/// The name of a resource, and a tenant of its rows.
type ReadSubject = (&'static str, String);

#[derive(Default)]
struct Seen {
    /// Subjects that have an entry.
    logged: BTreeSet<ReadSubject>,
    /// Subjects of rows that were read since, with the entries of their resources.
    open: Vec<(ReadSubject, AuditEntries)>,
}

impl fmt::Debug for TenantReads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TenantReads").field("operation", &self.operation).finish_non_exhaustive()
    }
}

impl TenantReads {
    /// The action of the entries.
    pub(crate) const ACTION: &'static str = "read";

    /// The reads of a request; `adapter`: the primary.
    pub(crate) fn new(adapter: Arc<dyn Adapter>, clock: Clock, reader: Arc<Principal>, operation: String) -> Self {
        let own = reader.tenant().map(claim_text);
        Self { adapter, clock, reader, own, operation, seen: Mutex::default() }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(&self, open: Vec<(ReadSubject, AuditEntries)>) -> Result<(), AdapterError> {
        let entry = |((_, tenant), entries): &(ReadSubject, AuditEntries)| {
            let changes = Value::Json(serde_json::json!({ "operation": self.operation }));
            let (values, tenant) = ((changes, Value::Null), Value::Text(tenant.clone()));
            entries.values(self.clock.stamp(), (None, None), Self::ACTION, values, tenant)
        };
        let entries: Vec<_> = open.iter().map(entry).collect();
        // Partial: storage without transactions writes each entry by itself.
        let write = Write::partial(Work::Insert(&entries), None).with_clock(&self.clock);
        write_entries(&*self.adapter, write, &mut NoSink).await?;
        self.seen().logged.extend(open.into_iter().map(|(place, _)| place));
        Ok(())
    }
}

impl TenantReadAudit for TenantReads {
    fn column(&self, resource: &'static Descriptor) -> Option<usize> {
        logged_column(resource).map(|(column, _)| column)
    }

    fn value(&self, resource: &'static Descriptor, value: &Value) {
        let tenant = value.to_string();
        let Some((_, audit)) = logged_column(resource) else { return };
        if value.is_null() || tenant.is_empty() || self.own.as_ref() == Some(&tenant) {
            return;
        }
        let place = (resource.stored_name(), tenant);
        let mut seen = self.seen();
        if !seen.logged.contains(&place) && seen.open.iter().all(|(open, _)| *open != place) {
            seen.open.push((place, AuditEntries { resource, audit, actor: Some(self.reader.clone()) }));
        }
    }

    fn end(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        let open = std::mem::take(&mut self.seen().open);
        if open.is_empty() {
            return Box::pin(std::future::ready(Ok(())));
        }
        Box::pin(self.write(open))
    }
}

/// The column of the tenant in rows whose reads are logged: those of an audited resource, of the log itself and of jobs.
fn logged_column(resource: &'static Descriptor) -> Option<(usize, Audit)> {
    if let Some((tenant, audit)) = resource.tenant.zip(resource.audit) {
        return Some((tenant.column, audit));
    }
    if !is_of_service(resource) {
        return None;
    }
    let column = resource.columns.iter().position(|column| column.name == "tenant")?;
    Some((column, Audit::EVERYTHING))
}

/// Whether the resource is the log or the table of jobs.
fn is_of_service(resource: &'static Descriptor) -> bool {
    #[cfg(feature = "jobs")]
    if std::ptr::eq(resource, crate::store::jobs::record::JobRecord::DESCRIPTOR) {
        return true;
    }
    std::ptr::eq(resource, AuditRecord::DESCRIPTOR)
}
