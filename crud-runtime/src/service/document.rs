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
        let actions = self.mounted_actions()?;
        self.check_rules(&actions)?;
        let json = self.document(actions)().json("");
        Ok(String::from_utf8_lossy(&json).into_owned())
    }

    /// The function that builds the document.
    pub(super) fn document(&self, actions: Vec<MountedAction>) -> impl Fn() -> Document + Send + Sync + 'static {
        let (info, docs_access, body_limit) = (self.info.clone(), self.docs_access.clone(), self.limits.body);
        let (security, has_replicas) = (self.security(), !self.replicas.is_empty());
        let (problem_format, capabilities) = (self.problem_format.clone(), self.adapter.capabilities());
        let (resources, access) = (self.resource_options().collect::<Vec<_>>(), self.access_table_with(&actions));
        #[cfg(feature = "jobs")]
        let has_jobs = self.has_jobs();
        move || {
            let program = Program {
                actions: &actions,
                docs_access: &docs_access,
                access: Some(&access),
                body_limit,
                problem_format: problem_format.as_ref(),
                #[cfg(feature = "jobs")]
                has_jobs,
            };
            Document::of_program(&info, &resources, security.as_ref(), has_replicas, capabilities, program)
        }
    }

    /// The document's part on authentication, if the service has it.
    #[cfg_attr(not(feature = "auth"), allow(clippy::unused_self))]
    pub(super) fn security(&self) -> Option<Security> {
        #[cfg(feature = "auth")]
        return self.auth.as_ref().map(|auth| Security {
            login: auth.issues_tokens(),
            password: auth.has_password_route(),
            logout: auth.has_logout(),
            audit_role: self.effective_audit_role(),
            users_role: self.users_role.clone(),
            scheme: auth.scheme.clone(),
            access_lifetime: auth.access_lifetime(),
        });
        #[cfg(not(feature = "auth"))]
        None
    }
}
