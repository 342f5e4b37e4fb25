//! The program's own authentication.

use std::future::Future;
use std::sync::Arc;

use utoipa::openapi::security::SecurityScheme;

use crate::auth::AuthParts;
use crate::http::layer::challenge::Challenge;
use crate::http::principal_source::{Authenticating, PrincipalSource, Sources};
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::service::builder::Service;

/// # Authentication of the program
///
/// Principals that the program authenticates.
impl Service {
    /// Authenticates requests by a function of the program: by a cookie of its sessions, API keys, a header of a proxy.
    /// Access rules, owners, tenants, scopes and the audit log take its principals as those of tokens.
    ///
    /// `None` is a request without a principal; with [`auth`](Self::auth) too, its token then decides. A problem, such as
    /// `Problem::new(Code::InvalidToken, "…")`, is the answer, except on routes that are open to everyone, where 401 is
    /// a request without a principal.
    ///
    /// Browsers send cookies for pages of other origins too. So an unsafe request with a cookie needs an `Origin` or
    /// `Sec-Fetch-Site` of the service's own origin, or of one that [`cors`](Self::cors) lets send credentials, and answers
    /// are `Cache-Control: private`.
    ///
    /// ```
    /// use crud_runtime::auth::{AuthParts, Principal};
    /// # use crud_runtime::prelude::*;
    ///
    /// /// The principal that the proxy on this machine names. The same header of another client is a forgery.
    /// async fn of_proxy(parts: AuthParts) -> Result<Option<Principal>, Problem> {
    ///     let is_proxy = parts.peer().is_some_and(|peer| peer.ip().is_loopback());
    ///     Ok(parts.header("x-user").filter(|_| is_proxy).map(Principal::new))
    /// }
    ///
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().authenticate_with(of_proxy);
    /// # Ok(()) }
    /// ```
    pub fn authenticate_with<F, Fut>(mut self, authenticate: F) -> Self
    where
        F: Fn(AuthParts) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<Principal>, Problem>> + Send + 'static,
    {
        let function = move |parts| -> Authenticating { Box::pin(authenticate(parts)) };
        self.authentication.function = Some(Arc::new(function));
        self
    }

    /// Takes the principals that layers set as extensions of requests: of axum-login, of sessions, of another library of
    /// tokens. If never called, such an extension counts for nothing.
    ///
    /// Several layers: the innermost counts, which sets it last. Its principal goes before those of
    /// [`authenticate_with`](Self::authenticate_with) and of tokens. What is said there of cookies applies.
    ///
    /// ```
    /// use crud_runtime::auth::Principal;
    /// use crud_runtime::axum::extract::Request;
    /// use crud_runtime::axum::middleware::{Next, from_fn};
    /// use crud_runtime::axum::response::Response;
    /// # use crud_runtime::prelude::*;
    ///
    /// /// The user that a layer outside of this one has found.
    /// #[derive(Clone)]
    /// struct User { id: i64, is_admin: bool }
    ///
    /// async fn set_principal(mut request: Request, next: Next) -> Response {
    ///     if let Some(User { id, is_admin }) = request.extensions().get().cloned() {
    ///         let principal = Principal::new(id.to_string()).with_roles(is_admin.then_some("admin"));
    ///         request.extensions_mut().insert(principal);
    ///     }
    ///     next.run(request).await
    /// }
    ///
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// let service = service.principal_from_layers().layer(from_fn(set_principal));
    /// # Ok(()) }
    /// ```
    pub fn principal_from_layers(mut self) -> Self {
        self.authentication.layers = true;
        self
    }

    /// Adds a security scheme to the document, by which requests authenticate: that of
    /// [`authenticate_with`](Self::authenticate_with) or of a layer. With several, a request needs one of them.
    ///
    /// A 401 of a service without tokens has the challenge of the first one in `WWW-Authenticate`, such as
    /// `Cookie realm="api"` or `Basic realm="api"`; without a scheme, and for mutual TLS, it is `Custom realm="api"`.
    ///
    /// ```
    /// use crud_runtime::utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let session = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("session")));
    /// let service = Service::connect("sqlite::memory:").await?.principal_from_layers().security_scheme("session", session);
    /// # Ok(()) }
    /// ```
    pub fn security_scheme(mut self, name: impl Into<String>, scheme: SecurityScheme) -> Self {
        self.authentication.schemes.push((name.into(), scheme));
        self
    }

    /// The source of the principals of requests.
    pub(in crate::service) fn principals(&self) -> PrincipalSource {
        if !self.is_authenticated() {
            return if self.is_waived { PrincipalSource::Waived } else { PrincipalSource::Missing };
        }
        PrincipalSource::Present(Arc::new(Sources {
            layers: self.authentication.layers,
            program: self.authentication.function.clone(),
            #[cfg(feature = "auth")]
            tokens: self.auth.clone(),
            origins: self.cors.as_ref().map(|cors| cors.credential_origins().to_vec()).unwrap_or_default(),
            memberships: self.memberships(),
            beyond_tenants: self.roles_beyond_tenants(),
            roles: self.roles.clone(),
            default_access: self.default_access,
        }))
    }

    /// The challenge of responses, where that of tokens would be wrong.
    pub(in crate::service) fn challenge(&self) -> Option<Challenge> {
        #[cfg(feature = "auth")]
        if let Some(auth) = &self.auth {
            return (&*auth.scheme != "Bearer").then(|| Challenge::OfTokens(auth.scheme.clone()));
        }
        let schemes = self.authentication.schemes.iter().map(|(_, scheme)| scheme);
        self.authentication.is_present().then(|| Challenge::of_program(schemes))
    }

    /// Whether requests can have principals.
    pub(in crate::service) const fn is_authenticated(&self) -> bool {
        #[cfg(feature = "auth")]
        let has_tokens = self.auth.is_some();
        #[cfg(not(feature = "auth"))]
        let has_tokens = false;
        has_tokens || self.authentication.is_present()
    }
}
