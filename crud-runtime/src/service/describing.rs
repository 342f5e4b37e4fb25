//! The words of a service in its OpenAPI document.

use std::sync::Arc;

use utoipa::openapi::OpenApi;

use super::builder::Service;
use crate::http::openapi::{Contact, DocsAccess, License};

/// # OpenAPI document
///
/// Words of the document, and the routes that serve it.
impl Service {
    /// Sets the title, which the OpenAPI document and `/` show.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = title.into();
        self
    }

    /// Sets the version of the API, which the OpenAPI document shows.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// Sets the description of the API, in Markdown, which the OpenAPI document shows.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = description.into();
        self
    }

    /// Sets the people who answer for the API, whom the OpenAPI document names.
    ///
    /// ```
    /// use crud_runtime::openapi::{Contact, License};
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:")
    ///     .await?
    ///     .contact(Contact::new("Shop team").email("shop@example.com"))
    ///     .license(License::spdx("MIT"));
    /// # Ok(()) }
    /// ```
    pub fn contact(mut self, contact: Contact) -> Self {
        self.info.contact = Some(contact);
        self
    }

    /// Sets the licence of the API, which the OpenAPI document shows.
    pub fn license(mut self, license: License) -> Self {
        self.info.license = Some(license);
        self
    }

    /// Sets the role that may read `/openapi.json` and `/docs`; every client may if never called. It needs
    /// authentication. A browser sends no token when it opens a page, so behind a role the page is for a proxy that adds
    /// one.
    pub fn docs_role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.docs_access = DocsAccess::Role(role.into());
        self
    }

    /// Leaves out `/openapi.json` and `/docs`. [`openapi`](Self::openapi) still returns the document.
    pub fn without_docs(mut self) -> Self {
        self.docs_access = DocsAccess::Off;
        self
    }

    /// Adds the document of the routes that [`merge`](Self::merge) adds, such as that of a router of `utoipa-axum`.
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
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().merge(reports).merge_openapi(own);
    /// assert!(service.openapi()?.paths.paths.contains_key("/reports"));
    /// # Ok(()) }
    /// ```
    ///
    /// [`openapi::merge`]: crate::openapi::merge
    pub fn merge_openapi(mut self, document: OpenApi) -> Self {
        self.documents.push(document);
        self
    }
}
