//! The user of a person that an issuer has logged in.

use crud_runtime::auth::{User, UserStore};
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use serde_json::{Map, Value};

use super::access::IssuerAccess;
use super::identity::Identity;
use crate::accounts::address::normalised;
use crate::accounts::proved_address::ProvedAddress;

/// A person, as an issuer describes them.
pub(crate) struct Person<'p> {
    pub(crate) issuer: &'p str,
    pub(crate) claims: &'p Map<String, Value>,
    pub(crate) access: IssuerAccess,
    /// The roles of people who sign up.
    pub(crate) roles: &'p [String],
    /// The name of the claim with a user's tenant, in services without memberships.
    pub(crate) tenant_claim: Option<&'p str>,
}

impl Person<'_> {
    fn subject(&self) -> &str {
        self.claims.get("sub").and_then(Value::as_str).unwrap_or_default()
    }

    /// The person's address; `None` if the issuer has not verified it.
    fn address(&self) -> Option<String> {
        let is_verified = self.claims.get("email_verified") == Some(&Value::Bool(true));
        let address = self.claims.get("email").and_then(Value::as_str).filter(|_| is_verified)?;
        normalised(address).ok()
    }

    /// The user of the person: the one of earlier logins, one whose address both sides have verified, or a new one.
    pub(crate) async fn user(&self, tx: &mut Tx<'_>) -> Result<User> {
        let users = tx.users()?;
        if let Some(known) = Identity::user_of(tx, self.issuer, self.subject()).await? {
            let user = users.find_by_subject(&known).await?.filter(|user| !user.disabled);
            return user.ok_or_else(|| refused("the user is not there any more, or is disabled"));
        }
        let address = self.address().ok_or_else(|| refused("the issuer has not verified an address of the person"))?;
        let user = match users.find_by_username(&address).await? {
            None => self.create(tx, &address).await?,
            Some(user) if !user.disabled && ProvedAddress::is_of(tx, &user.subject, &address).await? => user,
            // The account's user has not proved the address: the person might get another person's account.
            Some(_) => return Err(refused("the address has an account that has not proved it")),
        };
        Identity::note(tx, self.issuer, self.subject(), &user.subject).await?;
        tracing::info!(user = user.subject, issuer = self.issuer, "a person of an issuer has a user");
        Ok(user)
    }

    async fn create(&self, tx: &mut Tx<'_>, address: &str) -> Result<User> {
        let users = tx.users()?;
        // An empty hash: no password logs the user in, until a reset sets one.
        let new = users.create_hashed(address, "").roles(self.roles.iter().cloned());
        let claim = self.tenant_claim.filter(|_| !users.has_memberships()).zip(self.access.tenant.as_ref());
        let new = claim.into_iter().fold(new, |new, (name, tenant)| new.claim(name, tenant.clone()));
        let user = new.await?;
        ProvedAddress::note(tx, &user.subject, address).await?;
        Ok(user)
    }

    /// Gives the user the roles and the tenant of the issuer's claims, or a membership.
    pub(crate) async fn grant(&self, tx: &mut Tx<'_>, user: &User) -> Result<()> {
        let users = tx.users()?;
        let mut roles = self.access.roles.clone();
        if let Some(tenant) = self.access.tenant.as_ref().filter(|_| users.has_memberships()) {
            return users.join(user, tenant, roles.unwrap_or_default()).await.map(drop);
        }
        let name = users.name_of(&user.subject).await?.unwrap_or_default();
        let claim = self.tenant_claim.zip(self.access.tenant.as_ref());
        if let Some((claim, tenant)) = claim.filter(|(claim, tenant)| user.claims.get(*claim) != Some(*tenant)) {
            let mut claims = user.claims.clone();
            // The roles are those of the tenant, so the user leaves another one without its roles there.
            if claims.insert(claim.to_owned(), tenant.clone()).is_some() {
                roles = roles.or_else(|| Some(self.roles.to_vec()));
            }
            users.set_claims(&name, claims).await?;
        }
        let Some(roles) = roles.filter(|roles| *roles != user.roles) else { return Ok(()) };
        users.set_roles(&name, roles).await.map(drop)
    }
}

/// The refusal of a person's login.
fn refused(why: &str) -> Error {
    Error::Problem(Problem::new(Code::PermissionDenied, why))
}
