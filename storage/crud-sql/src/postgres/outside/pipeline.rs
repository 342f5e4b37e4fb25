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
    places: Vec<Mutex<Place<W>>>,
    next: AtomicUsize,
}

enum Place<W: PostgresDriver> {
    /// Not connected yet.
    Vacant,
    /// A connection, and the time limit of its statements.
    Connected(W::Connection, Duration),
    /// The driver does not pipeline.
    Refused,
}

impl<W: PostgresDriver> Pipeline<W> {
    /// Shared connections beside so many others.
    pub(super) fn new(connections: usize) -> Self {
        let places = (0..connections.div_ceil(2).min(MOST)).map(|_| Mutex::new(Place::Vacant)).collect();
        Self { places, next: AtomicUsize::new(0) }
    }

    /// A handle of a connection; `None`, where the driver does not pipeline.
    ///
    /// # Errors
    /// When the server is away.
    pub(super) async fn session(&self, driver: &W, limit: Duration) -> Result<Option<Session<W>>, DriverError> {
        let Some(place) = self.places.get(self.next.fetch_add(1, Ordering::Relaxed) % self.places.len().max(1)) else {
            return Ok(None);
        };
        match &*locked(place) {
            Place::Connected(connection, of) if *of == limit && W::is_open(connection) => {
                return Ok(W::share(connection).map(Session::new));
            }
            Place::Refused => return Ok(None),
            _ => {}
        }
        let session = Session::<W>::connect(driver, limit, LOCK).await?;
        let shared = session.share();
        *locked(place) = match session.share() {
            Some(connection) => Place::Connected(connection, limit),
            None => Place::Refused,
        };
        Ok(shared.map(Session::new))
    }
}

fn locked<W: PostgresDriver>(place: &Mutex<Place<W>>) -> MutexGuard<'_, Place<W>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}
