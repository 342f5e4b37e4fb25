//! `GET {prefix}/{id}?as_of=…`: what a record was at a time.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use super::request::Incoming;
use crate::audit;
use crate::audit::PastState;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Role};
use crate::model::json;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::{Query, Scope};
use crate::store::audit_record::{AuditRecord, EntityId};

/// How often the record and its log are read anew when they do not fit each other: a change may have come
/// between the two reads.
const ATTEMPTS: usize = 3;

/// The JSON of the record as it was then; none where there was no such record in the scope.
///
/// # Errors
/// `history_incomplete` where the log cannot say.
pub(super) async fn record(
    request: &Incoming,
    id: &Value,
    scope: Scope,
    time: DateTime<Utc>,
) -> Result<Option<Vec<u8>>, Problem> {
    let resource = request.resource();
    for _ in 0..ATTEMPTS {
        let mut present = Present { resource, record: None };
        let seen = request.find(id, Scope::All, &mut present).await?;
        if !seen && request.caller.owner.is_some() {
            // Whose it was that is gone, nobody can tell any more.
            return Ok(None);
        }
        let entries = entries(request, id, time).await.map_err(|error| request.problem(error))?;
        if present.record.is_none() && entries.is_empty() {
            return Ok(None);
        }
        match audit::as_of(resource, present.record, &entries, time) {
            PastState::Record(record) => return Ok(json(request, &record, scope)),
            PastState::Absent => return Ok(None),
            PastState::Unknown => {}
        }
    }
    let detail = format!("the audit log does not tell what {} with id {id} was then", resource.name);
    Err(Problem::new(Code::HistoryIncomplete, detail))
}

/// The last entry up to a time and every later one, the oldest first.
async fn entries(request: &Incoming, id: &Value, time: DateTime<Utc>) -> Result<Vec<AuditRecord>, AdapterError> {
    let fields = AuditRecord::FIELDS;
    let (entity_id, entity_key) = EntityId::from_key(id.clone()).into_columns();
    let of_record = || {
        let of_type = fields.entity_type.eq(request.resource().name);
        of_type.and(fields.entity_id.eq(entity_id)).and(fields.entity_key.eq(entity_key.clone()))
    };
    let until = Query::from(of_record().and(fields.timestamp.lte(time)));
    let until = until.sort(fields.timestamp.desc()).sort(fields.id.desc()).limit(1);
    let since = Query::from(of_record().and(fields.timestamp.gt(time).or(fields.timestamp.is_null())));
    let since = since.sort(fields.timestamp.asc()).sort(fields.id.asc());
    let mut entries = Entries(Vec::new());
    for query in [until, since] {
        request.adapter().list(AuditRecord::DESCRIPTOR, &query.into_list_query(), &mut entries).await?;
    }
    Ok(entries.0)
}

struct Entries(Vec<AuditRecord>);

impl RowSink for Entries {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.0.push(AuditRecord::from_row(row)?);
        Ok(())
    }
}

/// The record as it is now.
struct Present {
    resource: &'static Descriptor,
    record: Option<Map<String, Json>>,
}

impl RowSink for Present {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.record = Some(json::json_record(self.resource, row)?);
        Ok(())
    }
}

/// The fields in their order; a field that the resource did not have then is null.
fn json(request: &Incoming, record: &Map<String, Json>, scope: Scope) -> Option<Vec<u8>> {
    let resource = request.resource();
    let state = resource.columns.iter().find(|column| column.role == Role::IsDeleted);
    let deleted = state.is_some_and(|column| record.get(column.json) == Some(&Json::Bool(true)));
    if !scope.sees(deleted) {
        return None;
    }
    let mut out = b"{".to_vec();
    for (position, (_, column)) in request.caller.view.returned(resource).enumerate() {
        if position > 0 {
            out.push(b',');
        }
        out.extend_from_slice(column.key.as_bytes());
        out.extend_from_slice(record.get(column.json).unwrap_or(&Json::Null).to_string().as_bytes());
    }
    out.push(b'}');
    Some(out)
}
