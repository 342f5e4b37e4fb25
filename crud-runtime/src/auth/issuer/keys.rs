//! [`IssuerKeys`]: the keys of an issuer, which it rotates.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;

use super::discovery;
use super::fetch::Fetch;
use super::last_copy::LastCopies;
use crate::auth::key::signature::Verifier;
use crate::auth::token::verification::require_claims;
use crate::model::clock::Clock;
use crate::model::problem::{Code, Problem};
use crate::storage::error::Result;

/// Age at which keys are fetched again.
const DUE: TimeDelta = TimeDelta::hours(1);

/// Age at which keys are no longer used.
const STALE: TimeDelta = TimeDelta::hours(24);

/// Minimum interval between fetches from an issuer, however many tokens have unknown keys.
const INTERVAL: TimeDelta = TimeDelta::seconds(30);

/// Interval between fetches while there are no keys.
const INTERVAL_WITHOUT_KEYS: TimeDelta = TimeDelta::seconds(5);

/// Time limit of a fetch, its two documents together.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Limit of requests that wait for a fetch. More are refused, so that forged tokens do not occupy the whole service.
const MAX_WAITING: usize = 500;

/// The keys of an issuer.
pub(super) struct IssuerKeys {
    issuer: String,
    audience: String,
    fetch: Fetch,
    copy: RwLock<Option<Arc<Copy>>>,
    /// The time of the last fetch; a fetch in flight holds the lock.
    last_fetch: Arc<Mutex<Option<DateTime<Utc>>>>,
    waiting: Semaphore,
    service: OnceLock<OfService>,
}

/// The parts of the service that the keys use.
struct OfService {
    /// The table of last good copies, where there is one.
    copies: Option<LastCopies>,
    clock: Clock,
}

/// A copy of an issuer's keys.
pub(super) struct Copy {
    pub(super) verifiers: Vec<Verifier>,
    fetched_at: DateTime<Utc>,
}

impl IssuerKeys {
    pub(super) fn new(issuer: &str, audience: &str, root_certificates: &[String]) -> Result<Self> {
        Ok(Self {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            fetch: Fetch::new(root_certificates)?,
            copy: RwLock::default(),
            last_fetch: Arc::default(),
            waiting: Semaphore::new(MAX_WAITING),
            service: OnceLock::new(),
        })
    }

    /// Sets the service's database and clock. Only the first call counts.
    pub(super) fn set_service(&self, copies: LastCopies, clock: Clock) {
        let _ = self.service.set(OfService { copies: Some(copies), clock });
    }

    /// Sets the service's clock alone. Only the first call counts.
    pub(super) fn set_clock(&self, clock: Clock) {
        let _ = self.service.set(OfService { copies: None, clock });
    }

    /// The table of last good copies.
    fn copies(&self) -> Option<&LastCopies> {
        self.service.get()?.copies.as_ref()
    }

    /// The current time by the service's clock.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.service.get().map_or_else(Utc::now, |service| service.clock.now())
    }

    /// Fetches the keys without a request waiting: at the start, and when the keys are due.
    pub(super) fn fetch_in_background(self: &Arc<Self>) {
        if self.last_fetch.try_lock().is_ok_and(|last| self.may_fetch(*last)) {
            let keys = self.clone();
            tokio::spawn(async move { keys.fetch_after(keys.current().as_ref()).await });
        }
    }

    /// The keys. Keys that are due stay in use while new ones are fetched.
    ///
    /// # Errors
    /// `unavailable` when there are none: the issuer does not answer.
    pub(super) async fn get(self: &Arc<Self>) -> Result<Arc<Copy>, Problem> {
        if let Some(copy) = self.current().filter(|copy| !self.is_older(copy, STALE)) {
            if self.is_older(&copy, DUE) {
                self.fetch_in_background();
            }
            return Ok(copy);
        }
        let before = self.current();
        self.wait_for_fetch(before.as_ref()).await?;
        self.current().filter(|copy| !self.is_older(copy, STALE)).ok_or_else(unavailable)
    }

    /// A later copy than `than`, for a token whose key `than` does not have; `None` if `than` is the latest.
    ///
    /// # Errors
    /// `unavailable` when too many requests wait for them.
    pub(super) async fn newer(self: &Arc<Self>, than: &Arc<Copy>) -> Result<Option<Arc<Copy>>, Problem> {
        self.wait_for_fetch(Some(than)).await?;
        Ok(self.current().filter(|copy| !Arc::ptr_eq(copy, than)))
    }

    async fn wait_for_fetch(self: &Arc<Self>, seen: Option<&Arc<Copy>>) -> Result<(), Problem> {
        let Ok(_waiting) = self.waiting.try_acquire() else { return Err(unavailable()) };
        self.fetch_after(seen).await;
        Ok(())
    }

    /// Fetches the keys, unless they have changed since `seen` or were fetched recently. Waits for a fetch in flight.
    async fn fetch_after(self: &Arc<Self>, seen: Option<&Arc<Copy>>) {
        let mut last = self.last_fetch.clone().lock_owned().await;
        let is_seen = self.current().as_ref().map(Arc::as_ptr) == seen.map(Arc::as_ptr);
        if !is_seen || !self.may_fetch(*last) {
            return;
        }
        *last = Some(self.now());
        let keys = self.clone();
        // A request that ends meanwhile must not end the fetch for other requests.
        let fetch = tokio::spawn(async move {
            keys.fetch_now().await;
            drop(last);
        });
        if let Err(error) = fetch.await {
            tracing::error!(%error, "the fetch of an issuer's keys");
        }
    }

    async fn fetch_now(&self) {
        let fetched = timeout(TIME_LIMIT, discovery::keys(&self.fetch, &self.issuer)).await;
        let fetched = fetched.unwrap_or_else(|_| Err(format!("no answer within {} s", TIME_LIMIT.as_secs())));
        let copies = self.copies();
        match fetched {
            Ok(document) => {
                let now = self.now();
                self.set(&document, now);
                tracing::debug!(issuer = self.issuer, "the issuer's keys are fetched");
                let Some(copies) = copies else { return };
                if let Err(error) = copies.store(&self.issuer, &document, now).await {
                    tracing::warn!(issuer = self.issuer, %error, "the copy of the issuer's keys is not stored");
                }
            }
            Err(error) => {
                tracing::warn!(
                    issuer = self.issuer,
                    error,
                    "the issuer's keys cannot be fetched: the last ones serve on"
                );
                let Some(copies) = copies else { return };
                // The table may have a newer copy, from the last process or from a server that the issuer answers.
                let is_newer = |time| self.current().is_none_or(|copy| copy.fetched_at < time);
                match copies.find(&self.issuer).await {
                    Ok(Some(copy)) if is_newer(copy.fetched_at) => self.set(&copy.keys, copy.fetched_at),
                    Ok(_) => {}
                    Err(error) => tracing::warn!(issuer = self.issuer, %error, "the copy of the keys cannot be read"),
                }
            }
        }
    }

    fn set(&self, document: &str, fetched_at: DateTime<Utc>) {
        let require = |key: &crate::auth::TokenKey| {
            key.verifier(|validation| require_claims(validation, Some(&self.issuer), Some(&self.audience)))
        };
        let verifiers = discovery::parse(document).iter().map(require).map(Verifier::of_another_issuer).collect();
        *self.copy.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(Copy { verifiers, fetched_at }));
    }

    fn current(&self) -> Option<Arc<Copy>> {
        self.copy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_older(&self, copy: &Copy, age: TimeDelta) -> bool {
        self.now() - copy.fetched_at > age
    }

    fn may_fetch(&self, last: Option<DateTime<Utc>>) -> bool {
        let has_keys = self.current().is_some_and(|copy| !self.is_older(&copy, STALE));
        let interval = if has_keys { INTERVAL } else { INTERVAL_WITHOUT_KEYS };
        // After a clock went back, the time that has passed is unknown.
        last.is_none_or(|last| !(TimeDelta::zero()..interval).contains(&(self.now() - last)))
    }
}

fn unavailable() -> Problem {
    Problem::new(Code::Unavailable, "the keys of the token's issuer cannot be fetched")
}
