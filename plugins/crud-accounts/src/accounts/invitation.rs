//! [`Invitation`]: the table of invited people.

use crud_runtime::Result;
use crud_runtime::auth::{UserStore, Users};
use crud_runtime::prelude::*;
use serde_json::Value;

use super::mail::letter::Letter;

/// An invitation, in the table `accounts_invitation`: one for each address and tenant.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_invitation", internal, unique(address, tenant_key))]
pub(crate) struct Invitation {
    pub(crate) id: i64,
    #[crud(length(max = 254))]
    pub(crate) address: String,
    /// The tenant as a text; empty for none.
    #[crud(length(max = 100))]
    pub(crate) tenant_key: String,
    /// The tenant that the person becomes a member of.
    pub(crate) tenant: Option<Value>,
    pub(crate) roles: Vec<String>,
    /// The `sub` of the user who invites.
    #[crud(length(max = 40))]
    pub(crate) invited_by: String,
    /// The name of that user, for people.
    #[crud(length(max = 255))]
    pub(crate) inviter: String,
    #[crud(index)]
    pub(crate) expires_at: DateTime<Utc>,
    #[crud(created_at)]
    pub(crate) created_at: DateTime<Utc>,
}

impl Invitation {
    /// The invitation that a token is for; `None` if it was removed or has expired.
    pub(crate) async fn find(app: &App, id: &str) -> Result<Option<Self>> {
        let Ok(id) = id.parse::<i64>() else { return Ok(None) };
        let found = app.store::<Self>().find(id).await?;
        Ok(found.filter(|invitation| invitation.expires_at > app.now()))
    }

    /// A new invitation for an address.
    pub(crate) fn of(app: &App, address: String, roles: Vec<String>, by: Inviter) -> NewInvitation {
        NewInvitation {
            address,
            tenant_key: key_of(by.tenant.as_ref()),
            tenant: by.tenant,
            roles,
            invited_by: by.subject,
            inviter: by.name,
            expires_at: app.now() + Letter::Invitation.lifetime(),
        }
    }

    /// Removes expired invitations.
    pub(crate) async fn sweep(app: &App) -> Result<u64> {
        app.store::<Self>().delete_where(Self::FIELDS.expires_at.lte(app.now())).await
    }
}

/// The user who invites.
pub(crate) struct Inviter {
    pub(crate) subject: String,
    pub(crate) name: String,
    pub(crate) tenant: Option<Value>,
}

/// The tenant as a text, for comparison; empty for none.
pub(crate) fn key_of(tenant: Option<&Value>) -> String {
    tenant.filter(|tenant| !tenant.is_null()).map_or_else(String::new, Value::to_string)
}

/// The current roles of an inviter: those of the membership in the tenant or, without memberships, those of the user.
/// Empty if the user is not in the tenant.
pub(crate) async fn roles_of_inviter(
    users: &Users,
    tenant_claim: Option<&str>,
    subject: &str,
    tenant: Option<&Value>,
) -> Result<Vec<String>> {
    if users.has_memberships() {
        return Ok(users.current_roles(subject, tenant).await?.unwrap_or_default());
    }
    let Some(user) = users.find_by_subject(subject).await? else { return Ok(Vec::new()) };
    let claimed = tenant_claim.and_then(|claim| user.claims.get(claim));
    if claimed != tenant {
        return Ok(Vec::new());
    }
    Ok(users.current_roles(subject, None).await?.unwrap_or_default())
}
