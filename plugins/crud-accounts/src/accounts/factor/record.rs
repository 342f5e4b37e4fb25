//! [`Factor`]: the second factors of users.

use crud_runtime::Result;
use crud_runtime::prelude::*;

use super::recovery::RecoveryCode;
use super::secret::FactorSecret;
use crate::accounts::slot::Slot;

/// Limit of wrong codes of a user in an hour, of 10⁶ possible codes. Further codes are not compared.
const ATTEMPTS: u32 = 10;

/// The second factor of a user, in the table `accounts_factor`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_factor", internal)]
pub(crate) struct Factor {
    /// The `sub` of the user's tokens.
    #[crud(length(max = 40))]
    id: String,
    secret: Vec<u8>,
    /// The time of the first right code; before it, the factor does not count.
    confirmed_at: Option<DateTime<Utc>>,
    /// The step of the last code: a code counts once. Before the first one, a negative number of the secret.
    last_step: i64,
}

/// Result of the check of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checked {
    Right,
    Wrong,
    /// There were too many wrong codes.
    TooMany,
}

impl Factor {
    /// The factor of a user.
    pub(crate) async fn of(app: &App, subject: &str) -> Result<Option<Self>> {
        app.store::<Self>().find(subject.to_owned()).await
    }

    /// Whether the factor is confirmed by a first right code.
    pub(crate) const fn is_confirmed(&self) -> bool {
        self.confirmed_at.is_some()
    }

    /// Creates the secret of a user. Replaces an unconfirmed one; `None` if the user has a confirmed one.
    pub(crate) async fn make(app: &App, subject: &str) -> Result<Option<FactorSecret>> {
        let (store, secret) = (app.store::<Self>(), FactorSecret::random()?);
        let last_step = secret.before_codes();
        let new = NewFactor { id: subject.to_owned(), secret: secret.0.to_vec(), confirmed_at: None, last_step };
        if store.create_if_absent(new).await?.is_some() {
            return Ok(Some(secret));
        }
        let patch = FactorPatch::default().secret(secret.0.to_vec()).last_step(last_step);
        let replaced = store.update_if(subject.to_owned(), Self::FIELDS.confirmed_at.is_null(), patch).await?;
        Ok(replaced.map(|_| secret))
    }

    /// Checks a code of the app, or a recovery code, which is consumed. Recovery codes need a confirmed factor.
    pub(crate) async fn check(&self, app: &App, code: &str) -> Result<Checked> {
        // Each attempt takes a slot before the check, so that concurrent guesses cannot exceed the limit.
        if !Slot::take(app, &format!("factor {}", self.id), ATTEMPTS).await? {
            tracing::warn!(user = self.id, "too many codes of a second factor");
            return Ok(Checked::TooMany);
        }
        let is_right = match FactorSecret::stored(&self.secret)?.step_of(code, app.now()) {
            Some(step) if self.last_step < step => {
                let patch = FactorPatch::default().last_step(step);
                let patch = if self.is_confirmed() { patch } else { patch.confirmed_at(Some(app.now())) };
                // Another request may have used a code meanwhile, or have replaced the secret.
                let is_same = Self::FIELDS.last_step.eq(self.last_step);
                app.store::<Self>().update_if(self.id.clone(), is_same, patch).await?.is_some()
            }
            Some(_) => false,
            None => self.is_confirmed() && RecoveryCode::consume(app, &self.id, code).await?,
        };
        if is_right {
            Slot::free(app, &format!("factor {}", self.id), ATTEMPTS).await?;
            return Ok(Checked::Right);
        }
        tracing::warn!(user = self.id, "a wrong code of a second factor");
        Ok(Checked::Wrong)
    }

    /// Removes the factor of a user, with its recovery codes.
    pub(crate) async fn remove(app: &App, subject: &str) -> Result<()> {
        app.transaction(async |tx| {
            tx.store::<RecoveryCode>().delete_where(RecoveryCode::of(subject)).await?;
            tx.store::<Self>().delete_where(Self::FIELDS.id.eq(subject)).await.map(drop)
        })
        .await
    }
}
