//! [`AccessRules`]: the rule of each operation on a resource, and the words that state it.

use super::Access;
use crate::model::descriptor::Operation;
use crate::model::principal::Principal;

/// A set of the names that `access(…)` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Names(u16);

/// The name of a rule that is the service's default.
#[doc(hidden)]
pub const DEFAULT_ACCESS: &str = "default_access";

/// The rule of an operation, and the name that states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedRule {
    /// The rule.
    pub access: Access,
    /// The operation, as `access(…)` names it.
    pub operation: &'static str,
    /// The name in `access(…)` that states it, such as `delete` or `write`; `None` where it is the default.
    pub name: Option<&'static str>,
}

impl Names {
    const NONE: Self = Self(0);
    const fn with(self, name: Name) -> Self {
        Self(self.0 | 1 << name as u16)
    }

    const fn without(self, name: Name) -> Self {
        Self(self.0 & !(1 << name as u16))
    }

    const fn has(self, name: Name) -> bool {
        self.0 & (1 << name as u16) != 0
    }
}

/// A row for each word of `crud_shared::operation`: its group, its name, its operations, and a phrase for them.
macro_rules! operations {
    ($($group:ident $operation:ident: $name:ident [$($variant:ident),*] $phrase:literal $($more:literal)?,)+) => {
        /// The access rule of each operation on a resource; they apply where the service has authentication.
        ///
        /// A rule stated for an operation stays: a later rule of `delete` does not change it. Without a stated rule,
        /// restores, purges and batches of deletes have the rule of deletes, and aggregates have the rule of lists.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct AccessRules {
            $(
                #[doc = concat!("Rule of ", $phrase, ".", $($more)?)]
                pub $operation: Access,
            )+
            stated: Names,
            /// Operations whose rule is the service's default.
            defaulted: Names,
        }

        /// A name in `access(…)`: an operation, or a group of them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Name {
            $($name,)+
            Read,
            Write,
            All,
        }

        impl Name {
            const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($operation),)+
                    Self::Read => "read",
                    Self::Write => "write",
                    Self::All => "all",
                }
            }

            /// The group of an operation.
            const fn group(self) -> Self {
                match self {
                    $(Self::$name => Self::$group,)+
                    group => group,
                }
            }
        }

        impl AccessRules {
            /// One rule for every operation.
            pub const fn everything(access: Access) -> Self {
                Self { $($operation: access,)+ stated: Names::NONE.with(Name::All), defaulted: Names::NONE }
            }

            $(
                #[doc = concat!("Sets the rule of ", $phrase, ".", $($more)?)]
                #[must_use]
                pub const fn $operation(self, access: Access) -> Self {
                    let rules = Self { $operation: access, stated: self.stated.with(Name::$name), ..self };
                    match Name::$name {
                        Name::Delete => rules.followed_deletes(access),
                        Name::List => rules.followed_lists(access),
                        _ => rules,
                    }
                }
            )+

            /// Sets the rule of the operations in a group.
            const fn grouped(self, group: Name, access: Access) -> Self {
                let mut rules = self;
                $(
                    if Name::$name.group() as u16 == group as u16 {
                        rules.$operation = access;
                        rules.stated = rules.stated.without(Name::$name);
                    }
                )+
                rules.stated = rules.stated.with(group);
                rules
            }

            /// The rules, completed by a service's default rules for the operations that they leave out.
            ///
            /// A default does not open a resource that states a rule: it does not admit requests without a token there.
            /// Lists, reads of one record, histories and aggregates show values of the same records. If one of them is
            /// left out, a stated rule of the first three applies, unless that rule admits every principal of the
            /// default.
            #[doc(hidden)]
            #[must_use]
            pub fn with_default(&self, default: &Self) -> Self {
                let mut rules = *self;
                $(
                    if self.name(Name::$name).is_none() {
                        let (access, is_default) = self.left_out(Name::$name, default.$operation);
                        rules.$operation = access;
                        if is_default {
                            rules.defaulted = rules.defaulted.with(Name::$name);
                        }
                    }
                )+
                // Where the default states a rule for batches, batches of deletes need it too.
                if rules.defaulted.has(Name::Batch) && default.stated.has(Name::Batch) {
                    rules.stated = rules.stated.with(Name::Batch);
                }
                rules
            }

            /// The rule of the operation with this name.
            const fn rule(&self, name: Name) -> Access {
                match name {
                    $(Name::$name => self.$operation,)+
                    Name::Read | Name::Write | Name::All => self.list,
                }
            }

            /// The rule of an operation, with its name.
            const fn of_name(&self, operation: Operation) -> (Access, Name) {
                match operation {
                    $($(Operation::$variant => (self.$operation, Name::$name),)*)+
                    Operation::BatchCreate | Operation::BatchUpdate => (self.batch, Name::Batch),
                }
            }
        }
    };
}

operations! {
    Read list: List [List] "lists, and of aggregates that state none",
    Read get: Get [Get] "reads of one record",
    Write create: Create [Create] "creates",
    Write update: Update [Update] "updates",
    Write delete: Delete [Delete, BatchDelete] "deletes, and of restores, purges and batches of deletes that state none",
    Write restore: Restore [Restore, RestoreMany] "restores and of reads of deleted records",
    Write purge: Purge [Purge, PurgeMany] "purges",
    Write batch: Batch [] "batches" " The rule of the operation that they repeat applies too.",
    Read history: History [History] "the history of a record",
    Read aggregate: Aggregate [Aggregate] "aggregates",
}

impl AccessRules {
    /// Every operation needs a valid token.
    pub const AUTHENTICATED: Self = Self::everything(Access::Authenticated);

    /// The rules of a resource that states none: every operation needs a valid token where the service has authentication,
    /// and nothing where it has none.
    pub const UNSTATED: Self = Self { stated: Names::NONE, ..Self::AUTHENTICATED };

    /// Sets the rule of deletes for restores and purges that state none.
    const fn followed_deletes(self, access: Access) -> Self {
        Self {
            restore: if self.stated.has(Name::Restore) { self.restore } else { access },
            purge: if self.stated.has(Name::Purge) { self.purge } else { access },
            ..self
        }
    }

    /// Sets the rule of lists for aggregates that state none.
    const fn followed_lists(self, access: Access) -> Self {
        Self { aggregate: if self.stated.has(Name::Aggregate) { self.aggregate } else { access }, ..self }
    }

    /// Sets the rule of every operation that reads.
    #[must_use]
    pub const fn read(self, access: Access) -> Self {
        self.grouped(Name::Read, access)
    }

    /// Sets the rule of every operation that writes.
    #[must_use]
    pub const fn write(self, access: Access) -> Self {
        self.grouped(Name::Write, access)
    }

    /// The rule of an operation that is left out, given the service's default; and whether the default is the rule.
    fn left_out(&self, operation: Name, default: Access) -> (Access, bool) {
        match self.other_stated_read(operation).map(|other| self.rule(other)) {
            Some(stated) if !stated.includes(&default) => (stated, false),
            _ if self.is_stated() && default.admits(None) => (Access::Authenticated, false),
            _ => (default, true),
        }
    }

    /// Another operation that shows the values of the same records, and whose rule is stated.
    fn other_stated_read(&self, operation: Name) -> Option<Name> {
        let reads = [Name::Get, Name::List, Name::History];
        let mut others = reads.into_iter().filter(|other| *other != operation && self.stated.has(*other));
        // Aggregates have values of the records that a list shows.
        others.next().filter(|_| reads.contains(&operation) || operation == Name::Aggregate)
    }

    /// Whether the resource states a rule. If so, its other operations are closed too, even in a service without
    /// authentication.
    #[doc(hidden)]
    pub const fn is_stated(&self) -> bool {
        self.stated.0 != 0
    }

    /// The rules that an operation needs: one, or two for a batch.
    pub fn required(&self, operation: Operation) -> impl Iterator<Item = Access> {
        self.named(operation).map(|(access, _)| access)
    }

    /// The rules that an operation needs, with the names that state them.
    ///
    /// ```
    /// use crud_runtime::access::{Access, AccessRules};
    /// use crud_runtime::prelude::*;
    ///
    /// let rules = AccessRules::UNSTATED.delete(Access::Role("admin"));
    /// let named = |operation| rules.stated(operation).next().and_then(|rule| rule.name);
    /// assert_eq!((named(Operation::Purge), named(Operation::List)), (Some("delete"), None));
    /// ```
    pub fn stated(&self, operation: Operation) -> impl Iterator<Item = StatedRule> {
        self.named(operation).map(|(access, operation)| {
            let name = self.name(operation);
            StatedRule { access, operation: operation.text(), name }
        })
    }

    fn named(&self, operation: Operation) -> impl Iterator<Item = (Access, Name)> + use<> {
        let batch = (self.batch, Name::Batch);
        let (first, second) = match operation {
            Operation::BatchCreate => (batch, Some((self.create, Name::Create))),
            Operation::BatchUpdate => (batch, Some((self.update, Name::Update))),
            Operation::BatchDelete if self.stated.has(Name::Batch) => (batch, Some((self.delete, Name::Delete))),
            operation => (self.of_name(operation), None),
        };
        std::iter::once(first).chain(second)
    }

    /// The name that states the rule of an operation: the operation's own; `delete` or `list` for operations that
    /// follow them; its group's; or `all`.
    fn name(&self, operation: Name) -> Option<&'static str> {
        if self.defaulted.has(operation) {
            return Some(DEFAULT_ACCESS);
        }
        let follows_deletes = matches!(operation, Name::Restore | Name::Purge);
        let group = operation.group();
        if self.stated.has(operation) {
            Some(operation.text())
        } else if follows_deletes && self.stated.has(Name::Delete) {
            Some(Name::Delete.text())
        } else if matches!(operation, Name::Aggregate) && self.stated.has(Name::List) {
            Some(Name::List.text())
        } else if self.stated.has(group) {
            Some(group.text())
        } else if self.stated.has(Name::All) {
            Some("all")
        } else {
            // Where the service has a default, a read that is left out may have the rule of another read.
            let other = self.other_stated_read(operation).filter(|other| self.rule(*other) == self.rule(operation));
            other.filter(|_| self.defaulted != Names::NONE).map(Name::text)
        }
    }

    /// Whether the rules admit a principal to an operation; `None` is a request without a token.
    pub fn admit(&self, operation: Operation, principal: Option<&Principal>) -> bool {
        self.required(operation).all(|access| access.admits(principal))
    }
}

/// One rule for every operation.
impl From<Access> for AccessRules {
    fn from(access: Access) -> Self {
        Self::everything(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAFF: Access = Access::Role("staff");
    const ADMIN: Access = Access::Role("admin");

    #[test]
    fn default_of_the_service_is_the_rule_of_what_is_left_out() {
        let rules = AccessRules::UNSTATED.with_default(&AccessRules::everything(STAFF).delete(ADMIN));
        assert_eq!((rules.list, rules.create, rules.delete, rules.purge), (STAFF, STAFF, ADMIN, ADMIN));
        let own = AccessRules::UNSTATED.write(Access::Authenticated).with_default(&AccessRules::everything(STAFF));
        assert_eq!((own.list, own.create, own.purge), (STAFF, Access::Authenticated, Access::Authenticated));
        let names = |rules: AccessRules, operation| rules.stated(operation).map(|rule| rule.name).next().flatten();
        assert_eq!(names(own, Operation::List), Some(DEFAULT_ACCESS));
        assert_eq!(names(own, Operation::Purge), Some("write"));
    }

    #[test]
    fn default_of_the_service_opens_nothing_below_what_is_stated() {
        let open = AccessRules::everything(Access::Public);
        let rules = AccessRules::UNSTATED.delete(ADMIN).with_default(&open);
        assert_eq!((rules.restore, rules.purge), (ADMIN, ADMIN), "they have the rule of deletes");
        assert_eq!((rules.list, rules.create), (Access::Authenticated, Access::Authenticated), "as without a default");
        let rules = AccessRules::UNSTATED.get(ADMIN).with_default(&AccessRules::everything(STAFF));
        assert_eq!((rules.list, rules.history, rules.create), (ADMIN, ADMIN, STAFF), "lists show what `get` refuses");
        assert_eq!(rules.aggregate, ADMIN, "aggregates have values of what lists show");
        let wide = Access::Any(&[STAFF, Access::Role("customer")]);
        let rules = AccessRules::UNSTATED.get(wide).with_default(&AccessRules::everything(STAFF));
        assert_eq!((rules.get, rules.list, rules.history), (wide, STAFF, STAFF));
        assert_eq!(AccessRules::UNSTATED.with_default(&open).list, Access::Public);
    }

    #[test]
    fn default_of_batches_applies_to_batches_of_deletes() {
        let default = AccessRules::everything(STAFF).batch(Access::Role("bulk"));
        let required: Vec<_> =
            AccessRules::UNSTATED.delete(ADMIN).with_default(&default).required(Operation::BatchDelete).collect();
        assert_eq!(required, [Access::Role("bulk"), ADMIN]);
    }

    #[test]
    fn a_batch_needs_the_access_of_the_operation_it_repeats() {
        let rules = AccessRules::everything(Access::Public);
        let rules = rules.delete(Access::Role("admin"));
        assert!(rules.admit(Operation::BatchCreate, None) && !rules.admit(Operation::BatchDelete, None));
        let rules = AccessRules::everything(Access::Public).batch(Access::Authenticated);
        assert!(rules.admit(Operation::Create, None) && !rules.admit(Operation::BatchCreate, None));
    }

    #[test]
    fn names_are_the_words_of_the_derive() {
        use crud_shared::operation::WORDS;
        let stated = |operation| AccessRules::UNSTATED.stated(operation).next().map(|rule| rule.operation);
        for operation in Operation::ALL {
            let has = |variants: &[&str]| variants.contains(&format!("{operation:?}").as_str());
            let word = WORDS.iter().find(|word| has(word.variants)).map(|word| word.name);
            // Batches of deletes have the rule of deletes where batches state none.
            let word = if operation == Operation::BatchDelete { Some("delete") } else { word };
            assert_eq!(stated(operation), word, "{operation:?}");
        }
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
    fn aggregates_have_the_rule_of_lists_unless_they_state_their_own() {
        let rules = AccessRules::UNSTATED.read(Access::Public).list(Access::Role("staff"));
        assert_eq!(rules.aggregate, Access::Role("staff"));
        assert_eq!(rules.stated(Operation::Aggregate).next().and_then(|rule| rule.name), Some("list"));
        let rules = AccessRules::UNSTATED.aggregate(Access::Role("analyst")).list(Access::Public);
        assert_eq!(rules.aggregate, Access::Role("analyst"));
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
