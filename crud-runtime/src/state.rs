//! [`State`]: what handlers share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::adapter::Adapter;
use crate::descriptor::Descriptor;
use crate::mounted::Mounted;

/// The state of a service's handlers: cheap to clone.
///
/// A router of your own that carries single operations ([`Resource::route`](crate::Resource::route)) needs
/// one, from [`Service::state`](crate::Service::state), as its state or by `FromRef`.
#[derive(Clone)]
pub struct State(Arc<Shared>);

struct Shared {
    adapter: Arc<dyn Adapter>,
    mounted: Vec<Arc<Mounted>>,
    limits: Limits,
}

/// What requests may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// From the request's head to the answer's.
    pub(crate) request: Duration,
    /// For a request's head to arrive, idle time between requests included.
    pub(crate) head: Duration,
    /// Between two pieces of a body.
    pub(crate) body_idle: Duration,
    /// The size of a body, in bytes.
    pub(crate) body: usize,
    /// The size of a batch's body, in bytes.
    pub(crate) batch_body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            head: Duration::from_secs(15),
            body_idle: Duration::from_secs(10),
            body: 2 * 1024 * 1024,
            batch_body: 16 * 1024 * 1024,
        }
    }
}

impl State {
    pub(crate) fn new(adapter: Arc<dyn Adapter>, mounted: Vec<Arc<Mounted>>, limits: Limits) -> Self {
        Self(Arc::new(Shared { adapter, mounted, limits }))
    }

    pub(crate) fn adapter(&self) -> &Arc<dyn Adapter> {
        &self.0.adapter
    }

    pub(crate) fn mounted(&self) -> &[Arc<Mounted>] {
        &self.0.mounted
    }

    /// A resource that the service was given.
    pub(crate) fn find(&self, resource: &'static Descriptor) -> Option<&Arc<Mounted>> {
        self.0.mounted.iter().find(|mounted| std::ptr::eq(mounted.resource(), resource))
    }

    pub(crate) fn limits(&self) -> Limits {
        self.0.limits
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("adapter", &self.0.adapter).finish_non_exhaustive()
    }
}
