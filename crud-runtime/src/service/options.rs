//! The options of a service that are values: its title, its limits, and the groups of options.

use std::any::TypeId;
use std::sync::Arc;

use super::access::options::AccessOptions;
use super::builder::Service;
use super::document_options::DocumentOptions;
use super::extension_options::ExtensionOptions;
use super::server_options::ServerOptions;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::http::limits::Limits;

/// # Options
///
/// The title, limits, and the options of the document, of access and of the server.
impl Service {
    crud_core::builder_setters! {
        /// Sets the title, which the OpenAPI document and `/` show.
        title(title: impl Into<String>) => document.info.title = title.into();
    }

    /// Sets the words of the OpenAPI document, and who reads it; those that are not set stay.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.title("Shop");
    /// let service = service.openapi(|document| document.version("1.2.0").description("The *shop's* catalogue."));
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn openapi(mut self, set: impl FnOnce(DocumentOptions) -> DocumentOptions) -> Self {
        self.document = set(self.document);
        self
    }

    /// Sets roles, rules and the principals of the program; those that are not set stay. [`auth`](Self::auth) turns the
    /// service's own authentication on.
    ///
    /// ```
    /// use crud_runtime::access::Role;
    /// # use crud_runtime::prelude::*;
    /// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth);
    /// let service = service.access(|access| access.role(Role::new("admin").implies("staff")).audit_role("staff"));
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn access(mut self, set: impl FnOnce(AccessOptions) -> AccessOptions) -> Self {
        self.access = set(self.access);
        self.with_metrics()
    }

    /// Sets how the service is reached and observed: paths, origins, readiness, the stop, the log, metrics; what is not set
    /// stays.
    ///
    /// ```
    /// use crud_runtime::Cors;
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let service = service.server(|server| server.cors(Cors::origins(["https://shop.example.com"])).json_logs());
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn server(mut self, set: impl FnOnce(ServerOptions) -> ServerOptions) -> Self {
        self.server = set(self.server);
        self.with_metrics()
    }

    #[cfg(not(feature = "metrics"))]
    fn with_metrics(self) -> Self {
        self
    }

    /// Sets limits on the time, size and number of what the service does; those that are not set stay.
    ///
    /// ```
    /// use std::time::Duration;
    /// # use crud_runtime::prelude::*;
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let service = service.limits(|limits| limits.request_timeout(Duration::from_secs(5)).connections(500));
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn limits(mut self, set: impl FnOnce(Limits) -> Limits) -> Self {
        self.limits = set(self.limits);
        self
    }
}

/// # Extensions
///
/// Values of the program for its hooks, handlers and jobs, and what it adds to every resource.
impl Service {
    /// Adds a value of the program for its hooks, handlers and jobs, such as a mailer. They find it by its type:
    /// [`App::extension`](crate::App::extension), [`Context::extension`](crate::routing::Context::extension),
    /// [`HookContext::extension`](crate::hooks::HookContext::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// Sets what plugins and programs add to every resource: observers of changes and sessions, headers of lists, counters,
    /// secret keys; what is added already stays.
    pub fn extend(mut self, set: impl FnOnce(ExtensionOptions) -> ExtensionOptions) -> Self {
        self.extended = set(self.extended);
        self
    }
}

/// # Authentication
///
/// The service's own users and tokens.
impl Service {
    /// Turns authentication on: adds the routes to log in, and every resource route requires a token unless its access
    /// rule differs. A service that states a rule other than `public` does not start without it, unless it says
    /// [`without_auth`](Self::without_auth).
    ///
    /// ```
    /// use crud_runtime::auth::Auth;
    /// # use crud_runtime::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).migrate().await?;
    /// service.users().create_user("ada", "correct horse").await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "auth")]
    pub fn auth(mut self, auth: Auth) -> Self {
        self.auth = Some(Arc::new(auth.with_adapter(&self.adapter, &self.clock)));
        self
    }
}
