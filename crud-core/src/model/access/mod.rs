//! [`Access`] rules: who may do what with a resource.

mod enforcement;
mod roles;
mod rules;

use std::fmt;

#[doc(hidden)]
pub use self::enforcement::Enforcement;
pub use self::roles::Role;
#[doc(hidden)]
pub use self::roles::Roles;
#[doc(hidden)]
pub use self::rules::DEFAULT_ACCESS;
pub use self::rules::{AccessRules, StatedRule};
use super::principal::Principal;

/// A rule that admits a principal or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Every request, with or without a token.
    Public,
    /// Every request with a valid token.
    Authenticated,
    /// Principals with this role.
    Role(&'static str),
    /// Principals with this permission.
    Permission(&'static str),
    /// Requests that one of these rules admits.
    Any(&'static [Self]),
    /// Requests that each of these rules admits.
    All(&'static [Self]),
}

impl Access {
    /// Whether the rule admits a principal; `None` is a request without a token.
    pub fn admits(&self, principal: Option<&Principal>) -> bool {
        match self {
            Self::Public => true,
            Self::Authenticated => principal.is_some(),
            Self::Role(role) => principal.is_some_and(|principal| principal.has_role(role)),
            Self::Permission(permission) => principal.is_some_and(|principal| principal.has_permission(permission)),
            Self::Any(rules) => rules.iter().any(|rule| rule.admits(principal)),
            Self::All(rules) => rules.iter().all(|rule| rule.admits(principal)),
        }
    }
}

impl Access {
    /// Whether the rule admits every principal that another rule admits, as far as the rules alone tell.
    #[doc(hidden)]
    pub fn includes(&self, other: &Self) -> bool {
        self.includes_by(&Roles::default(), other)
    }

    /// Whether the rule admits every principal that another rule admits, as far as the rules and the roles of a service
    /// tell.
    #[doc(hidden)]
    pub fn includes_by(&self, roles: &Roles, other: &Self) -> bool {
        match (self, other) {
            (Self::Public, _) => true,
            (Self::Any(rules), other) if rules.iter().any(|rule| rule.includes_by(roles, other)) => true,
            (Self::All(rules), other) => rules.iter().all(|rule| rule.includes_by(roles, other)),
            (own, Self::Any(others)) => others.iter().all(|other| own.includes_by(roles, other)),
            (own, Self::All(others)) => others.iter().any(|other| own.includes_by(roles, other)),
            (Self::Authenticated, other) => *other != Self::Public,
            (Self::Role(own), Self::Role(other)) if roles.implies(other, own) => true,
            (own, other) => own == other,
        }
    }

    /// Whether a permission is a part of the rule.
    #[doc(hidden)]
    pub fn has_permission(&self) -> bool {
        match self {
            Self::Permission(_) => true,
            Self::Any(rules) | Self::All(rules) => rules.iter().any(Self::has_permission),
            Self::Public | Self::Authenticated | Self::Role(_) => false,
        }
    }
}

/// Written as in `access(…)`, such as `role("admin")`.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = |f: &mut fmt::Formatter<'_>, word: &str, rules: &[Self]| {
            let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
            write!(f, "{word}({})", rules.join(", "))
        };
        match self {
            Self::Public => f.write_str("public"),
            Self::Authenticated => f.write_str("authenticated"),
            Self::Role(role) => write!(f, "role({role:?})"),
            Self::Permission(permission) => write!(f, "permission({permission:?})"),
            Self::Any(rules) => several(f, "any", rules),
            Self::All(rules) => several(f, "all", rules),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(roles: &[&str], permissions: &[&str]) -> Principal {
        Principal::new("1").with_roles(roles.iter().copied()).with_permissions(permissions.iter().copied())
    }

    #[test]
    fn any_and_all_combine_rules() {
        const RULE: Access =
            Access::Any(&[Access::Role("admin"), Access::All(&[Access::Authenticated, Access::Permission("purge")])]);
        assert!(RULE.admits(Some(&principal(&["admin"], &[]))));
        assert!(RULE.admits(Some(&principal(&[], &["purge"]))));
        assert!(!RULE.admits(Some(&principal(&["purge"], &["admin"]))));
        assert!(!RULE.admits(None));
        assert!(Access::Public.admits(None) && !Access::Authenticated.admits(None));
    }

    #[test]
    fn rule_includes_the_narrower_ones() {
        use Access::{All, Any, Authenticated, Public, Role};
        let wide = [Public, Authenticated, Any(&[Role("a"), Role("b")]), Role("a"), All(&[Role("a"), Role("c")])];
        for (index, rule) in wide.iter().enumerate() {
            for (other, narrow) in wide.iter().enumerate() {
                assert_eq!(rule.includes(narrow), index <= other, "{rule:?} and {narrow:?}");
            }
        }
        assert!(!Role("a").includes(&Role("b")));
        let mut roles = Roles::default();
        roles.add(super::Role::new("b").implies("a"));
        assert!(Role("a").includes_by(&roles, &Role("b")) && !Role("b").includes_by(&roles, &Role("a")));
    }

    #[test]
    fn rule_is_written_as_its_attribute() {
        use Access::{All, Any, Authenticated, Permission, Public, Role};
        const RULE: Access = Any(&[Role("admin"), All(&[Authenticated, Permission("orders:purge")])]);
        assert_eq!(RULE.to_string(), r#"any(role("admin"), all(authenticated, permission("orders:purge")))"#);
        assert_eq!(Public.to_string(), "public");
    }
}
