//! [`InFlight`]: the requests that are handled at a time, bounded.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of requests that are handled, and its limit. A request beyond it is refused and never waits, so that one
/// number is enough: a semaphore locks its queue at every release.
#[derive(Debug)]
pub(super) struct InFlight {
    limit: usize,
    number: AtomicUsize,
}

/// A request that is handled until this is dropped.
#[derive(Debug)]
pub(crate) struct Admitted<'a>(&'a AtomicUsize);

impl InFlight {
    pub(super) const fn new(limit: usize) -> Self {
        Self { limit, number: AtomicUsize::new(0) }
    }

    /// Admits a request; none, where as many are handled as may be.
    pub(super) fn admit(&self) -> Option<Admitted<'_>> {
        let admitted = Admitted(&self.number);
        (self.number.fetch_add(1, Ordering::Relaxed) < self.limit).then_some(admitted)
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_beyond_the_limit_is_refused_until_another_one_ends() {
        let in_flight = InFlight::new(2);
        let (first, second) = (in_flight.admit(), in_flight.admit());
        assert!(first.is_some() && second.is_some());
        assert!(in_flight.admit().is_none() && in_flight.admit().is_none());
        drop(first);
        let third = in_flight.admit();
        assert!(third.is_some() && in_flight.admit().is_none());
    }
}
