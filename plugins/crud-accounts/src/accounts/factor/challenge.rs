//! [`Challenge`]: logins whose password is proved, and whose second factor is not.

use crud_runtime::Result;
use crud_runtime::prelude::*;
use serde_json::Value;

use crate::accounts::token::{self, Token};

/// The time for which a challenge waits for its code.
const LIFETIME: TimeDelta = TimeDelta::minutes(10);

/// A login that waits for its second factor, in the table `accounts_challenge`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_challenge", internal)]
pub(crate) struct Challenge {
    /// The hash of the challenge.
    #[crud(length(min = 64, max = 64))]
    pub(crate) id: String,
    #[crud(length(max = 40))]
    pub(crate) subject: String,
    /// The tenant of the login.
    pub(crate) tenant: Option<Value>,
    #[crud(index)]
    expires_at: DateTime<Utc>,
}

impl Challenge {
    /// Makes the challenge of a user's login.
    pub(crate) async fn make(app: &App, subject: &str, tenant: Option<&Value>) -> Result<Token> {
        let token = Token::random()?;
        let new = NewChallenge {
            id: token.hash(),
            subject: subject.to_owned(),
            tenant: tenant.cloned(),
            expires_at: app.now() + LIFETIME,
        };
        app.store::<Self>().create(new).await?;
        Ok(token)
    }

    /// The challenge that a request has, which stays as it is.
    pub(crate) async fn find(app: &App, secret: &str) -> Result<Option<Self>> {
        let found = app.store::<Self>().find(token::hash(secret)).await?;
        Ok(found.filter(|challenge| challenge.expires_at > app.now()))
    }

    /// Consumes the challenge; of two requests, one does.
    pub(crate) async fn consume(&self, app: &App) -> Result<bool> {
        Ok(app.store::<Self>().delete_where(Self::FIELDS.id.eq(self.id.as_str())).await? > 0)
    }

    /// Removes the challenges whose time is over.
    pub(crate) async fn sweep(app: &App) -> Result<u64> {
        app.store::<Self>().delete_where(Self::FIELDS.expires_at.lte(app.now())).await
    }
}
