//! A record and its log: the record at a past time, `GET {prefix}/{id}?as_of=…`, and whether another program has changed it.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use super::moves::last_move;
use crate::audit::{AsOf, PastState, Unlogged, is_deleted};
use crate::http::handler::ResourceRequest;
use crate::http::handler::authorization::may;
use crate::model::adapter_error::AdapterError;
use crate::model::column::FieldLocation;
use crate::model::descriptor::Operation;
use crate::model::json;
use crate::model::json::write_value;
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::model::value::{Value, ValueRef};
use crate::query::{Scope, Select};
use crate::store::audit_record::{Action, AuditRecord};
use crate::store::each_row::each_row;

/// The maximum number of reads of the record and its log. A change between the two makes them disagree.
const ATTEMPTS: usize = 3;

/// Number of the latest entries that are compared with the record.
const MAX_ENTRIES: u64 = 100;

/// The record's JSON at `time`; `None` where the scope had no such record then, or the principal may not see it.
///
/// The request has the access of `history`. A record that is deleted now or was deleted then needs the access of
/// `restore` too. The principal must see both the record now and the record then.
///
/// # Errors
/// `history_incomplete` where the log does not determine the record.
pub(super) async fn record(
    request: &ResourceRequest,
    id: &Key,
    scope: Scope,
    time: DateTime<Utc>,
) -> Result<Option<Vec<u8>>, Problem> {
    let resource = request.resource();
    // A record that policies hide looks like one that was purged.
    let sees_purged = request.identity.records.is_unrestricted() && !request.state.has_policies();
    let has_related = request.identity.records.reads_related();
    if has_related && last_move(request, id).await?.is_some_and(|moved| moved.is_after(time)) {
        return Ok(None);
    }
    let mut is_unlogged = false;
    let sees_deleted = may(&request.state, &request.identity, Operation::Restore, resource);
    for _ in 0..ATTEMPTS {
        let mut current = None;
        let mut sink = each_row(|row| {
            current = Some(json::json_record(resource, row)?);
            Ok(())
        });
        let seen = request.find(id, Scope::All, &mut sink).await?;
        if !seen && !sees_purged {
            // The owner and the tenant of a purged record are unknown.
            return Ok(None);
        }
        if !sees_deleted && current.as_ref().is_none_or(|record| is_deleted(resource, record)) {
            return Ok(None);
        }
        let is_gone = current.is_none();
        let past = AsOf::new(resource, current, time);
        let past = read_log(request, id, past).await.map_err(|error| request.problem(error))?;
        if is_gone && past.is_empty() {
            return Ok(None);
        }
        match past.finish() {
            PastState::Record(record) if is_visible(request, &record, scope, sees_deleted) => {
                return Ok(Some(render(request, id, &record)));
            }
            PastState::Record(_) | PastState::Absent => return Ok(None),
            PastState::Unlogged => is_unlogged = true,
            PastState::Unknown => is_unlogged = false,
        }
    }
    let name = resource.name;
    let detail = if is_unlogged {
        format!("{name} with id {id} is not that of its last audit entry: another program has changed it")
    } else {
        format!("the audit log does not cover {name} with id {id} at that time")
    };
    Err(Problem::new(Code::HistoryIncomplete, detail))
}

/// Passes every log entry later than the time, the latest first, and then the last one up to it. Entries are not kept
/// in memory: a record may have a long history of large changes.
async fn read_log(request: &ResourceRequest, id: &Key, mut past: AsOf) -> Result<AsOf, AdapterError> {
    let fields = AuditRecord::FIELDS;
    let time = past.time();
    let of_record = || {
        // Entries of other actions do not say what the record was.
        let says = fields.action.is_in(Action::ALL.map(Action::as_str));
        AuditRecord::is_of_record(request.resource(), id).and(says)
    };
    let latest_first = |condition| Select::from(condition).order_by(fields.timestamp.desc()).order_by(fields.id.desc());
    let since = latest_first(of_record().and(fields.timestamp.gt(time)));
    let untimed = Select::from(of_record().and(fields.timestamp.is_null())).limit(1);
    let until = latest_first(of_record().and(fields.timestamp.lte(time))).limit(1);
    let mut entries = each_row(|row| {
        past.entry(&AuditRecord::from_row(row)?);
        Ok(())
    });
    for query in [since, untimed, until] {
        request.adapter().list(AuditRecord::DESCRIPTOR, &query.into_list_query(), &mut entries).await?;
    }
    Ok(past)
}

/// Whether the stored record differs from the one that its last log entries describe.
///
/// # Errors
/// When the database fails.
pub(super) async fn is_changed_without_entry(request: &ResourceRequest, id: &Key) -> Result<bool, Problem> {
    let resource = request.resource();
    let Some(audit) = resource.audit.filter(|audit| audit.track_changes) else { return Ok(false) };
    let fields = AuditRecord::FIELDS;
    let of_record = AuditRecord::is_of_record(resource, id);
    let of_record = match request.identity.records.tenant_alone() {
        Some(tenant) => of_record.and(fields.tenant.eq(tenant)),
        None => of_record,
    };
    let latest = Select::from(of_record);
    let latest = if audit.track_timestamp { latest.order_by(fields.timestamp.desc()) } else { latest };
    let latest = latest.order_by(fields.id.desc()).limit(MAX_ENTRIES).into_list_query();
    // A change between the two reads makes them disagree.
    for _ in 0..ATTEMPTS {
        let mut current = None;
        let mut sink = each_row(|row| {
            current = Some(json::json_record(resource, row)?);
            Ok(())
        });
        let read = request.adapter().get(resource, id, request.identity.records.tenant(), &mut sink).await;
        read.map_err(|error| request.problem(error))?;
        let mut unlogged = Unlogged::new(resource, current);
        let mut entries = each_row(|row| {
            unlogged.entry(&AuditRecord::from_row(row)?);
            Ok(())
        });
        let read = request.adapter().list(AuditRecord::DESCRIPTOR, &latest, &mut entries).await;
        read.map_err(|error| request.problem(error))?;
        if !unlogged.is_found() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a past state is in the scope, and the principal may see it.
fn is_visible(request: &ResourceRequest, record: &Map<String, Json>, scope: Scope, sees_deleted: bool) -> bool {
    let resource = request.resource();
    let deleted = is_deleted(resource, record);
    // A scope that records of other resources decide has had the record since the last move.
    let records = &request.identity.records;
    let visible = records.reads_related() || records.admits_json(resource, record);
    scope.includes(deleted) && (sees_deleted || !deleted) && visible
}

/// The visible stored fields in declaration order; a field that the log does not know is null.
fn render(request: &ResourceRequest, id: &Key, record: &Map<String, Json>) -> Vec<u8> {
    let resource = request.resource();
    let path = if resource.converts { request.identity.view.path_of(resource, id) } else { String::new() };
    let mut out = b"{".to_vec();
    let stored = request.identity.view.returned(resource).filter(|(_, column)| column.computed.is_none());
    for (position, (_, column)) in stored.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        out.extend_from_slice(column.key.as_bytes());
        let value = record.get(column.json).unwrap_or(&Json::Null);
        match column.returned.filter(|_| !value.is_null()) {
            None => out.extend_from_slice(value.to_string().as_bytes()),
            Some(convert) => {
                let converted = convert(ValueRef::Json(value), &FieldLocation::new(&path, column.json));
                write_value(&mut out, column, converted.unwrap_or(Value::Null).borrow());
            }
        }
    }
    out.push(b'}');
    out
}
