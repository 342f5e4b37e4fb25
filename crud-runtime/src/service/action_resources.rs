//! The check that the service has the resources of the program's routes.

use super::builder::Service;
use crate::http::action::MountedAction;
use crate::http::action::argument::{Described, DescribedReply};
use crate::storage::error::{Error, Result};
use crate::store::unregistered::is_internal;

impl Service {
    /// Checks that the service has each resource that a route's arguments and reply name. The stores of its handler are known
    /// only when it runs.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that it has not.
    pub(super) fn check_action_resources(&self, actions: &[MountedAction]) -> Result<()> {
        let has = |(name, module): (&str, &str)| {
            let mut resources = self.resources.iter().map(|options| options.descriptor);
            is_internal(module) || resources.any(|resource| (resource.name, resource.module) == (name, module))
        };
        for mounted in actions {
            let used = resources_of(&mounted.action.handler.0.describe());
            if let Some((name, _)) = used.into_iter().flatten().find(|used| !has(*used)) {
                return Err(Error::Setup(format!(
                    "the route {} `{}` is about records of {name}, which the service does not have: add \
                     `Service::resource::<{name}>()`",
                    mounted.action.method, mounted.path
                )));
            }
        }
        Ok(())
    }
}

/// The names and modules of the resources in the arguments and the reply of a handler. `Locked` has a check by itself.
fn resources_of(described: &Described) -> [Option<(&'static str, &'static str)>; 2] {
    let of_reply = match described.reply {
        DescribedReply::Record(name, module)
        | DescribedReply::Created(name, module)
        | DescribedReply::Records(name, module)
        | DescribedReply::Page(name, module) => Some((name, module)),
        DescribedReply::Nothing | DescribedReply::Json | DescribedReply::Any => None,
    };
    [described.list.map(|resource| (resource.name, resource.module)), of_reply]
}
