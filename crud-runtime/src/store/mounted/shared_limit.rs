//! [`SharedLimit`]: a limit of requests that all servers of a database share.
//!
//! A server takes a part of what is left of a caller's window, and admits requests from that part without the database.
//! A part is an eighth: a window of 1,000 requests takes one server about 50 writes, however fast they come.

use std::collections::HashMap;
use std::fmt;
use std::fmt::Write as _;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

use super::rate_limiter::{LONGEST, MAX_CALLERS, Quota};
use crate::model::descriptor::RateLimit;
use crate::model::problem::Problem;

/// A part of a limit that a server has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Number of requests in the part; 0 where nothing was left.
    pub(crate) requests: i64,
    /// Number of requests that all servers have taken, this part included.
    pub(crate) taken: i64,
    /// The end of the window.
    pub(crate) ends: DateTime<Utc>,
}

/// A wish for a part of a caller's limit.
#[derive(Debug)]
pub(crate) struct Wish {
    /// The digest of what is limited, and for whom.
    pub(crate) id: String,
    /// The limit of a window.
    pub(crate) limit: i64,
    /// The length of a window.
    pub(crate) length: TimeDelta,
}

/// Divisor of what is left for the part that a server takes at once.
const SHARE: i64 = 8;

/// The part of what is left that a server takes: an eighth, and the last requests one by one.
pub(crate) const fn share(left: i64) -> i64 {
    let part = left / SHARE;
    if part > 0 { part } else { 1 }
}

/// A limit that all servers of a database share.
pub(crate) struct SharedLimit {
    limit: RateLimit,
    /// Name of what is limited: the same on every server.
    name: Box<str>,
    slots: Mutex<HashMap<[u8; 32], Arc<Slot>>>,
}

/// A caller's window on this server.
#[derive(Default)]
struct Slot {
    lease: Mutex<Option<Lease>>,
    /// Held by the request that takes the next part: others of the same caller wait for it.
    turn: tokio::sync::Mutex<()>,
}

/// A part that this server has taken.
#[derive(Debug, Clone, Copy)]
struct Lease {
    /// Number of requests that are left of the part.
    left: i64,
    /// Number of requests that no server had taken yet.
    elsewhere: i64,
    ends: DateTime<Utc>,
}

impl Lease {
    const fn of(part: Part, limit: RateLimit) -> Self {
        Self { left: part.requests, elsewhere: limit.requests as i64 - part.taken, ends: part.ends }
    }
}

impl SharedLimit {
    pub(super) fn new(limit: RateLimit, name: &str) -> Self {
        Self { limit, name: name.into(), slots: Mutex::default() }
    }

    /// Counts a request of a caller, who is named by the texts of `caller`. `take` takes a part of what is left from
    /// the database.
    ///
    /// # Errors
    /// Errors of `take`.
    pub(crate) async fn count<T>(
        &self,
        caller: &[&[u8]],
        now: DateTime<Utc>,
        take: impl FnOnce(Wish) -> T,
    ) -> Result<Quota, Problem>
    where
        T: Future<Output = Result<Part, Problem>>,
    {
        let key = self.key(caller);
        let slot = self.slot(key, now);
        if let Some(quota) = self.admit(&slot, now) {
            return Ok(quota);
        }
        let _turn = slot.turn.lock().await;
        // The request before may have taken a part for this one too.
        if let Some(quota) = self.admit(&slot, now) {
            return Ok(quota);
        }
        let length = TimeDelta::from_std(self.limit.per).map_or(LONGEST, |length| length.min(LONGEST));
        let part = take(Wish { id: digits(&key), limit: self.limit.requests.into(), length }).await?;
        let mut lease = Lease::of(part, self.limit);
        let quota = self.use_up(&mut lease, now);
        *slot.lease() = Some(lease);
        Ok(quota)
    }

    /// Counts a request in the part that this server has; `None` if that part is used up.
    fn admit(&self, slot: &Slot, now: DateTime<Utc>) -> Option<Quota> {
        let mut lease = slot.lease();
        let lease = lease.as_mut().filter(|lease| lease.ends > now && (lease.left > 0 || lease.elsewhere <= 0))?;
        Some(self.use_up(lease, now))
    }

    fn use_up(&self, lease: &mut Lease, now: DateTime<Utc>) -> Quota {
        let is_exceeded = lease.left <= 0;
        lease.left -= i64::from(!is_exceeded);
        let remaining = u32::try_from(lease.left + lease.elsewhere).unwrap_or_default();
        Quota { limit: self.limit, remaining, reset: (lease.ends - now).to_std().unwrap_or_default(), is_exceeded }
    }

    /// The slot of a caller. Beyond [`MAX_CALLERS`], those whose windows are over are dropped, and all if there are still too
    /// many: what is left of their parts is lost until their windows end.
    fn slot(&self, key: [u8; 32], now: DateTime<Utc>) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= MAX_CALLERS && !slots.contains_key(&key) {
            slots.retain(|_, slot| slot.lease().is_some_and(|lease| lease.ends > now));
            if slots.len() >= MAX_CALLERS {
                slots.clear();
            }
        }
        slots.entry(key).or_default().clone()
    }

    /// A digest of a caller: no client can construct that of another one.
    fn key(&self, caller: &[&[u8]]) -> [u8; 32] {
        let mut digest = Sha256::new();
        for part in std::iter::once(self.name.as_bytes()).chain(caller.iter().copied()) {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }
}

impl Slot {
    fn lease(&self) -> MutexGuard<'_, Option<Lease>> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SharedLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLimit").field("limit", &self.limit).field("name", &self.name).finish_non_exhaustive()
    }
}

/// The hexadecimal digits of a digest.
pub(crate) fn digits(digest: &[u8]) -> String {
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LIMIT: RateLimit = RateLimit::new(50, Duration::from_mins(1)).shared();

    /// The counts of a database.
    #[derive(Default)]
    struct Counts(Mutex<HashMap<String, (i64, DateTime<Utc>)>>);

    impl Counts {
        fn take(&self, wish: Wish, now: DateTime<Utc>) -> Part {
            let mut counts = self.0.lock().unwrap();
            let window = counts.entry(wish.id).or_insert((0, now + wish.length));
            if window.1 <= now {
                *window = (0, now + wish.length);
            }
            let requests = share(wish.limit - window.0).min(wish.limit - window.0);
            window.0 += requests;
            Part { requests, taken: window.0, ends: window.1 }
        }

        async fn count(&self, server: &SharedLimit, caller: &str, now: DateTime<Utc>) -> Quota {
            let take = |wish| std::future::ready(Ok(self.take(wish, now)));
            server.count(&[caller.as_bytes()], now, take).await.unwrap()
        }
    }

    #[tokio::test]
    async fn two_servers_admit_the_limit_together() {
        let (counts, now) = (Counts::default(), Utc::now());
        let (one, two) = (SharedLimit::new(LIMIT, "/reports"), SharedLimit::new(LIMIT, "/reports"));
        let mut admitted = 0;
        for _ in 0..60 {
            for server in [&one, &two] {
                admitted += u32::from(!counts.count(server, "ann", now).await.is_exceeded);
            }
        }
        assert_eq!(admitted, 50);
        let other = counts.count(&one, "bob", now).await;
        assert_eq!((other.is_exceeded, other.remaining), (false, 49));
        let next = now + TimeDelta::seconds(60);
        assert_eq!(counts.count(&two, "ann", next).await.remaining, 49);
    }

    #[tokio::test]
    async fn server_asks_the_database_once_for_each_part_and_not_beyond_the_limit() {
        let (counts, now, asked) = (Counts::default(), Utc::now(), std::cell::Cell::new(0));
        let server = SharedLimit::new(RateLimit::new(1_000, Duration::from_mins(1)).shared(), "/reports");
        for _ in 0..5_000 {
            let take = |wish| {
                asked.set(asked.get() + 1);
                std::future::ready(Ok(counts.take(wish, now)))
            };
            server.count(&[b"ann"], now, take).await.unwrap();
        }
        assert!((20..60).contains(&asked.get()), "{}", asked.get());
    }

    #[tokio::test]
    async fn callers_are_counted_in_bounded_memory() {
        let now = Utc::now();
        let limit = SharedLimit::new(LIMIT, "/reports");
        for caller in 0..2 * MAX_CALLERS {
            let key = limit.key(&[&caller.to_be_bytes()]);
            *limit.slot(key, now).lease() = Some(Lease { left: 1, elsewhere: 1, ends: now + TimeDelta::seconds(9) });
        }
        assert!(limit.slots.lock().unwrap().len() <= MAX_CALLERS);
    }
}
