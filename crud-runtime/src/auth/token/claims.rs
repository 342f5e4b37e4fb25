//! The claims of tokens.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::auth::User;
use crate::model::principal::Principal;

/// The last second of the year 9999, the latest time that storage takes.
const LAST_SECOND: i64 = 253_402_300_799;

/// Maximum number of characters in the id of a token or a session that can be revoked.
pub(in crate::auth) const MAX_ID: usize = 255;

/// The purpose of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::auth) enum TokenKind {
    /// Authenticates requests.
    Access,
    /// Gets new access tokens.
    Refresh,
}

/// The session of a token, if sessions are stored: its id, which all tokens of one login share.
#[derive(Debug, Clone, Copy)]
pub(in crate::auth) struct Session<'a>(pub(in crate::auth) &'a str);

/// The claims of an issued token.
#[derive(Debug, Serialize)]
pub(in crate::auth) struct Claims<'a> {
    sub: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<&'a [String]>,
    permissions: &'a [String],
    iat: u64,
    exp: u64,
    #[serde(rename = "type")]
    kind: TokenKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::auth) iss: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::auth) aud: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::auth) jti: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sid: Option<&'a str>,
    /// The user's generation, in a refresh token.
    #[serde(rename = "gen", skip_serializing_if = "Option::is_none")]
    pub(in crate::auth) generation: Option<&'a str>,
    /// The user's generation, in an access token that can be exchanged for tokens of another tenant.
    #[serde(rename = "crud:gen", skip_serializing_if = "Option::is_none")]
    pub(in crate::auth) user_generation: Option<&'a str>,
    /// The user's [`last_end`], beside the generation.
    #[serde(rename = "crud:since", skip_serializing_if = "Option::is_none")]
    pub(in crate::auth) since: Option<i64>,
    /// The tenant, in a refresh token. In an access token, it is one of the user's own claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::auth) tenant: Option<&'a Json>,
    /// The user's own claims.
    #[serde(flatten)]
    own: Option<&'a Map<String, Json>>,
}

/// The claims that a user's own cannot replace.
pub(crate) const RESERVED: [&str; 14] = [
    "sub",
    "roles",
    "permissions",
    "iat",
    "exp",
    "nbf",
    "type",
    "iss",
    "aud",
    "jti",
    "sid",
    "azp",
    "crud:gen",
    "crud:since",
];

/// The claim of a refresh token's tenant.
pub(in crate::auth) const TENANT: &str = "tenant";

impl<'a> Claims<'a> {
    /// `from` and `lifetime`: when the token is issued, and for how many seconds.
    pub(in crate::auth) fn new(
        kind: TokenKind,
        principal: &'a Principal,
        (from, lifetime): (DateTime<Utc>, u64),
        session: Option<Session<'a>>,
    ) -> Self {
        let now = u64::try_from(from.timestamp()).unwrap_or_default();
        Self {
            sub: principal.subject(),
            // A refresh reads the user's current roles and claims, so its token has none.
            roles: (kind == TokenKind::Access).then(|| principal.roles()),
            permissions: principal.permissions(),
            iat: now,
            exp: now.saturating_add(lifetime),
            kind,
            iss: None,
            aud: None,
            jti: session.map(|_| new_id()),
            sid: session.map(|Session(id)| id),
            generation: None,
            user_generation: None,
            since: None,
            tenant: None,
            own: Some(principal.claims()).filter(|claims| kind == TokenKind::Access && !claims.is_empty()),
        }
    }
}

/// The user's generation, in an access token that can be exchanged; empty before the first end of its sessions, so that
/// such a token differs from those that cannot.
pub(in crate::auth) fn exchanged_generation(user: &User) -> &str {
    user.generation.as_deref().unwrap_or_default()
}

/// Microseconds of the time at which the user's sessions ended last.
pub(in crate::auth) fn last_end(user: &User) -> Option<i64> {
    user.tokens_since.map(|end| end.timestamp_micros())
}

/// A unique id of a token or session.
pub(in crate::auth) fn new_id() -> String {
    Uuid::now_v7().hyphenated().to_string()
}

/// The claims of a token whose signature, issuer and audience are verified.
#[derive(Debug, Deserialize)]
pub(in crate::auth) struct VerifiedClaims {
    pub(in crate::auth) sub: String,
    #[serde(default)]
    pub(in crate::auth) roles: Vec<String>,
    #[serde(default)]
    pub(in crate::auth) permissions: Vec<String>,
    iat: Option<f64>,
    /// Another issuer may write fractions.
    exp: f64,
    /// The kind of a token of this service. Another issuer may have a claim of this name.
    #[serde(rename = "type", default)]
    kind: Json,
    pub(in crate::auth) jti: Option<String>,
    pub(in crate::auth) sid: Option<String>,
    nbf: Option<f64>,
    /// The user's generation in an access token.
    #[serde(rename = "crud:gen", default)]
    user_generation: Option<String>,
    /// The user's [`last_end`] when the token was issued; none in tokens of a version without this claim.
    #[serde(rename = "crud:since", default)]
    since: Option<i64>,
    /// The principal that the program has made of the claims, if it makes them.
    #[serde(skip)]
    pub(in crate::auth) mapped: Option<Principal>,
    /// Every other claim.
    #[serde(flatten)]
    pub(in crate::auth) own: Map<String, Json>,
}

/// Validity of a token at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::auth) enum Validity {
    Valid,
    Expired,
    NotYet,
}

impl VerifiedClaims {
    /// The kind that the token says it is, if it is one of this service's kinds.
    pub(in crate::auth) fn kind(&self) -> Option<TokenKind> {
        match self.kind.as_str() {
            Some("access") => Some(TokenKind::Access),
            Some("refresh") => Some(TokenKind::Refresh),
            _ => None,
        }
    }

    /// Validity of the token at this time: it is invalid "on or after" its `exp`, and before its `nbf` (RFC 7519,
    /// sections 4.1.4 and 4.1.5). `leeway`: the tolerated difference of clocks, in whole seconds.
    pub(in crate::auth) fn validity(&self, now: DateTime<Utc>, leeway: Duration) -> Validity {
        #[allow(clippy::cast_precision_loss)] // Seconds are small.
        let (now, leeway) = (now.timestamp() as f64, leeway.as_secs() as f64);
        if self.exp <= now - leeway {
            Validity::Expired
        } else if self.nbf.is_some_and(|nbf| nbf > now + leeway) {
            Validity::NotYet
        } else {
            Validity::Valid
        }
    }

    /// Whether storage takes the subject and the expiry: an `exp` in milliseconds is in the year 50,000.
    pub(in crate::auth) fn are_storable(&self) -> bool {
        #[allow(clippy::cast_precision_loss)] // It is exact.
        let expires = self.exp < LAST_SECOND as f64;
        expires && !self.sub.is_empty() && !self.sub.contains('\0')
    }

    /// Whether the token can be revoked: the table of revocations takes its ids.
    pub(in crate::auth) fn is_revocable(&self) -> bool {
        let takes = |id: &str| !id.is_empty() && !id.contains('\0') && id.chars().count() <= MAX_ID;
        self.jti.is_some() && self.ids().all(takes)
    }

    /// Whether the user may refresh with this refresh token.
    pub(in crate::auth) fn may_refresh(&self, user: &User) -> bool {
        // In access tokens, `gen` may be a claim of the user's own, of any type.
        let is_of_generation = match self.own.get("gen") {
            None => user.generation.is_none(),
            Some(own) => own.as_str().is_some_and(|own| user.generation.as_deref() == Some(own)),
        };
        is_of_generation && self.is_since_last_end(user)
    }

    /// Whether the user may have tokens for another tenant by this access token.
    pub(in crate::auth) fn may_change_tenant(&self, user: &User) -> bool {
        self.user_generation.as_deref() == Some(exchanged_generation(user)) && self.is_since_last_end(user)
    }

    /// Whether the user is enabled, and the sessions have not ended since the token was issued. A server of a version
    /// before the generation writes only the time of the end.
    fn is_since_last_end(&self, user: &User) -> bool {
        let is_since = match (self.since, last_end(user)) {
            (None, None) => true,
            (Some(since), Some(end)) => since == end,
            (Some(_), None) => false,
            #[allow(clippy::cast_precision_loss)] // A double has microseconds until the year 2255.
            (None, Some(end)) => self.iat.is_some_and(|iat| iat * 1e6 >= end as f64),
        };
        is_since && !user.disabled
    }

    /// The time at which the token expires.
    pub(in crate::auth) fn expires_at(&self) -> DateTime<Utc> {
        #[allow(clippy::cast_possible_truncation)] // The cast saturates.
        let seconds = self.exp.ceil() as i64;
        // Another issuer's `exp` may be out of storage's range.
        DateTime::from_timestamp(seconds.clamp(0, LAST_SECOND), 0).unwrap_or_default()
    }

    /// The ids that revoke the token: its own and its session's.
    pub(in crate::auth) fn ids(&self) -> impl Iterator<Item = &str> {
        self.jti.as_deref().into_iter().chain(self.sid.as_deref())
    }

    /// The principal; `tenant_claim` names the claim of its tenant.
    pub(in crate::auth) fn principal(self, tenant_claim: Option<&str>) -> Principal {
        if let Some(mapped) = self.mapped {
            return mapped;
        }
        let tenant = tenant_claim.and_then(|name| self.own.get(name)).cloned();
        let principal = Principal::new(self.sub).with_roles(self.roles).with_permissions(self.permissions);
        let principal = principal.with_claims(self.own);
        match tenant {
            Some(tenant) => principal.with_tenant(tenant),
            None => principal,
        }
    }
}
