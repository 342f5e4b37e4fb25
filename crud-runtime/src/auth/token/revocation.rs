//! [`Revocations`]: the table of revoked tokens and sessions.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};

use crate::Resource;
use crate::model::clock::Clock;
use crate::query::Select;
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::typed::store::Store;

/// The largest number of expired revocations deleted after an insert.
const PRUNE_LIMIT: u64 = 100;

/// A row of the table `auth_revocations`.
#[derive(Resource)]
#[crud(table("auth_revocations", new), prefix = "/auth/revocations")]
pub(crate) struct Revocation {
    /// The `jti` of a token, or the `sid` of a session.
    #[crud(length(max = 255))]
    id: String,
    /// The time at which the token or session expires anyway.
    #[crud(index)]
    expires_at: DateTime<Utc>,
}

/// The revoked tokens and sessions.
#[derive(Debug)]
pub(in crate::auth) struct Revocations(Store<Revocation>, Clock);

impl Revocations {
    pub(in crate::auth) fn new(adapter: Arc<dyn Adapter>, clock: &Clock) -> Self {
        Self(App::internal(adapter, clock).own_store(), clock.clone())
    }

    /// Revokes the token or session with this id; false if it is already revoked. Of concurrent calls, one returns true.
    pub(in crate::auth) async fn revoke(&self, id: &str, expires_at: DateTime<Utc>) -> Result<bool> {
        // Rounded up: storage may truncate, and a row may outlive its token.
        let added = self.add(id, expires_at.trunc_subsecs(0) + TimeDelta::seconds(1)).await?;
        self.prune().await;
        Ok(added)
    }

    /// Adds a row that counts until a time in whole seconds; false if the row exists.
    pub(in crate::auth) async fn add(&self, id: &str, expires_at: DateTime<Utc>) -> Result<bool> {
        Ok(self.0.create_if_absent(NewRevocation { id: id.to_owned(), expires_at }).await?.is_some())
    }

    /// The time until which a row counts.
    pub(in crate::auth) async fn expiry(&self, id: &str) -> Result<Option<DateTime<Utc>>> {
        Ok(self.0.find(id.to_owned()).await?.map(|row| row.expires_at))
    }

    /// Whether any of these ids is revoked.
    pub(in crate::auth) async fn has_any(&self, ids: impl Iterator<Item = &str>) -> Result<bool> {
        let ids: Vec<String> = ids.map(str::to_owned).collect();
        Ok(!ids.is_empty() && self.0.count(Revocation::FIELDS.id.is_in(ids)).await? > 0)
    }

    /// Deletes some expired revocations. A failure is left to the next call.
    async fn prune(&self) {
        let expired = Select::from(Revocation::FIELDS.expires_at.lt(self.1.stamp())).limit(PRUNE_LIMIT);
        let pruned = async { self.0.delete_batch(self.0.list(expired).await?.into_iter().map(|row| row.id)).await };
        if let Err(error) = pruned.await {
            tracing::debug!(%error, "expired revocations could not be pruned");
        }
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::Resource;
    use crate::adapter::{Administration, SqliteAdapter};

    #[tokio::test]
    async fn expired_revocations_are_pruned_and_others_kept() {
        let adapter = SqliteAdapter::connect("sqlite::memory:").await.unwrap();
        adapter.migrate(&[Revocation::DESCRIPTOR]).await.unwrap();
        let revocations = Revocations::new(Arc::new(adapter), &Clock::default());
        let now = Utc::now();
        assert!(revocations.revoke("expired", now - TimeDelta::seconds(2)).await.unwrap());
        assert!(revocations.revoke("valid", now + TimeDelta::seconds(60)).await.unwrap());
        assert!(!revocations.revoke("valid", now + TimeDelta::seconds(60)).await.unwrap(), "already revoked");
        assert!(!revocations.has_any(["expired", "another"].into_iter()).await.unwrap());
        assert!(revocations.has_any(["another", "valid"].into_iter()).await.unwrap());
        assert!(!revocations.has_any([].into_iter()).await.unwrap());
        assert_eq!(revocations.0.count(Select::all()).await.unwrap(), 1);
    }
}
