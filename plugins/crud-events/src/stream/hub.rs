//! [`Hub`]: renders what happens for the views that have subscribers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crud_runtime::RecordView;
use crud_runtime::error::Problem;

use super::frame::Frame;
use super::group::Group;
use crate::view::{Snapshot, Views};

/// Most entries that are rendered at once.
const MOST: u64 = 500;

/// Shortest time between two renderings, and the longest one: in between, ten times as long as the last one took.
const APART: Duration = Duration::from_millis(15);
const APART_BUSY: Duration = Duration::from_millis(100);

/// Time after which a failed rendering is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// The views that have subscribers.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    groups: Mutex<Groups>,
}

#[derive(Debug, Default)]
struct Groups {
    /// By identity.
    all: HashMap<String, Weak<Group>>,
    /// The number up to which the groups have, or are getting, their events.
    position: Option<i64>,
}

impl Groups {
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
        let mut changed = views.log.changed();
        loop {
            let began = Instant::now();
            let apart = match self.turn(views).await {
                Ok(true) => (began.elapsed() * 10).clamp(APART, APART_BUSY),
                Ok(false) => Duration::ZERO,
                Err(error) => {
                    tracing::warn!(%error, "events are late: they cannot be rendered");
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

    /// Renders the next entries for every group; whether there were some.
    async fn turn(&self, views: &Views) -> Result<bool, Problem> {
        let Some(last) = views.log.mark() else { return Ok(false) };
        let position = {
            let mut groups = self.groups();
            groups.all.retain(|_, group| group.strong_count() > 0);
            let position = *groups.position.get_or_insert(last);
            if groups.all.is_empty() {
                groups.position = Some(position.max(last));
                return Ok(false);
            }
            position
        };
        let page = views.log.page(position, MOST).await?;
        if page.upto == position {
            return Ok(false);
        }
        let snapshot = Snapshot::new(page.entries, page.upto);
        // A group that is made from here on has its events from the next page.
        let groups: Vec<Arc<Group>> = {
            let mut groups = self.groups();
            groups.position = Some(page.upto);
            groups.all.values().filter_map(Weak::upgrade).collect()
        };
        let mut woken = Vec::new();
        for group in &groups {
            match frames(views, &snapshot, &group.view).await {
                Ok(frames) if frames.is_empty() => {}
                Ok(frames) => {
                    group.push(frames);
                    woken.push(group);
                }
                Err(error) => {
                    tracing::warn!(%error, "subscribers are cut: their events cannot be rendered");
                    self.groups().all.remove(group.view.identity());
                    group.fail();
                }
            }
        }
        for group in &groups {
            group.advance(page.upto);
        }
        for group in woken {
            group.wake();
        }
        Ok(true)
    }
}

/// What a view is told of a snapshot, as it is sent.
///
/// # Errors
/// Errors of the database.
pub(super) async fn frames(views: &Views, snapshot: &Snapshot, view: &RecordView) -> Result<Vec<Frame>, Problem> {
    if !snapshot.has(view.descriptor()) && !view.related().any(|related| snapshot.has(related)) {
        return Ok(Vec::new());
    }
    views.told(snapshot, view).await?.iter().map(Frame::new).collect()
}
