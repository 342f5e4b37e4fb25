//! [`Access`] rules: who may do what with a resource.

use super::descriptor::Operation;
use super::principal::Principal;

/// A rule that admits a principal or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Whether it admits every principal that another rule admits, as far as the rules alone tell.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Public, _) => true,
            (Self::Any(rules), other) if rules.iter().any(|rule| rule.includes(other)) => true,
            (Self::All(rules), other) => rules.iter().all(|rule| rule.includes(other)),
            (own, Self::Any(others)) => others.iter().all(|other| own.includes(other)),
            (own, Self::All(others)) => others.iter().any(|other| own.includes(other)),
            (Self::Authenticated, other) => *other != Self::Public,
            (own, other) => own == other,
        }
    }
}

/// The access rule of each operation on a resource; they apply where the service has authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessRules {
    /// Lists.
    pub list: Access,
    /// Reads of one record.
    pub get: Access,
    /// Creates.
    pub create: Access,
    /// Updates.
    pub update: Access,
    /// Deletes.
    pub delete: Access,
    /// Restores, and reads of deleted records.
    pub restore: Access,
    /// Purges.
    pub purge: Access,
    /// Batches, which also need the access of the operation they repeat.
    pub batch: Access,
    /// The history of a record.
    pub history: Access,
}

macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident)+) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $operation(self, access: Access) -> Self {
            Self { $operation: access, ..self }
        }
    )+ };
}

impl AccessRules {
    /// Every operation needs a valid token.
    pub const AUTHENTICATED: Self = Self::everything(Access::Authenticated);

    /// The same rule for every operation.
    pub const fn everything(access: Access) -> Self {
        Self {
            list: access,
            get: access,
            create: access,
            update: access,
            delete: access,
            restore: access,
            purge: access,
            batch: access,
            history: access,
        }
    }

    operations! {
        /// Sets the rule of lists.
        list
        /// Sets the rule of reads of one record.
        get
        /// Sets the rule of creates.
        create
        /// Sets the rule of updates.
        update
        /// Sets the rule of deletes.
        delete
        /// Sets the rule of restores and of reads of deleted records.
        restore
        /// Sets the rule of purges.
        purge
        /// Sets the rule of batches; the rule of the operation they repeat applies too.
        batch
        /// Sets the rule of a record's history.
        history
    }

    /// Sets the rule of what reads: lists, single records and their history.
    #[must_use]
    pub const fn read(self, access: Access) -> Self {
        Self { list: access, get: access, history: access, ..self }
    }

    /// Sets the rule of what writes: creates, updates, deletes, restores, purges and batches.
    #[must_use]
    pub const fn write(self, access: Access) -> Self {
        Self { create: access, update: access, delete: access, restore: access, purge: access, batch: access, ..self }
    }

    /// The rules that an operation needs: one, or two for a batch.
    pub fn required(&self, operation: Operation) -> impl Iterator<Item = Access> {
        let (first, second) = match operation {
            Operation::List => (self.list, None),
            Operation::Get => (self.get, None),
            Operation::Create => (self.create, None),
            Operation::Update => (self.update, None),
            Operation::Delete => (self.delete, None),
            Operation::Restore | Operation::RestoreMany => (self.restore, None),
            Operation::Purge | Operation::PurgeMany => (self.purge, None),
            Operation::BatchCreate => (self.batch, Some(self.create)),
            Operation::BatchUpdate => (self.batch, Some(self.update)),
            Operation::BatchDelete => (self.batch, Some(self.delete)),
            Operation::History => (self.history, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Whether the rules admit a principal to an operation; `None` is a request without a token.
    pub fn admit(&self, operation: Operation, principal: Option<&Principal>) -> bool {
        self.required(operation).all(|access| access.admits(principal))
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
    }

    #[test]
    fn a_batch_needs_the_access_of_the_operation_it_repeats() {
        let rules = AccessRules::everything(Access::Public);
        let rules = rules.delete(Access::Role("admin"));
        assert!(rules.admit(Operation::BatchCreate, None) && !rules.admit(Operation::BatchDelete, None));
        let rules = AccessRules::everything(Access::Public).batch(Access::Authenticated);
        assert!(rules.admit(Operation::Create, None) && !rules.admit(Operation::BatchCreate, None));
    }
}
