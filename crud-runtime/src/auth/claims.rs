//! What tokens say.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::token::Session;
use crate::model::principal::Principal;

/// The last second of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Requests.
    Access,
    /// New access tokens.
    Refresh,
}

/// The claims of a token that is issued.
#[derive(Debug, Serialize)]
pub(super) struct Claims<'a> {
    sub: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<&'a [String]>,
    permissions: &'a [String],
    iat: u64,
    exp: u64,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) iss: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) aud: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jti: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sid: Option<&'a str>,
}

impl<'a> Claims<'a> {
    pub(super) fn new(kind: Kind, principal: &'a Principal, lifetime: u64, session: Option<Session<'a>>) -> Self {
        let now = jsonwebtoken::get_current_timestamp();
        Self {
            sub: principal.subject(),
            // A refresh token gives what the user is by then, so it says no roles.
            roles: (kind == Kind::Access).then(|| principal.roles()),
            permissions: principal.permissions(),
            iat: now,
            exp: now.saturating_add(lifetime),
            kind,
            iss: None,
            aud: None,
            jti: session.map(|_| new_id()),
            sid: session.map(|Session(id)| id),
        }
    }
}

/// An id that no other token or session has.
pub(super) fn new_id() -> String {
    Uuid::now_v7().hyphenated().to_string()
}

/// The claims of a token that has been verified. Issuer, audience and times have been, too.
#[derive(Debug, Deserialize)]
pub(super) struct Verified {
    pub(super) sub: String,
    #[serde(default)]
    pub(super) roles: Vec<String>,
    #[serde(default)]
    pub(super) permissions: Vec<String>,
    iat: Option<f64>,
    /// A whole number, unless another issuer writes fractions.
    exp: f64,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    pub(super) jti: Option<String>,
    pub(super) sid: Option<String>,
}

impl Verified {
    /// Whether it names somebody, by a name that storage takes.
    pub(super) fn is_plausible(&self) -> bool {
        !self.sub.is_empty() && !self.sub.contains('\0')
    }

    /// Whether it was issued in or after the second of a time.
    pub(super) fn is_issued_since(&self, time: DateTime<Utc>) -> bool {
        #[allow(clippy::cast_precision_loss)] // Seconds are small.
        self.iat.is_some_and(|iat| iat >= time.timestamp() as f64)
    }

    /// When it ends.
    pub(super) fn expires_at(&self) -> DateTime<Utc> {
        #[allow(clippy::cast_possible_truncation)] // The cast saturates.
        let seconds = self.exp.ceil() as i64;
        // What another issuer's token says may be more than storage takes.
        DateTime::from_timestamp(seconds.clamp(0, LAST_SECOND), 0).unwrap_or_default()
    }

    /// What it can be revoked by.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.jti.as_deref().into_iter().chain(self.sid.as_deref())
    }

    pub(super) fn principal(self) -> Principal {
        Principal::new(self.sub).with_roles(self.roles).with_permissions(self.permissions)
    }
}
