//! Who may do what: the rules of a resource, as its attributes say them.

use super::descriptor::Operation;
use super::principal::Principal;

/// Who may do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Public,
    /// Whoever is signed in.
    Authenticated,
    /// Whoever has this role.
    Role(&'static str),
    /// Whoever has this permission.
    Permission(&'static str),
    /// Whoever satisfies one of these.
    Any(&'static [Self]),
    /// Whoever satisfies each of these.
    All(&'static [Self]),
}

impl Access {
    /// Whether somebody may, or, without a principal, whether a stranger may.
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

/// Who may do each operation on a resource, where the service has authentication.
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
    /// Restores, and the sight of deleted records.
    pub restore: Access,
    /// Purges.
    pub purge: Access,
    /// Batches, which need the access of what they do besides.
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
    /// Everything is for whoever is signed in.
    pub const AUTHENTICATED: Self = Self::everything(Access::Authenticated);

    /// Everything is for the same.
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
        /// Lists are for these.
        list
        /// Reads of one record are for these.
        get
        /// Creates are for these.
        create
        /// Updates are for these.
        update
        /// Deletes are for these.
        delete
        /// Restores, and the sight of deleted records, are for these.
        restore
        /// Purges are for these.
        purge
        /// Batches are for these, as far as they may do what the batch does.
        batch
        /// The history of a record is for these.
        history
    }

    /// What reads is for these: lists, single records and their history.
    #[must_use]
    pub const fn read(self, access: Access) -> Self {
        Self { list: access, get: access, history: access, ..self }
    }

    /// What writes is for these: creates, updates, deletes, restores, purges and batches.
    #[must_use]
    pub const fn write(self, access: Access) -> Self {
        Self { create: access, update: access, delete: access, restore: access, purge: access, batch: access, ..self }
    }

    /// What an operation asks; a batch asks two things.
    pub fn of(&self, operation: Operation) -> impl Iterator<Item = Access> {
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

    /// Whether somebody, or without a principal a stranger, may do the operation.
    pub fn admit(&self, operation: Operation, principal: Option<&Principal>) -> bool {
        self.of(operation).all(|access| access.admits(principal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(roles: &[&str], permissions: &[&str]) -> Principal {
        Principal::new("1").with_roles(roles.iter().copied()).with_permissions(permissions.iter().copied())
    }

    #[test]
    fn rules_combine() {
        const RULE: Access =
            Access::Any(&[Access::Role("admin"), Access::All(&[Access::Authenticated, Access::Permission("purge")])]);
        assert!(RULE.admits(Some(&principal(&["admin"], &[]))));
        assert!(RULE.admits(Some(&principal(&[], &["purge"]))));
        assert!(!RULE.admits(Some(&principal(&["purge"], &["admin"]))));
        assert!(!RULE.admits(None));
        assert!(Access::Public.admits(None) && !Access::Authenticated.admits(None));
    }

    #[test]
    fn a_batch_needs_the_access_of_what_it_does() {
        let rules = AccessRules::everything(Access::Public);
        let rules = rules.delete(Access::Role("admin"));
        assert!(rules.admit(Operation::BatchCreate, None) && !rules.admit(Operation::BatchDelete, None));
        let rules = AccessRules::everything(Access::Public).batch(Access::Authenticated);
        assert!(rules.admit(Operation::Create, None) && !rules.admit(Operation::BatchCreate, None));
    }
}
