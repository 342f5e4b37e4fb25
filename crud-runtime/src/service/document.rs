//! The OpenAPI document of a service.

use super::builder::Service;
use crate::http::action::MountedAction;
use crate::http::openapi::{Document, Program, Security};
use crate::storage::error::Result;

impl Service {
    /// The OpenAPI document that `/openapi.json` serves.
    ///
    /// # Errors
    /// Those of [`into_router`](Self::into_router).
    pub fn openapi(&self) -> Result<String> {
        self.check()?;
        let json = self.document(&self.mounted_actions()?).json("");
        Ok(String::from_utf8_lossy(&json).into_owned())
    }

    pub(super) fn document(&self, actions: &[MountedAction]) -> Document {
        let program = Program {
            actions,
            docs_access: &self.docs_access,
            body_limit: self.limits.body,
            problem_format: self.problem_format.as_ref(),
            #[cfg(feature = "jobs")]
            has_jobs: self.has_jobs(),
        };
        let (security, has_replicas) = (self.security(), !self.replicas.is_empty());
        let capabilities = self.adapter.capabilities();
        let resources: Vec<_> = self.resource_options().collect();
        Document::of_program(&self.info, &resources, security.as_ref(), has_replicas, capabilities, program)
    }

    /// The document's part on authentication, if the service has it.
    #[cfg_attr(not(feature = "auth"), allow(clippy::unused_self))]
    pub(super) fn security(&self) -> Option<Security> {
        #[cfg(feature = "auth")]
        return self.auth.as_ref().map(|auth| Security {
            login: auth.issues_tokens(),
            password: auth.has_password_route(),
            logout: auth.has_logout(),
            audit_role: self.audit_role.clone(),
            users_role: self.users_role.clone(),
            scheme: auth.scheme.clone(),
            access_lifetime: auth.access_lifetime(),
        });
        #[cfg(not(feature = "auth"))]
        None
    }
}
