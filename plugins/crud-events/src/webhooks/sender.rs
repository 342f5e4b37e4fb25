//! [`Sender`]: state that the routes, hooks and tasks of webhooks share.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use tokio::sync::{Notify, OnceCell};

use super::queue::in_flight::InFlight;
use super::sending::client::Client;
use crate::core::Core;

/// Name of the service's key that secrets are derived from.
const KEY: &str = "webhooks";

/// State that the routes, hooks and tasks of webhooks share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Sender(Arc<Parts>);

struct Parts {
    core: Core,
    client: Client,
    key: OnceCell<[u8; 32]>,
    /// The resources that have events.
    resources: OnceLock<Vec<&'static Descriptor>>,
    /// The name of this process as the holder of leases.
    holder: String,
    /// Wakes the task for a due delivery that no new event has created.
    wake: Notify,
    /// The number up to which this process has read the log for each webhook. It may be ahead of the stored position.
    scanned: Mutex<HashMap<i64, i64>>,
    /// The epoch of the log that these numbers are of.
    epoch: AtomicU64,
    in_flight: InFlight,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("holder", &self.0.holder).finish_non_exhaustive()
    }
}

impl Sender {
    pub(crate) fn new(core: Core, client: Client) -> Self {
        Self(Arc::new(Parts {
            core,
            client,
            key: OnceCell::new(),
            resources: OnceLock::new(),
            holder: Uuid::new_v4().to_string(),
            wake: Notify::new(),
            scanned: Mutex::default(),
            epoch: AtomicU64::default(),
            in_flight: InFlight::default(),
        }))
    }

    pub(crate) fn core(&self) -> &Core {
        &self.0.core
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    pub(crate) fn holder(&self) -> &str {
        &self.0.holder
    }

    pub(crate) fn in_flight(&self) -> &InFlight {
        &self.0.in_flight
    }

    pub(crate) fn wake(&self) -> &Notify {
        &self.0.wake
    }

    /// The number of the last event that this process knows.
    pub(crate) fn mark(&self) -> i64 {
        self.0.core.log.mark().unwrap_or_default()
    }

    /// Sets the resources that have events.
    pub(crate) fn open(&self, resources: Vec<&'static Descriptor>) {
        self.0.resources.get_or_init(|| resources);
    }

    pub(crate) fn has_events(&self, resource: &'static Descriptor) -> bool {
        self.0.resources.get().is_some_and(|all| all.iter().any(|known| std::ptr::eq(*known, resource)))
    }

    /// Whether this process has read the log for a webhook.
    pub(crate) fn has_scanned(&self, webhook: i64) -> bool {
        self.0.scanned.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&webhook)
    }

    /// The key that secrets are derived from.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn key(&self, app: &App) -> Result<[u8; 32], Problem> {
        let key = self.0.key.get_or_try_init(|| async { app.unscoped().secret_key(KEY).await });
        key.await.copied()
    }

    /// The number after which the log is read for a webhook: the stored position, or a later one up to which this
    /// process has read.
    pub(crate) fn scanned(&self, webhook: i64, position: i64) -> i64 {
        let scanned = self.0.scanned.lock().unwrap_or_else(PoisonError::into_inner);
        scanned.get(&webhook).copied().unwrap_or_default().max(position)
    }

    /// Sets the number up to which this process has read the log for a webhook.
    pub(crate) fn set_scanned(&self, webhook: i64, seq: i64) {
        self.0.scanned.lock().unwrap_or_else(PoisonError::into_inner).insert(webhook, seq);
    }

    /// Forgets how far this process has read the log for webhooks other than these, and an earlier epoch of the log.
    pub(crate) fn keep_scanned(&self, webhooks: &HashSet<i64>) {
        let epoch = self.0.core.log.epoch();
        if self.0.epoch.swap(epoch, Ordering::AcqRel) != epoch {
            self.forget_scanned();
        }
        let mut scanned = self.0.scanned.lock().unwrap_or_else(PoisonError::into_inner);
        scanned.retain(|webhook, _| webhooks.contains(webhook));
    }

    /// Forgets how far this process has read the log: another server creates the deliveries now.
    pub(crate) fn forget_scanned(&self) {
        self.0.scanned.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
