//! The options of a service that are values: its title, its limits, and the groups of options.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};

use super::access::options::AccessOptions;
use super::builder::Service;
use super::document_options::DocumentOptions;
use super::server_options::ServerOptions;
#[cfg(feature = "auth")]
use crate::auth::{Auth, SessionObserver};
use crate::http::limits::Limits;
use crate::http::list_header::ListHeader;
use crate::model::descriptor::Descriptor;
use crate::store::observer::ChangeObserver;

/// # Options
///
/// The title, limits, and the options of the document, of access and of the server.
impl Service {
    crud_core::builder_setters! {
        /// Sets the title, which the OpenAPI document and `/` show.
        title(title: impl Into<String>) => document.info.title = title.into();
    }

    /// Adds a header to the generated lists of some resources (`GET {prefix}`, `POST {prefix}/search`), with its words in the
    /// document. Its value is made before the records are read, which may be as old as the time that the function gets: zero
    /// without replicas. It is for plugins.
    ///
    /// ```
    /// use crud_runtime::axum::http::HeaderName;
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let (name, about) = (HeaderName::from_static("as-old-as"), "The greatest age of the records, in seconds.");
    /// let service = service.list_header(name, about, |_| true, |age| Some(age.as_secs().into()));
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn list_header(
        mut self,
        name: HeaderName,
        about: &'static str,
        is_of: impl Fn(&'static Descriptor) -> bool + Send + Sync + 'static,
        value: impl Fn(Duration) -> Option<HeaderValue> + Send + Sync + 'static,
    ) -> Self {
        self.list_headers.push(ListHeader { name, about, is_of: Arc::new(is_of), value: Arc::new(value) });
        self
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
/// Values of the program for its hooks, handlers and jobs, and counters.
impl Service {
    /// Adds a value of the program for its hooks, handlers and jobs, such as a mailer. They find it by its type:
    /// [`App::extension`](crate::App::extension), [`Context::extension`](crate::routing::Context::extension),
    /// [`HookContext::extension`](crate::hooks::HookContext::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// Gives the service the table of [`Tx::next_number`](crate::Tx::next_number). Services with hooks or jobs have it.
    pub fn counters(mut self) -> Self {
        self.has_counters = true;
        self
    }

    /// Calls an observer in the transactions of changes of any resource: see [`ChangeObserver`].
    pub fn observe(mut self, observer: impl ChangeObserver) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Gives the service the keys of [`App::secret_key`](crate::App::secret_key), and the table of their secret where the program
    /// states none.
    pub fn secret_keys(mut self) -> Self {
        self.has_keys = true;
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

    /// Adds an observer of the sessions of the service's own users: see [`SessionObserver`].
    #[cfg(feature = "auth")]
    pub fn session_observer(mut self, observer: impl SessionObserver) -> Self {
        self.session_observers.push(Arc::new(observer));
        self
    }
}
