//! [`Role`], and the registry of a service's roles.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::principal::Principal;

/// A role of a service, with the roles that it implies; for [`AccessOptions::role`](../struct.AccessOptions.html#method.role).
///
/// ```
/// use crud_runtime::access::Role;
/// # use crud_runtime::prelude::*;
/// # async fn build() -> crud_runtime::Result<()> {
/// // What staff may do, admins may do: `access(write(role("staff")))` admits both.
/// let service = Service::connect("sqlite::memory:").await?;
/// let service = service.access(|access| access.role(Role::new("admin").implies("staff")));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    name: String,
    implied: Vec<String>,
}

impl Role {
    /// A role with this name, which implies no other role.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), implied: Vec::new() }
    }

    /// Adds an implied role: principals of this role have the other one too, and the roles that the other one implies.
    #[must_use]
    pub fn implies(mut self, role: impl Into<String>) -> Self {
        self.implied.push(role.into());
        self
    }

    /// The name, such as `admin`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The registry of a service's roles.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// The roles that each role implies directly, as the program states them.
    stated: BTreeMap<String, BTreeSet<String>>,
    /// Transitive closure of the implications.
    implied: BTreeMap<String, BTreeSet<String>>,
}

impl Roles {
    /// Adds a role. A role that is there already keeps its implications too.
    pub fn add(&mut self, role: Role) {
        let Role { name, implied } = role;
        for other in &implied {
            self.stated.entry(other.clone()).or_default();
        }
        self.stated.entry(name).or_default().extend(implied);
        let reached = self.stated.keys().map(|name| (name.clone(), self.reached(name)));
        self.implied = reached.filter(|(_, roles)| !roles.is_empty()).collect();
    }

    /// The roles that a role leads to; itself too, where a cycle leads back to it.
    fn reached(&self, name: &str) -> BTreeSet<String> {
        let (mut found, mut open) = (BTreeSet::new(), vec![name.to_owned()]);
        while let Some(name) = open.pop() {
            let next = self.stated.get(&name).into_iter().flatten();
            let new: Vec<String> = next.filter(|other| !found.contains(*other)).cloned().collect();
            found.extend(new.iter().cloned());
            open.extend(new);
        }
        found
    }

    /// The roles of a cycle, in alphabetical order; empty without a cycle.
    pub fn cycle(&self) -> Vec<&str> {
        let is_in_cycle = |name: &str| self.implies(name, name);
        let Some(first) = self.stated.keys().find(|name| is_in_cycle(name)) else { return Vec::new() };
        let of_it = |name: &str| name == first || self.implies(first, name) && self.implies(name, first);
        self.stated.keys().map(String::as_str).filter(|name| of_it(name)).collect()
    }

    /// Whether the registry has a role.
    pub fn has(&self, name: &str) -> bool {
        self.stated.contains_key(name)
    }

    /// Whether a role implies another one.
    pub fn implies(&self, role: &str, other: &str) -> bool {
        self.implied.get(role).is_some_and(|implied| implied.contains(other))
    }

    /// The roles that imply others, each with all of its implied roles.
    pub fn implications(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.implied.iter().map(|(name, implied)| (name.as_str(), implied.iter().map(String::as_str).collect()))
    }

    /// A role, and each role that implies it.
    pub fn with_implying(&self, role: &str) -> Vec<String> {
        let implying = self.implied.keys().filter(|name| *name != role && self.implies(name, role)).cloned();
        std::iter::once(role.to_owned()).chain(implying).collect()
    }

    /// The principal with the roles that its own roles imply, within its limit.
    pub fn completed(&self, principal: Principal) -> Principal {
        let (principal, limit) = principal.within_permissions();
        if let Some(limit) = limit {
            let admitted = self.with_implied(limit);
            let mut roles = self.with_implied(principal.roles().to_vec());
            roles.retain(|role| admitted.contains(role));
            return principal.with_roles(roles);
        }
        if self.implied.is_empty() {
            return principal;
        }
        let roles = self.with_implied(principal.roles().to_vec());
        principal.with_roles(roles)
    }

    /// These roles, and those that they imply.
    fn with_implied(&self, mut roles: Vec<String>) -> Vec<String> {
        for index in 0..roles.len() {
            let Some(implied) = self.implied.get(&roles[index]) else { continue };
            let new: Vec<String> = implied.iter().filter(|role| !roles.contains(role)).cloned().collect();
            roles.extend(new);
        }
        roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(implications: &[(&str, &str)]) -> Roles {
        let mut roles = Roles::default();
        for (name, implied) in implications {
            roles.add(Role::new(*name).implies(*implied));
        }
        roles
    }

    #[test]
    fn implications_are_transitive() {
        let roles = roles(&[("owner", "admin"), ("admin", "staff"), ("fitter", "staff")]);
        let owner = roles.completed(Principal::new("1").with_roles(["owner", "other"]));
        assert_eq!(owner.roles(), ["owner", "other", "admin", "staff"]);
        assert!(!roles.completed(Principal::new("1").with_roles(["staff"])).has_role("admin"));
        assert_eq!(roles.with_implying("staff"), ["staff", "admin", "fitter", "owner"]);
        assert!(roles.cycle().is_empty() && roles.has("staff") && !roles.has("other"));
    }

    #[test]
    fn limit_leaves_the_roles_and_permissions_that_the_principal_has() {
        let roles = roles(&[("admin", "staff"), ("staff", "reader")]);
        let user = |own: &[&str]| Principal::new("1").with_roles(own.to_vec()).with_permissions(["a", "b"]);
        let limited = |own: &[&str]| roles.completed(user(own).limited_to(["staff", "other"], ["b", "c"]));
        assert_eq!(limited(&["admin"]).roles(), ["reader", "staff"]);
        assert_eq!(limited(&["reader"]).roles(), ["reader"]);
        assert_eq!(limited(&["admin"]).permissions(), ["b"]);
        let unregistered = Roles::default().completed(user(&["admin", "staff"]).limited_to(["staff"], [""; 0]));
        assert_eq!((unregistered.roles(), unregistered.permissions()), (&["staff".to_owned()][..], &[][..]));
        assert_eq!(roles.completed(limited(&["admin"])), limited(&["admin"]));
    }

    #[test]
    fn cycle_is_found_whatever_leads_to_it() {
        assert_eq!(roles(&[("a", "b"), ("b", "c"), ("c", "b")]).cycle(), ["b", "c"]);
        assert_eq!(roles(&[("a", "a")]).cycle(), ["a"]);
    }
}
