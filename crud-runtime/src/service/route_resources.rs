//! The check that the service has the resources of the program's routes.

use super::builder::Service;
use crate::http::routing::mounted::MountedRoute;
use crate::model::descriptor::Descriptor;
use crate::storage::error::{Error, Result};
use crate::store::app::is_internal;

impl Service {
    /// Checks that the service has each resource that a route's arguments and reply name. The stores of its handler are known
    /// only when it runs.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that it has not.
    pub(super) fn check_route_resources(&self, own_routes: &[MountedRoute]) -> Result<()> {
        let has = |used: &Descriptor| {
            is_internal(used.module) || self.resources.iter().any(|options| std::ptr::eq(options.descriptor, used))
        };
        for mounted in own_routes {
            // A record in the path has a check by itself.
            let used = [mounted.described.list, mounted.described.reply.resource()];
            if let Some(Descriptor { name, .. }) = used.into_iter().flatten().find(|used| !has(used)) {
                return Err(Error::Setup(format!(
                    "the route {} `{}` is about records of {name}, which the service does not have: add \
                     `Service::resource::<{name}>()`",
                    mounted.route.options.method, mounted.path
                )));
            }
        }
        Ok(())
    }
}
