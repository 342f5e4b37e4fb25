//! What no longer works before its time: tokens and sessions, in the service's own database.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};

use super::internal_table::store;
use crate::Resource;
use crate::model::problem::Code;
use crate::model::text;
use crate::query::Query;
use crate::storage::adapter::Adapter;
use crate::storage::error::{Error, Result};
use crate::store::typed_store::Store;

/// How many revocations that are over are removed when one is added.
const PRUNED: u64 = 100;

/// A row of the table `auth_revocations`.
#[derive(Resource)]
#[crud(table = "auth_revocations", prefix = "/auth/revocations")]
pub(crate) struct Revocation {
    /// The `jti` of a token, or the `sid` of a session.
    #[crud(max_length = 255)]
    id: String,
    /// When what it is about would have ended by itself.
    #[crud(index)]
    #[allow(dead_code)] // Read by the database alone.
    expires_at: DateTime<Utc>,
}

/// The revoked tokens and sessions.
#[derive(Debug)]
pub(super) struct Revocations(Store<Revocation>);

impl Revocations {
    pub(super) fn new(adapter: Arc<dyn Adapter>) -> Self {
        Self(store(adapter))
    }

    /// Revokes what has this id; `false` when it was revoked before. Of several at once, one is the first.
    pub(super) async fn revoke(&self, id: &str, expires_at: DateTime<Utc>) -> Result<bool> {
        // Storage keeps microseconds, and a row that stays a little longer does no harm.
        let expires_at = expires_at.trunc_subsecs(0) + TimeDelta::seconds(1);
        let added = match self.0.create(NewRevocation { id: id.to_owned(), expires_at }).await {
            Ok(_) => true,
            Err(Error::Problem(problem)) if problem.code() == Code::Conflict => false,
            Err(error) => return Err(error),
        };
        self.prune().await;
        Ok(added)
    }

    /// Whether one of these is revoked.
    pub(super) async fn has_any(&self, ids: impl Iterator<Item = &str>) -> Result<bool> {
        let ids: Vec<String> = ids.map(str::to_owned).collect();
        Ok(!ids.is_empty() && self.0.count(Revocation::FIELDS.id.one_of(ids)).await? > 0)
    }

    /// Removes some that are over. That is housekeeping: where it fails, the next one tries again.
    async fn prune(&self) {
        let over = Query::from(Revocation::FIELDS.expires_at.lt(text::stamp())).limit(PRUNED);
        let pruned = async { self.0.delete_batch(self.0.list(over).await?.into_iter().map(|row| row.id)).await };
        if let Err(error) = pruned.await {
            tracing::debug!(%error, "revocations that are over stay for now");
        }
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::Resource;
    use crate::storage::sql::SqliteAdapter;

    #[tokio::test]
    async fn what_is_over_is_forgotten_and_the_rest_is_not() {
        let adapter = SqliteAdapter::connect("sqlite::memory:").await.unwrap();
        adapter.migrate(&[Revocation::DESCRIPTOR]).await.unwrap();
        let revocations = Revocations::new(Arc::new(adapter));
        let now = Utc::now();
        assert!(revocations.revoke("over", now - TimeDelta::seconds(2)).await.unwrap());
        assert!(revocations.revoke("not over", now + TimeDelta::seconds(60)).await.unwrap());
        assert!(!revocations.revoke("not over", now + TimeDelta::seconds(60)).await.unwrap(), "it was before");
        assert!(!revocations.has_any(["over", "another"].into_iter()).await.unwrap());
        assert!(revocations.has_any(["another", "not over"].into_iter()).await.unwrap());
        assert!(!revocations.has_any([].into_iter()).await.unwrap());
        assert_eq!(revocations.0.count(Query::all()).await.unwrap(), 1);
    }
}
