//! The answers that requests with an `Idempotency-Key` had, each written in the transaction of its request.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value as Json;

use crate::Resource;
use crate::model::problem::{Code, Problem};
use crate::query::Select;
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::transaction::Tx;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::typed::store::Store;

/// A key and the answer to its request, in the table `crud_idempotency`. It has no `Debug`: it holds bodies.
#[derive(Resource)]
#[crud(table("crud_idempotency", new), prefix = "/_service/idempotency")]
pub(crate) struct KeyedAnswer {
    /// [`KeyedRequest::name`].
    #[crud(length(max = 64))]
    id: String,
    #[crud(length(max = 64))]
    fingerprint: String,
    /// The status of the answer; absent while the request runs, when only its transaction sees the row.
    status: Option<i32>,
    headers: Option<Json>,
    body: Option<Vec<u8>>,
    #[crud(index)]
    expires_at: DateTime<Utc>,
}

/// A request with a key.
#[derive(Debug)]
pub(crate) struct KeyedRequest {
    /// The digest of the key and of its scope.
    pub(crate) name: String,
    /// The digest of the request.
    pub(crate) fingerprint: String,
    /// Time for which the answer is kept.
    pub(crate) ttl: TimeDelta,
}

/// An answer as it is stored.
pub(crate) struct StoredAnswer {
    pub(crate) status: u16,
    pub(crate) headers: Json,
    pub(crate) body: Vec<u8>,
}

/// State of a key before a request.
pub(crate) enum Claim {
    /// Free: it is the request's now, unless its transaction is rolled back.
    New,
    /// The key of an earlier request, with this answer.
    Answered(StoredAnswer),
    /// The key of another request.
    Reused,
    /// The key of a request that has not ended within the lock timeout.
    InFlight,
}

/// Limit of attempts to insert a key whose row was removed meanwhile.
const MAX_INSERTS: usize = 3;

impl KeyedRequest {
    /// Inserts the key. The database makes a second transaction with it wait until the first one ends.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn claim(&self, app: &App, transaction: &Arc<SharedTransaction>) -> Result<Claim> {
        let tx = Tx::joined(app, transaction.clone());
        let answers = tx.store::<KeyedAnswer>();
        let now = app.clock().stamp();
        for _ in 0..MAX_INSERTS {
            let Some(refusal) = self.insert(&answers, now).await? else { return Ok(Claim::New) };
            match answers.find(self.name.as_str()).await {
                Ok(Some(answer)) if answer.expires_at <= now => {
                    let fields = KeyedAnswer::FIELDS;
                    answers.delete_where(fields.id.eq(self.name.as_str()).and(fields.expires_at.lte(now))).await?;
                }
                Ok(Some(answer)) => return Ok(self.compare(answer)),
                Ok(None) if refusal.code() == Code::Conflict => {}
                // The lock timeout ended the wait, and the transaction is still usable.
                Ok(None) => break,
                Err(_) => return Err(refusal.into()),
            }
        }
        Ok(Claim::InFlight)
    }

    /// Whether an earlier request had the key, by a read that locks nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn is_known(&self, app: &App) -> Result<bool> {
        let (fields, now) = (KeyedAnswer::FIELDS, app.clock().stamp());
        let known = fields.id.eq(self.name.as_str()).and(fields.expires_at.gt(now));
        Ok(app.own_store::<KeyedAnswer>().count(known).await? > 0)
    }

    /// Inserts the key; returns why it could not be inserted.
    async fn insert(&self, answers: &Store<KeyedAnswer>, now: DateTime<Utc>) -> Result<Option<Problem>> {
        let new = NewKeyedAnswer {
            id: self.name.clone(),
            fingerprint: self.fingerprint.clone(),
            status: None,
            headers: None,
            body: None,
            expires_at: now + self.ttl,
        };
        let Err(error) = answers.create(new).await else { return Ok(None) };
        let problem = Problem::from(error);
        match problem.code() {
            Code::Conflict | Code::Unavailable | Code::Timeout => Ok(Some(problem)),
            _ => Err(problem.into()),
        }
    }

    fn compare(&self, answer: KeyedAnswer) -> Claim {
        let KeyedAnswer { fingerprint, status, headers, body, .. } = answer;
        if fingerprint != self.fingerprint {
            return Claim::Reused;
        }
        match (status.and_then(|status| u16::try_from(status).ok()), headers, body) {
            (Some(status), Some(headers), Some(body)) => Claim::Answered(StoredAnswer { status, headers, body }),
            _ => Claim::InFlight,
        }
    }

    /// Adds the answer, which the commit makes durable with the request's changes.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn answer(
        &self,
        app: &App,
        transaction: &Arc<SharedTransaction>,
        answer: StoredAnswer,
    ) -> Result<()> {
        let tx = Tx::joined(app, transaction.clone());
        let StoredAnswer { status, headers, body } = answer;
        let patch = KeyedAnswerPatch::default().status(Some(i32::from(status))).headers(Some(headers)).body(Some(body));
        tx.store::<KeyedAnswer>().update(self.name.as_str(), patch).await?;
        Ok(())
    }
}

/// Removes expired keys, at most once a minute.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyPurge {
    /// The second of the latest purge.
    latest: Arc<AtomicI64>,
}

/// Seconds between two purges.
const PURGE_INTERVAL: i64 = 60;

/// Number of keys, whose rows hold answers, that are removed at a time.
const PURGE_CHUNK: u64 = 50;

impl KeyPurge {
    /// Starts a purge, unless one was started in the last minute.
    pub(crate) fn start_if_due(&self, app: &App) {
        let now = app.now().timestamp();
        let latest = self.latest.load(Ordering::Relaxed);
        let is_due = latest.abs_diff(now) >= PURGE_INTERVAL.unsigned_abs();
        // One of several concurrent requests starts the purge.
        if is_due && self.latest.compare_exchange(latest, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let app = app.clone();
            tokio::spawn(async move {
                for app in app.each_shard() {
                    if let Err(error) = purge(&app).await {
                        tracing::debug!(%error, "expired idempotency keys could not be removed");
                    }
                }
            });
        }
    }
}

/// Removes the keys that have expired.
async fn purge(app: &App) -> Result<()> {
    let (answers, fields, now) = (app.own_store::<KeyedAnswer>(), KeyedAnswer::FIELDS, app.clock().stamp());
    loop {
        let expired = Select::from(fields.expires_at.lte(now)).order_by(fields.expires_at.asc()).limit(PURGE_CHUNK);
        let expired: Vec<String> = answers.list(expired).await?.into_iter().map(|answer| answer.id).collect();
        let found = expired.len() as u64;
        // A request may have replaced one of the keys since.
        answers.delete_where(fields.id.is_in(expired).and(fields.expires_at.lte(now))).await?;
        if found < PURGE_CHUNK {
            return Ok(());
        }
    }
}

#[cfg(all(test, feature = "auth", feature = "sqlite"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Resource;
    use crate::adapter::SqliteAdapter;
    use crate::model::clock::Clock;
    use crate::storage::administration::Administration;

    #[tokio::test]
    async fn expired_keys_are_removed_and_others_kept() {
        let adapter = SqliteAdapter::connect("sqlite::memory:").await.unwrap();
        adapter.migrate(&[KeyedAnswer::DESCRIPTOR]).await.unwrap();
        let clock = Clock::default();
        let app = App::internal(Arc::new(adapter), &clock);
        for (number, hours) in (0..120).map(|number| (number, 1)).chain([(120, 2)]) {
            let ttl = TimeDelta::hours(hours);
            let request = KeyedRequest { name: format!("{number}"), fingerprint: String::new(), ttl };
            let transaction = app.start_transaction().await.unwrap();
            assert!(matches!(request.claim(&app, &transaction).await.unwrap(), Claim::New));
            transaction.commit().await.unwrap();
        }
        clock.advance(Duration::from_mins(90));
        purge(&app).await.unwrap();
        assert_eq!(app.own_store::<KeyedAnswer>().count(Select::all()).await.unwrap(), 1);
    }
}
