//! [`Interests`]: the changes that observers ask for.

use std::any::Any;
use std::sync::Arc;

use super::kind::ObservedKind;
use crate::model::descriptor::Descriptor;

/// The changes that observers ask for. The observers are behind [`Any`], so that the handle to storage, which holds
/// them, does not depend on their types.
pub(crate) trait Interest: Send + Sync {
    /// Whether an observer asks for changes of a kind of a resource's records.
    fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool;

    /// The observers themselves.
    fn as_any(&self) -> &dyn Any;
}

/// The changes that the observers of a service ask for; none without observers.
#[derive(Clone, Default)]
pub(crate) struct Interests(Option<Arc<dyn Interest>>);

impl Interests {
    /// The changes that these observers ask for.
    pub(crate) fn of(observers: impl Interest + 'static) -> Self {
        Self(Some(Arc::new(observers)))
    }

    /// Whether an observer asks for changes of a kind.
    pub(crate) fn observe(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool {
        self.0.as_ref().is_some_and(|observers| observers.observes(resource, kind))
    }

    /// The observers.
    pub(in crate::store) fn observers<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.as_any().downcast_ref()
    }
}
