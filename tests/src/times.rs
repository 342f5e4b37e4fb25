//! [`Times`]: measured times, for the figures that a test prints. No test judges one.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Times of the same step.
#[derive(Debug, Default)]
pub struct Times(Mutex<Measured>);

#[derive(Debug, Default)]
struct Measured {
    count: u32,
    total: Duration,
    longest: Duration,
    /// Time of the last mark.
    mark: Option<Instant>,
}

impl Measured {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.total += time;
        self.longest = self.longest.max(time);
    }
}

impl Times {
    /// The output of a future, whose time is added.
    pub async fn of<T>(&self, future: impl Future<Output = T>) -> T {
        let begin = Instant::now();
        let output = future.await;
        self.measured().add(begin.elapsed());
        output
    }

    /// Adds the time since the last mark, if there is one.
    pub fn mark(&self) {
        let (now, mut measured) = (Instant::now(), self.measured());
        if let Some(last) = measured.mark.replace(now) {
            measured.add(now - last);
        }
    }

    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest time and the mean.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { count, total, longest, .. } = *self.measured();
        write!(f, "{longest:.1?} at most, {:.1?} in the mean", total / count.max(1))
    }
}
