//! [`ManagerRule`]: which users manage the others over HTTP.

use crate::auth::User;
use crate::auth::users::table::AuthUser;
use crate::model::problem::{Code, Problem};

/// The rule of which users manage the others over HTTP: enabled ones with a role, which belong to no tenant.
///
/// The routes admit callers by this rule, and the check for a last manager counts by it, so that it counts no user whom
/// the routes refuse.
#[derive(Debug)]
pub(crate) struct ManagerRule {
    pub(crate) role: String,
    /// The role, and those that imply it.
    pub(crate) roles: Vec<String>,
    /// The claim that names a user's tenant.
    pub(crate) tenant_claim: Option<String>,
}

impl ManagerRule {
    /// Whether a user manages the others.
    pub(in crate::auth) fn admits(&self, user: &User) -> bool {
        let has_tenant = self.tenant_claim.as_deref().is_some_and(|claim| user.claims.contains_key(claim));
        !user.disabled && !has_tenant && user.roles.iter().any(|role| self.roles.contains(role))
    }

    /// Whether the user of a row manages the others.
    pub(in crate::auth) fn admits_row(&self, row: AuthUser) -> bool {
        self.admits(&row.into())
    }

    /// The refusal to change the last user who manages the others.
    pub(in crate::auth) fn last(&self) -> Problem {
        let role = &self.role;
        let advice = "give it to another user first";
        let detail = match &self.tenant_claim {
            None => format!("this is the last enabled user with the role `{role}`: {advice}"),
            Some(claim) => {
                format!(
                    "this is the last enabled user with the role `{role}` and without the claim `{claim}`: {advice}"
                )
            }
        };
        Problem::new(Code::Conflict, detail)
    }
}
