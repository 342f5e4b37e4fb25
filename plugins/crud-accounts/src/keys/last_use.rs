//! [`LastUses`]: the time of each key's last request, to the minute.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crud_runtime::App;
use crud_runtime::prelude::*;

use super::table::{ApiKey, ApiKeyPatch};

/// Age of the stored time at which a request updates it.
const PRECISION: TimeDelta = TimeDelta::seconds(60);

/// The keys whose time a request of this process is writing. Concurrent requests with the same key do not write it.
#[derive(Debug, Default)]
pub(super) struct LastUses(Mutex<HashSet<String>>);

impl LastUses {
    /// Stores the time of a request with a key. An error does not fail the request: keys still work on a read-only
    /// database.
    pub(super) async fn note(&self, app: &App, key: &ApiKey) {
        let now = app.now();
        if key.last_used_at.is_some_and(|last| now - last < PRECISION) || !self.begin(&key.id) {
            return;
        }
        let patch = ApiKeyPatch::default().last_used_at(Some(now));
        if let Err(error) = app.store::<ApiKey>().update(key.id.as_str(), patch).await {
            tracing::debug!(key = key.id, %error, "the last use of an API key is not noted");
        }
        self.keys().remove(&key.id);
    }

    fn begin(&self, id: &str) -> bool {
        self.keys().insert(id.to_owned())
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
