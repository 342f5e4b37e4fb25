//! [`TransactionRegistry`]: which tasks have a transaction open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use tokio::task;

use crate::model::problem::Problem;

/// The tasks that have a transaction of a service open.
///
/// A store outside of the transaction would not see what it wrote, and would wait for it: on SQLite for the one writer,
/// on a server for the locks on records. Such a use in the same task is refused at once.
#[derive(Debug, Clone, Default)]
pub(crate) struct TransactionRegistry(Arc<Mutex<HashMap<Caller, usize>>>);

/// The runner of the program's code: a task, or the thread that blocks on a future outside of any task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Caller {
    Task(task::Id),
    Thread(ThreadId),
}

impl Caller {
    fn current() -> Self {
        task::try_id().map_or_else(|| Self::Thread(thread::current().id()), Self::Task)
    }
}

impl TransactionRegistry {
    /// Registers a transaction of the current task, until the registration is dropped.
    pub(crate) fn register(&self) -> Registration {
        let caller = Caller::current();
        *self.open().entry(caller).or_default() += 1;
        Registration { registry: self.clone(), caller }
    }

    /// Refuses the use of a store outside of the current task's transaction.
    ///
    /// # Errors
    /// `internal` while the task has a transaction open.
    pub(crate) fn refuse_inside(&self) -> Result<(), Problem> {
        let open = self.open();
        // The common case needs no lookup of the task.
        if open.is_empty() || !open.contains_key(&Caller::current()) {
            return Ok(());
        }
        Err(Problem::internal(
            "a store of the service is used while this task has a transaction open: take the store from the transaction, \
             `tx.store::<R>()`",
        ))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Caller, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A registered transaction.
#[derive(Debug)]
pub(crate) struct Registration {
    registry: TransactionRegistry,
    caller: Caller,
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut open = self.registry.open();
        if let Some(count) = open.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.caller);
            }
        }
    }
}
