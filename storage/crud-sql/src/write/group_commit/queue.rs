//! [`Queue`]: the states of group commit, as a pure state machine.
//!
//! It has permits, waiting changes and the cool-down, but no connections, time or tasks. Events are method calls, whose
//! results say what to do next.

use std::collections::{HashSet, VecDeque};

/// Maximum number of changes in one transaction.
pub(super) const MAX_BATCH: usize = 100;

/// Number of changes that bypass the queue after a batch failed.
pub(super) const COOL_DOWN: u32 = 64;

/// The changes of one line: those in flight, counted by their permits, and the waiting ones.
#[derive(Debug, Clone)]
pub(super) struct Queue<T> {
    /// Number of permits in use, each held by one change or by one batch.
    permits: usize,
    waiting: VecDeque<Waiting<T>>,
    /// Number of further changes that bypass the queue.
    cool_down: u32,
    next_ticket: u64,
}

/// Identifies a waiting change in its queue.
pub(super) type Ticket = u64;

/// A change that waits.
#[derive(Debug, Clone)]
struct Waiting<T> {
    ticket: Ticket,
    change: T,
}

/// Properties of a change that the queue needs.
pub(super) trait Queued {
    /// Whether the change's request still waits.
    fn is_live(&self) -> bool;

    /// The record that the change is of; `None` for an insert whose key storage assigns.
    fn record(&self) -> Option<String>;
}

/// Admission of an arriving change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// The change runs alone, past the queue, as the line cools down.
    Bypass,
    /// The change runs alone, with a permit that is [released](Queue::release) afterwards.
    Permit,
    /// The change waits.
    Wait(Ticket),
}

/// Outcome of the release of a permit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Release<T> {
    /// No change waits: the permit is returned.
    Idle,
    /// The permit passes to the only waiting change.
    Single(T),
    /// The permit passes to a batch, which [is taken](Queue::take_batch) once it has a connection.
    Batch,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { permits: 0, waiting: VecDeque::new(), cool_down: 0, next_ticket: 0 }
    }
}

impl<T: Queued> Queue<T> {
    /// Admits an arriving change. `width`: number of permits before changes have to wait.
    pub(super) fn admit(&mut self, width: usize, change: impl FnOnce() -> Option<T>) -> Admission {
        if self.cool_down > 0 {
            self.cool_down -= 1;
            return Admission::Bypass;
        }
        if self.permits < width {
            self.permits += 1;
            return Admission::Permit;
        }
        let Some(change) = change() else { return Admission::Bypass };
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiting.push_back(Waiting { ticket, change });
        Admission::Wait(ticket)
    }

    /// Releases the permit of a change or a batch that has ended.
    pub(super) fn release(&mut self) -> Release<T> {
        self.waiting.retain(|waiting| waiting.change.is_live());
        if self.waiting.len() > 1 {
            return Release::Batch;
        }
        match self.waiting.pop_front() {
            Some(waiting) => Release::Single(waiting.change),
            None => {
                self.permits -= 1;
                Release::Idle
            }
        }
    }

    /// Adds a permit for the waiting changes, as one of them has waited too long because the permits are stuck. `None`
    /// if that change no longer waits.
    pub(super) fn expire(&mut self, ticket: Ticket) -> Option<Release<T>> {
        if !self.waiting.iter().any(|waiting| waiting.ticket == ticket) {
            return None;
        }
        self.permits += 1;
        Some(self.release())
    }

    /// Takes the changes of the next transaction from the front of the queue. Of several changes to one record, only
    /// the first is taken.
    pub(super) fn take_batch(&mut self) -> Vec<T> {
        let mut records = HashSet::new();
        let (mut batch, mut later) = (Vec::with_capacity(self.waiting.len()), VecDeque::new());
        for waiting in self.waiting.drain(..).filter(|waiting| waiting.change.is_live()) {
            let joins = batch.len() < MAX_BATCH && waiting.change.record().is_none_or(|record| records.insert(record));
            if joins {
                batch.push(waiting.change);
            } else {
                later.push_back(waiting);
            }
        }
        self.waiting = later;
        batch
    }

    /// Starts the cool-down after a failed batch: the next changes run alone, so that the failing one holds up no other
    /// again.
    pub(super) fn cool_down(&mut self) {
        self.cool_down = COOL_DOWN;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A change in the model: its number, its record, and whether its request still waits.
    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Change {
        number: usize,
        record: Option<u8>,
        live: bool,
    }

    impl Queued for Change {
        fn is_live(&self) -> bool {
            self.live
        }

        fn record(&self) -> Option<String> {
            self.record.map(|record| record.to_string())
        }
    }

    fn change(number: usize, record: Option<u8>) -> Change {
        Change { number, record, live: true }
    }

    fn waiting(changes: impl IntoIterator<Item = Change>) -> Queue<Change> {
        let mut queue = Queue::default();
        for change in changes {
            queue.admit(0, || Some(change));
        }
        queue
    }

    fn numbers(batch: &[Change]) -> Vec<usize> {
        batch.iter().map(|change| change.number).collect()
    }

    #[test]
    fn changes_of_one_record_are_in_different_batches() {
        let records = [7, 8, 7, 9, 7];
        let mut queue = waiting(records.into_iter().enumerate().map(|(number, record)| change(number, Some(record))));
        assert_eq!(numbers(&queue.take_batch()), [0, 1, 3]);
        assert_eq!(numbers(&queue.take_batch()), [2]);
        assert_eq!(numbers(&queue.take_batch()), [4]);
        assert!(queue.take_batch().is_empty());
    }

    #[test]
    fn a_change_whose_request_has_gone_is_not_taken() {
        let mut gone = change(1, None);
        gone.live = false;
        let mut queue = waiting([change(0, None), gone, change(2, None)]);
        assert_eq!(numbers(&queue.take_batch()), [0, 2]);
    }

    #[test]
    fn a_batch_is_bounded() {
        let mut queue = waiting((0..250).map(|number| change(number, None)));
        let sizes: Vec<usize> = std::iter::from_fn(|| Some(queue.take_batch().len()).filter(|len| *len > 0)).collect();
        assert_eq!(sizes, [100, 100, 50]);
    }

    /// The queue with all changes in flight around it.
    #[derive(Debug, Clone)]
    struct World {
        width: usize,
        queue: Queue<Change>,
        arriving: Vec<Change>,
        /// Changes that run alone, with a permit.
        alone: Vec<usize>,
        /// Number of changes that run alone, past the queue.
        bypassing: usize,
        /// Number of batches that wait for their connection.
        connecting: usize,
        /// Batches in their transactions.
        committing: Vec<Vec<Change>>,
        /// Tickets of changes whose time-out is still to come.
        timers: Vec<Ticket>,
        settled: BTreeSet<usize>,
        gone: BTreeSet<usize>,
        expired: usize,
    }

    impl World {
        fn pass(&mut self, release: Release<Change>) {
            match release {
                Release::Idle => {}
                Release::Single(change) => self.alone.push(change.number),
                Release::Batch => self.connecting += 1,
            }
        }

        fn release(&mut self) {
            let release = self.queue.release();
            self.pass(release);
        }

        fn settle(&mut self, number: usize) {
            assert!(self.settled.insert(number), "change {number} is settled twice");
        }

        /// All worlds to which one event leads.
        fn next(&self) -> Vec<Self> {
            let mut worlds = Vec::new();
            let mut event = |happen: &mut dyn FnMut(&mut Self)| {
                let mut world = self.clone();
                happen(&mut world);
                world.check();
                worlds.push(world);
            };
            if !self.arriving.is_empty() {
                event(&mut |world| {
                    let change = world.arriving.remove(0);
                    match world.queue.admit(world.width, || Some(change.clone())) {
                        Admission::Bypass => {
                            world.bypassing += 1;
                            world.settle(change.number);
                        }
                        Admission::Permit => world.alone.push(change.number),
                        Admission::Wait(ticket) => world.timers.push(ticket),
                    }
                });
            }
            for index in 0..self.alone.len() {
                event(&mut |world| {
                    let number = world.alone.remove(index);
                    world.settle(number);
                    world.release();
                });
            }
            if self.connecting > 0 {
                event(&mut |world| {
                    world.connecting -= 1;
                    let mut batch = world.queue.take_batch();
                    if batch.len() > 1 {
                        world.committing.push(batch);
                    } else if let Some(change) = batch.pop() {
                        world.alone.push(change.number);
                    } else {
                        world.release();
                    }
                });
            }
            for index in 0..self.committing.len() {
                event(&mut |world| {
                    for change in world.committing.remove(index) {
                        world.settle(change.number);
                    }
                    world.release();
                });
                event(&mut |world| {
                    let batch = world.committing.remove(index);
                    world.queue.cool_down();
                    for change in batch {
                        world.settle(change.number);
                    }
                    world.release();
                });
            }
            for index in 0..self.timers.len() {
                event(&mut |world| {
                    let ticket = world.timers.remove(index);
                    if let Some(release) = world.queue.expire(ticket) {
                        world.expired += 1;
                        world.pass(release);
                    }
                });
            }
            for index in 0..self.queue.waiting.len() {
                if self.queue.waiting[index].change.live {
                    event(&mut |world| {
                        let change = &mut world.queue.waiting[index].change;
                        change.live = false;
                        world.gone.insert(change.number);
                    });
                }
            }
            worlds
        }

        fn check(&self) {
            let held = self.alone.len() + self.connecting + self.committing.len();
            assert_eq!(self.queue.permits, held, "each permit has one holder: {self:?}");
            assert!(self.queue.permits <= self.width + self.expired, "permits are bounded: {self:?}");
            let live = self.queue.waiting.iter().any(|waiting| waiting.change.live);
            assert!(!live || self.queue.permits > 0, "a change waits that no permit wakes: {self:?}");
            for batch in &self.committing {
                let records: Vec<_> = batch.iter().filter_map(Queued::record).collect();
                let distinct: BTreeSet<_> = records.iter().collect();
                assert_eq!(records.len(), distinct.len(), "a batch changes a record once: {self:?}");
            }
        }

        fn is_at_rest(&self) -> bool {
            self.arriving.is_empty() && self.alone.is_empty() && self.connecting == 0 && self.committing.is_empty()
        }
    }

    /// Follows all orders of events, depth first. Returns the number of worlds.
    fn explore(world: &World, changes: usize, seen: &mut HashSet<String>) -> usize {
        if !seen.insert(format!("{world:?}")) {
            return 0;
        }
        if world.is_at_rest() {
            let ended: BTreeSet<usize> = world.settled.union(&world.gone).copied().collect();
            assert_eq!(ended.len(), changes, "a change is lost: {world:?}");
        }
        1 + world.next().iter().map(|next| explore(next, changes, seen)).sum::<usize>()
    }

    #[test]
    fn no_interleaving_loses_a_change_or_a_permit() {
        for (width, records) in
            [(1, vec![Some(1), Some(2), Some(1), None, None]), (2, vec![Some(1), Some(1), Some(2), Some(2), None])]
        {
            let changes = records.len();
            let arriving = records.into_iter().enumerate().map(|(number, record)| change(number, record)).collect();
            let world = World {
                width,
                queue: Queue::default(),
                arriving,
                alone: Vec::new(),
                bypassing: 0,
                connecting: 0,
                committing: Vec::new(),
                timers: Vec::new(),
                settled: BTreeSet::new(),
                gone: BTreeSet::new(),
                expired: 0,
            };
            let worlds = explore(&world, changes, &mut HashSet::new());
            assert!(worlds > 1_000, "{worlds} worlds are too few to mean something");
        }
    }
}
