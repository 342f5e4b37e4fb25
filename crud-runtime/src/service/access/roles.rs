//! The authentication of a service, and the roles that read its log, its metrics and its document.

use std::sync::Arc;

#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::service::builder::Service;
use crate::store::tables::secret::CursorSecret;

/// # Authentication
///
/// Users, tokens, and the roles that the service's own routes need.
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

    /// Lets principals with this role manage the users in the service's own table over HTTP: adds `GET` and
    /// `POST /auth/users`, and `GET` and `PATCH /auth/users/{id}`. There are no such routes if never called.
    ///
    /// The role is one for operators, as it can give users any role. A principal of a tenant has no access: users belong to
    /// none.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use crud_runtime::auth::Auth;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).users_role("admin").migrate().await?;
    /// service.users().create_first("admin", "correct horse", ["admin"]).await?;
    /// assert!(service.openapi()?.paths.paths.contains_key("/auth/users/{id}"));
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "auth")]
    pub fn users_role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.users_role = Some(role.into());
        self
    }

    /// Sets the role that may read the audit log of all resources; `admin` if never called. Without authentication,
    /// every client may.
    pub fn audit_role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.audit_role = Some(role.into());
        self
    }

    /// Sets the secret that cursors are signed with, at least 32 bytes; servers of one database need the same one. Without
    /// it, the variable `CRUD_SECRET`; without that, one that the first server makes, in the table `crud_secrets`.
    ///
    /// A cursor that was signed with another secret is 422 `cursor_invalid`.
    pub fn secret(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.cursors = CursorSecret::given(secret.as_ref());
        self
    }
}
