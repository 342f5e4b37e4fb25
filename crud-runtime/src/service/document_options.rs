//! [`DocumentOptions`]: the words of the OpenAPI document, and who reads it.

use std::sync::Arc;

use serde_json::Value;
#[cfg(feature = "utoipa")]
use utoipa::openapi::OpenApi;

#[cfg(feature = "utoipa")]
use crate::http::openapi::utoipa_model;
use crate::http::openapi::{Contact, DocsAccess, Info, License};

/// The words of the OpenAPI document, and who reads it: [`Service::openapi`](crate::Service::openapi) sets them.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.title("Shop");
/// let service = service.openapi(|document| document.version("1.2.0").description("The *shop's* catalogue."));
/// assert_eq!(service.openapi_json()?["info"]["version"], "1.2.0");
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "options do nothing until a service has them"]
pub struct DocumentOptions {
    pub(super) info: Info,
    pub(super) access: DocsAccess,
    /// The documents of the program's own axum routes.
    pub(super) merged: Vec<Value>,
}

impl Default for DocumentOptions {
    fn default() -> Self {
        Self { info: Info::new("CRUD API", "0.1.0"), access: DocsAccess::default(), merged: Vec::new() }
    }
}

impl DocumentOptions {
    crud_core::builder_setters! {
        /// Sets the version of the API, which the OpenAPI document shows.
        version(version: impl Into<String>) => info.version = version.into();

        /// Sets the description of the API, in Markdown, which the OpenAPI document shows.
        description(description: impl Into<String>) => info.description = description.into();

        /// Sets the contact for the API, which the OpenAPI document names.
        ///
        /// ```
        /// use crud_runtime::openapi::{Contact, License};
        /// # use crud_runtime::prelude::*;
        /// # async fn build() -> crud_runtime::Result<()> {
        /// let service = Service::connect("sqlite::memory:").await?.openapi(|document| {
        ///     document.contact(Contact::new("Shop team").email("shop@example.com")).license(License::spdx("MIT"))
        /// });
        /// # Ok(()) }
        /// ```
        contact(contact: Contact) => info.contact = Some(contact);

        /// Sets the licence of the API, which the OpenAPI document shows.
        license(license: License) => info.license = Some(license);

        /// Sets the role that may read `/openapi.json` and `/docs`; every client may if never called. It needs
        /// authentication. A browser sends no token when it opens a page, so behind a role the page is for a proxy that adds
        /// one.
        docs_role(role: impl Into<Arc<str>>) => access = DocsAccess::Role(role.into());

        /// Leaves out `/openapi.json` and `/docs`. [`Service::openapi_json`](crate::Service::openapi_json) still returns the document.
        without_docs() => access = DocsAccess::Off;
    }

    /// Adds the document of the routes that [`Service::merge`](crate::Service::merge) adds, such as that of a router of `utoipa-axum`.
    ///
    /// An operation, operation id or component that is in both is an error at start ([`openapi::merge`]).
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::axum::Router;
    /// use crud_runtime::axum::routing::get;
    /// use crud_runtime::utoipa::openapi::path::{HttpMethod, Operation};
    /// use crud_runtime::utoipa::openapi::{Info, OpenApi, Paths};
    ///
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let mut paths = Paths::new();
    /// paths.add_path_operation("/reports", vec![HttpMethod::Get], Operation::new());
    /// let own = OpenApi::new(Info::new("Reports", "1"), paths);
    ///
    /// let reports = Router::new().route("/reports", get(async || "none"));
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().merge(reports);
    /// let service = service.openapi(|document| document.merge(own));
    /// assert!(service.openapi_document()?.paths.paths.contains_key("/reports"));
    /// # Ok(()) }
    /// ```
    ///
    /// [`openapi::merge`]: crate::openapi::merge
    #[cfg(feature = "utoipa")]
    #[allow(clippy::needless_pass_by_value, reason = "the service has the document from now on")]
    pub fn merge(mut self, document: OpenApi) -> Self {
        self.merged.push(utoipa_model::written(&document));
        self
    }
}
