//! [`RequestWindow`]: counts that the servers of a database share, each within a window of time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};

use crate::Resource;
use crate::model::problem::{Code, Problem};
use crate::query::Select;
use crate::storage::error::{Error, Result};
use crate::store::app::App;
use crate::store::mounted::shared_limit::{Part, Wish};

/// A count, in the table `crud_rate_limits`.
#[derive(Debug, Resource)]
#[crud(table("crud_rate_limits", new), prefix = "/_service/rate-limits")]
pub(crate) struct RequestWindow {
    /// The digest of what is counted, and for whom.
    #[crud(length(max = 64))]
    id: String,
    /// The requests that servers have taken.
    taken: i64,
    /// The end of the window.
    #[crud(index)]
    expires_at: DateTime<Utc>,
}

/// Limit of the attempts to take a part while other servers take theirs.
const ATTEMPTS: u32 = 50;

/// Rows that are removed at a time.
const PURGE_CHUNK: u64 = 500;

/// Seconds between two purges.
const PURGE_INTERVAL: i64 = 60;

impl RequestWindow {
    /// Takes a part of what is left of a limit: `share` of it. A window begins with its first part.
    ///
    /// The change has the condition that the row is as it was read, so that no request is taken twice.
    ///
    /// # Errors
    /// `unavailable` where other servers changed the row each time; when the database fails.
    pub(crate) async fn take(
        app: &App,
        Wish { id, limit, length }: Wish,
        share: impl Fn(i64) -> i64,
    ) -> Result<Part, Problem> {
        let id = id.as_str();
        let (windows, fields) = (app.own_store::<Self>(), Self::FIELDS);
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pause(attempt).await;
            }
            // In microseconds, which storage keeps.
            let now = app.now().trunc_subsecs(6);
            let found = windows.find(id).await?;
            let (taken, ends) = match &found {
                Some(window) if window.expires_at > now => (window.taken, window.expires_at),
                _ => (0, now + length),
            };
            let requests = share(limit - taken).min(limit - taken);
            if requests <= 0 {
                return Ok(Part { requests: 0, taken, ends });
            }
            let part = Part { requests, taken: taken + requests, ends };
            let is_taken = match found {
                None => {
                    let new = NewRequestWindow { id: id.to_owned(), taken: part.taken, expires_at: ends };
                    match windows.create(new).await {
                        Ok(_) => true,
                        Err(Error::Problem(problem)) if problem.code() == Code::Conflict => false,
                        Err(error) => return Err(error.into()),
                    }
                }
                Some(seen) => {
                    let as_read = fields.taken.eq(seen.taken).and(fields.expires_at.eq(seen.expires_at));
                    let patch = RequestWindowPatch::default().taken(part.taken).expires_at(ends);
                    match windows.update_if(id, as_read, patch).await {
                        Ok(changed) => changed.is_some(),
                        // The row was removed since: its window is over.
                        Err(Error::Problem(problem)) if problem.code() == Code::NotFound => false,
                        Err(error) => return Err(error.into()),
                    }
                }
            };
            if is_taken {
                return Ok(part);
            }
        }
        Err(Problem::new(Code::Unavailable, "the count of requests is in use by other servers"))
    }

    /// The counts of these ids, with the time that is left of each window.
    ///
    /// # Errors
    /// When the database fails.
    #[cfg(feature = "auth")]
    pub(crate) async fn read(app: &App, ids: &[String]) -> Result<Vec<(String, i64, chrono::TimeDelta)>> {
        let (fields, now) = (Self::FIELDS, app.now());
        let wanted = fields.id.is_in(ids.to_vec()).and(fields.expires_at.gt(now));
        let found = app.own_store::<Self>().list(Select::from(wanted)).await?;
        Ok(found.into_iter().map(|window| (window.id, window.taken, window.expires_at - now)).collect())
    }

    /// Removes a count.
    ///
    /// # Errors
    /// When the database fails.
    #[cfg(feature = "auth")]
    pub(crate) async fn remove(app: &App, id: &str) -> Result<()> {
        app.own_store::<Self>().delete_where(Self::FIELDS.id.eq(id)).await.map(drop)
    }
}

/// Waits for a random time, which grows with the attempts: servers that collide once do not collide again.
async fn pause(attempt: u32) {
    let mut random = [0; 2];
    // Without random bits, the pause is the longest.
    let random = getrandom::fill(&mut random).map_or(u16::MAX, |()| u16::from_ne_bytes(random));
    let longest = u64::from(attempt.min(20)) * 1_000;
    tokio::time::sleep(Duration::from_micros(longest * u64::from(random) / u64::from(u16::MAX))).await;
}

/// Removes the counts whose windows are over, at most once a minute.
#[derive(Debug, Clone, Default)]
pub(crate) struct WindowPurge {
    /// The second of the latest purge.
    latest: Arc<AtomicI64>,
}

impl WindowPurge {
    /// Starts a purge, unless one was started in the last minute.
    pub(crate) fn start_if_due(&self, app: &App) {
        let (now, latest) = (app.now().timestamp(), self.latest.load(Ordering::Relaxed));
        let is_due = latest.abs_diff(now) >= PURGE_INTERVAL.unsigned_abs();
        if is_due && self.latest.compare_exchange(latest, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let app = app.clone();
            tokio::spawn(async move {
                if let Err(error) = purge(&app).await {
                    tracing::debug!(%error, "counts of requests whose windows are over could not be removed");
                }
            });
        }
    }
}

/// Removes the counts whose windows are over.
async fn purge(app: &App) -> Result<()> {
    let (windows, fields, now) = (app.own_store::<RequestWindow>(), RequestWindow::FIELDS, app.clock().stamp());
    loop {
        let over = Select::from(fields.expires_at.lte(now)).order_by(fields.expires_at.asc()).limit(PURGE_CHUNK);
        let over: Vec<String> = windows.list(over).await?.into_iter().map(|window| window.id).collect();
        let found = over.len() as u64;
        // A request may have begun a new window since.
        windows.delete_where(fields.id.is_in(over).and(fields.expires_at.lte(now))).await?;
        if found < PURGE_CHUNK {
            return Ok(());
        }
    }
}

#[cfg(all(test, feature = "auth", feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::adapter::SqliteAdapter;
    use crate::model::clock::Clock;
    use crate::storage::administration::Administration;

    fn wish(id: &str) -> Wish {
        Wish { id: id.to_owned(), limit: 10, length: chrono::TimeDelta::minutes(1) }
    }

    async fn app(clock: &Clock) -> App {
        let adapter = SqliteAdapter::connect("sqlite::memory:").await.unwrap();
        adapter.migrate(&[RequestWindow::DESCRIPTOR]).await.unwrap();
        App::internal(Arc::new(adapter), clock)
    }

    #[tokio::test]
    async fn parts_are_of_what_is_left_until_the_window_ends() {
        let clock = Clock::default();
        let app = app(&clock).await;
        let mut sizes = Vec::new();
        for _ in 0..4 {
            let part = RequestWindow::take(&app, wish("ann"), |left| left / 2 + 1).await.unwrap();
            sizes.push((part.requests, part.taken));
        }
        assert_eq!(sizes, [(6, 6), (3, 9), (1, 10), (0, 10)]);
        clock.advance(Duration::from_secs(61));
        let next = RequestWindow::take(&app, wish("ann"), |_| 4).await.unwrap();
        assert_eq!((next.requests, next.taken), (4, 4));
    }

    #[tokio::test]
    async fn counts_are_removed_after_their_windows() {
        let clock = Clock::default();
        let app = app(&clock).await;
        for number in 0..=PURGE_CHUNK {
            RequestWindow::take(&app, wish(&number.to_string()), |_| 1).await.unwrap();
        }
        clock.advance(Duration::from_secs(61));
        RequestWindow::take(&app, wish("new"), |_| 1).await.unwrap();
        purge(&app).await.unwrap();
        assert_eq!(app.own_store::<RequestWindow>().count(Select::all()).await.unwrap(), 1);
    }
}
