//! [`Acceptance`]: accepting an invitation. A person becomes a user, or a user becomes a member of a tenant.

use crud_runtime::auth::{User, Users};
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use serde_json::Value;

use super::verification::create;
use crate::accounts::invitation::Invitation;
use crate::accounts::letter_token::{LetterToken, used};

/// An invitation that the invited person accepts.
pub(super) struct Acceptance<'a> {
    pub(super) token: &'a LetterToken,
    pub(super) invitation: &'a Invitation,
    /// The user who has the address already, and has authenticated.
    pub(super) known: Option<&'a User>,
    /// The hash of a new user's password.
    pub(super) hash: &'a str,
    /// The claim that names a new user's tenant, in services without memberships.
    pub(super) claim: Option<(&'a str, &'a Value)>,
    /// The tenant that the user joins, in services with memberships.
    pub(super) joined: Option<&'a Value>,
}

impl Acceptance<'_> {
    /// Creates the user or the membership, and removes the invitation.
    ///
    /// # Errors
    /// [`used`] if the invitation was removed meanwhile, or the address has an account and there is no tenant to join.
    pub(super) async fn apply(&self, app: &App) -> Result<User> {
        match (self.together(app).await.map_err(Problem::from), self.joined) {
            // Users are not in a tenant's shard, so one transaction cannot do both.
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

    /// Creates the user first, and removes the invitation last. After a crash in between, the same link completes the
    /// rest.
    async fn in_steps(&self, app: &App, tenant: &Value) -> Result<User> {
        let user = app.transaction(async |tx| self.user(tx).await).await?;
        self.join(&app.users()?, &user, tenant).await?;
        match app.transaction(async |tx| self.end(tx).await).await.map_err(Problem::from) {
            // A concurrent request with the same link has removed the invitation.
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
            // Without a tenant, the roles would hold in the whole service: an existing account does not get them.
            Some(_) => Err(Error::Problem(used())),
            None => create(tx, &self.token.address, self.hash, roles, self.claim).await,
        }
    }

    async fn join(&self, users: &Users, user: &User, tenant: &Value) -> Result<bool> {
        users.join(user, tenant, self.invitation.roles.clone()).await
    }
}
