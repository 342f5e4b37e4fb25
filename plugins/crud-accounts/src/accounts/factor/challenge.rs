//! [`Challenge`]: logins that lack one more step.

use crud_runtime::Result;
use crud_runtime::auth::{User, UserStore};
use crud_runtime::prelude::*;
use serde_json::Value;

use crate::accounts::token::{self, Token};

/// Purpose of a challenge: the step that a login lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The second factor: the password is proved.
    Factor,
    /// The fetch of the tokens by the page: an issuer has logged the person in.
    #[cfg(feature = "oidc")]
    Issuer,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Factor => "factor",
            #[cfg(feature = "oidc")]
            Self::Issuer => "issuer",
        }
    }

    /// The time for which a challenge is valid.
    const fn lifetime(self) -> TimeDelta {
        match self {
            Self::Factor => TimeDelta::minutes(10),
            #[cfg(feature = "oidc")]
            Self::Issuer => TimeDelta::seconds(60),
        }
    }
}

/// A login that is half done, in the table `accounts_challenge`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_challenge", internal)]
pub(crate) struct Challenge {
    /// The hash of the challenge.
    #[crud(length(min = 64, max = 64))]
    pub(crate) id: String,
    /// A challenge counts for one purpose alone.
    #[crud(length(max = 20))]
    purpose: String,
    #[crud(length(max = 40))]
    pub(crate) subject: String,
    /// The tenant of the login.
    pub(crate) tenant: Option<Value>,
    /// The generation of the user when it logged in: a later end of its sessions revokes the challenge.
    #[crud(length(max = 36))]
    generation: Option<String>,
    #[crud(index)]
    expires_at: DateTime<Utc>,
}

impl Challenge {
    /// Creates the challenge of a user's login.
    pub(crate) async fn make(app: &App, user: &User, tenant: Option<&Value>) -> Result<Token> {
        let token = Token::random()?;
        Self::store(app, Purpose::Factor, token.text(), (user, tenant)).await?;
        Ok(token)
    }

    /// Stores the hash of a challenge with this secret.
    pub(crate) async fn store(
        app: &App,
        purpose: Purpose,
        secret: &str,
        (user, tenant): (&User, Option<&Value>),
    ) -> Result<()> {
        let new = NewChallenge {
            id: token::hash(secret),
            purpose: purpose.as_str().to_owned(),
            subject: user.subject.clone(),
            tenant: tenant.cloned(),
            generation: user.generation.clone(),
            expires_at: app.now() + purpose.lifetime(),
        };
        app.store::<Self>().create(new).await.map(drop)
    }

    /// Finds the challenge that a request sends, with its user. Does not consume it. `None` if the user's sessions have
    /// ended since: by a new password, for example.
    pub(crate) async fn find(app: &App, purpose: Purpose, secret: &str) -> Result<Option<(Self, User)>> {
        let found = app.store::<Self>().find(token::hash(secret)).await?;
        let is_valid = |challenge: &Self| challenge.purpose == purpose.as_str() && challenge.expires_at > app.now();
        let Some(challenge) = found.filter(is_valid) else { return Ok(None) };
        let user = app.users()?.find_by_subject(&challenge.subject).await?;
        let user = user.filter(|user| !user.disabled && user.generation == challenge.generation);
        Ok(user.map(|user| (challenge, user)))
    }

    /// Consumes the challenge. `false` if another request has consumed it.
    pub(crate) async fn consume(&self, app: &App) -> Result<bool> {
        Ok(app.store::<Self>().delete_where(Self::FIELDS.id.eq(self.id.as_str())).await? > 0)
    }

    /// Removes expired challenges.
    pub(crate) async fn sweep(app: &App) -> Result<u64> {
        app.store::<Self>().delete_where(Self::FIELDS.expires_at.lte(app.now())).await
    }
}
