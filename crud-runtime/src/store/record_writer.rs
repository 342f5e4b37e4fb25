//! [`RecordWriter`]: the changes of handlers and stores, with their audit entries and problems.

use std::sync::Arc;

use super::audit_record::Action;
use super::audit_recorder::AuditRecorder;
use crate::model::actor::Actor;
use crate::model::adapter_error::{AdapterError, BoxError};
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, Problem};
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::{Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::write::{Mode, Outcome, Recorder, Work, WorkWhere, Write, WriteSink, WriteWhere};

/// Writes a resource's records on behalf of an actor.
pub(crate) struct RecordWriter<'a> {
    pub(crate) adapter: &'a dyn Adapter,
    pub(crate) resource: &'static Descriptor,
    pub(crate) actor: Option<&'a Actor>,
}

/// Why a change did not happen.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// The change's guard refused it; the guard knows why.
    Refused,
    /// Any other reason.
    Problem(Problem),
}

impl WriteError {
    /// The problem of a change without a guard.
    pub(crate) fn unguarded(self) -> Problem {
        match self {
            Self::Refused => Problem::internal("the adapter reported a refusal without a guard"),
            Self::Problem(problem) => problem,
        }
    }
}

impl From<Problem> for WriteError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl RecordWriter<'_> {
    /// Makes the only change of this work.
    ///
    /// # Errors
    /// Why the change did not happen.
    pub(crate) async fn write_one(&self, work: Work<'_>, sink: &mut dyn RowSink) -> Result<(), WriteError> {
        let mut outcomes = self.write(work, Mode::Atomic, &mut OnlyRecord(sink)).await?;
        match outcomes.pop() {
            Some(Outcome::Done) => Ok(()),
            Some(Outcome::Refused) => Err(WriteError::Refused),
            Some(outcome) => Err(self.outcome_problem(work, 0, outcome).into()),
            None => Err(Problem::internal("the adapter returned no outcome").into()),
        }
    }

    /// Makes the changes of this work; returns the outcome of each.
    ///
    /// # Errors
    /// When the database fails; no change has happened then.
    pub(crate) async fn write(
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

    /// Changes every soft-deleted record that satisfies a predicate; returns their number.
    ///
    /// # Errors
    /// Why one could not be changed; no change has happened then.
    pub(crate) async fn write_where(&self, work: WorkWhere, filter: &Predicate) -> Result<u64, Problem> {
        let action = match work {
            WorkWhere::Restore => Action::Restore,
            WorkWhere::Purge => Action::Delete,
        };
        self.check_atomic_where(filter).await?;
        let write = WriteWhere::new(work, filter, self.recorder(action));
        let count = self.adapter.write_where(self.resource, write).await;
        count.map_err(|error| Problem::from_adapter(self.resource, error))
    }

    /// Refuses an atomic change of several records where storage has no transactions.
    pub(crate) fn check_atomic(&self, records: usize) -> Result<(), Problem> {
        let checked = self.adapter.capabilities().check_atomic(records as u64);
        checked.map_err(|error| Problem::from_adapter(self.resource, error))
    }

    /// The same for the soft-deleted records that satisfy a predicate. Storage with transactions need not count them.
    async fn check_atomic_where(&self, filter: &Predicate) -> Result<(), Problem> {
        let capabilities = self.adapter.capabilities();
        if capabilities.transactions {
            return Ok(());
        }
        let deleted = Scope::Deleted.predicate(self.resource).and(filter.clone());
        let count = self.adapter.count(self.resource, &deleted).await;
        let checked = count.and_then(|count| capabilities.check_atomic(count));
        checked.map_err(|error| Problem::from_adapter(self.resource, error))
    }

    /// The recorder of audit entries with this action, if the resource is audited.
    fn recorder(&self, action: Action) -> Option<Arc<dyn Recorder>> {
        let recorder = AuditRecorder::new(self.resource, action, self.actor.cloned())?;
        Some(Arc::new(recorder))
    }

    /// The problem of the change with this index, which did not happen.
    pub(crate) fn outcome_problem(&self, work: Work<'_>, index: usize, outcome: Outcome) -> Problem {
        let missing = || match record_id(work, index) {
            Some(id) => Problem::record_not_found(self.resource, id),
            None => Problem::internal("the adapter reported a new record as missing"),
        };
        match outcome {
            Outcome::Missing => missing(),
            // A second soft delete of a record does not find it.
            Outcome::WrongState if matches!(work, Work::SoftDelete(_)) => missing(),
            Outcome::WrongState => {
                let id = record_id(work, index).map(Value::to_string).unwrap_or_default();
                Problem::new(Code::NotDeleted, format!("{} with id {id} is not deleted", self.resource.name))
            }
            Outcome::Failed(error) => Problem::from_adapter(self.resource, error),
            Outcome::Refused | Outcome::Done => {
                Problem::internal(BoxError::from("the adapter reported a failure without a reason"))
            }
        }
    }
}

/// The key of the record that a change is for; an insert has none yet.
fn record_id(work: Work<'_>, index: usize) -> Option<&Value> {
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

/// Passes the record of a write's only change to a row sink.
struct OnlyRecord<'a>(&'a mut dyn RowSink);

impl WriteSink for OnlyRecord<'_> {
    fn record(&mut self, _: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.0.row(row)
    }
}
