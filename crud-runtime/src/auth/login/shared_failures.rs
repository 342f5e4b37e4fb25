//! [`SharedFailures`]: the failed logins of all servers of a database.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use chrono::TimeDelta;
use sha2::{Digest, Sha256};

use crate::auth::network::network;
use crate::store::app::App;
use crate::store::mounted::shared_limit::{Wish, digits};
use crate::store::tables::request_window::{RequestWindow, WindowPurge};

/// The failed logins of all servers of a database, in the table of shared counts.
pub(super) struct SharedFailures {
    app: App,
    window: TimeDelta,
    purge: WindowPurge,
}

/// Failures and the time that is left of their window, of each key that has some.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) pair: Option<(u32, Duration)>,
    pub(super) name: Option<(u32, Duration)>,
    pub(super) address: Option<(u32, Duration)>,
}

/// The ids of an attempt's counts.
struct Ids {
    pair: String,
    name: String,
    address: Option<String>,
}

impl Ids {
    fn of(name: &str, address: Option<IpAddr>) -> Self {
        let network = address.map(|address| network(address).to_string());
        let id = |kind: &str, parts: &[&str]| {
            let mut digest = Sha256::new_with_prefix(kind);
            for part in parts {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
            digits(&digest.finalize())
        };
        Self {
            pair: id("login pair", &[name, network.as_deref().unwrap_or_default()]),
            name: id("login name", &[name]),
            address: network.map(|network| id("login address", &[&network])),
        }
    }

    fn all(&self) -> Vec<String> {
        [&self.pair, &self.name].into_iter().chain(&self.address).cloned().collect()
    }
}

impl SharedFailures {
    pub(super) fn new(app: App, window: Duration) -> Self {
        let window = TimeDelta::from_std(window).unwrap_or(TimeDelta::days(1));
        Self { app, window, purge: WindowPurge::default() }
    }

    /// The counted failures; none if the database does not answer: then the login's own query fails.
    pub(super) async fn read(&self, name: &str, address: Option<IpAddr>) -> Found {
        let ids = Ids::of(name, address);
        let counts = match RequestWindow::read(&self.app, &ids.all()).await {
            Ok(counts) => counts,
            Err(error) => {
                tracing::debug!(%error, "shared login failures could not be read");
                return Found::default();
            }
        };
        let of = |id: &str| {
            let (_, failures, left) = counts.iter().find(|(other, ..)| other == id)?;
            Some((u32::try_from(*failures).unwrap_or(u32::MAX), left.to_std().unwrap_or_default()))
        };
        Found { pair: of(&ids.pair), name: of(&ids.name), address: ids.address.as_deref().and_then(of) }
    }

    /// Counts a failure, beside the answer to the request.
    pub(super) fn add(&self, name: &str, address: Option<IpAddr>) {
        let (app, length, ids) = (self.app.clone(), self.window, Ids::of(name, address));
        self.purge.start_if_due(&app);
        tokio::spawn(async move {
            for id in ids.all() {
                let wish = Wish { id, limit: i64::MAX, length };
                if let Err(error) = RequestWindow::take(&app, wish, |_| 1).await {
                    tracing::warn!(%error, "a failed login is not counted for other servers");
                }
            }
        });
    }

    /// Forgets the failures of a name from an address, which has logged in.
    pub(super) fn forget(&self, name: &str, address: Option<IpAddr>) {
        let (app, ids) = (self.app.clone(), Ids::of(name, address));
        tokio::spawn(async move {
            if let Err(error) = RequestWindow::remove(&app, &ids.pair).await {
                tracing::debug!(%error, "shared login failures could not be removed");
            }
        });
    }
}

impl fmt::Debug for SharedFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedFailures").field("window", &self.window).finish_non_exhaustive()
    }
}
