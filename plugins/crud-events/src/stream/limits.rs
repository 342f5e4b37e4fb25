//! [`Limits`]: the number of streams, of all and of each principal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;

/// Streams of one principal, or of one anonymous address: a browser has one connection for all of its tabs.
const OF_ONE: usize = 5;

/// Streams of a process, by default: each is a connection.
const ALL: usize = 2_000;

/// The time after which a refused client should try again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The streams that are open in this process.
#[derive(Debug)]
pub(crate) struct Limits {
    open: Arc<Mutex<HashMap<String, usize>>>,
    pub(crate) all: usize,
    pub(crate) of_one: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { open: Arc::default(), all: ALL, of_one: OF_ONE }
    }
}

/// An open stream, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    of: String,
    open: Arc<Mutex<HashMap<String, usize>>>,
}

impl Limits {
    /// Opens a stream.
    ///
    /// # Errors
    /// `too_many_requests` for a principal that has as many as it may; `unavailable` where the process has.
    pub(super) fn open(&self, ctx: &Context, principal: Option<&Principal>) -> Result<Permit, Problem> {
        let of = match principal {
            Some(principal) => format!("={}", principal.subject()),
            None => format!("@{:?}", ctx.client_address()),
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.values().sum::<usize>() >= self.all {
            let detail = "too many streams are open; try again later";
            return Err(Problem::new(Code::Unavailable, detail).retry_after(RETRY_AFTER));
        }
        let own = open.entry(of.clone()).or_default();
        if *own >= self.of_one {
            let detail = format!("{} streams are open already: close one, or share it", self.of_one);
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
