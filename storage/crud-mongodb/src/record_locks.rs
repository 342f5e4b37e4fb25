//! [`RecordLocks`]: serializes the changes of a record within this process.
//!
//! When changes of one record conflict, all but one start over; without locks, many of them would retry for long.
//! Conflicts with other processes are found by the version alone.

use std::hash::{BuildHasher, RandomState};

use tokio::sync::{Mutex, MutexGuard};

/// Number of locks that the records share.
const LOCKS: usize = 256;

/// A lock for each record, shared by records of the same hash.
#[derive(Debug)]
pub(super) struct RecordLocks {
    locks: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl RecordLocks {
    pub(super) fn new() -> Self {
        Self { locks: (0..LOCKS).map(|_| Mutex::new(())).collect(), hasher: RandomState::new() }
    }

    /// Locks a record until the result is dropped. A change takes one lock only.
    pub(super) async fn wait(&self, collection: &str, key: &str) -> MutexGuard<'_, ()> {
        let hash = self.hasher.hash_one((collection, key));
        // The remainder is less than the number of locks.
        #[allow(clippy::cast_possible_truncation)]
        self.locks[(hash % LOCKS as u64) as usize].lock().await
    }
}
