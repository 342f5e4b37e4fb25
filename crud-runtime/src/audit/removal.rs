//! Removal from the audit log: of a record's values, and of entries whose time is over.

use chrono::{DateTime, TimeDelta, Utc};

use super::AuditLog;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::value::Value;
use crate::query::Select;
use crate::storage::error::{Error, Result};
use crate::storage::write::{Target, Update, Work, Write};
use crate::store::audit_record::{AuditRecord, EntityId, write_entries};
use crate::store::each_row::each_row;
use crate::store::writer::no_sink::NoSink;

/// Number of entries that one write changes.
const CHUNK: u64 = 200;

impl AuditLog {
    /// Removes the values of a record from its entries (`changes` and `previous`), such as when a person asks for
    /// erasure. Who changed the record, when and how stays. Returns the number of entries.
    ///
    /// Entries under former names of the record's struct are included, whichever of the names is given.
    ///
    /// The record's past (`as_of`) is 409 `history_incomplete` from then on.
    ///
    /// # Errors
    /// When the database fails; entries may be erased before that.
    pub async fn erase(&self, entity_type: &str, entity_id: impl Into<EntityId>) -> Result<u64> {
        let entity_id = entity_id.into();
        let erased = self.erase_entries(entity_type, entity_id.clone()).await?;
        if let Some((observers, resources, app)) = &self.observed
            && let Some(resource) = resources.iter().find(|resource| resource.is_named(entity_type))
        {
            let (id, key) = entity_id.into_columns();
            let key = key.or_else(|| id.map(|id| id.to_string())).unwrap_or_default();
            observers.history_erased(resource, &key, app).await?;
        }
        Ok(erased)
    }

    async fn erase_entries(&self, entity_type: &str, entity_id: EntityId) -> Result<u64> {
        let fields = AuditRecord::FIELDS;
        let (entity_id, entity_key) = entity_id.into_columns();
        let renamed = self.renamed.iter().find(|resource| resource.is_named(entity_type));
        let of_type = renamed.map_or_else(|| fields.entity_type.eq(entity_type), |one| AuditRecord::is_of(one));
        let of_record = of_type.and(fields.entity_id.eq(entity_id)).and(fields.entity_key.eq(entity_key));
        let log = AuditRecord::DESCRIPTOR;
        let named = |name: &str| log.columns.iter().position(|column| column.name == name);
        let values = [named("changes"), named("previous")].into_iter().flatten();
        let none = values.fold(Changes::new(), |changes, column| changes.with(column, Value::Null));
        let (mut erased, mut last) = (0, i64::MIN);
        loop {
            let next = Select::from(of_record.clone().and(fields.id.gt(last))).order_by(fields.id.asc()).limit(CHUNK);
            let ids = self.ids(next).await?;
            let updates: Vec<Update<'_>> = ids.iter().map(|id| Update::new(id, &none, None)).collect();
            let write = Write::partial(Work::Update(&updates), None);
            write_entries(&*self.adapter, write, &mut NoSink).await.map_err(problem)?;
            erased += ids.len() as u64;
            match ids.last().and_then(Key::single) {
                Some(Value::Int(id)) if ids.len() as u64 == CHUNK => last = *id,
                _ => return Ok(erased),
            }
        }
    }

    /// Removes the entries of these resources that are past their retention time. Returns the number of entries.
    pub(crate) async fn forget(&self, resources: &[&'static Descriptor], now: DateTime<Utc>) -> Result<u64> {
        let fields = AuditRecord::FIELDS;
        let mut forgotten = 0;
        for resource in resources {
            let Some(keep) = resource.audit.and_then(|audit| audit.keep) else { continue };
            let keep = TimeDelta::from_std(keep).ok();
            let Some(first) = keep.and_then(|keep| now.checked_sub_signed(keep)) else { continue };
            loop {
                let of_resource = AuditRecord::is_of(resource).and(fields.timestamp.lt(first));
                let ids = self.ids(Select::from(of_resource).limit(CHUNK)).await?;
                let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
                let write = Write::partial(Work::Delete(&targets), None);
                write_entries(&*self.adapter, write, &mut NoSink).await.map_err(problem)?;
                forgotten += ids.len() as u64;
                if (ids.len() as u64) < CHUNK {
                    break;
                }
                // Requests can write in between.
                tokio::task::yield_now().await;
            }
        }
        Ok(forgotten)
    }

    async fn ids(&self, query: Select<AuditRecord>) -> Result<Vec<Key>> {
        let (log, mut ids) = (AuditRecord::DESCRIPTOR, Vec::new());
        let mut sink = each_row(|row| {
            ids.push(Key::of_row(log, row)?);
            Ok(())
        });
        self.adapter.list(log, &query.into_list_query(), &mut sink).await.map_err(problem)?;
        Ok(ids)
    }
}

pub(super) fn problem(error: AdapterError) -> Error {
    Problem::from_adapter(AuditRecord::DESCRIPTOR, error).into()
}
