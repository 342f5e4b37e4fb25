//! The OpenAPI document of a service.

use serde_json::Value;
#[cfg(feature = "utoipa")]
use utoipa::openapi::OpenApi;

use super::builder::Service;
use crate::http::access::table::AccessTable;
use crate::http::built_in;
#[cfg(feature = "jobs")]
use crate::http::built_in::jobs::JobsAccess;
use crate::http::description::documented_type::without_resources;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::list_header::ListHeader;
#[cfg(feature = "utoipa")]
use crate::http::openapi::utoipa_model;
use crate::http::openapi::{DocsAccess, Document, Info, Program, Security, collision};
use crate::http::routing::describe::{DescribedBody, DescribedReply};
use crate::http::routing::mounted::MountedRoute;
use crate::http::service_paths::ServicePaths;
use crate::model::access::AccessRules;
use crate::model::descriptor::ColumnDescriptor;
use crate::storage::capabilities::Capabilities;
use crate::storage::error::{Error, Result};
use crate::store::mounted::options::ResourceOptions;

/// # OpenAPI document as a value
///
/// The document that the service serves.
impl Service {
    /// The OpenAPI document that `/openapi.json` serves, as JSON.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// assert!(service.openapi_json()?["paths"]["/books/{id}"].is_object());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Errors of [`into_router`](Self::into_router).
    pub fn openapi_json(&self) -> Result<Value> {
        Ok(self.checked_document()?.into_json())
    }

    /// The OpenAPI document that `/openapi.json` serves, in utoipa's model.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// let document = service.openapi_document()?;
    /// assert!(document.paths.paths.contains_key("/books/{id}"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Errors of [`into_router`](Self::into_router).
    #[cfg(feature = "utoipa")]
    pub fn openapi_document(&self) -> Result<OpenApi> {
        utoipa_model::document(self.openapi_json()?)
    }

    pub(super) fn checked_document(&self) -> Result<Document> {
        self.check()?;
        let own_routes = self.mounted_routes()?;
        self.check_rules(&own_routes)?;
        self.merged(own_routes)
    }

    /// Checks that the documents of the program's own routes, and the names that its routes state, do not collide with
    /// the service's document.
    pub(super) fn check_documents(&self, own_routes: &[MountedRoute]) -> Result<()> {
        if let Some(collision) = self.source(own_routes.to_vec(), None).collision() {
            return Err(Error::Setup(collision));
        }
        let states_names = |mounted: &MountedRoute| {
            let described = &mounted.described;
            let is_typed = matches!(described.reply, DescribedReply::Typed(..));
            is_typed
                || matches!(described.body, Some(DescribedBody::Typed(..)))
                || mounted.route.options.operation_id.is_some()
        };
        if self.document.merged.is_empty() && !own_routes.iter().any(states_names) {
            return Ok(());
        }
        self.merged(own_routes.to_vec()).map(drop)
    }

    /// The documents of the program's own routes, without the schemas of resources that `derive(ToSchema)` has put there.
    fn own_documents(&self) -> Vec<Value> {
        let resources = || self.resource_options().map(|options| options.descriptor);
        self.document.merged.iter().map(|document| without_resources(document.clone(), resources())).collect()
    }

    /// The document with those of the program's own routes.
    fn merged(&self, own_routes: Vec<MountedRoute>) -> Result<Document> {
        let generated = self.generated(own_routes)();
        if let Some(collision) = generated.collisions().first() {
            return Err(Error::Setup(format!("in the document, {collision}: rename one")));
        }
        let merged = self.own_documents().iter().try_fold(generated, Document::merged);
        merged.map_err(|collisions| Error::Setup(format!("`merge` of `Service::openapi`: {}", collisions.join("; "))))
    }

    /// The function that builds the document, whose parts have been checked at start.
    pub(super) fn document_of(&self, own_routes: Vec<MountedRoute>) -> impl Fn() -> Document + Send + Sync + 'static {
        let (generated, documents) = (self.generated(own_routes), self.own_documents());
        move || {
            let merge = |document: Document, other| document.clone().merged(other).unwrap_or(document);
            documents.iter().fold(generated(), merge)
        }
    }

    /// The function that builds the document of the service's own routes.
    fn generated(&self, own_routes: Vec<MountedRoute>) -> impl Fn() -> Document + Send + Sync + 'static {
        let access = self.access_table_with(&own_routes);
        let source = self.source(own_routes, Some(access));
        move || source.document()
    }

    fn source(&self, own_routes: Vec<MountedRoute>, access: Option<AccessTable>) -> Source {
        Source {
            info: self.document.info.clone(),
            resources: self.resource_options().collect(),
            own_routes,
            built_in: self.built_in(),
            docs_access: self.document.access.clone(),
            paths: self.server.paths.clone(),
            access,
            body_limit: self.limits.body,
            problem_format: self.server.problem_format.clone(),
            security: self.security(),
            has_replicas: !self.replicas.is_empty(),
            has_policies: self.access.session_variables.is_some(),
            capabilities: self.adapter.capabilities(),
            default_access: self.access.default,
            tenant: self.tenant_of_requests(),
            list_headers: self.extended.list_headers.clone(),
        }
    }

    /// The routes of the service itself that are mounted like the program's.
    pub(super) fn built_in(&self) -> Vec<MountedRoute> {
        #[cfg(feature = "jobs")]
        let jobs = if self.has_jobs() { built_in::jobs::routes(&self.jobs_access()) } else { Vec::new() };
        #[cfg(not(feature = "jobs"))]
        let jobs = Vec::new();
        built_in::routes(self.security().as_ref(), &self.server.paths, jobs, self.tenant_of_requests())
    }

    /// The access of the jobs, as the program states it.
    #[cfg(feature = "jobs")]
    fn jobs_access(&self) -> JobsAccess {
        let (jobs_role, audit_role) = (&self.access.jobs_role, &self.access.audit_role);
        JobsAccess {
            role: jobs_role.clone().unwrap_or_else(|| self.effective_audit_role()),
            changes: jobs_role.is_some(),
            stated_by: match (jobs_role, audit_role) {
                (Some(_), _) => Some("jobs_role"),
                (None, Some(_)) => Some("audit_role"),
                (None, None) => None,
            },
            has_tenants: self.resources.iter().any(|options| options.descriptor.tenant.is_some()),
        }
    }

    /// The document's part on authentication, if the service has it.
    pub(super) fn security(&self) -> Option<Security> {
        if !self.is_authenticated() {
            return None;
        }
        let schemes = self.access.authentication.schemes.clone();
        let is_sent_by_browsers = self.access.authentication.is_sent_by_browsers();
        let own = Security::new(self.effective_audit_role());
        let of_program = Security { has_tokens: false, is_sent_by_browsers, schemes, ..own };
        #[cfg(feature = "auth")]
        if let Some(auth) = &self.auth {
            return Some(Security {
                login: auth.issues_tokens(),
                password: auth.has_password_route(),
                logout: auth.has_logout(),
                users_role: self.access.users_role.clone(),
                users_role_of_any_source: self.access.users_role_of_any_source,
                has_tokens: true,
                scheme: auth.scheme.clone(),
                access_lifetime: auth.access_lifetime(),
                ..of_program
            });
        }
        Some(of_program)
    }
}

/// The parts of a service that its document is written from.
struct Source {
    info: Info,
    resources: Vec<ResourceOptions>,
    own_routes: Vec<MountedRoute>,
    built_in: Vec<MountedRoute>,
    docs_access: DocsAccess,
    paths: ServicePaths,
    access: Option<AccessTable>,
    body_limit: usize,
    problem_format: Option<ProblemFormat>,
    security: Option<Security>,
    has_replicas: bool,
    has_policies: bool,
    capabilities: Capabilities,
    default_access: Option<&'static AccessRules>,
    tenant: Option<&'static ColumnDescriptor>,
    list_headers: Vec<ListHeader>,
}

impl Source {
    fn program(&self) -> Program<'_> {
        Program {
            own_routes: &self.own_routes,
            built_in: &self.built_in,
            docs_access: &self.docs_access,
            paths: &self.paths,
            access: self.access.as_ref(),
            body_limit: self.body_limit,
            problem_format: self.problem_format.as_ref(),
            has_policies: self.has_policies,
            default_access: self.default_access,
            tenant: self.tenant,
            list_headers: &self.list_headers,
        }
    }

    fn document(&self) -> Document {
        let Self { info, resources, security, has_replicas, capabilities, .. } = self;
        Document::of_program(info, resources, security.as_ref(), *has_replicas, *capabilities, self.program())
    }

    /// The first name that two parts of the document have, as a sentence.
    fn collision(&self) -> Option<String> {
        collision::first(&self.info, &self.resources, self.security.as_ref(), self.program())
    }
}
