//! Changes as handlers and stores make them: with their audit entries, and what a failed one says.

use std::sync::Arc;

use super::audit_entry::Entry;
use super::audit_record::Action;
use crate::model::actor::Actor;
use crate::model::adapter_error::AdapterError;
use crate::model::adapter_error::BoxError;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, Problem};
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::{Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::write::WriteWhere;
use crate::storage::write::{Mode, Outcome, Recorder, Work, WorkWhere, Write, WriteSink};

/// Makes changes of a resource's records in somebody's name.
pub(crate) struct Changer<'a> {
    pub(crate) adapter: &'a dyn Adapter,
    pub(crate) resource: &'static Descriptor,
    pub(crate) actor: Option<&'a Actor>,
}

impl Changer<'_> {
    /// Makes the one change of this work.
    ///
    /// # Errors
    /// Why it could not be made; `None` when the change's own guard refused it, and knows.
    pub(crate) async fn one(&self, work: Work<'_>, sink: &mut dyn RowSink) -> Result<(), Option<Problem>> {
        let mut outcomes = self.many(work, Mode::Atomic, &mut Only(sink)).await.map_err(Some)?;
        match outcomes.pop() {
            Some(Outcome::Done) => Ok(()),
            Some(Outcome::Refused) => Err(None),
            Some(outcome) => Err(Some(self.problem(work, 0, outcome))),
            None => Err(Some(Problem::internal("an adapter lost a change"))),
        }
    }

    /// Makes the changes of this work; what became of each.
    ///
    /// # Errors
    /// When the database fails; nothing has happened then.
    pub(crate) async fn many(
        &self,
        work: Work<'_>,
        mode: Mode,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<Outcome>, Problem> {
        if mode != Mode::Partial {
            self.check_atomic(work.len())?;
        }
        let write = Write::new(work, mode, self.recorder(action(work)));
        let outcomes = self.adapter.write(self.resource, write, sink).await;
        outcomes.map_err(|error| Problem::from_adapter(self.resource, error))
    }

    /// Changes every soft-deleted record that satisfies a predicate; how many.
    ///
    /// # Errors
    /// Why one could not be changed; nothing has happened then.
    pub(crate) async fn every(&self, work: WorkWhere, filter: &Predicate) -> Result<u64, Problem> {
        let action = match work {
            WorkWhere::Restore => Action::Restore,
            WorkWhere::Purge => Action::Delete,
        };
        self.check_every(filter).await?;
        let write = WriteWhere::new(work, filter, self.recorder(action));
        let count = self.adapter.write_where(self.resource, write).await;
        count.map_err(|error| Problem::from_adapter(self.resource, error))
    }

    /// Refuses an atomic change of so many records where storage has no transactions.
    pub(crate) fn check_atomic(&self, records: usize) -> Result<(), Problem> {
        let checked = self.adapter.capabilities().check_atomic(records as u64);
        checked.map_err(|error| Problem::from_adapter(self.resource, error))
    }

    /// The same for the soft-deleted records that satisfy a predicate. Storage with transactions need not count them.
    async fn check_every(&self, filter: &Predicate) -> Result<(), Problem> {
        let capabilities = self.adapter.capabilities();
        if capabilities.transactions {
            return Ok(());
        }
        let deleted = Scope::Deleted.predicate(self.resource).and(filter.clone());
        let count = self.adapter.count(self.resource, &deleted).await;
        let checked = count.and_then(|count| capabilities.check_atomic(count));
        checked.map_err(|error| Problem::from_adapter(self.resource, error))
    }

    /// Makes the audit entries of this action, if the resource is audited.
    fn recorder(&self, action: Action) -> Option<Arc<dyn Recorder>> {
        let entry = Entry::of(self.resource, action, self.actor.cloned())?;
        Some(Arc::new(entry))
    }

    /// Why a change did not happen.
    pub(crate) fn problem(&self, work: Work<'_>, index: usize, outcome: Outcome) -> Problem {
        let missing = || match id(work, index) {
            Some(id) => Problem::record_not_found(self.resource, id),
            None => Problem::internal("an adapter misses a record that is new"),
        };
        match outcome {
            Outcome::Missing => missing(),
            // Whoever deletes a record twice finds none the second time.
            Outcome::WrongState if matches!(work, Work::SoftDelete(_)) => missing(),
            Outcome::WrongState => {
                let id = id(work, index).map(Value::to_string).unwrap_or_default();
                Problem::new(Code::NotDeleted, format!("{} with id {id} is not deleted", self.resource.name))
            }
            Outcome::Failed(error) => Problem::from_adapter(self.resource, error),
            Outcome::Refused | Outcome::Done => Problem::internal(BoxError::from("a change failed without a reason")),
        }
    }
}

fn id(work: Work<'_>, index: usize) -> Option<&Value> {
    match work {
        Work::Insert(_) => None,
        Work::Update(updates) => updates.get(index).map(|update| update.id),
        Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
            targets.get(index).map(|target| target.id)
        }
    }
}

const fn action(work: Work<'_>) -> Action {
    match work {
        Work::Insert(_) => Action::Create,
        Work::Update(_) => Action::Update,
        Work::SoftDelete(_) => Action::SoftDelete,
        Work::Restore(_) => Action::Restore,
        Work::Delete(_) | Work::Purge(_) => Action::Delete,
    }
}

/// Hands the record of a write's only change on.
struct Only<'a>(&'a mut dyn RowSink);

impl WriteSink for Only<'_> {
    fn record(&mut self, _: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.0.row(row)
    }
}
