//! [`Issuer`]: another issuer of tokens, by its URL.

mod claim_path;
mod client;
mod discovery;
mod fetch;
mod keys;
mod last_copy;
mod trusted;

use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

pub use self::client::IssuerClient;
pub(super) use self::last_copy::IssuerCopy;
pub(super) use self::trusted::TrustedIssuers;
use crate::model::principal::Principal;

/// The program's function from a token's claims to its principal.
pub(super) type Claims = Arc<dyn Fn(&Json) -> Option<Principal> + Send + Sync>;

/// Another issuer of access tokens, such as a realm of Keycloak, by its URL; for
/// [`AuthBuilder::trust`](super::AuthBuilder::trust).
///
/// Its document `/.well-known/openid-configuration` leads to its keys (`OpenID` Connect Discovery 1.0), so that it can
/// rotate them. They are fetched at the start, every hour, and for a token with an unknown key, but at most every 30
/// seconds. While the issuer does not answer, the last keys are used for 24 hours, after a restart those of the table
/// `auth_issuers`. Then its tokens get 503 `unavailable`.
///
/// ```
/// use crud_runtime::auth::{Auth, Issuer};
///
/// let staff = Issuer::new("https://id.example/realms/staff").alias("staff").audience("shop");
/// let staff = staff.roles_claim("realm_access.roles").permissions_claim("scope");
/// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").trust(staff).build()?;
/// # let _ = auth; Ok::<(), crud_runtime::Error>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Issuer {
    pub(super) url: String,
    pub(super) alias: Option<String>,
    pub(super) audience: Option<String>,
    pub(super) roles_claim: String,
    pub(super) permissions_claim: String,
    pub(super) claims: Option<Claims>,
    pub(super) access_token_type: Option<String>,
    pub(super) root_certificates: Vec<String>,
}

impl fmt::Debug for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issuer").field("url", &self.url).field("alias", &self.alias).finish_non_exhaustive()
    }
}

impl Issuer {
    /// The issuer with this URL: exactly the `iss` of its tokens, including a `/` at the end if it has one. The URL is
    /// `https`; on loopback, `http` is allowed.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            alias: None,
            audience: None,
            roles_claim: "roles".to_owned(),
            permissions_claim: "permissions".to_owned(),
            claims: None,
            access_token_type: None,
            root_certificates: Vec::new(),
        }
    }

    crud_core::builder_setters! {
        /// Names the issuer: the subjects of its principals are `alias:sub`. An alias is required beside the service's
        /// own users and beside other issuers: each numbers its users by itself, and `owner` compares the numbers.
        alias(alias: impl Into<String>) => alias = Some(alias.into());

        /// Sets the `aud` that its tokens must have: an issuer's tokens are for many services. The audience is
        /// required.
        audience(audience: impl Into<String>) => audience = Some(audience.into());

        /// Sets the claim with the roles, `roles` if never called: a list of texts, a text, or an object, whose
        /// members' names they are. A path such as `realm_access.roles` names a nested claim, unless a claim has the
        /// whole text as its name.
        roles_claim(path: impl Into<String>) => roles_claim = path.into();

        /// Sets the claim with the permissions, `permissions` if never called. It is read like
        /// [`roles_claim`](Self::roles_claim), but a text is a list of words, such as `scope` (RFC 6749, section 3.3).
        permissions_claim(path: impl Into<String>) => permissions_claim = path.into();
    }

    /// Makes the principal from the claims of a valid token; `None` refuses the token. The [alias](Self::alias) is put before
    /// its subject.
    ///
    /// ```
    /// use crud_runtime::auth::{Issuer, Principal};
    ///
    /// let issuer = Issuer::new("https://id.example").audience("shop").claims(|claims| {
    ///     let principal = Principal::new(claims["sub"].as_str()?);
    ///     Some(principal.with_tenant(claims["organization"]["id"].clone()))
    /// });
    /// ```
    pub fn claims(mut self, principal: impl Fn(&Json) -> Option<Principal> + Send + Sync + 'static) -> Self {
        self.claims = Some(Arc::new(principal));
        self
    }

    /// Requires this `typ` in the header of its tokens; see
    /// [`AuthBuilder::access_token_type`](super::AuthBuilder::access_token_type), which applies if never called.
    pub fn access_token_type(mut self, typ: impl Into<String>) -> Self {
        self.access_token_type = Some(typ.into());
        self
    }

    /// Trusts a certificate authority of the program's own, in PEM, for this issuer, beside those of Mozilla's list.
    pub fn root_certificates(mut self, pem: impl Into<String>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }
}
