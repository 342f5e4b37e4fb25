//! [`RecordLocks`]: the changes of one record in this process come one after another.
//!
//! Changes of one record that meet start over, all but one: many of them would go round for long. Those of other
//! processes are found by the version alone.

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

    /// Waits for the turn of a record, which lasts until the result is dropped. A change waits for one turn only.
    pub(super) async fn wait(&self, collection: &str, key: &str) -> MutexGuard<'_, ()> {
        let hash = self.hasher.hash_one((collection, key));
        // The remainder is less than the number of locks.
        #[allow(clippy::cast_possible_truncation)]
        self.locks[(hash % LOCKS as u64) as usize].lock().await
    }
}
