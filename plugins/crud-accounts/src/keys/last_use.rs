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
        // A request that ends meanwhile releases the key too.
        let _noting = Noting { uses: self, id: &key.id };
        let patch = ApiKeyPatch::default().last_used_at(Some(now));
        if let Err(error) = app.store::<ApiKey>().update(key.id.as_str(), patch).await {
            tracing::debug!(key = key.id, %error, "the last use of an API key is not noted");
        }
    }

    fn begin(&self, id: &str) -> bool {
        self.keys().insert(id.to_owned())
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A key whose time is being written.
struct Noting<'u> {
    uses: &'u LastUses,
    id: &'u str,
}

impl Drop for Noting<'_> {
    fn drop(&mut self) {
        self.uses.keys().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use crud_runtime::Service;
    use crud_runtime::auth::Auth;

    use super::super::table::NewApiKey;
    use super::*;
    use crate::ApiKeys;

    #[tokio::test]
    async fn request_that_ends_while_its_time_is_stored_leaves_the_next_one_to_store_it() {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let service = Service::connect("sqlite::memory:").await.unwrap().auth(auth);
        let service = service.plugin(ApiKeys::new()).unwrap().migrate().await.unwrap();
        let app = service.app();
        let new = NewApiKey {
            id: "id".to_owned(),
            hash: "hash".to_owned(),
            user: "1".to_owned(),
            name: "ci".to_owned(),
            tenant: None,
            roles: Vec::new(),
            permissions: Vec::new(),
            expires_at: None,
            last_used_at: None,
        };
        let key = app.store::<ApiKey>().create(new).await.unwrap();
        for _ in 0..100 {
            let uses = LastUses::default();
            let is_storing = {
                let mut noting = pin!(uses.note(&app, &key));
                let is_storing = noting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
                assert!(!is_storing || !uses.begin("id"), "one request stores it");
                is_storing
            };
            if is_storing {
                assert!(uses.begin("id"));
                return;
            }
        }
        panic!("the time was stored at once, each time");
    }
}
