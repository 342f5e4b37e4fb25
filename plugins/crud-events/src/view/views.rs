//! [`Views`]: the views of a finished service.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

#[cfg(feature = "webhooks")]
use crud_runtime::ViewConditions;
use crud_runtime::descriptor::{Descriptor, Members};
use crud_runtime::error::Problem;
#[cfg(feature = "webhooks")]
use crud_runtime::prelude::Principal;
use crud_runtime::{RecordView, ServiceState, WeakServiceState};
use futures_util::FutureExt;

use super::concerned::Concerned;
use super::paths::Paths;
use super::render::{Told, render};
#[cfg(feature = "webhooks")]
use super::snapshot::address;
use super::snapshot::{Changed, Snapshot};
#[cfg(feature = "webhooks")]
use crate::entry::Entry;
use crate::log::Log;

/// The views of a finished service, with the log.
#[derive(Debug, Default)]
pub(crate) struct Views {
    pub(crate) log: Arc<Log>,
    open: OnceLock<Opened>,
}

/// Parts of the finished service.
#[derive(Debug)]
struct Opened {
    state: WeakServiceState,
    paths: Paths,
    /// The resource whose records are memberships of users in tenants.
    memberships: Option<(&'static Descriptor, Members)>,
}

impl Views {
    pub(crate) fn new(log: Arc<Log>) -> Self {
        Self { log, open: OnceLock::new() }
    }

    /// Sets the finished service.
    pub(crate) fn open(&self, state: &ServiceState) {
        let members = |of: &'static Descriptor| Some((of, of.tenant?.members?));
        self.open.get_or_init(|| Opened {
            state: state.downgrade(),
            paths: Paths::new(state.model()),
            memberships: state.model().resources().find_map(|resource| members(resource.descriptor())),
        });
    }

    fn opened(&self) -> Result<&Opened, Problem> {
        self.open.get().ok_or_else(|| Problem::internal("the events are not open: the service is not served"))
    }

    /// The state of the service.
    ///
    /// # Errors
    /// `internal` before the service is served.
    pub(crate) fn state(&self) -> Result<ServiceState, Problem> {
        self.opened()?.state.upgrade().ok_or_else(|| Problem::internal("the service is gone"))
    }

    /// Renders a snapshot for a view; `None` if a function of the program panics, such as that of a computed field.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn told(&self, snapshot: &Snapshot, view: &RecordView) -> Result<Option<Vec<Told>>, Problem> {
        let rendered = AssertUnwindSafe(render((&self.log, &self.opened()?.paths), snapshot, view)).catch_unwind();
        let told = rendered.await.ok().transpose()?;
        if told.is_none() {
            tracing::error!(
                resource = view.descriptor().name,
                "events cannot be rendered: a function of the program panics"
            );
        }
        Ok(told)
    }

    /// The users whose memberships were changed by entries of a snapshot.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn concerned(&self, snapshot: &Snapshot) -> Result<Concerned, Problem> {
        let found = self.opened()?.memberships.filter(|(resource, _)| snapshot.has(resource));
        let Some((resource, members)) = found else { return Ok(Concerned::default()) };
        Ok(Concerned::of(&self.changed(snapshot, resource).await?, members))
    }

    /// The changed records of a resource in a snapshot.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn changed<'s>(
        &self,
        snapshot: &'s Snapshot,
        resource: &'static Descriptor,
    ) -> Result<Vec<Changed<'s>>, Problem> {
        snapshot.changed((&self.log, &self.opened()?.paths), resource).await
    }

    /// Renders entries for a principal, in order: the records and fields that the principal sees, as they are now. A
    /// resource whose visible records may have changed otherwise gets a reset, and so does one whose records cannot be
    /// rendered, as a function of the program panics. Implied roles are added to the principal. `None` is a request
    /// without a token.
    ///
    /// # Errors
    /// Errors of the database.
    #[cfg(feature = "webhooks")]
    pub(crate) async fn render(
        &self,
        principal: Option<&Principal>,
        entries: &[Entry],
    ) -> Result<Vec<Rendered>, Problem> {
        let upto = entries.last().map_or(0, |entry| entry.seq);
        let snapshot = Snapshot::new(entries.to_vec(), upto);
        let state = self.state()?;
        let principal = principal.map(|principal| state.model().complete(principal.clone()));
        let mut resources: Vec<_> = entries.iter().map(|entry| entry.resource).collect();
        resources.sort_unstable_by_key(|resource| address(resource));
        resources.dedup_by_key(|resource| address(resource));
        let mut rendered = Vec::new();
        for resource in resources {
            // A principal gets no events of a resource that it may not list.
            let Ok(view) = state.view(resource, principal.as_ref(), ViewConditions::None) else { continue };
            let told = self.told(&snapshot, &view).await?.unwrap_or_else(|| vec![Told::Reset(upto)]);
            rendered.extend(told.into_iter().map(|told| Rendered { resource, told }));
        }
        rendered.sort_by_key(|of| of.told.id());
        Ok(rendered)
    }
}

/// A message about a resource for a principal.
#[cfg(feature = "webhooks")]
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) resource: &'static Descriptor,
    pub(crate) told: Told,
}
