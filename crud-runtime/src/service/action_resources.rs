//! The check that the service has the resources of the program's routes.

use super::builder::Service;
use crate::http::action::argument::{Described, DescribedReply};
use crate::http::action::mounted::MountedAction;
use crate::model::descriptor::Descriptor;
use crate::storage::error::{Error, Result};
use crate::store::unregistered::is_internal;

impl Service {
    /// Checks that the service has each resource that a route's arguments and reply name. The stores of its handler are known
    /// only when it runs.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that it has not.
    pub(super) fn check_action_resources(&self, actions: &[MountedAction]) -> Result<()> {
        let has = |used: &Descriptor| {
            is_internal(used.module) || self.resources.iter().any(|options| std::ptr::eq(options.descriptor, used))
        };
        for mounted in actions {
            let used = resources_of(&mounted.action.handler.0.describe());
            if let Some(Descriptor { name, .. }) = used.into_iter().flatten().find(|used| !has(used)) {
                return Err(Error::Setup(format!(
                    "the route {} `{}` is about records of {name}, which the service does not have: add \
                     `Service::resource::<{name}>()`",
                    mounted.action.options.method, mounted.path
                )));
            }
        }
        Ok(())
    }
}

/// The resources in the arguments and the reply of a handler. `Locked` has a check by itself.
fn resources_of(described: &Described) -> [Option<&'static Descriptor>; 2] {
    let of_reply = match described.reply {
        DescribedReply::Record(resource)
        | DescribedReply::Created(resource)
        | DescribedReply::Records(resource)
        | DescribedReply::Page(resource) => Some(resource),
        DescribedReply::Nothing | DescribedReply::Json | DescribedReply::Any | DescribedReply::Typed(..) => None,
    };
    [described.list, of_reply]
}
