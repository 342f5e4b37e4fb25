//! Memberships of users, which the program and its plugins read and make.

use serde_json::Value as Json;

use crate::auth::memberships::Membership;
use crate::auth::{User, UserStore, Users};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::query::ListQuery;
use crate::storage::error::{Error, Result};
use crate::store::writer::no_sink::NoSink;

impl Users {
    /// Whether a resource of the service holds the memberships of users.
    pub const fn has_memberships(&self) -> bool {
        self.memberships.is_some()
    }

    /// The memberships of a user, in the order of their keys; none where no resource has
    /// [`tenant(members(…))`](crate::Resource).
    ///
    /// # Errors
    /// When the database fails.
    pub async fn memberships(&self, user: &User) -> Result<Vec<Membership>> {
        match &self.memberships {
            Some((memberships, _)) => Ok(memberships.of(&user.subject).await?),
            None => Ok(Vec::new()),
        }
    }

    /// The roles that the user of tokens with this `sub` has now: its own, those of its membership of a tenant, and what these
    /// imply. `None` for a user that is unknown or disabled, or no member of the tenant.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn current_roles(&self, subject: &str, tenant: Option<&Json>) -> Result<Option<Vec<String>>> {
        let Some(user) = self.find_by_subject(subject).await?.filter(|user| !user.disabled) else { return Ok(None) };
        let mut roles = user.roles.clone();
        if let Some(tenant) = tenant {
            let Some((memberships, _)) = &self.memberships else { return Ok(None) };
            let Some(membership) = memberships.find(subject, tenant).await? else { return Ok(None) };
            roles.extend(membership.roles.into_iter().filter(|role| !self.beyond_tenants.contains(role)));
        }
        Ok(Some(self.roles.completed(Principal::new(subject).with_roles(roles)).roles().to_vec()))
    }

    /// The roles that a user has in any of its tenants or in none, and what these imply.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn roles_anywhere(&self, user: &User) -> Result<Vec<String>> {
        let of_tenants = self.memberships(user).await?.into_iter().flat_map(|membership| membership.roles);
        let mut roles: Vec<String> = user.roles.iter().cloned().chain(of_tenants).collect();
        roles.sort_unstable();
        roles.dedup();
        Ok(self.roles.completed(Principal::new(user.subject.as_str()).with_roles(roles)).roles().to_vec())
    }

    /// Makes a user a member of a tenant, with these roles there: a record of the resource of memberships, whose hooks
    /// and audit log see it. Returns false where the user is a member already: its roles stay.
    ///
    /// # Errors
    /// `conflict` where another record prevents the membership: of a user who may be in one tenant alone, for example;
    /// `validation_failed` for roles that the resource does not take, and where the resource has a further field that
    /// needs a value; `internal` where the service has no memberships.
    pub async fn join<T: Into<String>>(
        &self,
        user: &User,
        tenant: &Json,
        roles: impl IntoIterator<Item = T>,
    ) -> Result<bool> {
        let roles = roles.into_iter().map(Into::into).collect();
        let missing = || Problem::internal("no resource of the service is its memberships: `tenant(members(…))`");
        let (memberships, app) = self.memberships.as_ref().ok_or_else(missing)?;
        let (tenant, changes) = memberships.new_member(&user.subject, tenant, roles)?;
        let store = app.untyped_store(memberships.resource(), &tenant, self.transaction.clone());
        match store.create(changes, &mut NoSink).await {
            Ok(()) => Ok(true),
            Err(problem) if problem.code() == Code::Conflict => {
                let Some(own) = memberships.of_user(&user.subject) else { return Err(Error::Problem(problem)) };
                let own = ListQuery::all(memberships.resource()).filter(own);
                if store.count(&own, Some(1)).await? > 0 { Ok(false) } else { Err(Error::Problem(problem)) }
            }
            Err(problem) => Err(Error::Problem(problem)),
        }
    }
}
