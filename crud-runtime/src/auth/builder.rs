//! [`AuthBuilder`]: the options of authentication.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::authentication::SessionOptions;
#[cfg(feature = "auth-issuers")]
use super::issuer::{Issuer, TrustedIssuers};
use super::token::Tokens;
use super::token::verification::require_claims;
use super::{Algorithm, Auth, KeyDocument, TokenKey, User, UserHooks, UserStore};
#[cfg(feature = "auth-asymmetric")]
use crate::auth::key::jwks;
#[cfg(not(feature = "auth-asymmetric"))]
use crate::auth::key::no_pair as jwks;
use crate::auth::login::password::PasswordHasher;
use crate::auth::login::session_observer::SessionObservers;
use crate::auth::login::throttle::LoginThrottle;
use crate::auth::token::foreign::ForeignTokens;
use crate::auth::users::stored::StoredUsers;
use crate::model::clock::Clock;
use crate::model::resource::Resource;
use crate::query::Field;
use crate::storage::error::{Error, Result};
use crate::store::typed::store::Store;

/// The environment variable of the secret, read if the builder has no key.
const SECRET_VARIABLE: &str = "JWT_SECRET_KEY";

/// The largest leeway: a larger one would void the expiry.
const MAX_LEEWAY: Duration = Duration::from_mins(5);

/// A builder of [`Auth`], from [`Auth::builder`].
///
/// ```
/// use std::time::Duration;
///
/// use crud_runtime::auth::{Algorithm, Auth, TokenKey};
///
/// // The last key, the newest, signs; tokens of the older key stay valid until they expire.
/// let auth = Auth::builder()
///     .key(TokenKey::secret(Algorithm::Hs256, "last year's secret of at least 32 bytes")?.with_id("2025"))
///     .key(TokenKey::secret(Algorithm::Hs256, "this year's secret of at least 32 bytes")?.with_id("2026"))
///     .issuer("https://shop.example")
///     .access_token_lifetime(Duration::from_mins(5))
///     .rotate_refresh_tokens()
///     .logout()
///     .build()?;
/// # let _ = auth; Ok::<(), crud_runtime::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct AuthBuilder {
    keys: Vec<KeySource>,
    algorithm: Algorithm,
    verify_only: bool,
    access_lifetime: Duration,
    refresh_lifetime: Duration,
    leeway: Duration,
    issuer: Option<String>,
    audience: Option<String>,
    access_token_type: Option<String>,
    users: Option<Arc<dyn UserStore>>,
    sessions: SessionOptions,
    login_attempts: u32,
    login_window: Duration,
    shares_login_attempts: bool,
    behind_tls_proxy: bool,
    proxy_hops: Option<usize>,
    tenant_claim: Option<String>,
    scheme: String,
    user_hooks: Option<UserHooks>,
    #[cfg(feature = "auth-issuers")]
    issuers: Vec<Issuer>,
    #[cfg(feature = "auth-issuers")]
    issuer_url: Option<String>,
    #[cfg(feature = "auth-issuers")]
    roles_claim: Option<String>,
}

/// Keys as passed to the builder, not read yet.
enum KeySource {
    Secret(Vec<u8>),
    TokenKey(Box<TokenKey>),
    Jwks(String),
}

impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Secret(_) => "Secret",
            Self::TokenKey(_) => "TokenKey",
            Self::Jwks(_) => "Jwks",
        })
    }
}

impl Auth {
    /// HS256 with the secret in the environment variable `JWT_SECRET_KEY`, and the defaults of the builder.
    ///
    /// # Errors
    /// [`Error::Setup`] when the variable is unset or has fewer than 32 bytes.
    pub fn from_env() -> Result<Self> {
        Self::builder().build()
    }

    /// A builder of authentication.
    pub fn builder() -> AuthBuilder {
        AuthBuilder::new()
    }
}

impl AuthBuilder {
    fn new() -> Self {
        Self {
            keys: Vec::new(),
            algorithm: Algorithm::default(),
            verify_only: false,
            access_lifetime: Duration::from_mins(15),
            refresh_lifetime: Duration::from_hours(7 * 24),
            leeway: Duration::ZERO,
            issuer: None,
            audience: None,
            access_token_type: None,
            users: None,
            sessions: SessionOptions::default(),
            login_attempts: 10,
            login_window: Duration::from_mins(15),
            shares_login_attempts: false,
            behind_tls_proxy: false,
            proxy_hops: None,
            tenant_claim: None,
            scheme: "Bearer".to_owned(),
            user_hooks: None,
            #[cfg(feature = "auth-issuers")]
            issuers: Vec::new(),
            #[cfg(feature = "auth-issuers")]
            issuer_url: None,
            #[cfg(feature = "auth-issuers")]
            roles_claim: None,
        }
    }

    /// Adds a secret, which signs and verifies. Without any key, the secret is the environment variable
    /// `JWT_SECRET_KEY`.
    pub fn secret(mut self, secret: impl Into<Vec<u8>>) -> Self {
        self.keys.push(KeySource::Secret(secret.into()));
        self
    }

    /// Sets the secret's algorithm; HS256 if never called. Other keys have their own.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Adds a key. Every key verifies; the last one that can sign signs.
    pub fn key(mut self, key: TokenKey) -> Self {
        self.keys.push(KeySource::TokenKey(Box::new(key)));
        self
    }

    /// Adds the public keys of another issuer: the text of its JWKS document (RFC 7517), which is never fetched again.
    /// Needs the feature `auth-asymmetric`.
    pub fn jwks(mut self, document: impl Into<String> + KeyDocument) -> Self {
        self.keys.push(KeySource::Jwks(document.into()));
        self
    }

    crud_core::builder_setters! {
        /// Takes the tokens of one other issuer, by its URL, with this builder's [`audience`](Self::audience), and issues none. Its
        /// keys are fetched, and fetched again when it rotates them. For several issuers, and beside own users, there is
        /// [`trust`](Self::trust). Needs the feature `auth-issuers`.
        ///
        /// ```
        /// use crud_runtime::auth::Auth;
        ///
        /// let auth = Auth::builder().issuer_url("https://id.example/realms/shop").audience("shop");
        /// let auth = auth.roles_claim("realm_access.roles").build()?;
        /// # let _ = auth; Ok::<(), crud_runtime::Error>(())
        /// ```
        #[cfg(feature = "auth-issuers")]
        issuer_url(url: impl Into<String>) => issuer_url = Some(url.into());

        /// Sets the claim with the roles in tokens of [`issuer_url`](Self::issuer_url), such as `realm_access.roles`; `roles` if
        /// never called.
        #[cfg(feature = "auth-issuers")]
        roles_claim(path: impl Into<String>) => roles_claim = Some(path.into());
    }

    /// Accepts the tokens of another issuer, beside own tokens and those of further issuers. Needs the feature
    /// `auth-issuers`.
    #[cfg(feature = "auth-issuers")]
    pub fn trust(mut self, issuer: Issuer) -> Self {
        self.issuers.push(issuer);
        self
    }

    crud_core::builder_setters! {
        /// Issues no tokens: another issuer does. The default if no key can sign.
        verify_only() => verify_only = true;

        /// Sets the lifetime of an access token, in whole seconds; 15 minutes if never called.
        access_token_lifetime(lifetime: Duration) => access_lifetime = lifetime;

        /// Sets the lifetime of a refresh token, in whole seconds; 7 days if never called.
        refresh_token_lifetime(lifetime: Duration) => refresh_lifetime = lifetime;

        /// Sets the tolerated clock difference of another issuer, in whole seconds up to five minutes; zero if never called.
        leeway(leeway: Duration) => leeway = leeway;

        /// Requires this `iss` in tokens, and sets it in issued ones.
        issuer(issuer: impl Into<String>) => issuer = Some(issuer.into());

        /// Requires this `aud` in tokens, and sets it in issued ones. If never called, tokens with an `aud` are
        /// refused, and so are tokens of another issuer without `"type": "access"`.
        audience(audience: impl Into<String>) => audience = Some(audience.into());

        /// Requires this `typ` in the header of access tokens of another issuer, such as `at+jwt` (RFC 9068). If never
        /// called, `at+jwt`, `JWT` and no `typ` are accepted.
        ///
        /// Tokens of this service have the claim `type`, which other issuers do not write. A token of theirs is an
        /// access token if it is for the [`audience`](Self::audience), and neither its header nor its claims are those
        /// of an ID token, a refresh token or a logout token.
        access_token_type(typ: impl Into<String>) => access_token_type = Some(typ.into());

        /// Looks users up in this store instead of the service's own table.
        user_store(users: impl UserStore) => users = Some(Arc::new(users));
    }

    /// Looks users up in a resource of the program: by this field, which is unique, at logins, and by the key
    /// afterwards. The function makes a user from a record; the user's subject is the record's key.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::auth::{Auth, User, hash_password};
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(internal)]
    /// struct Account { id: i64, #[crud(unique, validate(email))] email: String, password_hash: String }
    ///
    /// fn user(account: Account) -> User {
    ///     User::new(account.id.to_string(), account.password_hash)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Account>().migrate().await?;
    /// let accounts = service.store::<Account>();
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes");
    /// let auth = auth.users_in(accounts.clone(), Account::FIELDS.email, user).build()?;
    ///
    /// let hash = hash_password("correct horse").await?;
    /// accounts.create(NewAccount { email: "ann@example.com".into(), password_hash: hash }).await?;
    /// assert!(auth.login("ann@example.com", "correct horse".into(), None).await.is_ok());
    /// # Ok(()) }
    /// ```
    pub fn users_in<R: Resource>(self, store: Store<R>, name: Field<R, String>, user: fn(R) -> User) -> Self {
        self.user_store(StoredUsers { store, name, user })
    }

    crud_core::builder_setters! {
        /// Rotates refresh tokens: each is valid for one refresh, which returns a new one. Within 20 seconds, a used
        /// token gets the same new one again: two tabs of a browser, or a client whose connection broke, send it twice.
        /// Later use is treated as theft and ends the session (RFC 9700, section 4.14.2).
        rotate_refresh_tokens() => sessions.rotate = true;

        /// Names the claim of a principal's tenant, such as `shop`: with `#[crud(tenant)]` on a field, requests see the
        /// records of that tenant alone. The claim has the type of the field: a number, or a string.
        ///
        /// ```
        /// # use crud_runtime::prelude::*;
        /// # use crud_runtime::auth::Auth;
        /// #[derive(Debug, Clone, Resource)]
        /// struct Ticket { id: i64, #[crud(tenant)] shop_id: i64, title: String }
        ///
        /// # #[tokio::main(flavor = "current_thread")]
        /// # async fn main() -> crud_runtime::Result<()> {
        /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop").build()?;
        /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Ticket>().migrate().await?;
        /// service.users().create_user("ann", "correct horse").claim("shop", 1).await?;
        /// # Ok(()) }
        /// ```
        tenant_claim(name: impl Into<String>) => tenant_claim = Some(name.into());

        /// Adds `POST /auth/logout` and revocation: every request checks in the database that its token is not revoked.
        logout() => sessions.revocable = true;
    }

    /// Sets the limit of failed login attempts within a time, for each pair of name and address; ten within 15 minutes if
    /// never called. More are refused. Attempts that succeed never count, however many run at once.
    ///
    /// An address may fail ten times as often for all names together, and so may a name from all addresses together.
    /// Beyond that, a name is slowed down, not locked out: its attempts run one at a time and take a second each, with
    /// up to twenty in the queue. An address from which the name logged in within the time is exempt.
    pub fn login_attempts(mut self, attempts: u32, within: Duration) -> Self {
        (self.login_attempts, self.login_window) = (attempts, within);
        self
    }

    crud_core::builder_setters! {
        /// Counts failed logins of all servers of the database together, also across restarts: see
        /// [`login_attempts`](Self::login_attempts). A login reads the counts, and a failed one writes them. Attempts that are in flight on
        /// other servers are not counted yet.
        shared_login_attempts() => shares_login_attempts = true;

        /// Declares that a proxy terminates TLS: serving on an address other than loopback then logs no warning, and the
        /// client's address is the last of `X-Forwarded-For`.
        behind_tls_proxy() => behind_tls_proxy = true;

        /// Sets the number of proxies in front of the service; if never called, 1 behind a TLS proxy, else 0. Each
        /// proxy appends its peer's address to `X-Forwarded-For`. The client's address is the one that the first proxy
        /// appended, with or without a port; addresses before it come from the client and are ignored.
        proxy_hops(hops: usize) => proxy_hops = Some(hops);

        /// Sets the scheme of the `Authorization` header, such as `Token`, for clients that send another one; `Bearer` (RFC 6750)
        /// if never called.
        scheme(scheme: impl Into<String>) => scheme = scheme.into();

        /// Sets the program's own rules about changes of the users in the service's own table.
        user_hooks(hooks: UserHooks) => user_hooks = Some(hooks);
    }

    /// Builds the authentication.
    ///
    /// # Errors
    /// [`Error::Setup`] when there is no key, a key is too short or cannot be read, two keys have the same name, a
    /// lifetime or limit is out of range, the scheme is malformed, or there are hooks of users that are not in the
    /// service's own table.
    pub fn build(self) -> Result<Auth> {
        if [self.access_lifetime, self.refresh_lifetime].iter().any(|lifetime| lifetime.as_secs() == 0) {
            return Err(Error::Setup(
                "the lifetime of access and of refresh tokens must be at least one second".into(),
            ));
        }
        if self.leeway > MAX_LEEWAY {
            return Err(Error::Setup("the leeway must be at most five minutes".into()));
        }
        if self.login_attempts == 0 || self.login_window.is_zero() {
            return Err(Error::Setup(
                "`login_attempts` must allow at least one attempt, within a time above zero".into(),
            ));
        }
        if self.scheme.is_empty() || !self.scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(Error::Setup(format!("the scheme `{}` must be letters, digits and `-`", self.scheme)));
        }
        if self.users.is_some() && self.user_hooks.is_some() {
            return Err(Error::Setup(
                "`user_hooks` are for the service's own table of users: remove `user_store`".into(),
            ));
        }
        let keys = self.read_keys()?;
        #[cfg(feature = "auth-issuers")]
        let issuers = self.trusted_issuers(!keys.is_empty())?;
        let signing = keys.iter().rev().find(|key| key.signing.is_some()).filter(|_| !self.verify_only);
        let (issuer, audience) = (self.issuer.as_deref(), self.audience.as_deref());
        let verifier = |key: &TokenKey| {
            let verifier = key.verifier(|validation| require_claims(validation, issuer, audience));
            let is_foreign = self.verify_only || key.signing.is_none();
            if is_foreign { verifier.of_another_issuer() } else { verifier }
        };
        let tokens = Tokens {
            verifiers: keys.iter().map(verifier).collect(),
            foreign: ForeignTokens { has_audience: audience.is_some(), header_type: self.access_token_type },
            signer: signing.and_then(TokenKey::signer),
            #[cfg(feature = "testing")]
            test_signer: None,
            issuer: self.issuer,
            audience: self.audience,
            access_lifetime: self.access_lifetime.as_secs(),
            refresh_lifetime: self.refresh_lifetime.as_secs(),
            leeway: self.leeway,
            clock: Clock::default(),
        };
        Ok(Auth {
            tokens,
            #[cfg(feature = "auth-issuers")]
            issuers,
            users: self.users,
            keeps_users: false,
            password_hasher: PasswordHasher::new(),
            login_throttle: LoginThrottle::new(self.login_attempts, self.login_window),
            shares_login_attempts: self.shares_login_attempts,
            sessions: self.sessions,
            revocations: None,
            behind_tls_proxy: self.behind_tls_proxy,
            proxy_hops: self.proxy_hops.unwrap_or(usize::from(self.behind_tls_proxy)),
            tenant_claim: self.tenant_claim,
            scheme: self.scheme.into(),
            user_hooks: self.user_hooks.map(Arc::new),
            observers: SessionObservers::default(),
        })
    }

    /// Whether there is a key, in the builder or the environment.
    #[cfg(feature = "config")]
    pub(crate) fn has_key(&self) -> bool {
        !self.keys.is_empty() || self.has_issuers() || secret_from_env().is_some()
    }

    /// Whether the tokens of other issuers are accepted.
    #[cfg(feature = "auth-issuers")]
    fn has_issuers(&self) -> bool {
        self.issuer_url.is_some() || !self.issuers.is_empty()
    }

    #[cfg(not(feature = "auth-issuers"))]
    #[expect(clippy::unused_self, reason = "the feature's function takes it")]
    const fn has_issuers(&self) -> bool {
        false
    }

    /// The other issuers. `has_keys`: whether the service has keys itself.
    #[cfg(feature = "auth-issuers")]
    fn trusted_issuers(&self, has_keys: bool) -> Result<TrustedIssuers> {
        let only = self.issuer_url.as_ref().map(|url| Issuer {
            audience: self.audience.clone(),
            roles_claim: self.roles_claim.clone().unwrap_or_else(|| "roles".to_owned()),
            ..Issuer::new(url)
        });
        if only.is_none() && self.roles_claim.is_some() {
            return Err(Error::Setup("`roles_claim` is for `issuer_url`: use `Issuer::roles_claim`".to_owned()));
        }
        let all = self.issuers.iter().cloned().chain(only).collect();
        let issuers = TrustedIssuers::new(all, has_keys, self.access_token_type.as_deref(), self.leeway)?;
        match &self.issuer {
            Some(own) if issuers.has(own) => {
                Err(Error::Setup(format!("`{own}` is the issuer of this service's tokens and another one: remove one")))
            }
            _ => Ok(issuers),
        }
    }

    fn read_keys(&self) -> Result<Vec<TokenKey>> {
        let mut keys = Vec::new();
        for source in &self.keys {
            match source {
                KeySource::Secret(secret) => keys.push(TokenKey::secret(self.algorithm, secret)?),
                KeySource::TokenKey(key) => keys.push((**key).clone()),
                KeySource::Jwks(document) => keys.extend(jwks::keys(document)?),
            }
        }
        // Beside another issuer, only a key of the builder adds own tokens, not a secret left in the environment.
        if keys.is_empty() && !self.has_issuers() {
            let secret = secret_from_env().ok_or_else(|| {
                Error::Setup(format!(
                    "authentication has no key: set {SECRET_VARIABLE} to what `openssl rand -base64 48` prints, or give \
                     the builder a key"
                ))
            })?;
            keys.push(TokenKey::secret(self.algorithm, secret)?);
        }
        let mut names = HashSet::new();
        match keys.iter().filter_map(|key| key.id.as_deref()).find(|name| !names.insert(*name)) {
            Some(name) => Err(Error::Setup(format!("two keys have the id `{name}`"))),
            None => Ok(keys),
        }
    }
}

/// The secret of the environment; an empty variable counts as unset.
fn secret_from_env() -> Option<String> {
    std::env::var(SECRET_VARIABLE).ok().filter(|secret| !secret.is_empty())
}
