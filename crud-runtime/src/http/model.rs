//! [`Model`]: the resources, routes and rules that a service serves, read only.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::access::explain::Explanation;
use super::access::rules::{self, Asking, OwnRules};
use super::access::table::AccessTable;
use super::openapi::{DocsAccess, Info};
use super::param::list::operator_names;
use super::principal_source::PrincipalSource;
use super::routing::context::Context;
use super::routing::mounted::MountedRoute;
use super::service_paths::ServicePaths;
use super::state::ServiceState;
use crate::model::access::{AccessRules, Roles};
use crate::model::clock::Clock;
use crate::model::descriptor::{Batch, Descriptor, Operation, Pagination};
use crate::model::key::{Key, RecordKey};
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::query::record_scope::RecordScope;
use crate::query::visibility::FieldVisibility;
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::store::mounted::options::ResourceOptions;

/// The resources of a service with their options, its routes and its rules, read only. Cheap to clone.
///
/// Handlers get the model from [`Context::model`](crate::routing::Context::model), other code from
/// [`ServiceState::model`](crate::ServiceState::model), and plugins from [`Plugin::routes`](crate::Plugin::routes).
///
/// ```
/// use crud_runtime::Plugin;
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Context, get};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String }
///
/// /// The fields of the resources that the caller may list.
/// async fn fields(ctx: Context) -> crud_runtime::Result<Json<Vec<&'static str>>> {
///     let listed = ctx.model().resources().filter(|of| of.admits(Operation::List, ctx.principal()));
///     let columns = listed.flat_map(|of| of.descriptor().columns.iter().filter(|it| it.is_returned()));
///     Ok(Json(columns.map(|column| column.json).collect()))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().route("/fields", get(fields));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Model(Arc<ModelParts>);

impl ServiceState {
    /// The resources, routes and rules that the service serves.
    ///
    /// # Panics
    /// Never: each state of a service has its model.
    pub fn model(&self) -> &Model {
        self.parts().extensions.get().expect("the model of the service")
    }
}

impl Context {
    /// The resources, routes and rules that the service serves.
    pub fn model(&self) -> &Model {
        self.state().model()
    }
}

/// The parts of a service that the model reads.
pub(crate) struct ModelParts {
    pub(crate) info: Info,
    pub(crate) resources: Vec<ResourceOptions>,
    /// The program's own routes, and those of plugins.
    pub(crate) own_routes: Vec<MountedRoute>,
    /// The service's routes that are mounted like the program's.
    pub(crate) built_in: Vec<MountedRoute>,
    pub(crate) roles: Roles,
    pub(crate) default_access: Option<&'static AccessRules>,
    pub(crate) docs_access: DocsAccess,
    pub(crate) paths: ServicePaths,
    /// The role that reads the audit log and the jobs, and whether the program states it.
    pub(crate) audit_role: (Arc<str>, bool),
    pub(crate) metrics_role: Option<Arc<str>>,
    /// Number of the routers that the program merges.
    pub(crate) merged: usize,
    pub(crate) principals: PrincipalSource,
    pub(crate) clock: Clock,
    pub(crate) adapter: Arc<dyn Adapter>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.resources.iter().map(|options| options.descriptor.name).collect();
        f.debug_struct("Model").field("resources", &names).finish_non_exhaustive()
    }
}

impl Model {
    pub(crate) fn new(parts: ModelParts) -> Self {
        Self(Arc::new(parts))
    }

    /// The program's own routes and those of plugins, without those in place of generated operations.
    pub(crate) fn own_routes(&self) -> impl Iterator<Item = &MountedRoute> {
        self.0.own_routes.iter().filter(|mounted| mounted.replaces.is_none())
    }

    /// The title of the service: see [`Service::title`](crate::Service::title).
    pub fn title(&self) -> &str {
        &self.0.info.title
    }

    /// The description of the service, in Markdown; empty for none.
    pub fn description(&self) -> &str {
        &self.0.info.description
    }

    /// The version of the service's interface.
    pub fn version(&self) -> &str {
        &self.0.info.version
    }

    /// The resources, in the order in which the program added them.
    pub fn resources(&self) -> impl Iterator<Item = ServedResource<'_>> {
        self.0.resources.iter().map(|options| ServedResource { options, model: self })
    }

    /// The resource of a descriptor, if the service has it.
    pub fn resource(&self, descriptor: &'static Descriptor) -> Option<ServedResource<'_>> {
        self.resources().find(|resource| std::ptr::eq(resource.descriptor(), descriptor))
    }

    /// The path of a built-in route, such as `/auth/login`, where
    /// [`ServerOptions::paths`](crate::ServerOptions::paths) moves it; `None` where the program leaves it out.
    pub fn path<'p>(&self, default: &'p str) -> Option<Cow<'p, str>> {
        self.0.paths.place(default)
    }

    /// Whether requests can have principals.
    pub fn has_principals(&self) -> bool {
        self.0.principals.is_present()
    }

    /// Whether a resource states the memberships of users in tenants, by `tenant(members(…))`.
    pub fn has_memberships(&self) -> bool {
        self.0.principals.has_memberships()
    }

    /// The rules of the operations for which a resource states none: see
    /// [`AccessOptions::default_access`](crate::AccessOptions::default_access).
    pub fn default_access(&self) -> Option<&'static AccessRules> {
        self.0.default_access
    }

    /// The role that reads the audit log and the jobs of every resource.
    pub fn audit_role(&self) -> &str {
        &self.0.audit_role.0
    }

    /// The roles that imply others, each with all that it implies.
    pub fn implied_roles(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.0.roles.implications()
    }

    /// The principal with the roles that its own roles imply, within its [limit](Principal::limited_to), as requests
    /// have it.
    pub fn complete(&self, principal: Principal) -> Principal {
        self.0.roles.completed(principal)
    }

    /// The routes with the access that each needs. It is what `crud routes` prints.
    pub fn access_table(&self) -> AccessTable {
        self.table(None)
    }

    /// The routes, as `crud routes --as ROLE` prints them: for each, whether a principal may use it, and the policies
    /// that restrict its records. `None` is a request without a token.
    pub fn access_table_of(&self, principal: Option<&Principal>) -> AccessTable {
        let principal = self.completed(principal);
        self.table(Some(Asking(principal.as_ref())))
    }

    /// Operations of a resource that a principal may use, records that it sees, and the policies that hide a record: what
    /// `crud explain` prints. `None` is a request without a token.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::auth::Principal;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// struct Note { id: i64, text: String, #[crud(owner)] author: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Note>().migrate().await?;
    /// let note = service.store::<Note>().create(NewNote::new("secret", "ada")).await?;
    /// let explained = service.model()?.explain::<Note>(Some(&Principal::new("eve")), Some(note.id)).await?;
    /// assert_eq!(explained.record.unwrap().hidden_by, ["owner: author"]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When the database fails.
    pub async fn explain<R: Resource>(&self, principal: Option<&Principal>, id: Option<R::Id>) -> Result<Explanation> {
        let id = id.map(RecordKey::into_key);
        self.explain_record(R::DESCRIPTOR, principal, id.as_ref()).await
    }

    pub(crate) async fn explain_record(
        &self,
        resource: &'static Descriptor,
        principal: Option<&Principal>,
        id: Option<&Key>,
    ) -> Result<Explanation> {
        let (principal, parts) = (self.completed(principal), &self.0);
        let principal = principal.as_ref();
        let scope = RecordScope::new(resource, principal).by_clock(&parts.clock);
        let record = id.map(|id| (&*parts.adapter, id));
        let explained = Explanation::of(resource, parts.principals.enforcement(), principal, &scope, record).await;
        explained.map_err(|error| Problem::from_adapter(resource, error).into())
    }

    /// The principal with the roles that its own ones imply.
    fn completed(&self, principal: Option<&Principal>) -> Option<Principal> {
        principal.map(|principal| self.complete(principal.clone()))
    }

    fn table(&self, asking: Option<Asking<'_>>) -> AccessTable {
        let parts = &*self.0;
        let own = OwnRules {
            roles: &parts.roles,
            default_access: parts.default_access,
            docs_access: &parts.docs_access,
            paths: &parts.paths,
            built_in: &parts.built_in,
            audit_role: parts.audit_role.clone(),
            metrics_role: parts.metrics_role.clone(),
            merged: parts.merged,
        };
        rules::table(parts.resources.iter(), &parts.own_routes, &own, &parts.principals, asking)
    }
}

/// A resource as a service serves it: its description, with the options that the program has changed.
#[derive(Debug, Clone, Copy)]
pub struct ServedResource<'m> {
    options: &'m ResourceOptions,
    model: &'m Model,
}

impl<'m> ServedResource<'m> {
    /// The description: name, columns with kinds, rules and references, children, transitions.
    pub const fn descriptor(&self) -> &'static Descriptor {
        self.options.descriptor
    }

    /// The path prefix, such as `/v1/products`.
    pub fn prefix(&self) -> &'m str {
        &self.options.prefix
    }

    /// The tags that group the resource's operations.
    pub fn tags(&self) -> &'m [String] {
        &self.options.tags
    }

    /// The limits of the resource's pages, where lists have pages.
    pub const fn pagination(&self) -> Option<Pagination> {
        self.options.pagination
    }

    /// The batches of the resource, where it has some.
    pub const fn batch(&self) -> Option<Batch> {
        self.options.batch
    }

    /// Maximum number of characters in a text whose field does not bound it.
    pub const fn text_limit(&self) -> usize {
        self.options.text_limit
    }

    /// Whether HTTP offers an operation, and its access admits a principal. `None` is a request without a token.
    pub fn admits(&self, operation: Operation, principal: Option<&Principal>) -> bool {
        let (descriptor, principal) = (self.descriptor(), self.model.completed(principal));
        let enforcement = self.model.0.principals.enforcement();
        descriptor.offers(operation) && enforcement.admits(&descriptor.access, operation, principal.as_ref())
    }

    /// Whether a principal may use a transition: by the transition's own access, or by that of updates. `None` is a
    /// request without a token.
    pub fn admits_transition(&self, name: &str, principal: Option<&Principal>) -> bool {
        let (descriptor, principal) = (self.descriptor(), self.model.completed(principal));
        let applies = self.model.0.principals.enforcement().applies(true);
        match descriptor.transitions().find(|(_, transition)| transition.name == name) {
            Some((_, transition)) => match transition.access {
                Some(access) => !applies || access.admits(principal.as_ref()),
                None => self.admits(Operation::Update, principal.as_ref()),
            },
            None => false,
        }
    }

    /// Whether answers to a principal have the column at an index.
    pub fn shows(&self, column: usize, principal: Option<&Principal>) -> bool {
        let (descriptor, principal) = (self.descriptor(), self.model.completed(principal));
        descriptor.columns[column].is_returned() && FieldVisibility::new(descriptor, principal.as_ref()).shows(column)
    }

    /// The buttons of the resource's records ([`Route::button`](crate::routing::Route::button)) whose routes admit a
    /// principal: for each, its name in the path and its label. `None` is a request without a token.
    pub fn buttons(&self, principal: Option<&Principal>) -> Vec<(&'m str, &'m str)> {
        let (descriptor, principal) = (self.descriptor(), self.model.completed(principal));
        let enforcement = self.model.0.principals.enforcement();
        let of_record = self.model.own_routes().filter(|mounted| {
            let is_own = mounted.resource.is_some_and(|resource| std::ptr::eq(resource, descriptor));
            is_own && mounted.is_item && mounted.admits(enforcement, principal.as_ref())
        });
        let button = |mounted: &'m MountedRoute| Some((&*mounted.name, mounted.route.options.button.as_deref()?));
        of_record.filter_map(button).collect()
    }

    /// The operators of filters on the column at an index, such as `gte`; empty where filters cannot name the column.
    pub fn operators(&self, column: usize) -> Vec<&'static str> {
        let descriptor = self.descriptor();
        let column_descriptor = &descriptor.columns[column];
        let is_key = descriptor.key().contains(&column) && descriptor.has_filters();
        if column_descriptor.filterable || is_key { operator_names(column_descriptor) } else { Vec::new() }
    }
}
