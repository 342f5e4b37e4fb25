//! Compare and set without transactions of several calls: a record is read, and written only if it is still as it was
//! read.

use std::sync::Arc;

use crud_core::retry;

use super::store::UntypedStore;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::row::{Row, RowSink};
use crate::query::{ListQuery, Predicate, Scope};
use crate::storage::decide::has;
use crate::storage::error::Result;
use crate::storage::write::{Guard, Update, Work};
use crate::store::owned_record::{OwnedRecord, OwnedSink};
use crate::store::scope::store_scope::ScopeGuard;
use crate::store::typed::increment;
use crate::store::writer::RecordWriter;
use crate::store::writer::record_values;
use crate::store::writer::related_scopes::Lookup;
use crate::store::writer::write_error::WriteError;

impl UntypedStore {
    /// Updates an active record based on its values at the write; returns whether it satisfies the condition.
    ///
    /// # Errors
    /// `unavailable` when other changes of the record kept coming between.
    pub(crate) async fn compare_and_set(
        &self,
        id: &Key,
        changes: &Changes,
        condition: Option<&Predicate>,
        sink: &mut dyn RowSink,
    ) -> Result<bool, Problem> {
        let resource = self.mounted.resource();
        let is_refused = |changed: &Result<bool, WriteError>| matches!(changed, Err(WriteError::Refused));
        let changed = retry!(
            async {
                let Some(stored) = self.find_satisfying(id, condition).await? else { return Ok(false) };
                let changes = increment::resolve(resource, &stored, changes.clone())?;
                record_values::validate_patch(&self.mounted, &changes)?;
                let records = self.records()?;
                if records.has_related() {
                    let looked_up = Lookup::of(self.adapter()?).prepare(resource, &records, id).await;
                    looked_up.map_err(|error| self.problem(error))?;
                }
                if let Some(scope) = ScopeGuard::of_update(resource, &records, false, &changes)
                    && !scope.admits(&stored).map_err(|error| self.problem(error))?
                {
                    let refusal = scope.refusal().unwrap_or_else(|| Problem::record_not_found(resource, id));
                    return Err(WriteError::Problem(refusal));
                }
                let guard: Arc<dyn Guard> = Arc::new(Unchanged { resource, stored });
                let update = [Update::new(id, &changes, Some(guard))];
                let writer = RecordWriter { scope: Some(&records), ..self.writer()? };
                writer.write_one(Work::Update(&update), &mut *sink).await.map(|()| true)
            },
            is_refused
        );
        match changed {
            Ok(is_changed) => Ok(is_changed),
            Err(WriteError::Problem(problem)) => Err(problem),
            Err(WriteError::Refused) => {
                Err(self.problem(AdapterError::Unavailable("other changes of the record kept coming between".into())))
            }
        }
    }

    /// The active record with this key; `None` when it does not satisfy the condition.
    async fn find_satisfying(&self, id: &Key, condition: Option<&Predicate>) -> Result<Option<OwnedRecord>, Problem> {
        let resource = self.mounted.resource();
        if let Some(condition) = condition {
            let filter = Scope::Active.predicate(resource).and(Predicate::of_key(resource, id)).and(condition.clone());
            let mut satisfying = OwnedSink::new(resource);
            self.list(&ListQuery::all(resource).filter(filter).limit(1), &mut satisfying).await?;
            if satisfying.record.is_some() {
                return Ok(satisfying.record);
            }
        }
        let mut active = OwnedSink::new(resource);
        if !self.find(id, Scope::Active, &mut active).await? {
            return Err(Problem::record_not_found(resource, id));
        }
        Ok(active.record.filter(|_| condition.is_none()))
    }
}

/// Admits a record that is still as it was read.
#[derive(Debug)]
struct Unchanged {
    resource: &'static Descriptor,
    stored: OwnedRecord,
}

impl Guard for Unchanged {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        let columns = 0..self.resource.columns.len();
        Ok(columns.into_iter().all(|column| has(self.resource, current, column, self.stored.get(column))))
    }
}
