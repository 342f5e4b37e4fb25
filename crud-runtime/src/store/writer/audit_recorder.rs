//! [`AuditEntries`]: makes entries of the audit log; [`AuditRecorder`]: makes those of a write.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Audit, ColumnDescriptor, Descriptor};
use crate::model::json;
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::model::resource::Resource;
use crate::model::row::Row;
use crate::model::stored_value::stored_value;
use crate::model::value::{Kind, Value, ValueRef};
use crate::storage::write::Recorder;
use crate::store::audit_record::{Action, AuditRecord, EntityId, LinkAction};

/// The parts that the entries of a resource by one actor share.
#[derive(Debug)]
pub(crate) struct AuditEntries {
    pub(in crate::store) resource: &'static Descriptor,
    pub(in crate::store) audit: Audit,
    pub(in crate::store) actor: Option<Arc<Principal>>,
}

/// Makes the entries of a write.
#[derive(Debug)]
pub(crate) struct AuditRecorder {
    entries: AuditEntries,
    action: Action,
}

impl AuditRecorder {
    /// The recorder of this action on the resource's records, if the resource is audited.
    pub(crate) fn new(resource: &'static Descriptor, action: Action, actor: Option<Arc<Principal>>) -> Option<Self> {
        AuditEntries::new(resource, actor).map(|entries| Self { entries, action })
    }

    /// The entry's `changes` and `previous`.
    fn differences(&self, before: Option<&dyn Row>, after: Option<&dyn Row>) -> Result<(Value, Value), AdapterError> {
        let resource = self.entries.resource;
        match (self.action, before, after) {
            _ if !self.entries.audit.track_changes => Ok((Value::Null, Value::Null)),
            (Action::Create, _, Some(after)) => Ok((snapshot(resource, after)?, Value::Null)),
            (Action::Update, Some(before), Some(after)) => {
                let (old, new) = changed_fields(resource, before, after)?;
                Ok((new.finish()?, old.finish()?))
            }
            (Action::Restore, Some(before), Some(after)) => {
                Ok((Value::Null, changed_fields(resource, before, after)?.0.finish()?))
            }
            (Action::Delete | Action::SoftDelete, Some(before), _) => Ok((Value::Null, snapshot(resource, before)?)),
            _ => Err(AdapterError::Other("the adapter passed no record to the audit log".into())),
        }
    }
}

impl AuditEntries {
    /// The entries of the resource's records, if the resource is audited.
    pub(crate) fn new(resource: &'static Descriptor, actor: Option<Arc<Principal>>) -> Option<Self> {
        resource.audit.map(|audit| Self { resource, audit, actor })
    }

    /// The entry of records that were linked to a record, or no longer are: `{"labels": [3, 4]}`. It changes no field.
    ///
    /// # Errors
    /// Errors of reading the record.
    pub(crate) fn link_entry(
        &self,
        action: LinkAction,
        time: DateTime<Utc>,
        record: &dyn Row,
        links: &serde_json::Value,
    ) -> Result<Vec<Value>, AdapterError> {
        let id = EntityId::from_key(&Key::of_row(self.resource, record)?).into_columns();
        let links = if self.audit.track_changes { Value::JsonText(links.to_string()) } else { Value::Null };
        let values = match action {
            LinkAction::Link => (links, Value::Null),
            LinkAction::Unlink => (Value::Null, links),
        };
        Ok(self.values(time, id, action.as_str(), values, self.tenant(record)?))
    }

    /// The record's tenant as text.
    fn tenant(&self, row: &dyn Row) -> Result<Value, AdapterError> {
        let Some(tenant) = self.resource.tenant else { return Ok(Value::Null) };
        Ok(Value::Text(stored_value(self.resource, tenant.column, row)?.to_string()))
    }

    /// The values of an entry, in the order of the log's columns.
    pub(in crate::store) fn values(
        &self,
        time: DateTime<Utc>,
        (entity_id, entity_key): (Option<i64>, Option<String>),
        action: &str,
        (changes, previous): (Value, Value),
        tenant: Value,
    ) -> Vec<Value> {
        let actor = self.actor.as_deref().filter(|_| self.audit.track_user);
        let text = |text: &str| Value::Text(text.to_owned());
        let or_null = |value: Option<Value>| value.unwrap_or(Value::Null);
        vec![
            Value::Null,
            text(self.resource.stored_name()),
            or_null(entity_id.map(Value::Int)),
            or_null(entity_key.map(Value::Text)),
            text(action),
            or_null(actor.and_then(Principal::user_id).map(Value::Int)),
            or_null(actor.map(|actor| text(&actor.actor()))),
            changes,
            previous,
            or_null(self.audit.track_timestamp.then_some(Value::DateTime(time))),
            tenant,
        ]
    }
}

impl Recorder for AuditRecorder {
    fn log(&self) -> &'static Descriptor {
        AuditRecord::DESCRIPTOR
    }

    fn entry(
        &self,
        time: DateTime<Utc>,
        before: Option<&dyn Row>,
        after: Option<&dyn Row>,
    ) -> Result<Vec<Value>, AdapterError> {
        let row = after
            .or(before)
            .ok_or_else(|| AdapterError::Other("the adapter passed no record to the audit log".into()))?;
        let id = Key::of_row(self.entries.resource, row)?;
        let values = self.differences(before, after)?;
        let tenant = self.entries.tenant(row)?;
        // The entry of a move between tenants has values of both, and belongs to neither.
        let former = before.map(|before| self.entries.tenant(before)).transpose()?;
        let tenant = if former.is_some_and(|former| former != tenant) { Value::Null } else { tenant };
        let (id, action) = (EntityId::from_key(&id).into_columns(), self.action.as_str());
        Ok(self.entries.values(time, id, action, values, tenant))
    }
}

/// The record's JSON as HTTP returns it: entries leave out fields that no response has.
fn snapshot(resource: &'static Descriptor, row: &dyn Row) -> Result<Value, AdapterError> {
    let mut object = JsonObject::new();
    for (index, column) in resource.columns.iter().enumerate().filter(|(_, column)| is_in_entries(column)) {
        object.field(column, readable(row.value(index))?);
    }
    object.finish()
}

/// The old and new values of a record's changed fields. For a hidden field by which principals see the record, both are
/// `null`: a reader of the record's history gets the entries after the last change of that field.
fn changed_fields(
    resource: &'static Descriptor,
    before: &dyn Row,
    after: &dyn Row,
) -> Result<(JsonObject, JsonObject), AdapterError> {
    let (mut old, mut new) = (JsonObject::new(), JsonObject::new());
    let is_told = |(index, column): &(usize, &ColumnDescriptor)| is_in_entries(column) || resource.restricts_by(*index);
    for (index, column) in resource.columns.iter().enumerate().filter(is_told) {
        let (was, is) = (readable(before.value(index))?, readable(after.value(index))?);
        if differs(column, was, is) {
            let shown = |value| if column.is_returned() { value } else { ValueRef::Null };
            old.field(column, shown(was));
            new.field(column, shown(is));
        }
    }
    Ok((old, new))
}

/// Whether entries have a field: not a computed one, which follows from other fields.
const fn is_in_entries(column: &ColumnDescriptor) -> bool {
    column.is_returned() && column.computed.is_none()
}

/// A value, or null for one that cannot be read.
///
/// # Errors
/// Other errors of reading the record.
fn readable(value: Result<ValueRef<'_>, AdapterError>) -> Result<ValueRef<'_>, AdapterError> {
    match value {
        Err(AdapterError::Corrupt { .. }) => Ok(ValueRef::Null),
        value => value,
    }
}

/// Whether two values of a column differ in JSON.
fn differs(column: &ColumnDescriptor, was: ValueRef<'_>, is: ValueRef<'_>) -> bool {
    match (was, is) {
        (ValueRef::Null, ValueRef::Null) => false,
        (ValueRef::Bool(was), ValueRef::Bool(is)) => was != is,
        (ValueRef::Int(was), ValueRef::Int(is)) => was != is,
        (ValueRef::Text(was), ValueRef::Text(is)) | (ValueRef::Canonical(was), ValueRef::Canonical(is)) => was != is,
        (ValueRef::DateTime(was), ValueRef::DateTime(is)) => was != is,
        _ => json::json_value(column, was) != json::json_value(column, is),
    }
}

/// A JSON object under construction.
struct JsonObject(Vec<u8>);

impl JsonObject {
    fn new() -> Self {
        let mut out = Vec::with_capacity(256);
        out.push(b'{');
        Self(out)
    }

    /// Appends a field of a record.
    fn field(&mut self, column: &ColumnDescriptor, value: ValueRef<'_>) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        self.0.extend_from_slice(column.key.as_bytes());
        match (column.kind, value) {
            // Parsed and written again: the stored text's spacing does not matter.
            (Kind::Json | Kind::TextList | Kind::List(_), ValueRef::JsonText(_)) => {
                let json = json::json_value(column, value);
                json::write_value(&mut self.0, column, ValueRef::Json(&json));
            }
            _ => json::write_value(&mut self.0, column, value),
        }
    }

    /// The finished object, as a value of the log.
    fn finish(mut self) -> Result<Value, AdapterError> {
        self.0.push(b'}');
        String::from_utf8(self.0).map(Value::JsonText).map_err(|error| AdapterError::Other(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A row of the log, a resource with fields of many kinds.
    struct LogRow(Vec<Value>);

    impl Row for LogRow {
        fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
            Ok(self.0[column].borrow())
        }
    }

    fn row(user: i64, changes: Value) -> LogRow {
        let mut values = vec![Value::Null; AuditRecord::DESCRIPTOR.columns.len()];
        (values[0], values[1], values[5], values[7]) =
            (Value::Int(1), Value::Text("\"".to_owned()), Value::Int(user), changes);
        values[9] = Value::DateTime(DateTime::UNIX_EPOCH);
        LogRow(values)
    }

    #[test]
    fn a_snapshot_does_not_depend_on_the_stored_spacing_of_json() {
        let text = concat!(
            r#"{"id":1,"entity_type":"\"","entity_id":null,"entity_key":null,"action":null,"user_id":7,"actor":null,"#,
            r#""changes":{"b":[1,2.0],"a":"é"},"previous":null,"timestamp":"1970-01-01T00:00:00.000000Z","#,
            r#""tenant":null}"#,
        );
        let stored = r#"{ "b": [1, 2.0], "a": "\u00e9" }"#.to_owned();
        for changes in [Value::JsonText(stored), Value::Json(json!({"b": [1, 2.0], "a": "é"}))] {
            let written = snapshot(AuditRecord::DESCRIPTOR, &row(7, changes)).unwrap();
            assert_eq!(written, Value::JsonText(text.to_owned()));
        }
    }

    #[test]
    fn an_update_records_only_fields_with_another_value() {
        let spaced = Value::JsonText(r#"{ "a": 1, "b": 2 }"#.to_owned());
        let (before, after) = (row(7, spaced), row(8, Value::Json(json!({"b": 2, "a": 1}))));
        let (old, new) = changed_fields(AuditRecord::DESCRIPTOR, &before, &after).unwrap();
        assert_eq!(old.finish().unwrap(), Value::JsonText(r#"{"user_id":7}"#.to_owned()));
        assert_eq!(new.finish().unwrap(), Value::JsonText(r#"{"user_id":8}"#.to_owned()));
    }

    #[test]
    fn entries_follow_the_columns_of_the_log() {
        let names: Vec<&str> = AuditRecord::DESCRIPTOR.columns.iter().map(|column| column.name).collect();
        let entry_order = [
            "id",
            "entity_type",
            "entity_id",
            "entity_key",
            "action",
            "user_id",
            "actor",
            "changes",
            "previous",
            "timestamp",
            "tenant",
        ];
        assert_eq!(names, entry_order);
    }
}
