//! [`AccessRules`]: the rule of each operation on a resource, and the words that state it.

use super::Access;
use crate::model::descriptor::Operation;
use crate::model::principal::Principal;

/// The access rule of each operation on a resource; they apply where the service has authentication.
///
/// A rule that an operation states is its own: a later rule of `delete` does not change it. Without one, restores, purges
/// and batches of deletes have the rule of deletes.
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
    /// Batches, which also need the access of the operation they repeat. Batches of deletes need that alone, unless
    /// batches state a rule.
    pub batch: Access,
    /// The history of a record.
    pub history: Access,
    stated: Names,
}

/// A set of the names that `access(…)` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Names(u16);

/// A rule of an operation, and what states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatedRule {
    pub(crate) access: Access,
    /// The operation, as `access(…)` names it.
    pub(crate) operation: &'static str,
    /// The name in `access(…)` that states it, such as `delete` or `write`; `None` where it is the default.
    pub(crate) name: Option<&'static str>,
}

/// A name in `access(…)`: an operation, or a group of them.
#[derive(Debug, Clone, Copy)]
enum Name {
    List,
    Get,
    Create,
    Update,
    Delete,
    Restore,
    Purge,
    Batch,
    History,
    Read,
    Write,
    All,
}

impl Names {
    const NONE: Self = Self(0);
    const READ: Self = Self::NONE.with(Name::List).with(Name::Get).with(Name::History);
    const WRITE: Self = Self::NONE
        .with(Name::Create)
        .with(Name::Update)
        .with(Name::Delete)
        .with(Name::Restore)
        .with(Name::Purge)
        .with(Name::Batch);

    const fn with(self, name: Name) -> Self {
        Self(self.0 | 1 << name as u16)
    }

    const fn without(self, names: Self) -> Self {
        Self(self.0 & !names.0)
    }

    const fn has(self, name: Name) -> bool {
        self.0 & (1 << name as u16) != 0
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident: $name:ident)+) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $operation(self, access: Access) -> Self {
            Self { $operation: access, stated: self.stated.with(Name::$name), ..self }
        }
    )+ };
}

impl AccessRules {
    /// Every operation needs a valid token.
    pub const AUTHENTICATED: Self = Self::everything(Access::Authenticated);

    /// The rules of a resource that states none: every operation needs a valid token where the service has authentication,
    /// and nothing where it has none.
    pub const UNSTATED: Self = Self { stated: Names::NONE, ..Self::AUTHENTICATED };

    /// One rule for every operation.
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
            stated: Names::NONE.with(Name::All),
        }
    }

    operations! {
        /// Sets the rule of lists.
        list: List
        /// Sets the rule of reads of one record.
        get: Get
        /// Sets the rule of creates.
        create: Create
        /// Sets the rule of updates.
        update: Update
        /// Sets the rule of restores and of reads of deleted records.
        restore: Restore
        /// Sets the rule of purges.
        purge: Purge
        /// Sets the rule of batches; the rule of the operation they repeat applies too.
        batch: Batch
        /// Sets the rule of a record's history.
        history: History
    }

    /// Sets the rule of deletes, and of the restores, purges and batches of deletes that state none of their own.
    #[must_use]
    pub const fn delete(self, access: Access) -> Self {
        Self {
            delete: access,
            restore: if self.stated.has(Name::Restore) { self.restore } else { access },
            purge: if self.stated.has(Name::Purge) { self.purge } else { access },
            stated: self.stated.with(Name::Delete),
            ..self
        }
    }

    /// Sets the rule of what reads: lists, single records and their history.
    #[must_use]
    pub const fn read(self, access: Access) -> Self {
        let stated = self.stated.without(Names::READ).with(Name::Read);
        Self { list: access, get: access, history: access, stated, ..self }
    }

    /// Sets the rule of what writes: creates, updates, deletes, restores, purges and batches.
    #[must_use]
    pub const fn write(self, access: Access) -> Self {
        let stated = self.stated.without(Names::WRITE).with(Name::Write);
        Self {
            create: access,
            update: access,
            delete: access,
            restore: access,
            purge: access,
            batch: access,
            stated,
            ..self
        }
    }

    /// Whether the resource states a rule: then those that it leaves out are closed too, whatever the service.
    pub(crate) const fn is_stated(&self) -> bool {
        self.stated.0 != 0
    }

    /// The rules that an operation needs: one, or two for a batch.
    pub fn required(&self, operation: Operation) -> impl Iterator<Item = Access> {
        self.named(operation).map(|(access, _)| access)
    }

    /// The rules that an operation needs, with the names that state them.
    pub(crate) fn stated(&self, operation: Operation) -> impl Iterator<Item = StatedRule> {
        self.named(operation).map(|(access, operation)| {
            let name = self.name(operation);
            StatedRule { access, operation: operation.text(), name }
        })
    }

    fn named(&self, operation: Operation) -> impl Iterator<Item = (Access, Name)> + use<> {
        let batch = (self.batch, Name::Batch);
        let (first, second) = match operation {
            Operation::List => ((self.list, Name::List), None),
            Operation::Get => ((self.get, Name::Get), None),
            Operation::Create => ((self.create, Name::Create), None),
            Operation::Update => ((self.update, Name::Update), None),
            Operation::Restore | Operation::RestoreMany => ((self.restore, Name::Restore), None),
            Operation::Purge | Operation::PurgeMany => ((self.purge, Name::Purge), None),
            Operation::BatchCreate => (batch, Some((self.create, Name::Create))),
            Operation::BatchUpdate => (batch, Some((self.update, Name::Update))),
            Operation::BatchDelete if self.stated.has(Name::Batch) => (batch, Some((self.delete, Name::Delete))),
            Operation::Delete | Operation::BatchDelete => ((self.delete, Name::Delete), None),
            Operation::History => ((self.history, Name::History), None),
        };
        std::iter::once(first).chain(second)
    }

    /// The name that states the rule of an operation: its own, that of deletes for what they are followed by, that of its
    /// group, or `all`.
    const fn name(&self, operation: Name) -> Option<&'static str> {
        let follows_deletes = matches!(operation, Name::Restore | Name::Purge);
        let (group, group_name) =
            if Names::READ.has(operation) { (Name::Read, "read") } else { (Name::Write, "write") };
        if self.stated.has(operation) {
            Some(operation.text())
        } else if follows_deletes && self.stated.has(Name::Delete) {
            Some(Name::Delete.text())
        } else if self.stated.has(group) {
            Some(group_name)
        } else if self.stated.has(Name::All) {
            Some("all")
        } else {
            None
        }
    }

    /// Whether the rules admit a principal to an operation; `None` is a request without a token.
    pub fn admit(&self, operation: Operation, principal: Option<&Principal>) -> bool {
        self.required(operation).all(|access| access.admits(principal))
    }
}

impl Name {
    const fn text(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Get => "get",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Restore => "restore",
            Self::Purge => "purge",
            Self::Batch => "batch",
            Self::History => "history",
            Self::Read => "read",
            Self::Write => "write",
            Self::All => "all",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_needs_the_access_of_the_operation_it_repeats() {
        let rules = AccessRules::everything(Access::Public);
        let rules = rules.delete(Access::Role("admin"));
        assert!(rules.admit(Operation::BatchCreate, None) && !rules.admit(Operation::BatchDelete, None));
        let rules = AccessRules::everything(Access::Public).batch(Access::Authenticated);
        assert!(rules.admit(Operation::Create, None) && !rules.admit(Operation::BatchCreate, None));
    }

    #[test]
    fn restores_and_purges_have_the_rule_of_deletes_unless_they_state_their_own() {
        let rules = AccessRules::UNSTATED.write(Access::Public).delete(Access::Role("admin"));
        assert_eq!((rules.restore, rules.purge), (Access::Role("admin"), Access::Role("admin")));
        let rules = AccessRules::UNSTATED.purge(Access::Role("auditor")).delete(Access::Role("admin"));
        assert_eq!((rules.restore, rules.purge), (Access::Role("admin"), Access::Role("auditor")));
        let rules = rules.write(Access::Authenticated);
        assert_eq!(rules.purge, Access::Authenticated, "a later rule of the group is for each of its operations");
    }

    #[test]
    fn batches_of_deletes_have_the_rule_of_deletes_unless_batches_state_their_own() {
        let required = |rules: AccessRules| rules.required(Operation::BatchDelete).collect::<Vec<_>>();
        let rules = AccessRules::UNSTATED.write(Access::Role("editor")).delete(Access::Role("admin"));
        assert_eq!(required(rules), [Access::Role("admin")]);
        assert_eq!(required(rules.batch(Access::Role("bulk"))), [Access::Role("bulk"), Access::Role("admin")]);
    }

    #[test]
    fn rule_is_stated_by_its_operation_then_deletes_then_its_group() {
        let name = |rules: AccessRules, operation| rules.stated(operation).map(|rule| rule.name).next().flatten();
        let rules = AccessRules::UNSTATED.write(Access::Authenticated);
        assert_eq!(name(rules, Operation::Purge), Some("write"));
        assert_eq!(name(rules.delete(Access::Authenticated), Operation::Purge), Some("delete"));
        assert_eq!(name(rules.purge(Access::Authenticated), Operation::Purge), Some("purge"));
        assert_eq!((name(rules, Operation::List), rules.is_stated()), (None, true));
        assert_eq!(name(AccessRules::AUTHENTICATED, Operation::List), Some("all"));
        assert!(!AccessRules::UNSTATED.is_stated());
    }
}
