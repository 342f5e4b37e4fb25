//! [`Hub`]: renders new events for the views that have subscribers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crud_runtime::RecordView;
use crud_runtime::error::Problem;

use super::frame::Frame;
use super::group::Group;
use super::renewals::Renewals;
use crate::view::{Snapshot, Views};

/// Limit of entries that are rendered at once.
const MOST: u64 = 500;

/// Bounds of the pause between two renderings. The pause is ten times as long as the last rendering took, or a tenth of
/// a millisecond for each woken subscriber if that is longer. So with many subscribers, events come in larger batches.
const APART: Duration = Duration::from_millis(15);
const APART_BUSY: Duration = Duration::from_millis(100);
const APART_OF_ONE: Duration = Duration::from_micros(100);

/// Delay before a failed rendering is retried, and the number of attempts. After the last one, only the subscribers
/// whose events cannot be rendered are disconnected.
const AGAIN: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 5;

/// The outcome of rendering a page of entries.
struct Turn {
    /// Number of subscribers that were woken.
    woken: u32,
    /// Whether there may be more entries.
    has_more: bool,
}

/// The views that have subscribers.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    groups: Mutex<Groups>,
    pub(super) renewals: Arc<Renewals>,
}

#[derive(Debug, Default)]
struct Groups {
    /// The groups by the identity of their view.
    all: HashMap<String, Weak<Group>>,
    /// The number up to which events are rendered, or are being rendered, for the groups.
    position: Option<i64>,
    /// The epoch of the log that the number is of.
    epoch: u64,
}

impl Groups {
    /// The groups that get the events up to a number. A group that is created after this call begins with the next
    /// page.
    fn begin(&mut self, upto: i64) -> Vec<Arc<Group>> {
        self.position = Some(upto);
        self.all.values().filter_map(Weak::upgrade).collect()
    }

    fn insert(&mut self, group: &Arc<Group>) {
        // Views without subscribers are forgotten before there is memory for more: the log may have no entry for long.
        if self.all.len() == self.all.capacity() {
            self.all.retain(|_, group| group.strong_count() > 0);
        }
        self.all.insert(group.view.identity().to_owned(), Arc::downgrade(group));
    }

    /// Drops the groups of an earlier epoch of the log. Returns whether there was one.
    fn enter(&mut self, epoch: u64) -> bool {
        let is_new = self.epoch != epoch;
        if is_new {
            (self.epoch, self.position) = (epoch, None);
            for group in self.all.drain().filter_map(|(_, group)| group.upgrade()) {
                group.wake();
            }
        }
        is_new
    }

    fn is_idle(&self) -> bool {
        self.all.values().all(|group| group.strong_count() == 0)
    }
}

impl Hub {
    fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The group of a view. A new group begins with events from now on.
    ///
    /// # Errors
    /// Errors of the database.
    pub(super) async fn join(&self, views: &Views, view: RecordView) -> Result<Arc<Group>, Problem> {
        self.enter(views);
        let now = if self.groups().is_idle() { Some(views.log.refresh().await?) } else { None };
        self.enter(views);
        let mut groups = self.groups();
        if groups.is_idle() {
            groups.position = groups.position.max(now);
        }
        let position = groups.position.unwrap_or_default();
        if let Some(group) = groups.all.get(view.identity()).and_then(Weak::upgrade) {
            return Ok(group);
        }
        let group = Arc::new(Group::new(view, position));
        groups.insert(&group);
        Ok(group)
    }

    /// Forgets what is of an earlier epoch of the log.
    fn enter(&self, views: &Views) {
        if self.groups().enter(views.log.epoch()) {
            self.renewals.clear();
        }
    }

    /// Renders new events, until it is dropped when the process stops.
    pub(crate) async fn run(&self, views: &Views) {
        let (mut changed, mut failures) = (views.log.changed(), 0);
        loop {
            let began = Instant::now();
            let turn = self.turn(views, failures + 1 >= ATTEMPTS).await;
            failures = if turn.is_ok() { 0 } else { failures + 1 };
            let apart = match turn {
                Ok(Some(Turn { has_more: true, .. })) => APART,
                Ok(Some(Turn { woken, .. })) => {
                    (began.elapsed() * 10).max(APART_OF_ONE * woken).clamp(APART, APART_BUSY)
                }
                Ok(None) => Duration::ZERO,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "events are late: they cannot be rendered"
                    );
                    AGAIN
                }
            };
            tokio::time::sleep(apart).await;
            let is_behind = self.groups().position < views.log.mark();
            if !is_behind && changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Renders the next entries for every group; `None` if there are none. On the last attempt, groups whose rendering
    /// fails are ended.
    ///
    /// # Errors
    /// Errors of the database. No group has received any of the entries then.
    async fn turn(&self, views: &Views, is_last: bool) -> Result<Option<Turn>, Problem> {
        let Some(last) = views.log.mark() else { return Ok(None) };
        self.enter(views);
        let position = {
            let mut groups = self.groups();
            groups.all.retain(|_, group| group.strong_count() > 0);
            let position = *groups.position.get_or_insert(last);
            if groups.all.is_empty() {
                groups.position = Some(position.max(last));
                return Ok(None);
            }
            position
        };
        let page = views.log.page(position, MOST).await?;
        if page.upto == position {
            return Ok(None);
        }
        let has_more = page.entries.len() as u64 == MOST;
        let snapshot = Snapshot::new(page.entries, page.upto);
        let concerned = views.concerned(&snapshot).await?;
        let groups = self.groups().begin(page.upto);
        let mut rendered = Vec::with_capacity(groups.len());
        for group in &groups {
            match frames(views, &snapshot, &group.view).await {
                Ok(Some(frames)) => rendered.push((group, frames)),
                Ok(None) => self.cut(group),
                Err(error) if is_last => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "subscribers are cut: their events fail");
                    self.cut(group);
                }
                Err(error) => {
                    self.groups().position = Some(position);
                    return Err(error);
                }
            }
        }
        // Before the events, so that a subscriber whose rights have changed gets none of them.
        self.renewals.push(page.upto, concerned);
        Ok(Some(Turn { woken: deliver(rendered, page.upto), has_more }))
    }

    /// Ends the subscriptions of a group.
    fn cut(&self, group: &Group) {
        self.groups().all.remove(group.view.identity());
        group.fail();
    }
}

/// Adds the events up to a number to all groups, then wakes the subscribers. Returns the number of woken ones.
fn deliver(rendered: Vec<(&Arc<Group>, Vec<Frame>)>, upto: i64) -> u32 {
    let mut woken = Vec::new();
    for (group, frames) in rendered {
        if !frames.is_empty() {
            group.push(frames);
            woken.push(group);
        }
        group.advance(upto);
    }
    woken.into_iter().map(|group| group.wake()).sum()
}

/// Renders a snapshot for a view, as frames to send; `None` if a function of the program panics.
///
/// # Errors
/// Errors of the database.
pub(super) async fn frames(
    views: &Views,
    snapshot: &Snapshot,
    view: &RecordView,
) -> Result<Option<Vec<Frame>>, Problem> {
    if !snapshot.has(view.descriptor()) && !view.related().any(|related| snapshot.has(related)) {
        return Ok(Some(Vec::new()));
    }
    let Some(told) = views.told(snapshot, view).await? else { return Ok(None) };
    told.iter().map(Frame::new).collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use crud_runtime::ViewConditions;
    use crud_runtime::prelude::*;

    use super::*;
    use crate::core::Core;

    #[derive(Debug, Clone, Resource)]
    #[crud(audit, filter(board), access(all(public)))]
    struct Card {
        id: i64,
        board: i64,
    }

    #[tokio::test]
    async fn views_and_subscribers_that_are_gone_take_no_memory() {
        let service = Service::connect("sqlite::memory:").await.expect("a database").resource::<Card>();
        let state = service.migrate().await.expect("the tables").state().expect("a service");
        let (core, hub) = (Core::default(), Hub::default());
        core.open(&state, TimeDelta::days(7));
        let view = |query: &str| state.view(Card::DESCRIPTOR, None, ViewConditions::Query(query)).expect("a view");
        let stays = hub.join(&core.views, view("board=7")).await.expect("a group");
        for number in 100..2_000 {
            drop(hub.join(&core.views, view(&format!("board={number}"))).await.expect("a group"));
            stays.wait(&Arc::default());
        }
        let kept = hub.groups().all.len();
        assert!(kept < 100 && stays.waiting() < 100, "{kept} views, {} subscribers", stays.waiting());
        assert!(Arc::ptr_eq(&stays, &hub.join(&core.views, view("board=7")).await.expect("a group")));
    }
}
