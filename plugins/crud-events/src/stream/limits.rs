//! [`Limits`]: limits of open streams, in total and of each principal.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;

/// Default limit of streams of one principal, or of one anonymous address. A browser uses one connection for all of its
/// tabs.
const OF_ONE: usize = 5;

/// Default limit of streams of a process. Each is a connection.
const ALL: usize = 2_000;

/// The time after which a refused client should try again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The open streams of this process, and their limits.
#[derive(Debug)]
pub(crate) struct Limits {
    open: Arc<Mutex<HashMap<String, usize>>>,
    all: AtomicUsize,
    of_one: AtomicUsize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { open: Arc::default(), all: ALL.into(), of_one: OF_ONE.into() }
    }
}

/// An open stream, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    of: String,
    open: Arc<Mutex<HashMap<String, usize>>>,
}

impl Limits {
    /// Sets the limit of streams of the process.
    pub(crate) fn set_all(&self, streams: usize) {
        self.all.store(streams, Ordering::Relaxed);
    }

    /// Sets the limit of streams of one principal, or of one anonymous address.
    pub(crate) fn set_of_one(&self, streams: usize) {
        self.of_one.store(streams, Ordering::Relaxed);
    }

    /// Opens a stream.
    ///
    /// # Errors
    /// `too_many_requests` at the limit of the principal; `unavailable` at the limit of the process.
    pub(super) fn open(&self, ctx: &Context, principal: Option<&Principal>) -> Result<Permit, Problem> {
        let of = match principal {
            Some(principal) => format!("={}", principal.subject()),
            None => format!("@{:?}", ctx.client_network()),
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.values().sum::<usize>() >= self.all.load(Ordering::Relaxed) {
            let detail = "too many streams are open; try again later";
            return Err(Problem::new(Code::Unavailable, detail).retry_after(RETRY_AFTER));
        }
        let own = open.entry(of.clone()).or_default();
        let most = self.of_one.load(Ordering::Relaxed);
        if *own >= most {
            let detail = format!("{most} streams are open already: close one, or share it");
            return Err(Problem::new(Code::TooManyRequests, detail).retry_after(RETRY_AFTER));
        }
        *own += 1;
        drop(open);
        Ok(Permit { of, open: self.open.clone() })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.get_mut(&self.of) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.of);
            }
        }
    }
}
