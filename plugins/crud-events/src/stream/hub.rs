//! [`Hub`]: renders what happens for the views that have subscribers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crud_runtime::RecordView;
use crud_runtime::error::Problem;

use super::frame::Frame;
use super::group::Group;
use super::renewals::Renewals;
use crate::view::{Snapshot, Views};

/// Most entries that are rendered at once.
const MOST: u64 = 500;

/// Shortest time between two renderings, and the longest one: in between, ten times as long as the last one took, or a tenth of
/// a millisecond for each subscriber that is woken. So many subscribers get what happens in larger pieces.
const APART: Duration = Duration::from_millis(15);
const APART_BUSY: Duration = Duration::from_millis(100);
const APART_OF_ONE: Duration = Duration::from_micros(100);

/// Time after which a failed rendering is tried again, and the number of attempts before the subscribers whose events cannot be
/// rendered are cut: the others go on.
const AGAIN: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 5;

/// Rendered entries.
struct Turn {
    /// Number of the subscribers that have got some.
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
    /// By identity.
    all: HashMap<String, Weak<Group>>,
    /// The number up to which the groups have, or are getting, their events.
    position: Option<i64>,
}

impl Groups {
    /// The groups that get the events up to a number: one that is made from here on has those of the next page.
    fn begin(&mut self, upto: i64) -> Vec<Arc<Group>> {
        self.position = Some(upto);
        self.all.values().filter_map(Weak::upgrade).collect()
    }

    fn is_idle(&self) -> bool {
        self.all.values().all(|group| group.strong_count() == 0)
    }
}

impl Hub {
    fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The group of a view, which begins with what happens from now on.
    ///
    /// # Errors
    /// Errors of the database, before the first look at the log.
    pub(super) async fn join(&self, views: &Views, view: RecordView) -> Result<Arc<Group>, Problem> {
        let now = if self.groups().is_idle() { Some(views.log.refresh().await?) } else { None };
        let mut groups = self.groups();
        if groups.is_idle() {
            groups.position = groups.position.max(now);
        }
        let position = groups.position.unwrap_or_default();
        if let Some(group) = groups.all.get(view.identity()).and_then(Weak::upgrade) {
            return Ok(group);
        }
        let (identity, group) = (view.identity().to_owned(), Arc::new(Group::new(view, position)));
        groups.all.insert(identity, Arc::downgrade(&group));
        Ok(group)
    }

    /// Renders what happens for as long as the process runs: dropped when it stops.
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

    /// Renders the next entries for every group; nothing where there are none. A last attempt cuts the groups that fail.
    ///
    /// # Errors
    /// Errors of the database: no group has got any of the entries then.
    async fn turn(&self, views: &Views, is_last: bool) -> Result<Option<Turn>, Problem> {
        let Some(last) = views.log.mark() else { return Ok(None) };
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
                Ok(frames) => rendered.push((group, frames)),
                Err(error) if is_last => self.cut(group, &error),
                Err(error) => {
                    self.groups().position = Some(position);
                    return Err(error);
                }
            }
        }
        // Before the events: who has other rights gets none of them.
        self.renewals.push(page.upto, concerned);
        Ok(Some(Turn { woken: deliver(rendered, page.upto), has_more }))
    }

    /// Ends the subscriptions of a group.
    fn cut(&self, group: &Group, error: &Problem) {
        tracing::warn!(error = error as &dyn std::error::Error, "subscribers are cut: their events cannot be rendered");
        self.groups().all.remove(group.view.identity());
        group.fail();
    }
}

/// Gives groups their events up to a number: all are there before the first subscriber wakes. The number of those that wake.
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

/// Renders a snapshot for a view, as it is sent.
///
/// # Errors
/// Errors of the database.
pub(super) async fn frames(views: &Views, snapshot: &Snapshot, view: &RecordView) -> Result<Vec<Frame>, Problem> {
    if !snapshot.has(view.descriptor()) && !view.related().any(|related| snapshot.has(related)) {
        return Ok(Vec::new());
    }
    views.told(snapshot, view).await?.iter().map(Frame::new).collect()
}
