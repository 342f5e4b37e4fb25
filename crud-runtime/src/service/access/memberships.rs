//! The memberships of users in tenants, which a resource holds.

use std::sync::Arc;

use crate::auth::memberships::Memberships;
use crate::model::access::Access;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::Kind;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::store::writer::kept_role::KeptRole;

impl Service {
    /// The resources whose records are memberships.
    pub(in crate::service) fn member_resources(&self) -> impl Iterator<Item = &'static Descriptor> + '_ {
        let resources = self.resources.iter().map(|options| options.descriptor);
        resources.filter(|resource| Memberships::fields(resource).is_some())
    }

    /// The memberships, if a resource holds them: the same value for each state of the service.
    pub(in crate::service) fn memberships(&self) -> Option<Arc<Memberships>> {
        if let Some(memberships) = self.memberships.get() {
            return Some(memberships.clone());
        }
        let resource = self.member_resources().next()?;
        let memberships = Memberships::new(resource, self.adapter.clone(), self.watched.clone())?;
        Some(self.memberships.get_or_init(|| Arc::new(memberships)).clone())
    }

    /// The column of the tenants that requests may name: the service has authentication, and users belong to several.
    pub(in crate::service) fn tenant_of_requests(&self) -> Option<&'static ColumnDescriptor> {
        self.memberships().filter(|_| self.is_authenticated()).map(|memberships| memberships.column())
    }

    /// The roles that reach beyond one tenant, each with those that imply it: of `tenant(except(…))`, and of the metrics.
    pub(in crate::service) fn roles_beyond_tenants(&self) -> Vec<String> {
        let tenants = self.resources.iter().filter_map(|options| options.descriptor.tenant);
        let mut names: Vec<String> = Vec::new();
        tenants.filter_map(|tenant| tenant.except).for_each(|rule| add_roles(rule, &mut names));
        #[cfg(feature = "metrics")]
        names.extend(self.access.metrics_role.as_ref().map(ToString::to_string));
        names.iter().flat_map(|name| self.access.roles.with_implying(name)).collect()
    }

    /// Checks that at most one resource holds memberships, that a member can have the role that `keep` names, and that
    /// tokens can name the tenant of a membership.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(in crate::service) fn check_memberships(&self) -> Result<()> {
        let mut resources = self.member_resources();
        let Some(resource) = resources.next() else { return Ok(()) };
        if let Some(other) = resources.next() {
            return Err(Error::Setup(format!(
                "{} and {} have `tenant(members(…))`: the members of tenants are in one resource",
                resource.name, other.name
            )));
        }
        if let Some(kept) = KeptRole::of(resource) {
            let role = &resource.columns[kept.column()];
            if matches!(role.kind, Kind::Enum(texts) if !texts.contains(&kept.name())) {
                return Err(Error::Setup(format!(
                    "{}.{} is never `{}`, which `keep` names: expected one of the values of the field",
                    resource.name,
                    role.name,
                    kept.name()
                )));
            }
        }
        #[cfg(feature = "auth")]
        if self.auth.as_ref().is_some_and(|auth| auth.issues_tokens() && auth.tenant_claim.is_none()) {
            return Err(Error::Setup(format!(
                "{} has `tenant(members(…))`, and tokens name no tenant: add `AuthBuilder::tenant_claim`",
                resource.name
            )));
        }
        Ok(())
    }
}

/// Adds the names of the roles in a rule.
fn add_roles(rule: Access, names: &mut Vec<String>) {
    match rule {
        Access::Public | Access::Authenticated | Access::Permission(_) => {}
        Access::Role(name) => names.push(name.to_owned()),
        Access::Any(rules) | Access::All(rules) => rules.iter().for_each(|rule| add_roles(*rule, names)),
    }
}
