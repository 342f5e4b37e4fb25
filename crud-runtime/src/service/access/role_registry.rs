//! The roles of a service.

use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

impl Service {
    /// Checks that no role implies itself by others.
    ///
    /// # Errors
    /// [`Error::Setup`] with the roles of a cycle.
    pub(in crate::service) fn check_roles(&self) -> Result<()> {
        match self.access.roles.cycle().as_slice() {
            [] => Ok(()),
            roles => Err(Error::Setup(format!(
                "the roles `{}` imply each other: remove an `implies`, or make them one role",
                roles.join("`, `")
            ))),
        }
    }
}
