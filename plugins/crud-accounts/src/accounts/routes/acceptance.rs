//! [`Acceptance`]: the end of an invitation, by which a person becomes a user, or a user a member.

use crud_runtime::auth::{User, Users};
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use serde_json::Value;

use super::verification::create;
use crate::accounts::invitation::Invitation;
use crate::accounts::letter_token::{LetterToken, used};

/// An invitation that its person accepts.
pub(super) struct Acceptance<'a> {
    pub(super) token: &'a LetterToken,
    pub(super) invitation: &'a Invitation,
    /// The user of the address, who has proved that.
    pub(super) known: Option<&'a User>,
    /// The hash of a new user's password.
    pub(super) hash: &'a str,
    /// The claim of a new user that is the tenant, where users have claims.
    pub(super) claim: Option<(&'a str, &'a Value)>,
    /// The tenant, where users have memberships.
    pub(super) joined: Option<&'a Value>,
}

impl Acceptance<'_> {
    /// Makes the user, or the membership.
    ///
    /// # Errors
    /// [`used`] where the invitation has ended since, and of a user who gets no membership.
    pub(super) async fn apply(&self, app: &App) -> Result<User> {
        match (self.together(app).await.map_err(Problem::from), self.joined) {
            // Users are in no tenant's shard.
            (Err(problem), Some(tenant)) if problem.code() == Code::UnsupportedHere => self.in_steps(app, tenant).await,
            (applied, _) => Ok(applied?),
        }
    }

    async fn together(&self, app: &App) -> Result<User> {
        app.transaction(async |tx| -> Result<User> {
            self.end(tx).await?;
            let user = self.user(tx).await?;
            if let Some(tenant) = self.joined {
                self.join(&tx.users()?, &user, tenant).await?;
            }
            Ok(user)
        })
        .await
    }

    /// The user first, and the end of the invitation last: what a crash leaves in between, the same link completes.
    async fn in_steps(&self, app: &App, tenant: &Value) -> Result<User> {
        let user = app.transaction(async |tx| self.user(tx).await).await?;
        self.join(&app.users()?, &user, tenant).await?;
        match app.transaction(async |tx| self.end(tx).await).await.map_err(Problem::from) {
            // Another request with the link, which came at the same time, has ended it.
            Err(problem) if problem.code() == Code::ValidationFailed => Ok(user),
            ended => Ok(ended.map(|()| user)?),
        }
    }

    /// Consumes the token, and removes the invitation.
    async fn end(&self, tx: &mut Tx<'_>) -> Result<()> {
        self.token.consume(tx).await?;
        match tx.store::<Invitation>().delete_where(Invitation::FIELDS.id.eq(self.invitation.id)).await? {
            0 => Err(Error::Problem(used())),
            _ => Ok(()),
        }
    }

    async fn user(&self, tx: &mut Tx<'_>) -> Result<User> {
        let roles: &[String] = if self.joined.is_some() { &[] } else { &self.invitation.roles };
        match self.known {
            Some(user) if self.joined.is_some() => Ok(user.clone()),
            // An account gets no roles by an invitation, which would be those of the whole service.
            Some(_) => Err(Error::Problem(used())),
            None => create(tx, &self.token.address, self.hash, roles, self.claim).await,
        }
    }

    async fn join(&self, users: &Users, user: &User, tenant: &Value) -> Result<bool> {
        users.join(user, tenant, self.invitation.roles.clone()).await
    }
}
