//! Comparison of a record with its log: whether another program has changed it.

use super::as_of::{ATTEMPTS, Current};
use crate::audit::Unlogged;
use crate::http::handler::ResourceRequest;
use crate::model::adapter_error::AdapterError;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::query::Select;
use crate::store::audit_record::AuditRecord;

/// Number of entries that are compared, the latest ones.
const MAX_ENTRIES: u64 = 100;

/// Whether the stored record is not that of its last entries.
///
/// # Errors
/// When the database fails.
pub(super) async fn is_changed_without_entry(request: &ResourceRequest, id: &Key) -> Result<bool, Problem> {
    let resource = request.resource();
    let Some(audit) = resource.audit.filter(|audit| audit.track_changes) else { return Ok(false) };
    let fields = AuditRecord::FIELDS;
    let latest = Select::from(AuditRecord::is_of_record(resource, id));
    let latest = if audit.track_timestamp { latest.order_by(fields.timestamp.desc()) } else { latest };
    let latest = latest.order_by(fields.id.desc()).limit(MAX_ENTRIES).into_list_query();
    // A change between the two reads makes them disagree.
    for _ in 0..ATTEMPTS {
        let mut current = Current { resource, record: None };
        let read = request.adapter().get(resource, id, &mut current).await;
        read.map_err(|error| request.problem(error))?;
        let mut entries = Entries(Unlogged::new(resource, current.record));
        let read = request.adapter().list(AuditRecord::DESCRIPTOR, &latest, &mut entries).await;
        read.map_err(|error| request.problem(error))?;
        if !entries.0.is_found() {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Entries(Unlogged);

impl RowSink for Entries {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.0.entry(&AuditRecord::from_row(row)?);
        Ok(())
    }
}
