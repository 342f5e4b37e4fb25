//! The entry of the log since which a record is one that its reader reaches.

use super::request::ResourceRequest;
use crate::model::adapter_error::AdapterError;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::Select;
use crate::store::audit_record::{Action, AuditRecord, EntityId};

/// The key of the latest entry that changed the owner, the tenant or the field of a claim, or that removed an earlier
/// record of the same key: it and those before it have values of records that the reader may not have reached.
///
/// # Errors
/// When the database fails.
pub(crate) async fn find(request: &ResourceRequest, id: &Value) -> Result<Option<i64>, Problem> {
    let fields = AuditRecord::FIELDS;
    let resource = request.resource();
    let (entity_id, entity_key) = EntityId::from_key(id.clone()).into_columns();
    let of_record = AuditRecord::is_of(resource).and(fields.entity_id.eq(entity_id));
    let of_record = of_record.and(fields.entity_key.eq(entity_key)).and(fields.action.ne(Action::Create.as_str()));
    let columns = request.identity.records.columns();
    let mut latest = Latest { fields: columns.map(|column| resource.columns[column].json).collect(), found: None };
    // Entries are not kept: a record may have a long history of large changes.
    let query = Select::from(of_record).into_list_query();
    let read = request.adapter().list(AuditRecord::DESCRIPTOR, &query, &mut latest).await;
    read.map_err(|error| request.problem(error))?;
    Ok(latest.found)
}

/// Keeps the greatest key of an entry that changed one of the fields, or removed the record.
struct Latest {
    fields: Vec<&'static str>,
    found: Option<i64>,
}

impl RowSink for Latest {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let entry = AuditRecord::from_row(row)?;
        let changes = |field: &&str| entry.changes.as_ref().is_some_and(|changes| changes.get(*field).is_some());
        if entry.action == Action::Delete.as_str() || self.fields.iter().any(changes) {
            self.found = self.found.max(Some(entry.id));
        }
        Ok(())
    }
}
