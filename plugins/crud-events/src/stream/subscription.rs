//! [`Subscription`]: the events of one or several views after a number, each once and in order.

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::RecordView;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use tokio::sync::Notify;

use super::frame::Frame;
use super::group::{Cut, Group, named};
use super::hub::{Hub, frames};
use super::renewals::{Renewals, settle};
use crate::view::{Snapshot, Told, Views};

/// Limit of entries that are read at once for a subscriber that resumes.
const MOST: u64 = 200;

/// A view, with the name of its subscription if the stream has several.
#[derive(Debug)]
pub(super) struct NamedView {
    pub(super) name: Option<Arc<str>>,
    pub(super) view: RecordView,
}

/// The events of views after a number.
#[derive(Debug)]
pub(super) struct Subscription {
    views: Arc<Views>,
    groups: Vec<(Option<Arc<str>>, Arc<Group>)>,
    /// The number up to which the subscriber has its events.
    position: i64,
    /// The number up to which this subscriber reads the log itself. From there on, it shares the events of the groups.
    joined: i64,
    waiting: Arc<Notify>,
    /// The subject of the subscriber's tokens, for changes of its memberships.
    subject: Option<Box<str>>,
    renewals: Arc<Renewals>,
    /// The epoch of the log that the numbers are of.
    epoch: u64,
    /// Whether the subscriber's rights have changed, so that its views are outdated.
    is_over: bool,
}

impl Subscription {
    /// Subscribes a principal to the events after a number; without one, to those from now on.
    ///
    /// # Errors
    /// Errors of the database.
    pub(super) async fn new(
        (hub, views): (&Hub, &Arc<Views>),
        (all, principal): (Vec<NamedView>, Option<&Principal>),
        after: Option<i64>,
    ) -> Result<Self, Problem> {
        let (mut groups, waiting, epoch) = (Vec::new(), Arc::new(Notify::new()), views.log.epoch());
        for NamedView { name, view } in all {
            let group = hub.join(views, view).await?;
            group.wait(&waiting);
            groups.push((name, group));
        }
        let after = match after {
            Some(after) => after,
            None => views.log.refresh().await?,
        };
        let joined = groups.iter().map(|(_, group)| group.position()).max().unwrap_or_default();
        let subject = principal.map(|principal| principal.subject().into());
        let (views, renewals) = (views.clone(), hub.renewals.clone());
        Ok(Self { views, groups, position: after, joined, waiting, subject, renewals, epoch, is_over: false })
    }

    /// The number up to which the subscriber has its events.
    pub(super) const fn position(&self) -> i64 {
        self.position
    }

    /// The next events, if there are some already; else empty.
    ///
    /// # Errors
    /// `unavailable` for a subscriber that is too far behind; errors of the database.
    pub(super) async fn next_ready(&mut self) -> Result<Vec<Frame>, Problem> {
        while self.position < self.joined {
            // Boxed, so that a waiting subscriber takes no memory for it.
            let missed = Box::pin(self.missed()).await?;
            if !missed.is_empty() {
                return Ok(missed);
            }
        }
        let upto = self.groups.iter().map(|(_, group)| group.position()).min().unwrap_or_default();
        let renewed = self.subject.as_deref().and_then(|subject| self.renewals.since(self.position, subject));
        if let Some(at) = renewed {
            Box::pin(settle(at, self.now()?)).await;
            self.is_over = true;
            return self.reset(upto);
        }
        let mut all = Vec::new();
        for (name, group) in &self.groups {
            let found = group.between(self.position, upto).map_err(|Cut| cut())?;
            all.extend(found.into_iter().map(|frame| of_subscription(frame, name.as_deref())));
        }
        all.sort_by_key(|frame| frame.id);
        self.position = self.position.max(upto);
        Ok(all)
    }

    /// Whether the subscriber is too far behind, or its events could not be rendered. It has to resume by another
    /// request.
    pub(super) fn is_cut(&self) -> bool {
        self.position >= self.joined && self.groups.iter().any(|(_, group)| group.is_cut(self.position))
    }

    /// Whether the numbers of the log went back. The subscriber lists its records again, and resumes by another request.
    pub(super) fn is_of_earlier_log(&self) -> bool {
        self.views.log.epoch() != self.epoch
    }

    /// Whether the subscriber's rights may have changed. It has to resume by another request.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// The current time of the service.
    fn now(&self) -> Result<DateTime<Utc>, Problem> {
        Ok(self.views.log.app()?.now())
    }

    /// Waits for a new event, at most `time`.
    pub(super) async fn wait(&self, time: Duration) {
        drop(tokio::time::timeout(time, self.waiting.notified()).await);
    }

    /// The next events between the subscriber's position and `joined`, read from the log.
    async fn missed(&mut self) -> Result<Vec<Frame>, Problem> {
        let page = self.views.log.page(self.position, MOST).await?;
        let entries = page.entries.into_iter().filter(|entry| entry.seq <= self.joined).collect();
        let upto = page.upto.min(self.joined);
        let snapshot = Snapshot::new(entries, upto);
        let concerned = self.views.concerned(&snapshot).await?;
        if let Some(at) = self.subject.as_deref().and_then(|subject| concerned.since(subject)) {
            self.is_over |= settle(at, self.now()?).await;
            return self.reset(upto);
        }
        let mut all = Vec::new();
        for (name, group) in &self.groups {
            let found = match frames(&self.views, &snapshot, &group.view).await? {
                Some(found) => found,
                None => vec![Frame::new(&Told::Reset(upto))?],
            };
            all.extend(found.into_iter().map(|frame| of_subscription(frame, name.as_deref())));
        }
        all.sort_by_key(|frame| frame.id);
        // Without further entries in the log, there are none up to `joined`.
        self.position = if upto > self.position { upto } else { self.joined };
        Ok(all)
    }

    /// A `reset` for each view. The subscriber continues after `upto`.
    ///
    /// # Errors
    /// None: the types are those of JSON.
    pub(super) fn reset(&mut self, upto: i64) -> Result<Vec<Frame>, Problem> {
        self.position = match self.views.log.mark() {
            Some(last) if self.is_of_earlier_log() => last,
            _ => self.position.max(upto),
        };
        let reset = Frame::new(&Told::Reset(self.position))?;
        Ok(self.groups.iter().map(|(name, _)| of_subscription(reset.clone(), name.as_deref())).collect())
    }
}

fn of_subscription(frame: Frame, name: Option<&str>) -> Frame {
    match name {
        Some(name) => Frame { json: named(&frame.json, name), ..frame },
        None => frame,
    }
}

fn cut() -> Problem {
    let detail = "the subscriber is too far behind: resume after the last event";
    Problem::new(crud_runtime::error::Code::Unavailable, detail)
}
