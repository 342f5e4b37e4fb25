//! Rotation: a refresh token is used once, and for [`GRACE`] gets the same successor again.
//!
//! A browser with two tabs, or a client whose connection broke, sends a refresh token twice. A later use comes from a
//! stolen copy.
//!
//! The table of revocations has two rows of a used token: `used/<id>`, until the end of the grace, and `<id>`, until the token
//! expires. They are written in this order, so that a request that reads `<id>` reads `used/<id>` too.

use chrono::{SubsecRound, TimeDelta};

use super::claims::VerifiedClaims;
use super::successor::Successor;
use crate::auth::Auth;
use crate::auth::authentication::store_problem;
use crate::model::problem::{Code, Problem};

/// Time in which a used refresh token gets its successor again.
const GRACE: TimeDelta = TimeDelta::seconds(20);

impl Auth {
    /// Consumes a refresh token. Of several requests with it, all within the grace get one successor; a later one revokes its
    /// session.
    pub(in crate::auth) async fn consume(&self, claims: &VerifiedClaims) -> Result<Successor, Problem> {
        let (Some(id), Some(session)) = (&claims.jti, &claims.sid) else { return Err(refresh_failed("invalid token")) };
        let (revocations, used) = (self.revocations()?, format!("used/{id}"));
        // Read before the token is looked up: a request that stalls for long does not restart the grace period.
        let now = self.tokens.clock.now();
        if !revocations.has_any(std::iter::once(id.as_str())).await.map_err(store_problem)? {
            revocations.add(&used, now.trunc_subsecs(0) + GRACE).await.map_err(store_problem)?;
            revocations.revoke(id, claims.expires_at()).await.map_err(store_problem)?;
        }
        match revocations.expiry(&used).await.map_err(store_problem)? {
            Some(end) if end > now => Ok(Successor::of(id, end - GRACE)),
            _ => {
                tracing::warn!(subject = claims.sub, "a refresh token was reused; its session is revoked");
                revocations.revoke(session, self.latest_expiry()).await.map_err(store_problem)?;
                Err(refresh_failed("the refresh token was already used"))
            }
        }
    }
}

/// The refusal of a refresh token.
pub(in crate::auth) fn refresh_failed(detail: &str) -> Problem {
    Problem::new(Code::RefreshFailed, detail)
}
