//! [`Pipeline`]: connections on which concurrent changes of one statement are sent without waiting for each other's answers.
//!
//! ```text
//! one at a time    INSERT …  →  ←  INSERT …  →  ←
//! pipelined        INSERT …  INSERT …  →  ←  ←
//! ```
//!
//! A change that waits for a lock would hold up those behind it: it gives up soon, and is made on a connection of its request.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::connection::Session;
use super::{DriverError, PostgresDriver};

/// Most connections that are shared: each commit is one after the other on its connection.
const MOST: usize = 4;

/// Time that a change waits for a lock, in milliseconds.
const LOCK: u64 = 50;

/// The shared connections of an adapter.
pub(super) struct Pipeline<W: PostgresDriver> {
    places: Vec<Place<W>>,
    next: AtomicUsize,
}

/// The place of a connection.
struct Place<W: PostgresDriver> {
    state: Mutex<State<W>>,
    /// Held by the request that connects.
    connecting: tokio::sync::Mutex<()>,
}

enum State<W: PostgresDriver> {
    /// Not connected yet.
    Vacant,
    /// A connection, and the time limit of its statements.
    Connected(W::Connection, Duration),
    /// The driver does not pipeline.
    Refused,
}

/// A place has no connection that can be used.
struct Disconnected;

impl<W: PostgresDriver> Place<W> {
    fn vacant() -> Self {
        Self { state: Mutex::new(State::Vacant), connecting: tokio::sync::Mutex::new(()) }
    }

    fn state(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle of its connection; `None`, where the driver does not pipeline.
    fn session(&self, limit: Duration) -> Result<Option<Session<W>>, Disconnected> {
        match &*self.state() {
            State::Connected(connection, of) if *of == limit && W::is_open(connection) => {
                Ok(W::share(connection).map(Session::new))
            }
            State::Refused => Ok(None),
            _ => Err(Disconnected),
        }
    }
}

impl<W: PostgresDriver> Pipeline<W> {
    /// Shared connections beside so many others.
    pub(super) fn new(connections: usize) -> Self {
        let places = (0..connections.div_ceil(2).min(MOST)).map(|_| Place::vacant()).collect();
        Self { places, next: AtomicUsize::new(0) }
    }

    /// A handle of a connection; `None`, where the driver does not pipeline, or another request is connecting.
    ///
    /// # Errors
    /// When the server is away.
    pub(super) async fn session(&self, driver: &W, limit: Duration) -> Result<Option<Session<W>>, DriverError> {
        let next = self.next.fetch_add(1, Ordering::Relaxed) % self.places.len().max(1);
        let Some(place) = self.places.get(next) else { return Ok(None) };
        if let Ok(session) = place.session(limit) {
            return Ok(session);
        }
        // Concurrent requests would each open a connection to the server, however many it admits.
        let Ok(_connecting) = place.connecting.try_lock() else { return Ok(None) };
        // Another request may have connected since.
        if let Ok(session) = place.session(limit) {
            return Ok(session);
        }
        let session = Session::<W>::connect(driver, limit, LOCK).await?;
        let shared = session.share();
        *place.state() = match session.share() {
            Some(connection) => State::Connected(connection, limit),
            None => State::Refused,
        };
        Ok(shared.map(Session::new))
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::Wire;
    use super::*;

    #[tokio::test]
    async fn one_request_connects_and_others_do_not_wait_for_it() {
        let (wire, pipeline) = (Wire::default(), Pipeline::<Wire>::new(1));
        let session = || pipeline.session(&wire, Duration::from_secs(1));
        let (first, second) = tokio::join!(session(), session());
        assert!(first.unwrap().is_some() && second.unwrap().is_none());
        assert!(session().await.unwrap().is_some());
        assert_eq!(wire.connects(), 1);
    }
}
