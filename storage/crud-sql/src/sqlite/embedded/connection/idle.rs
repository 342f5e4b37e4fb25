//! [`Idle`]: open connections that no call uses.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::sqlite::embedded::connection::open::Open;

/// Maximum number of idle connections; each shelf may hold two in any case.
const MAX_IDLE: usize = 16;

/// Maximum number of shelves.
const MAX_SHELVES: usize = 16;

/// Open connections that no call uses. There is a shelf for each core, so that concurrent readers do not wait for each
/// other. Each thread takes the connection that it used last, whose caches are warm.
pub(in crate::sqlite::embedded) struct Idle {
    shelves: Box<[Mutex<Vec<Open>>]>,
}

impl Idle {
    /// One shelf with these connections, which all threads share.
    pub(in crate::sqlite::embedded) fn of(connections: Vec<Open>) -> Self {
        Self { shelves: Box::new([Mutex::new(connections)]) }
    }

    /// Takes a connection from this thread's shelf, or else from another one.
    pub(in crate::sqlite::embedded) fn take(&self) -> Option<Open> {
        let own = shelf_of_thread();
        (0..self.shelves.len()).find_map(|next| self.shelf(own + next).pop())
    }

    /// Returns a connection, or closes it if the shelf is full.
    pub(in crate::sqlite::embedded) fn put(&self, open: Open) {
        let capacity = (MAX_IDLE / self.shelves.len()).max(2);
        let mut shelf = self.shelf(shelf_of_thread());
        if shelf.len() < capacity {
            shelf.push(open);
        }
    }

    fn shelf(&self, index: usize) -> MutexGuard<'_, Vec<Open>> {
        self.shelves[index % self.shelves.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Idle {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self { shelves: (0..cores.min(MAX_SHELVES)).map(|_| Mutex::default()).collect() }
    }
}

/// The shelf number of this thread: threads that start one after another get different shelves.
fn shelf_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::embedded::connection::location::Location;
    use crate::sqlite::embedded::connection::open::Purpose;

    fn open() -> Open {
        Open::at(&Location::of_url("sqlite::memory:").unwrap(), Purpose::Read).unwrap()
    }

    #[test]
    fn connection_is_found_by_every_thread() {
        for idle in [Idle::default(), Idle::of(Vec::new())] {
            idle.put(open());
            let found = thread::scope(|scope| {
                (0..20).all(|_| {
                    let taken = scope.spawn(|| idle.take().map(|open| idle.put(open)).is_some());
                    taken.join().unwrap()
                })
            });
            assert!(found);
        }
    }

    #[test]
    fn connections_beyond_the_limit_are_closed() {
        let idle = Idle::of(Vec::new());
        (0..2 * MAX_IDLE).for_each(|_| idle.put(open()));
        assert_eq!(std::iter::from_fn(|| idle.take()).count(), MAX_IDLE);
    }
}
