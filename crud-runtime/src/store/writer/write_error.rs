//! [`WriteError`]: why a change did not happen.

use crate::model::adapter_error::BoxError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::storage::write::{Outcome, Work};

/// Reason why a change did not happen.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// The change's guard refused the change; the guard knows why.
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

    /// The error of the change with this index, which did not happen.
    pub(in crate::store) fn of_outcome(resource: &Descriptor, work: Work<'_>, index: usize, outcome: Outcome) -> Self {
        let id = record_id(work, index);
        let missing = || match id {
            Some(id) => Problem::record_not_found(resource, id),
            None => Problem::internal("the adapter reported a new record as missing"),
        };
        Self::Problem(match outcome {
            Outcome::Refused => return Self::Refused,
            Outcome::Missing => missing(),
            // A second soft delete of a record does not find it.
            Outcome::WrongState if matches!(work, Work::SoftDelete(_)) => missing(),
            Outcome::WrongState => {
                let id = id.map(Key::to_string).unwrap_or_default();
                Problem::new(Code::NotDeleted, format!("{} with id {id} is not deleted", resource.name))
            }
            Outcome::Failed(error) => Problem::from_adapter(resource, error),
            Outcome::Done => Problem::internal(BoxError::from("the adapter reported a failure without a reason")),
        })
    }
}

impl From<Problem> for WriteError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// The key of the record that a change is for; an insert has none yet.
pub(in crate::store) fn record_id(work: Work<'_>, index: usize) -> Option<&Key> {
    match work {
        Work::Insert(_) => None,
        Work::Update(updates) => updates.get(index).map(|update| update.id),
        Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
            targets.get(index).map(|target| target.id)
        }
    }
}
