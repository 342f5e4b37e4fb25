//! Access of a service: its source of principals, its table of access, and the refusal of rules that it cannot check.

pub(super) mod authentication;
mod credential;
pub(super) mod memberships;
pub(crate) mod options;
pub(super) mod role_registry;
pub(super) mod session_probe;
pub(super) mod session_variables;

use std::sync::Arc;

use super::builder::Service;
use crate::http::access::names::{AccessName, NameKind, misspelt};
use crate::http::access::table::AccessTable;
use crate::http::model::{Model, ModelParts};
use crate::http::openapi::DocsAccess;
use crate::http::principal_source::PrincipalSource;
use crate::http::routing::mounted::MountedRoute;
use crate::model::access::{Access, AccessRules, Enforcement};
use crate::model::descriptor::{Descriptor, Operation};
use crate::storage::error::{Error, Result};

/// The role that reads the audit log and the jobs, unless the program states one.
const AUDIT_ROLE: &str = "admin";

/// # Access
///
/// Access rules, and the table of them.
impl Service {
    /// Lets the service start without authentication: every client may make every request, whatever `access(…)` and the
    /// program's routes state. Use it in development, or behind a proxy that admits clients itself.
    ///
    /// Without it, and without `auth(…)`, a service that states a rule other than `public` does not start. The service logs
    /// a warning at each start, and `/docs` has a banner. In `crud.toml`, it is `auth = false`.
    ///
    /// Records with owners, tenants or scopes need authentication in any case.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(access(read(public), write(role("editor"))))]
    /// struct Book { id: i64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let closed = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// assert!(closed.into_router().is_err(), "nothing can check the role");
    /// let open = Service::connect("sqlite::memory:").await?.resource::<Book>().without_auth();
    /// assert!(open.into_router().is_ok());
    /// # Ok(()) }
    /// ```
    pub fn without_auth(mut self) -> Self {
        self.access.is_waived = true;
        self
    }

    /// The resources, routes and rules as the service would serve them. Its [table](Model::access_table) is what `crud routes`
    /// prints. It is there for a service that does not start too.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::auth::Principal;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(access(all(authenticated), delete(role("admin"))), scope(write, author(me)))]
    /// struct Comment { id: i64, author: String, text: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Comment>();
    /// let table = service.model()?.access_table_of(Some(&Principal::new("ada").with_roles(["editor"])));
    /// let of = |method: &str| table.routes().iter().find(|route| route.method == method && route.path == "/comments/{id}");
    /// assert_eq!(of("DELETE").and_then(|route| route.is_reached), Some(false));
    /// assert_eq!(of("GET").unwrap().records, [""; 0]);
    /// assert_eq!(of("PATCH").unwrap().records, ["scope(write) 1: author(me)"]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] when one of the program's routes does not fit.
    pub fn model(&self) -> Result<Model> {
        Ok(self.model_with(&self.mounted_routes()?))
    }

    /// The rules that apply to requests.
    pub(super) fn enforcement(&self) -> Enforcement {
        self.principals().enforcement()
    }

    pub(super) fn access_table_with(&self, own_routes: &[MountedRoute]) -> AccessTable {
        self.model_with(own_routes).access_table()
    }

    /// The model of the service with these routes of the program and of plugins.
    pub(super) fn model_with(&self, own_routes: &[MountedRoute]) -> Model {
        Model::new(ModelParts {
            info: self.document.info.clone(),
            resources: self.resource_options().collect(),
            own_routes: own_routes.to_vec(),
            built_in: self.built_in(),
            roles: self.access.roles.clone(),
            default_access: self.access.default,
            docs_access: self.document.access.clone(),
            paths: self.server.paths.clone(),
            audit_role: (self.effective_audit_role(), self.access.audit_role.is_some()),
            #[cfg(feature = "metrics")]
            metrics_role: self.access.metrics_role.clone(),
            #[cfg(not(feature = "metrics"))]
            metrics_role: None,
            merged: self.routers.len() + self.stateful_routers.len(),
            principals: self.principals(),
            clock: self.clock.clone(),
            adapter: self.adapter.clone(),
        })
    }

    /// The role that reads the audit log and the jobs.
    pub(super) fn effective_audit_role(&self) -> Arc<str> {
        self.access.audit_role.clone().unwrap_or_else(|| Arc::from(AUDIT_ROLE))
    }

    /// Checks that the service can enforce the rules that it states.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    #[cfg(feature = "config")]
    pub(super) fn check_access(&self) -> Result<()> {
        self.check_authentication()?;
        self.check_rules(&self.mounted_routes()?)
    }

    /// Refuses rules that nothing checks: the service has no source of principals, and does not say that it is open.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first rule, with both ways out.
    pub(super) fn check_rules(&self, own_routes: &[MountedRoute]) -> Result<()> {
        let principals = self.principals();
        if principals.is_present() && self.access.is_waived {
            return Err(Error::Setup(
                "the service has authentication, and `without_auth` (`auth = false` in crud.toml) opens it: remove one"
                    .to_owned(),
            ));
        }
        if !matches!(principals, PrincipalSource::Missing) {
            return Ok(());
        }
        match self.stated_rule(own_routes) {
            Some(rule) => Err(Error::Setup(format!(
                "{rule}, and the service has no authentication that could check it: add `Service::auth(…)`, or open the \
                 service to everyone by `Service::without_auth()` (`auth = false` in crud.toml)"
            ))),
            None => Ok(()),
        }
    }

    /// The first rule other than `public` that the program states, as the beginning of a sentence.
    fn stated_rule(&self, own_routes: &[MountedRoute]) -> Option<String> {
        let of_resources = self.resources.iter().find_map(|options| rule_of_resource(options.descriptor));
        let of_default = || {
            let rule = self.access.default.and_then(first_closed)?;
            Some(format!("`default_access` states `{rule}`"))
        };
        let of_routes = || {
            let closed =
                own_routes.iter().filter_map(|mounted| Some((mounted, mounted.route.options.access.as_ref()?)));
            let mut closed = closed.filter(|(_, access)| !access.admits(None));
            let (mounted, access) = closed.next()?;
            Some(format!("the route {} `{}` states `{access}`", mounted.route.options.method, mounted.path))
        };
        let of_docs = || match &self.document.access {
            DocsAccess::Role(role) => Some(("docs_role", role)),
            DocsAccess::Public | DocsAccess::Off => None,
        };
        let of_log = self.access.audit_role.as_ref().map(|role| ("audit_role", role));
        #[cfg(feature = "jobs")]
        let of_jobs = self.access.jobs_role.as_ref().map(|role| ("jobs_role", role));
        #[cfg(not(feature = "jobs"))]
        let of_jobs = None;
        #[cfg(feature = "metrics")]
        let of_metrics = self.access.metrics_role.as_ref().map(|role| ("metrics_role", role));
        #[cfg(not(feature = "metrics"))]
        let of_metrics = None;
        let of_service = || {
            let (name, role) = of_log.or(of_jobs).or_else(of_docs).or(of_metrics)?;
            Some(format!("`{name}` states the role `{role}`"))
        };
        of_resources.or_else(of_default).or_else(of_routes).or_else(of_service)
    }

    /// Logs the names of roles and permissions that look misspelt: tokens have other names, and nothing else would
    /// notice.
    pub(super) fn report_names(&self, own_routes: &[MountedRoute]) {
        let table = self.access_table_with(own_routes);
        // A registered name is not a mistake.
        let is_meant = |name: &AccessName| name.kind == NameKind::Role && self.access.roles.has(&name.name);
        for (name, other) in misspelt(table.names()).into_iter().filter(|pair| !is_meant(pair.0)) {
            tracing::warn!(
                "`{}` stands in one place, {}, and is near `{}`, {}: is one of them misspelt?",
                name.name,
                name.places.concat(),
                other.name,
                other.places.join("; ")
            );
        }
    }

    /// Logs that the service is open, if it is, or that it cannot tell another issuer's access tokens from its other
    /// tokens.
    pub(super) fn report_openness(&self, own_routes: &[MountedRoute]) {
        match self.principals() {
            PrincipalSource::Missing => {
                let is_stated = self.access.default.is_some()
                    || self.resources.iter().any(|options| options.descriptor.access.is_stated())
                    || own_routes.iter().any(|mounted| mounted.route.options.access.is_some());
                let rules = if is_stated { "its rules are `public`" } else { "it states no access rule" };
                tracing::warn!("the service is open to everyone: it has no authentication, and {rules}");
            }
            PrincipalSource::Waived => match self.stated_rule(own_routes) {
                Some(rule) => tracing::warn!(
                    "the service is open to everyone by `without_auth`: no access rule is enforced, although {rule}"
                ),
                None => tracing::warn!("the service is open to everyone by `without_auth`: it has no authentication"),
            },
            PrincipalSource::Present(sources) => {
                #[cfg(feature = "auth")]
                if sources.tokens.as_ref().is_some_and(|auth| auth.lacks_audience()) {
                    tracing::warn!(
                        "of tokens of another issuer, those with `\"type\": \"access\"` alone are accepted: set \
                         `AuthBuilder::audience`"
                    );
                }
                if sources.is_of_program() && self.access.authentication.schemes.is_empty() {
                    tracing::info!(
                        "the document does not say how requests authenticate: describe it by `security_scheme` of `Service::access`"
                    );
                }
            }
        }
    }
}

/// The first rule other than `public` of these.
fn first_closed(rules: &'static AccessRules) -> Option<Access> {
    let mut all = Operation::ALL.into_iter().flat_map(|operation| rules.required(operation));
    all.find(|access| !access.admits(None))
}

/// The first rule other than `public` that a resource states; operations that its `access(…)` leaves out are not public
/// either.
fn rule_of_resource(resource: &'static Descriptor) -> Option<String> {
    let name = resource.name;
    let rules = || {
        let of = |operation: Operation| resource.access.stated(operation).map(move |rule| (operation, rule));
        let rules = Operation::ALL.into_iter().filter(|_| resource.access.is_stated()).flat_map(of);
        rules.filter(|(_, rule)| !rule.access.admits(None))
    };
    let named = rules().find_map(|(_, rule)| Some(format!("{name} states `{}({})`", rule.name?, rule.access)));
    let left_out = || {
        let (_, rule) = rules().find(|(operation, _)| resource.offers(*operation))?;
        Some(format!("{name} states access without `{}`, which then needs `{}`", rule.operation, rule.access))
    };
    let of_transition = || {
        let stated = resource.transitions().filter_map(|(_, transition)| Some((transition.name, transition.access?)));
        let (transition, access) = stated.into_iter().find(|(_, access)| !access.admits(None))?;
        Some(format!("the transition `{transition}` of {name} states `{access}`"))
    };
    named.or_else(left_out).or_else(of_transition)
}
