//! [`Group`]: subscribers of one view. Each change is rendered once for all of them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use crud_runtime::RecordView;
use tokio::sync::Notify;

use super::frame::Frame;

/// Limits of the events that a group keeps for slow subscribers: their number and their bytes. Subscribers that fall
/// further behind are disconnected.
const EVENTS: usize = 1_000;
const BYTES: usize = 4 << 20;

/// Subscribers of one view.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) view: RecordView,
    /// The number up to which the group has all events.
    position: AtomicI64,
    has_failed: AtomicBool,
    recent: Mutex<Recent>,
}

#[derive(Debug, Default)]
struct Recent {
    frames: VecDeque<Frame>,
    bytes: usize,
    /// The number of the last event that was dropped.
    floor: i64,
    waiting: Vec<Weak<Notify>>,
}

/// The subscriber is too far behind, or its events could not be rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut;

impl Group {
    pub(super) fn new(view: RecordView, position: i64) -> Self {
        let (has_failed, recent) = (AtomicBool::new(false), Mutex::default());
        Self { view, position: AtomicI64::new(position), has_failed, recent }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn position(&self) -> i64 {
        self.position.load(Ordering::Acquire)
    }

    /// Adds events, without waking subscribers.
    pub(super) fn push(&self, frames: Vec<Frame>) {
        let mut recent = self.recent();
        for frame in frames {
            recent.bytes += frame.json.len();
            recent.frames.push_back(frame);
        }
        while recent.frames.len() > EVENTS || recent.bytes > BYTES && recent.frames.len() > 1 {
            let Some(dropped) = recent.frames.pop_front() else { break };
            recent.bytes -= dropped.json.len();
            recent.floor = dropped.id;
        }
    }

    /// Ends every subscription, as events could not be rendered.
    pub(super) fn fail(&self) {
        self.has_failed.store(true, Ordering::Release);
        self.wake();
    }

    /// Sets the number up to which the group has all events.
    pub(super) fn advance(&self, position: i64) {
        self.position.store(position, Ordering::Release);
    }

    /// Wakes the subscribers, and returns their number.
    pub(super) fn wake(&self) -> u32 {
        let mut recent = self.recent();
        recent.waiting.retain(|waiting| {
            let waiting = waiting.upgrade();
            if let Some(waiting) = &waiting {
                waiting.notify_one();
            }
            waiting.is_some()
        });
        u32::try_from(recent.waiting.len()).unwrap_or(u32::MAX)
    }

    /// Registers `waiting`, which is notified of each new event.
    pub(super) fn wait(&self, waiting: &Arc<Notify>) {
        let all = &mut self.recent().waiting;
        // Subscribers that have left are forgotten before there is memory for more: a view may have no event for long.
        if all.len() == all.capacity() {
            all.retain(|waiting| waiting.strong_count() > 0);
        }
        all.push(Arc::downgrade(waiting));
    }

    /// The number of registrations, also of subscribers that have left.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.recent().waiting.len()
    }

    /// Whether some events after a number are no longer kept, or could not be rendered.
    pub(super) fn is_cut(&self, after: i64) -> bool {
        self.recent().floor > after || self.has_failed.load(Ordering::Acquire)
    }

    /// The events after the number `after`, up to `upto`.
    ///
    /// # Errors
    /// [`Cut`].
    pub(super) fn between(&self, after: i64, upto: i64) -> Result<Vec<Frame>, Cut> {
        if self.is_cut(after) {
            return Err(Cut);
        }
        let recent = self.recent();
        let newer = recent.frames.iter().rev().take_while(|frame| frame.id > after);
        let mut frames: Vec<Frame> = newer.filter(|frame| frame.id <= upto).cloned().collect();
        frames.reverse();
        Ok(frames)
    }
}

/// The JSON of an event with the name of its subscription, for streams of several.
pub(super) fn named(json: &Bytes, name: &str) -> Bytes {
    let mut named = Vec::with_capacity(json.len() + name.len() + 20);
    named.extend_from_slice(b"{\"subscription\":");
    named.extend_from_slice(serde_json::Value::from(name).to_string().as_bytes());
    named.push(b',');
    named.extend_from_slice(json.get(1..).unwrap_or_default());
    named.into()
}
