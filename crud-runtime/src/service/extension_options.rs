//! [`ExtensionOptions`]: what plugins and programs add to every resource.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};

#[cfg(feature = "auth")]
use crate::auth::SessionObserver;
use crate::http::list_header::ListHeader;
use crate::model::descriptor::Descriptor;
use crate::store::observer::{ChangeObserver, Observers};

/// Observers of changes and sessions, headers of lists, counters and secret keys of a service:
/// [`Service::extend`](crate::Service::extend).
///
/// ```
/// # use crud_runtime::prelude::*;
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.extend(|options| options.counters().secret_keys());
/// # let _ = service; Ok(()) }
/// ```
#[derive(Default)]
#[must_use = "options do nothing until a service has them"]
#[allow(missing_debug_implementations, reason = "observers have none")]
pub struct ExtensionOptions {
    pub(super) observers: Observers,
    pub(super) has_counters: bool,
    /// Whether the program derives keys from the secret.
    pub(super) has_keys: bool,
    pub(super) list_headers: Vec<ListHeader>,
    #[cfg(feature = "auth")]
    pub(super) session_observers: Vec<Arc<dyn SessionObserver>>,
}

impl ExtensionOptions {
    /// Adds a header to the generated lists of some resources (`GET {prefix}`, `POST {prefix}/search`), with its words
    /// in the document. The function makes the value before the records are read. It gets the greatest age that the
    /// records may have: zero without replicas.
    ///
    /// ```
    /// use crud_runtime::axum::http::HeaderName;
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let (name, about) = (HeaderName::from_static("as-old-as"), "The greatest age of the records, in seconds.");
    /// let service = service.extend(|options| options.list_header(name, about, |_| true, |age| Some(age.as_secs().into())));
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

    crud_core::builder_setters! {
        /// Gives the service the table of [`Tx::next_number`](crate::Tx::next_number). Services with hooks or jobs have it.
        counters() => has_counters = true;

        /// Gives the service the keys of [`App::secret_key`](crate::App::secret_key), and the table of their secret where the
        /// program states none.
        secret_keys() => has_keys = true;
    }

    /// Calls an observer in the transactions of changes of any resource: see [`ChangeObserver`].
    pub fn observe(mut self, observer: impl ChangeObserver) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Adds an observer of the sessions of the service's own users: see [`SessionObserver`].
    #[cfg(feature = "auth")]
    pub fn session_observer(mut self, observer: impl SessionObserver) -> Self {
        self.session_observers.push(Arc::new(observer));
        self
    }
}
