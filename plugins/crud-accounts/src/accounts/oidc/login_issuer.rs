//! [`LoginIssuer`]: an issuer that people log in with.

use std::fmt;
use std::sync::Arc;

use crud_runtime::auth::IssuerClient;
use crud_runtime::{Error, Result};
use serde_json::{Map, Value};

use super::access::IssuerAccess;

/// The program's function from the claims of an ID token to roles and a tenant; `None` refuses the person.
type Access = Arc<dyn Fn(&Map<String, Value>) -> Option<IssuerAccess> + Send + Sync>;

/// An issuer that people log in with, such as a realm of Keycloak, for [`Accounts::issuer`](crate::Accounts::issuer): a button
/// on the page to sign in, at `GET /auth/oidc/{alias}`.
///
/// Register `{public_url}/auth/oidc/{alias}/callback` as the redirect URI of the client there.
///
/// ```
/// use crud_accounts::{IssuerAccess, LoginIssuer};
///
/// let staff = LoginIssuer::new("staff", "https://id.example/realms/staff", "shop").named("Staff").secret("…");
/// let staff = staff.claims(|claims| {
///     let is_admin = claims.get("groups")?.as_array()?.iter().any(|group| group == "shop-admins");
///     Some(IssuerAccess::new().roles(is_admin.then_some("admin")))
/// });
/// # let _ = staff;
/// ```
#[derive(Clone)]
#[must_use = "an issuer is for `Accounts::issuer`"]
pub struct LoginIssuer {
    pub(crate) alias: String,
    url: String,
    client_id: String,
    named: Option<String>,
    pub(crate) secret: Option<String>,
    pub(crate) scopes: Vec<String>,
    root_certificates: Vec<String>,
    access: Option<Access>,
}

impl fmt::Debug for LoginIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginIssuer").field("alias", &self.alias).field("url", &self.url).finish_non_exhaustive()
    }
}

impl LoginIssuer {
    /// An issuer by its URL, with the service's client id there. The configuration is read from
    /// `/.well-known/openid-configuration` below the URL. The alias is the issuer's name in paths.
    pub fn new(alias: impl Into<String>, url: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            alias: alias.into(),
            url: url.into(),
            client_id: client_id.into(),
            named: None,
            secret: None,
            scopes: ["openid", "email", "profile"].map(str::to_owned).to_vec(),
            root_certificates: Vec::new(),
            access: None,
        }
    }

    /// Sets the name on the button; the alias if never called.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { named: Some(name.into()), ..self }
    }

    /// Sets the client's secret. Without one, the client is public, and only PKCE protects the login.
    pub fn secret(self, secret: impl Into<String>) -> Self {
        Self { secret: Some(secret.into()), ..self }
    }

    /// Sets the requested scopes; `openid`, `email` and `profile` if never called.
    pub fn scopes<T: Into<String>>(self, scopes: impl IntoIterator<Item = T>) -> Self {
        Self { scopes: scopes.into_iter().map(Into::into).collect(), ..self }
    }

    /// Adds a trusted certificate authority, in PEM, to those of Mozilla's list.
    pub fn root_certificates(mut self, pem: impl Into<String>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// Derives roles and a tenant from the claims of an ID token, at each login; `None` refuses the person. If never
    /// called, people have the roles that the service gives them.
    pub fn claims(self, access: impl Fn(&Map<String, Value>) -> Option<IssuerAccess> + Send + Sync + 'static) -> Self {
        Self { access: Some(Arc::new(access)), ..self }
    }

    /// The name on the button.
    pub(crate) fn label(&self) -> &str {
        self.named.as_deref().unwrap_or(&self.alias)
    }

    /// The access of a person with these claims, by the program's function. Without one, the claims change nothing.
    pub(crate) fn access_of(&self, claims: &Map<String, Value>) -> Option<IssuerAccess> {
        self.access.as_ref().map_or_else(|| Some(IssuerAccess::new()), |access| access(claims))
    }

    /// The client of the issuer.
    ///
    /// # Errors
    /// [`Error::Setup`] for an alias or a URL that is not valid.
    pub(crate) fn client(&self) -> Result<IssuerClient> {
        let is_alias = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if self.alias.is_empty() || !self.alias.bytes().all(is_alias) || self.alias == "token" {
            return Err(Error::Setup(format!(
                "the alias `{}` of an issuer must be letters, digits, `-` and `_`, and not `token`",
                self.alias
            )));
        }
        IssuerClient::trusting(&self.url, &self.client_id, &self.root_certificates)
    }
}
