//! [`Rules`]: the access rules of operations, with the service's defaults for those that a resource leaves out.

use crud_runtime::access::{Access, AccessRules};
use crud_runtime::descriptor::{Descriptor, Operation};

use super::caller::Caller;

/// The access rules of a service, apart from those of its resources.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// The default rules, for operations that resources leave out.
    pub(crate) default: Option<&'static AccessRules>,
    /// Whether the service has authentication. Without it, no rule applies.
    pub(crate) are_enforced: bool,
}

/// The rule of an operation in `access(…)`, and how the resource states it.
#[derive(Debug, Clone, Copy)]
struct Named {
    rule: Access,
    /// The name that states the rule: the operation's own or a group's; `None` if the rule is not stated.
    stated: Option<&'static str>,
}

impl Rules {
    /// Whether access rules admit a caller to an operation.
    pub(crate) fn admit(&self, resource: &Descriptor, operation: Operation, caller: &Caller) -> bool {
        !self.are_enforced || self.needed(resource, operation).iter().all(|rule| admits(rule, caller))
    }

    /// The rules that an operation needs. All of them must admit the caller.
    fn needed(&self, resource: &Descriptor, operation: Operation) -> Vec<Access> {
        use Operation::{BatchCreate, BatchDelete, BatchUpdate, Create, Delete, Update};
        let rule = |operation| self.rule(&resource.access, operation);
        let batch = self.batch_rule(&resource.access);
        match operation {
            BatchCreate => vec![batch, rule(Create)],
            BatchUpdate => vec![batch, rule(Update)],
            BatchDelete if self.states_batches(&resource.access) => vec![batch, rule(Delete)],
            BatchDelete => vec![rule(Delete)],
            operation => vec![rule(operation)],
        }
    }

    /// The rule of an operation that is not a batch.
    fn rule(&self, rules: &AccessRules, operation: Operation) -> Access {
        let own = named(rules, operation);
        let Some(default) = self.default.filter(|_| own.stated.is_none()) else { return own.rule };
        let default = named(default, operation).rule;
        // These operations read the same records. So a stated rule of one also restricts those without a rule.
        let reads = [Operation::Get, Operation::List, Operation::History];
        if reads.contains(&operation) || operation == Operation::Aggregate {
            let stated = reads.iter().filter(|other| **other != operation).map(|other| (other, named(rules, *other)));
            let mut stated = stated.filter(|(other, named)| named.stated == Some(own_word(**other)));
            if let Some((_, other)) = stated.next()
                && !includes(&other.rule, &default)
            {
                return other.rule;
            }
        }
        if states_any(rules) && admits(&default, &Caller::nobody()) { Access::Authenticated } else { default }
    }

    fn batch_rule(&self, rules: &AccessRules) -> Access {
        let stated = batch_word(rules).is_some();
        match self.default {
            Some(default) if !stated => {
                let closes = states_any(rules) && admits(&default.batch, &Caller::nobody());
                if closes { Access::Authenticated } else { default.batch }
            }
            _ => rules.batch,
        }
    }

    /// Whether `batch` itself has a stated rule. If so, batches of deletes need it too.
    fn states_batches(&self, rules: &AccessRules) -> bool {
        let states = |rules: &AccessRules| batch_word(rules) == Some("batch");
        states(rules) || batch_word(rules).is_none() && self.default.is_some_and(states)
    }
}

pub(crate) fn admits(rule: &Access, caller: &Caller) -> bool {
    match rule {
        Access::Public => true,
        Access::Authenticated => !caller.is_nobody(),
        Access::Role(role) => caller.has_role(role),
        Access::Permission(permission) => caller.has_permission(permission),
        Access::Any(rules) => rules.iter().any(|rule| admits(rule, caller)),
        Access::All(rules) => rules.iter().all(|rule| admits(rule, caller)),
    }
}

/// Whether `wide` admits every caller that `narrow` admits.
fn includes(wide: &Access, narrow: &Access) -> bool {
    match (wide, narrow) {
        (Access::Public, _) => true,
        (Access::Any(rules), _) if rules.iter().any(|rule| includes(rule, narrow)) => true,
        (Access::All(rules), _) => rules.iter().all(|rule| includes(rule, narrow)),
        (_, Access::Any(rules)) => rules.iter().all(|rule| includes(wide, rule)),
        (_, Access::All(rules)) => rules.iter().any(|rule| includes(wide, rule)),
        (Access::Authenticated, other) => *other != Access::Public,
        _ => wide == narrow,
    }
}

/// The rule of an operation in the data of `access(…)`.
fn named(rules: &AccessRules, operation: Operation) -> Named {
    let rule = match operation {
        Operation::List => rules.list,
        Operation::Get => rules.get,
        Operation::Create => rules.create,
        Operation::Update => rules.update,
        Operation::Delete => rules.delete,
        Operation::Restore | Operation::RestoreMany => rules.restore,
        Operation::Purge | Operation::PurgeMany => rules.purge,
        Operation::History => rules.history,
        Operation::Aggregate => rules.aggregate,
        _ => rules.batch,
    };
    let stated = rules.stated(operation).find_map(|it| it.name);
    Named { rule, stated }
}

/// The name that states the rule of batches: `batch` or a group.
fn batch_word(rules: &AccessRules) -> Option<&'static str> {
    rules.stated(Operation::BatchCreate).find(|it| it.operation == "batch").and_then(|it| it.name)
}

fn own_word(operation: Operation) -> &'static str {
    match operation {
        Operation::Get => "get",
        Operation::List => "list",
        _ => "history",
    }
}

/// Whether the resource states any rule in `access(…)`.
fn states_any(rules: &AccessRules) -> bool {
    Operation::ALL.into_iter().any(|operation| rules.stated(operation).any(|it| it.name.is_some()))
}
