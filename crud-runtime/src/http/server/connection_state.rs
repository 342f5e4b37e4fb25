//! [`ConnectionState`]: whether a connection is busy or waits for its client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::request_body::BodyLength;

/// Minimum wait of a connection for its client before it may be closed, to free a connection slot or because the
/// service stops.
const MIN_WAIT: Duration = Duration::from_secs(2);

/// Interval between checks of a closing connection.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The state of one connection, shared by its task, its stream and the list of connections.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    activity: Mutex<Activity>,
    /// Whether the connection should be closed.
    closing: AtomicBool,
    close: Notify,
}

#[derive(Debug, Clone, Copy)]
struct Activity {
    /// Whether a request is being handled or its response is not yet complete.
    in_flight: bool,
    /// The time at which the last response was complete, or the connection began.
    idle_since: Instant,
    /// The time since which a write waits for the client to read.
    stalled_since: Option<Instant>,
    /// Whether the last request was answered before its body was read to the end.
    body_unread: bool,
    /// The length of the last request's body, until the stream takes it.
    body: Option<BodyLength>,
}

/// A wait of a connection for its client. Waits are ordered by how much is lost when the connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wait {
    /// Waiting for a request, or the rest of its head.
    Idle(Instant),
    /// Waiting until the client reads the response.
    Stalled(Instant),
}

impl Wait {
    fn since(self) -> Instant {
        match self {
            Self::Idle(since) | Self::Stalled(since) => since,
        }
    }
}

impl Default for ConnectionState {
    fn default() -> Self {
        let activity = Activity {
            in_flight: false,
            idle_since: Instant::now(),
            stalled_since: None,
            body_unread: false,
            body: None,
        };
        Self { activity: Mutex::new(activity), closing: AtomicBool::new(false), close: Notify::new() }
    }
}

impl ConnectionState {
    /// Notes that a request begins, with a body of this length.
    pub(crate) fn begin(&self, body: BodyLength) {
        let mut activity = self.activity();
        activity.in_flight = true;
        activity.body_unread = false;
        activity.body = Some(body);
    }

    /// Notes that the request is answered before its body is read to the end.
    pub(crate) fn leave_body(&self) {
        self.activity().body_unread = true;
    }

    /// Whether the last request was answered before its body was read to the end.
    pub(crate) fn has_unread_body(&self) -> bool {
        self.activity().body_unread
    }

    /// Notes that the response to the request is complete.
    pub(crate) fn end(&self) {
        let mut activity = self.activity();
        activity.in_flight = false;
        activity.idle_since = Instant::now();
    }

    /// The length of the body whose head was read last.
    pub(crate) fn take_body_length(&self) -> Option<BodyLength> {
        self.activity().body.take()
    }

    /// Notes that a write begins to wait for the client, or no longer waits.
    pub(crate) fn set_stalled(&self, stalled: bool) {
        self.activity().stalled_since = stalled.then(Instant::now);
    }

    /// The connection's current wait, if it has lasted for [`MIN_WAIT`].
    pub(crate) fn long_wait(&self) -> Option<Wait> {
        let activity = *self.activity();
        let wait = match activity.stalled_since {
            Some(since) => Wait::Stalled(since),
            None if activity.in_flight => return None,
            None => Wait::Idle(activity.idle_since),
        };
        (wait.since().elapsed() >= MIN_WAIT).then_some(wait)
    }

    /// Asks the connection's task to close the connection: at once when it waits for its client, otherwise after the
    /// response.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        self.close.notify_one();
    }

    /// Whether the connection should be closed.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Resolves when the connection should be closed.
    pub(crate) async fn closing(&self) {
        self.close.notified().await;
    }

    /// Resolves when the connection has waited for its client for [`MIN_WAIT`].
    pub(crate) async fn abandoned(&self) {
        while self.long_wait().is_none() {
            sleep(CHECK_INTERVAL).await;
        }
    }

    fn activity(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of a connection whose activity began before its client's time was up.
    fn state(in_flight: bool, is_stalled: bool) -> ConnectionState {
        let idle_since = Instant::now().checked_sub(MIN_WAIT).unwrap();
        let stalled_since = is_stalled.then_some(idle_since);
        let activity = Activity { in_flight, idle_since, stalled_since, body_unread: false, body: None };
        ConnectionState { activity: Mutex::new(activity), ..ConnectionState::default() }
    }

    #[test]
    fn request_in_flight_does_not_wait_for_its_client() {
        assert_eq!(state(true, false).long_wait(), None);
    }

    #[test]
    fn connection_without_a_request_waits_for_its_client() {
        let state = state(false, false);
        assert!(matches!(state.long_wait(), Some(Wait::Idle(_))));
        state.begin(BodyLength::Bytes(0));
        state.end();
        assert_eq!(state.long_wait(), None, "it has not waited long since");
    }

    #[test]
    fn response_that_is_not_read_waits_for_its_client() {
        let state = state(true, true);
        assert!(matches!(state.long_wait(), Some(Wait::Stalled(_))));
        state.set_stalled(false);
        assert_eq!(state.long_wait(), None);
    }

    #[test]
    fn idle_connections_are_before_stalled_ones_and_older_before_newer() {
        let old = Instant::now();
        let new = old + MIN_WAIT;
        assert!(Wait::Idle(old) < Wait::Idle(new));
        assert!(Wait::Idle(new) < Wait::Stalled(old));
    }
}
