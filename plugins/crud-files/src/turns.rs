//! [`Turns`]: locks that serialise the requests of one resumable upload.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use tokio::time::timeout;

/// Longest wait for the request before. Its connection may have broken while its bytes are still being stored.
const PATIENCE: Duration = Duration::from_secs(5);

/// The locks of uploads that have requests in flight on this server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<HashMap<String, Arc<Turn<()>>>>>);

impl Turns {
    /// Takes the lock of an upload; `None` if the request before holds it for too long. Requests to different servers
    /// do not wait for each other: one of them finds that the upload has changed.
    pub(crate) async fn of(&self, upload: &str) -> Option<OwnedMutexGuard<()>> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Locks that no request holds or waits for are dropped.
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            turns.entry(upload.to_owned()).or_default().clone()
        };
        timeout(PATIENCE, turn.lock_owned()).await.ok()
    }
}
