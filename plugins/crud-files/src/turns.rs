//! [`Turns`]: the requests of one resumable upload, one after another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use tokio::time::timeout;

/// The time for which a request waits for the one before: its connection has broken, and what has arrived is being stored.
const PATIENCE: Duration = Duration::from_secs(5);

/// The turns of the uploads that have requests in flight on this server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<HashMap<String, Arc<Turn<()>>>>>);

impl Turns {
    /// Waits for the turn of a request to an upload; `None` where the one before takes longer. Requests to several servers do
    /// not wait for each other: of two, one finds the upload changed.
    pub(crate) async fn of(&self, upload: &str) -> Option<OwnedMutexGuard<()>> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Turns that no request has or waits for are forgotten.
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            turns.entry(upload.to_owned()).or_default().clone()
        };
        timeout(PATIENCE, turn.lock_owned()).await.ok()
    }
}
