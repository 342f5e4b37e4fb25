//! [`Events`]: the plugin.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Model, Plugin, Result, ServiceState};

use crate::core::Core;

/// Live events of the records of a service.
///
/// ```
/// use crud_events::Events;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(audit)]
/// struct Card { id: i64, title: String }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.plugin(Events::new().resource::<Card>())?.resource::<Card>();
/// # let _ = service; Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a plugin does nothing until `Service::plugin` adds it"]
pub struct Events {
    pub(crate) core: Core,
    named: Vec<&'static Descriptor>,
    every: bool,
}

impl Events {
    /// Events of the resources that [`resource`](Self::resource) names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has events of a resource, which has an audit log.
    pub fn resource<R: Resource>(mut self) -> Self {
        self.named.push(R::DESCRIPTOR);
        self
    }

    /// Has events of every resource with an audit log.
    pub fn every_audited_resource(self) -> Self {
        Self { every: true, ..self }
    }

    /// The resources that have events.
    ///
    /// # Errors
    /// [`Error::Setup`] for a named one that the service does not have, or that has no audit log.
    pub(crate) fn resources(&self, model: &Model) -> Result<Vec<&'static Descriptor>> {
        for named in &self.named {
            if model.resource(named).is_none() {
                let name = named.name;
                return Err(Error::Setup(format!(
                    "events of {name}: the service has no such resource; add `.resource::<{name}>()`"
                )));
            }
            if named.audit.is_none() {
                let name = named.name;
                return Err(Error::Setup(format!(
                    "events of {name} need its audit log: add `audit` to its `#[crud(…)]`"
                )));
            }
        }
        let has_events = |of: &&'static Descriptor| of.audit.is_some() && (self.every || self.is_named(of));
        Ok(model.resources().map(|resource| resource.descriptor()).filter(has_events).collect())
    }

    fn is_named(&self, resource: &'static Descriptor) -> bool {
        self.named.iter().any(|named| std::ptr::eq(*named, resource))
    }
}

impl Plugin for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn ready<'a>(&'a self, state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.core.log.open(state.app(), self.resources(state.model())?);
            Ok(())
        })
    }
}
