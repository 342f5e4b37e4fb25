//! [`WaitQueue`]: requests that wait for a connection. It refuses a request that would wait too long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::model::adapter_error::AdapterError;

/// Maximum expected wait of a new request. A request that would wait longer is refused at once.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Number of requests that a queue serves until it knows its rate: the first ones may wait for connections to be
/// opened.
const MIN_SERVED: u32 = 32;

/// The requests that wait for a connection.
#[derive(Debug, Default, Clone)]
pub(crate) struct WaitQueue(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    waiting: u32,
    /// Number of requests served since the queue was empty.
    served: u32,
    /// Mean time between two connections that become free, while requests wait.
    interval: Duration,
    /// The time at which the last connection became free, or the first request began to wait.
    last: Option<Instant>,
}

/// A place in the queue, which is released when it is dropped.
#[derive(Debug)]
pub(crate) struct QueuePlace(Arc<Mutex<Queue>>);

impl WaitQueue {
    /// Joins the queue.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`], where the requests before this one cannot be served in time.
    pub(crate) fn enter(&self) -> Result<QueuePlace, AdapterError> {
        let now = Instant::now();
        let mut queue = lock(&self.0);
        match queue.last {
            Some(last) if queue.waiting > 0 => {
                let is_known = queue.served >= MIN_SERVED;
                let is_too_long = is_known && queue.interval.saturating_mul(queue.waiting) > MAX_WAIT;
                if is_too_long || now.duration_since(last) > MAX_WAIT {
                    return Err(AdapterError::Unavailable("too many requests wait for the database".into()));
                }
            }
            _ => (queue.last, queue.served) = (Some(now), 0),
        }
        queue.waiting += 1;
        Ok(QueuePlace(self.0.clone()))
    }

    /// Number of requests that wait.
    pub(crate) fn waiting(&self) -> u64 {
        lock(&self.0).waiting.into()
    }
}

impl QueuePlace {
    /// Leaves the queue after a connection was acquired.
    pub(crate) fn served(self) {
        let now = Instant::now();
        let mut queue = lock(&self.0);
        let since = queue.last.map_or(Duration::ZERO, |last| now.duration_since(last));
        queue.interval = (queue.interval * 7 + since) / 8;
        queue.served += 1;
        queue.last = Some(now);
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        lock(&self.0).waiting -= 1;
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_that_is_served_in_time_is_open() {
        let queue = WaitQueue::default();
        let places: Vec<QueuePlace> = (0..100).map(|_| queue.enter().unwrap()).collect();
        places.into_iter().for_each(QueuePlace::served);
        let places: Vec<QueuePlace> = (0..100).map(|_| queue.enter().unwrap()).collect();
        drop(places);
        assert_eq!(lock(&queue.0).waiting, 0);
    }

    #[test]
    fn queue_that_takes_more_than_a_second_refuses() {
        let queue = WaitQueue::default();
        let mut places = vec![queue.enter().unwrap()];
        (lock(&queue.0).interval, lock(&queue.0).served) = (Duration::from_millis(100), MIN_SERVED);
        places.extend((0..10).map(|_| queue.enter().unwrap()));
        assert!(matches!(queue.enter(), Err(AdapterError::Unavailable(_))));
        drop(places);
        queue.enter().unwrap();
    }

    #[test]
    fn queue_that_does_not_move_refuses() {
        let queue = WaitQueue::default();
        let _first = queue.enter().unwrap();
        let _second = queue.enter().unwrap();
        lock(&queue.0).last = Instant::now().checked_sub(Duration::from_millis(1_100));
        assert!(queue.enter().is_err());
    }
}
