//! [`TrustedIssuers`]: the verification of the tokens of other issuers.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Header;
use jsonwebtoken::errors::ErrorKind;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::keys::{Copy, IssuerKeys};
use super::last_copy::LastCopies;
use super::{Issuer, claim_path, discovery};
use crate::auth::token::bearer::MAX_TOKEN_BYTES;
use crate::auth::token::claims::{Validity, VerifiedClaims};
use crate::auth::token::foreign::ForeignTokens;
use crate::auth::token::verification::{header_of, invalid_token};
use crate::model::clock::Clock;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::storage::adapter::Adapter;
use crate::storage::error::{Error, Result};

/// Maximum length of an issuer's URL, in bytes: it is the key of the table of copies.
const MAX_URL: usize = 255;

/// The issuers whose tokens a service takes beside its own.
#[derive(Debug, Default)]
pub(in crate::auth) struct TrustedIssuers(Vec<TrustedIssuer>);

/// An issuer whose tokens a service takes.
pub(in crate::auth) struct TrustedIssuer {
    issuer: Issuer,
    keys: Arc<IssuerKeys>,
    kinds: ForeignTokens,
    leeway: Duration,
}

impl fmt::Debug for TrustedIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.issuer.fmt(f)
    }
}

impl TrustedIssuers {
    /// The issuers. `has_others`: whether principals come from elsewhere too, such as the service's own users.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first issuer that lacks a required option, or that is there twice.
    pub(in crate::auth) fn new(
        issuers: Vec<Issuer>,
        has_others: bool,
        access_token_type: Option<&str>,
        leeway: Duration,
    ) -> Result<Self> {
        let needs_alias = has_others || issuers.len() > 1;
        let (mut urls, mut aliases) = (HashSet::new(), HashSet::new());
        let mut all = Vec::new();
        for issuer in issuers {
            let url = issuer.url.clone();
            let refuse = |why: String| Error::Setup(format!("the issuer `{url}`: {why}"));
            discovery::configuration_url(&url).map_err(refuse)?;
            if url.len() > MAX_URL {
                return Err(refuse(format!("its URL must have at most {MAX_URL} bytes")));
            }
            let Some(audience) = issuer.audience.clone().filter(|audience| !audience.is_empty()) else {
                return Err(refuse("its tokens are for many services: call `Issuer::audience`".to_owned()));
            };
            match &issuer.alias {
                None if needs_alias => {
                    return Err(refuse(
                        "beside own users or other issuers it needs a name: `trust(Issuer::new(…).alias(\"…\"))`"
                            .to_owned(),
                    ));
                }
                Some(alias) if !is_alias(alias) => {
                    return Err(refuse(format!("the alias `{alias}` must be letters, digits, `-` and `_`")));
                }
                Some(alias) if !aliases.insert(alias.clone()) => {
                    return Err(refuse(format!("two issuers have the alias `{alias}`")));
                }
                _ => {}
            }
            if !urls.insert(url.clone()) {
                return Err(refuse("it is named twice".to_owned()));
            }
            let header_type = issuer.access_token_type.as_deref().or(access_token_type).map(str::to_owned);
            all.push(TrustedIssuer {
                keys: Arc::new(IssuerKeys::new(&url, &audience, &issuer.root_certificates)?),
                kinds: ForeignTokens { has_audience: true, header_type },
                issuer,
                leeway,
            });
        }
        Ok(Self(all))
    }

    /// Whether there is no issuer.
    pub(in crate::auth) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a function of the program makes the principals of an issuer.
    pub(in crate::auth) fn make_principals(&self) -> bool {
        self.0.iter().any(|trusted| trusted.issuer.claims.is_some())
    }

    /// Whether there is an issuer with this URL.
    pub(in crate::auth) fn has(&self, url: &str) -> bool {
        self.0.iter().any(|trusted| trusted.issuer.url == url)
    }

    /// Sets the service's database and clock.
    pub(in crate::auth) fn set_service(&self, adapter: &Arc<dyn Adapter>, clock: &Clock) {
        for trusted in &self.0 {
            trusted.keys.set_service(LastCopies::new(adapter, clock), clock.clone());
        }
    }

    /// Fetches the keys of each, where there is a runtime; without one, the first request does.
    pub(in crate::auth) fn start(&self) {
        if tokio::runtime::Handle::try_current().is_ok() {
            self.0.iter().for_each(|trusted| trusted.keys.fetch_in_background());
        }
    }

    /// The issuer that a token names. The token is not verified yet.
    pub(in crate::auth) fn of(&self, token: &str) -> Option<&TrustedIssuer> {
        #[derive(Deserialize)]
        struct Unverified {
            iss: String,
        }
        if self.0.is_empty() {
            return None;
        }
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
        let Unverified { iss } = serde_json::from_slice(&claims).ok()?;
        self.0.iter().find(|trusted| trusted.issuer.url == iss)
    }
}

impl TrustedIssuer {
    /// The claims of a valid access token.
    ///
    /// # Errors
    /// `token_expired`; `unavailable` when the issuer's keys cannot be fetched; else `invalid_token`.
    pub(in crate::auth) async fn verify(&self, token: &str) -> Result<VerifiedClaims, Problem> {
        let header = header_of(token)?;
        let claims = verified(&self.keys, token).await?;
        let claims = self.read(claims).ok_or_else(invalid_token)?;
        match claims.validity(self.keys.now(), self.leeway) {
            Validity::Expired => Err(Problem::of(Code::TokenExpired)),
            Validity::Valid if self.kinds.admit(&header, &claims) && claims.are_storable() => Ok(claims),
            _ => Err(invalid_token()),
        }
    }

    /// The claims in the form of this service's tokens; `None` if no principal can be made of them.
    fn read(&self, claims: Map<String, Json>) -> Option<VerifiedClaims> {
        let roles = claim_path::names(claim_path::find(&claims, &self.issuer.roles_claim));
        let permissions = claim_path::words(claim_path::find(&claims, &self.issuer.permissions_claim));
        let (claims, principal) = match &self.issuer.claims {
            None => (claims, None),
            Some(make) => {
                let whole = Json::Object(claims);
                let principal = make(&whole)?;
                let Json::Object(claims) = whole else { return None };
                (claims, Some(principal))
            }
        };
        let mut claims = self.with_alias(claims)?;
        claims.insert("roles".to_owned(), roles.into());
        claims.insert("permissions".to_owned(), permissions.into());
        let mut read: VerifiedClaims = serde_json::from_value(Json::Object(claims)).ok()?;
        if let Some(principal) = principal {
            let subject = self.named(principal.subject());
            read.sub.clone_from(&subject);
            read.mapped = Some(renamed(&principal, subject));
        }
        Some(read)
    }

    /// The claims with the alias before the ids that the issuer gives: those of the user, the token and the session.
    fn with_alias(&self, mut claims: Map<String, Json>) -> Option<Map<String, Json>> {
        let subject = claims.get("sub")?.as_str().filter(|subject| !subject.is_empty())?;
        let subject = self.named(subject);
        claims.insert("sub".to_owned(), subject.into());
        for name in ["jti", "sid"] {
            if let Some(id) = claims.get(name).and_then(Json::as_str).map(|id| self.named(id)) {
                claims.insert(name.to_owned(), id.into());
            }
        }
        Some(claims)
    }

    fn named(&self, id: &str) -> String {
        match &self.issuer.alias {
            Some(alias) if !id.is_empty() => format!("{alias}:{id}"),
            _ => id.to_owned(),
        }
    }
}

/// The claims of a token that a key of an issuer has signed, with its `iss` and the audience; its times are not checked.
///
/// # Errors
/// `unavailable` when the issuer's keys cannot be fetched; else `invalid_token`.
pub(super) async fn verified(keys: &Arc<IssuerKeys>, token: &str) -> Result<Map<String, Json>, Problem> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(invalid_token());
    }
    let header = header_of(token)?;
    let copy = keys.get().await?;
    let mut signed = verify_with(&copy, token, &header);
    if matches!(signed, Signed::ByUnknown) {
        let newer = keys.newer(&copy).await?.ok_or_else(invalid_token)?;
        signed = verify_with(&newer, token, &header);
    }
    match signed {
        Signed::By(claims) => Ok(claims),
        Signed::Wrongly | Signed::ByUnknown => Err(invalid_token()),
    }
}

/// The signature of a token, by the keys of a copy.
enum Signed {
    By(Map<String, Json>),
    /// The signature of a known key is wrong; or the issuer, the audience or an expected claim is missing or differs.
    Wrongly,
    /// The signature is by a key that the copy does not have.
    ByUnknown,
}

fn verify_with(copy: &Copy, token: &str, header: &Header) -> Signed {
    if header.kid.is_some() && copy.verifiers.iter().any(|verifier| verifier.is_named(header)) {
        let mut named = copy.verifiers.iter().filter(|verifier| verifier.is_named(header) && verifier.accepts(header));
        return named.find_map(|verifier| verifier.verify(token).ok()).map_or(Signed::Wrongly, Signed::By);
    }
    for verifier in copy.verifiers.iter().filter(|verifier| verifier.accepts(header)) {
        match verifier.verify(token) {
            Ok(claims) => return Signed::By(claims),
            Err(error) if matches!(error.kind(), ErrorKind::InvalidSignature) => {}
            Err(_) => return Signed::Wrongly,
        }
    }
    Signed::ByUnknown
}

/// A principal with another subject.
fn renamed(principal: &Principal, subject: String) -> Principal {
    let (roles, permissions) = (principal.roles().to_vec(), principal.permissions().to_vec());
    let renamed = Principal::new(subject).with_roles(roles).with_permissions(permissions);
    let renamed = renamed.with_claims(principal.claims().clone());
    match principal.tenant() {
        Some(tenant) => renamed.with_tenant(tenant.clone()),
        None => renamed,
    }
}

fn is_alias(alias: &str) -> bool {
    !alias.is_empty() && alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}
