//! [`Entry`]: makes the log's record of a change.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use super::{Action, Actor, AuditRecord, EntityId, NewAuditRecord};
use crate::adapter::{AdapterError, Recorder, Row};
use crate::column::own;
use crate::descriptor::{Audit, Descriptor};
use crate::record;
use crate::render;
use crate::resource::Resource;
use crate::value::Value;

/// What is the same in the entries of all changes of a write.
#[derive(Debug)]
pub(crate) struct Entry {
    resource: &'static Descriptor,
    audit: Audit,
    action: Action,
    actor: Option<Actor>,
}

impl Entry {
    /// Entries of this action on the resource's records, if they are audited.
    pub(crate) fn of(resource: &'static Descriptor, action: Action, actor: Option<Actor>) -> Option<Self> {
        resource.audit.map(|audit| Self { resource, audit, action, actor })
    }

    /// What changed and what was before.
    fn difference(&self, before: Option<&dyn Row>, after: Option<&dyn Row>) -> Result<Difference, AdapterError> {
        let resource = self.resource;
        match (self.action, before, after) {
            (Action::Create, _, Some(after)) => {
                Ok(Difference { changes: Some(whole(resource, after)?), previous: None })
            }
            (Action::Update, Some(before), Some(after)) => {
                let Changed { old, new } = changed(resource, before, after)?;
                Ok(Difference { changes: Some(new.into()), previous: Some(old.into()) })
            }
            (Action::Restore, Some(before), Some(after)) => {
                let Changed { old, .. } = changed(resource, before, after)?;
                Ok(Difference { changes: None, previous: Some(old.into()) })
            }
            (Action::Delete | Action::SoftDelete, Some(before), _) => {
                Ok(Difference { changes: None, previous: Some(whole(resource, before)?) })
            }
            _ => Err(AdapterError::Other("an adapter kept a record from the audit log".into())),
        }
    }
}

#[derive(Default)]
struct Difference {
    changes: Option<Json>,
    previous: Option<Json>,
}

impl Recorder for Entry {
    fn log(&self) -> &'static Descriptor {
        AuditRecord::DESCRIPTOR
    }

    fn entry(
        &self,
        time: DateTime<Utc>,
        before: Option<&dyn Row>,
        after: Option<&dyn Row>,
    ) -> Result<Vec<Value>, AdapterError> {
        let column = self.resource.id_column();
        let some = after.or(before).ok_or_else(|| AdapterError::Other("a change is of some record".into()))?;
        let id = own(column.kind, some.value(self.resource.id)?)
            .map_err(|error| AdapterError::Corrupt { column: column.column, error })?;
        let Difference { changes, previous } =
            if self.audit.track_changes { self.difference(before, after)? } else { Difference::default() };
        let actor = self.actor.as_ref().filter(|_| self.audit.track_user);
        let (entity_id, entity_key) = EntityId::of(id).into_columns();
        let entry = NewAuditRecord {
            entity_type: self.resource.name.to_owned(),
            entity_id,
            entity_key,
            action: self.action.as_str().to_owned(),
            user_id: actor.and_then(Actor::user_id),
            actor: actor.map(|actor| actor.subject().to_owned()),
            changes,
            previous,
            timestamp: self.audit.track_timestamp.then_some(time),
        };
        Ok(record::complete(AuditRecord::DESCRIPTOR, entry.into()))
    }
}

/// The record as HTTP returns it: what a client never sees is in no entry either.
fn whole(resource: &'static Descriptor, row: &dyn Row) -> Result<Json, AdapterError> {
    render::json_record(resource, row).map(Json::Object)
}

/// Fields of a record that changed.
#[derive(Default)]
struct Changed {
    old: Map<String, Json>,
    new: Map<String, Json>,
}

/// The old and the new values of the fields that differ.
fn changed(resource: &'static Descriptor, before: &dyn Row, after: &dyn Row) -> Result<Changed, AdapterError> {
    let Changed { mut old, mut new } = Changed::default();
    for (index, column) in resource.columns.iter().enumerate().filter(|(_, column)| column.is_returned()) {
        let was = render::json_value(column, before.value(index)?);
        let is = render::json_value(column, after.value(index)?);
        if was != is {
            old.insert(column.json.to_owned(), was);
            new.insert(column.json.to_owned(), is);
        }
    }
    Ok(Changed { old, new })
}
