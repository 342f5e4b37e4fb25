//! [`AuthBuilder`]: what a deployer chooses of authentication.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::Validation;

use super::authentication::Sessions;
use super::login_throttle::LoginThrottle;
use super::password::Passwords;
use super::token::{Signer, Tokens, Verifier};
use super::{Algorithm, Auth, Key, UserStore, jwks};
use crate::storage::error::{Error, Result};

/// The variable that has the secret when the program names none.
const SECRET_VARIABLE: &str = "JWT_SECRET_KEY";

/// A clock that differs by more is wrong, and an expiry that is stretched by more is none.
const MAX_LEEWAY: Duration = Duration::from_mins(5);

/// Puts [`Auth`] together; begun by [`Auth::builder`].
///
/// ```
/// use crud_runtime::auth::{Algorithm, Auth, Key};
///
/// // The newest key, the last one, signs; tokens of the older one are good until they expire.
/// let auth = Auth::builder()
///     .key(Key::secret(Algorithm::Hs256, "last year's secret of at least 32 bytes")?.with_id("2025"))
///     .key(Key::secret(Algorithm::Hs256, "this year's secret of at least 32 bytes")?.with_id("2026"))
///     .issuer("https://shop.example")
///     .access_token_expire_minutes(5)
///     .rotate_refresh_tokens()
///     .logout()
///     .build()?;
/// # let _ = auth; Ok::<(), crud_runtime::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct AuthBuilder {
    keys: Vec<Given>,
    algorithm: Algorithm,
    verify_only: bool,
    access_minutes: u32,
    refresh_days: u32,
    leeway: Duration,
    issuer: Option<String>,
    audience: Option<String>,
    users: Option<Arc<dyn UserStore>>,
    sessions: Sessions,
    attempts: u32,
    window: Duration,
    behind_tls_proxy: bool,
}

/// A key as it was given.
enum Given {
    Secret(Vec<u8>),
    Key(Box<Key>),
    Jwks(String),
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Secret(_) => "Secret",
            Self::Key(_) => "Key",
            Self::Jwks(_) => "Jwks",
        })
    }
}

impl AuthBuilder {
    pub(super) fn new() -> Self {
        Self {
            keys: Vec::new(),
            algorithm: Algorithm::default(),
            verify_only: false,
            access_minutes: 15,
            refresh_days: 7,
            leeway: Duration::ZERO,
            issuer: None,
            audience: None,
            users: None,
            sessions: Sessions::default(),
            attempts: 10,
            window: Duration::from_mins(15),
            behind_tls_proxy: false,
        }
    }

    /// Signs with this secret. Without any key, the secret is read from the variable `JWT_SECRET_KEY`.
    pub fn secret(mut self, secret: impl Into<Vec<u8>>) -> Self {
        self.keys.push(Given::Secret(secret.into()));
        self
    }

    /// Sets the algorithm of the secret; HS256 if never called. Other keys bring their own.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Adds a key. All of them verify; the last that can sign, the newest, signs.
    pub fn key(mut self, key: Key) -> Self {
        self.keys.push(Given::Key(Box::new(key)));
        self
    }

    /// Adds the public keys of another issuer: the text of its JWKS document (RFC 7517), which is not fetched again.
    pub fn jwks(mut self, document: impl Into<String>) -> Self {
        self.keys.push(Given::Jwks(document.into()));
        self
    }

    /// Issues no tokens, whatever the keys can do: they come from elsewhere. So it is with keys that verify alone.
    pub fn verify_only(mut self) -> Self {
        self.verify_only = true;
        self
    }

    /// Sets how long an access token is good; 15 minutes if never called.
    pub fn access_token_expire_minutes(mut self, minutes: u32) -> Self {
        self.access_minutes = minutes;
        self
    }

    /// Sets how long a refresh token is good; 7 days if never called.
    pub fn refresh_token_expire_days(mut self, days: u32) -> Self {
        self.refresh_days = days;
        self
    }

    /// Sets by how many whole seconds the clock of an issuer elsewhere may differ, five minutes at most; not at all
    /// if never called.
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway;
        self
    }

    /// Requires this `iss` of tokens, and writes it into those that are issued.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Requires this `aud` of tokens, and writes it into those that are issued. Tokens for an audience are
    /// refused where none is set.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Looks users up here, in place of the service's own table.
    pub fn user_store(mut self, users: impl UserStore) -> Self {
        self.users = Some(Arc::new(users));
        self
    }

    /// Gives a new refresh token with every refresh. A token that comes a second time has been stolen from
    /// somebody: it ends the session, whoever has its newest token.
    pub fn rotate_refresh_tokens(mut self) -> Self {
        self.sessions.rotate = true;
        self
    }

    /// Adds `POST /auth/logout`, and lets tokens be revoked: every request asks the database whether its token has
    /// been.
    pub fn logout(mut self) -> Self {
        self.sessions.revocable = true;
        self
    }

    /// Sets how many attempts to log in may fail within a time, for each name from each address; ten within 15
    /// minutes if never called. A name from anywhere and an address for any name have ten times as many.
    pub fn login_attempts(mut self, attempts: u32, within: Duration) -> Self {
        (self.attempts, self.window) = (attempts, within);
        self
    }

    /// Says that a proxy ends TLS in front of the service: serving other addresses than loopback needs no warning
    /// then, and the last address of `X-Forwarded-For` is the client's.
    pub fn behind_tls_proxy(mut self) -> Self {
        self.behind_tls_proxy = true;
        self
    }

    /// Puts it together.
    ///
    /// # Errors
    /// [`Error::Setup`] when there is no key, a key is too short or cannot be read, two keys have one name, or a
    /// lifetime or a limit is nothing that works.
    pub fn build(self) -> Result<Auth> {
        if self.access_minutes == 0 || self.refresh_days == 0 {
            return Err(Error::Setup("tokens must live for a minute or a day at least".into()));
        }
        if self.leeway > MAX_LEEWAY {
            return Err(Error::Setup("the leeway must be five minutes at most".into()));
        }
        if self.attempts == 0 || self.window.is_zero() {
            return Err(Error::Setup("one attempt to log in must be allowed, within some time".into()));
        }
        let keys = self.read_keys()?;
        let signing = keys.iter().rev().find(|key| key.signing.is_some()).filter(|_| !self.verify_only);
        let tokens = Tokens {
            verifiers: keys.iter().map(|key| Verifier::new(key, |validation| self.require(validation))).collect(),
            signer: signing.and_then(Signer::new),
            issuer: self.issuer,
            audience: self.audience,
            access_lifetime: u64::from(self.access_minutes) * 60,
            refresh_lifetime: u64::from(self.refresh_days) * 24 * 60 * 60,
        };
        Ok(Auth {
            tokens,
            users: self.users,
            passwords: Passwords::new(),
            throttle: LoginThrottle::new(self.attempts, self.window),
            sessions: self.sessions,
            revocations: None,
            behind_tls_proxy: self.behind_tls_proxy,
        })
    }

    /// Whether there is a key to build it with, if only in the environment.
    #[cfg(feature = "config")]
    pub(crate) fn has_key(&self) -> bool {
        !self.keys.is_empty() || secret_of_environment().is_some()
    }

    fn read_keys(&self) -> Result<Vec<Key>> {
        let mut keys = Vec::new();
        for given in &self.keys {
            match given {
                Given::Secret(secret) => keys.push(Key::secret(self.algorithm, secret)?),
                Given::Key(key) => keys.push((**key).clone()),
                Given::Jwks(document) => keys.extend(jwks::keys(document)?),
            }
        }
        if keys.is_empty() {
            let secret = secret_of_environment().ok_or_else(|| {
                Error::Setup(format!(
                    "authentication has no key: set {SECRET_VARIABLE} to what `openssl rand -base64 48` prints, or give \
                     the builder a key"
                ))
            })?;
            keys.push(Key::secret(self.algorithm, secret)?);
        }
        let mut names = HashSet::new();
        match keys.iter().filter_map(|key| key.id.as_deref()).find(|name| !names.insert(*name)) {
            Some(name) => Err(Error::Setup(format!("two keys are called `{name}`"))),
            None => Ok(keys),
        }
    }

    /// What every token must have.
    fn require(&self, validation: &mut Validation) {
        validation.leeway = self.leeway.as_secs();
        let mut required = vec!["exp", "sub"];
        if let Some(issuer) = &self.issuer {
            validation.set_issuer(&[issuer]);
            required.push("iss");
        }
        if let Some(audience) = &self.audience {
            validation.set_audience(&[audience]);
            required.push("aud");
        }
        validation.set_required_spec_claims(&required);
    }
}

/// A variable that is empty says nothing.
fn secret_of_environment() -> Option<String> {
    std::env::var(SECRET_VARIABLE).ok().filter(|secret| !secret.is_empty())
}
