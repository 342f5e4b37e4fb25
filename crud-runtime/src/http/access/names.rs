//! [`AccessName`]: the names of roles and permissions in a service's rules, and where each stands.

use std::collections::BTreeMap;

use crud_shared::spelling;

use crate::http::routing::rule::RouteRule;
use crate::model::access::{Access, AccessRules, DEFAULT_ACCESS};
use crate::model::descriptor::{Descriptor, Operation};

/// The minimum length of a name that is compared with others: shorter names may differ by one letter on purpose.
const SHORTEST: usize = 4;

/// The kind of an [`AccessName`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NameKind {
    /// A role: `role("admin")`.
    Role,
    /// A permission: `permission("orders:purge")`.
    Permission,
}

/// The name of a role or a permission, and the rules that use it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessName {
    /// Kind of the name: a role or a permission.
    pub kind: NameKind,
    /// The name, such as `admin`.
    pub name: String,
    /// Places that use the name, such as `Book: delete`.
    pub places: Vec<String>,
}

/// The names of a service, while they are collected.
#[derive(Debug, Default)]
pub(crate) struct AccessNames(BTreeMap<(NameKind, String), Vec<String>>);

impl AccessNames {
    pub(crate) fn add_role(&mut self, role: &str, place: &str) {
        self.add_name(NameKind::Role, role, place);
    }

    fn add_name(&mut self, kind: NameKind, name: &str, place: &str) {
        let places = self.0.entry((kind, name.to_owned())).or_default();
        if !places.iter().any(|known| known == place) {
            places.push(place.to_owned());
        }
    }

    fn add(&mut self, access: Access, place: &str) {
        match access {
            Access::Public | Access::Authenticated => {}
            Access::Role(name) => self.add_name(NameKind::Role, name, place),
            Access::Permission(name) => self.add_name(NameKind::Permission, name, place),
            Access::Any(rules) | Access::All(rules) => rules.iter().for_each(|rule| self.add(*rule, place)),
        }
    }

    /// Adds the names in the default rules, for operations for which a resource states none.
    pub(crate) fn add_default(&mut self, rules: &AccessRules) {
        for access in Operation::ALL.into_iter().flat_map(|operation| rules.required(operation)) {
            self.add(access, DEFAULT_ACCESS);
        }
    }

    pub(crate) fn add_resource(&mut self, resource: &Descriptor) {
        let name = resource.name;
        for rule in Operation::ALL.into_iter().flat_map(|operation| resource.access.stated(operation)) {
            if let Some(stated) = rule.name {
                self.add(rule.access, &format!("{name}: {stated}"));
            }
        }
        let field = |column: usize| format!("{name}.{}", resource.columns[column].name);
        for (scopes, word) in [(resource.scopes, "scope"), (resource.write_scopes, "scope(write)")] {
            for access in scopes.iter().flat_map(|scope| std::iter::once(scope.access).chain(scope.except)) {
                self.add(access, &format!("{name}: {word}"));
            }
        }
        if let Some(owner) = resource.owner {
            let rules = [("except", owner.except), ("assign", owner.assign)];
            for (word, access) in rules.into_iter().filter_map(|(word, access)| Some((word, access?))) {
                self.add(access, &format!("{}: owner({word})", field(owner.column)));
            }
        }
        if let Some((column, access)) = resource.tenant.and_then(|tenant| Some((tenant.column, tenant.except?))) {
            self.add(access, &format!("{}: tenant(except)", field(column)));
        }
        let visible = resource.columns.iter().enumerate().filter_map(|(index, column)| Some((index, column.visible?)));
        for (column, access) in visible {
            self.add(access, &format!("{}: visible", field(column)));
        }
        for (_, transition) in resource.transitions() {
            if let Some(access) = transition.access {
                self.add(access, &format!("{name}: transition {}", transition.name));
            }
        }
    }

    /// Adds the names in the rule of a route, which stands at a place.
    pub(crate) fn add_rule(&mut self, rule: &RouteRule, place: &str) {
        if let Some(access) = rule.access() {
            self.add(access, place);
        } else if let Some(role) = rule.run_time_role() {
            self.add_role(role, place);
        }
    }

    /// The names in alphabetical order, roles first.
    pub(crate) fn finish(self) -> Vec<AccessName> {
        self.0.into_iter().map(|((kind, name), places)| AccessName { kind, name, places }).collect()
    }
}

/// The probable misspellings: names in one place alone that are one slip from another name, each with that name. Names
/// that differ only in digits, such as `tier1` and `tier2`, are not reported.
pub(crate) fn misspelt(names: &[AccessName]) -> Vec<(&AccessName, &AccessName)> {
    let near = |name: &AccessName| {
        names.iter().find(|other| {
            // If two names stand in one place each, the first is reported.
            let is_reported = other.places.len() == 1 && other.name < name.name;
            other.kind == name.kind
                && !is_reported
                && spelling::is_slip(&name.name, &other.name)
                && without_digits(&name.name) != without_digits(&other.name)
        })
    };
    let single = names.iter().filter(|name| name.places.len() == 1 && name.name.chars().count() >= SHORTEST);
    single.filter_map(|name| Some((name, near(name)?))).collect()
}

fn without_digits(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_digits_alone_are_meant() {
        let pairs = |roles: &[&str]| {
            let mut names = AccessNames::default();
            for role in roles {
                names.add_role(role, role);
            }
            misspelt(&names.finish()).len()
        };
        assert_eq!(pairs(&["tier1", "tier2", "tier3"]), 0);
        assert_eq!(pairs(&["editor", "editro"]), 1);
    }
}
