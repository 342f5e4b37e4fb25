//! [`Reading`]: the records, fields and links that a caller may see and change, by the rules.

use chrono::{DateTime, TimeDelta, Utc};
use crud_runtime::access::Access;
use crud_runtime::column::Value;
use crud_runtime::descriptor::{ClaimScope, Descriptor, Junction, Operation};

use super::access::{Rules, admits};
use super::caller::Caller;
use super::equality::is_claim;
use crate::world::{Record, World};

/// The rules, applied to the records of a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'w> {
    pub(crate) rules: Rules,
    pub(crate) world: &'w World,
    /// The current time of the service.
    pub(crate) now: DateTime<Utc>,
}

impl<'w> Reading<'w> {
    /// Whether access rules admit a caller to an operation.
    pub(crate) fn admits(&self, resource: &Descriptor, operation: Operation, caller: &Caller) -> bool {
        self.rules.admit(resource, operation, caller)
    }

    /// Whether a caller lacks the tenant that requests for a resource need.
    pub(crate) fn lacks_tenant(resource: &Descriptor, caller: &Caller) -> bool {
        resource.tenant.is_some_and(|tenant| !is_exempt(tenant.except, caller) && caller.tenant().is_none())
    }

    /// Whether a caller sees a record, soft-deleted or not.
    pub(crate) fn sees(&self, resource: &'static Descriptor, values: &[Value], caller: &Caller) -> bool {
        Self::is_in_tenant(resource, values, caller)
            && Self::is_of_owner(resource, values, caller)
            && self.is_in_scope(resource, resource.scopes, values, caller, None)
    }

    /// Whether a caller may change a record that it sees.
    pub(crate) fn changes(&self, resource: &'static Descriptor, values: &[Value], caller: &Caller) -> bool {
        self.is_in_scope(resource, resource.write_scopes, values, caller, Some(self.now))
    }

    /// Whether answers to a caller have a field.
    pub(crate) fn shows(resource: &Descriptor, column: usize, caller: &Caller) -> bool {
        let column = &resource.columns[column];
        let is_visible = column.visible.is_none_or(|rule| admits(&rule, caller));
        !column.hidden && !column.write_only && is_visible
    }

    /// Whether a caller sees a record through a relation: the caller may list the resource, sees the record, and the
    /// record is active.
    pub(crate) fn sees_related(&self, resource: &'static Descriptor, record: &Record, caller: &Caller) -> bool {
        !record.is_deleted
            && self.admits(resource, Operation::List, caller)
            && self.sees(resource, &record.values, caller)
    }

    /// The records that a junction links to the record `near`, as far as a caller sees them.
    pub(crate) fn linked(
        &self,
        junction: &Junction,
        near: &[Value],
        of: &Descriptor,
        caller: &Caller,
    ) -> Vec<&'w Record> {
        let (links, targets) = (self.world.records_of(junction.resource), self.world.records_of(junction.target));
        let (Some(links), Some(targets)) = (links, targets) else { return Vec::new() };
        let matches = |link: &Record, own: &[usize], key: &[usize], values: &[Value]| {
            own.iter().zip(key).all(|(own, key)| link.values[*own] == values[*key])
        };
        let is_of_near = |link: &&Record| {
            matches(link, junction.near_columns(), of.key(), near) && self.sees_related(junction.resource, link, caller)
        };
        let target_of = |link: &Record| {
            let key = junction.target.key();
            targets.iter().find(|target| matches(link, junction.far_columns(), key, &target.values))
        };
        let found = links.iter().filter(is_of_near).filter_map(target_of);
        found.filter(|target| self.sees_related(junction.target, target, caller)).collect()
    }

    /// Whether records of other resources decide which records a caller sees.
    pub(crate) fn depends_on_others(resource: &Descriptor, caller: &Caller) -> bool {
        applying(resource.scopes, caller).any(|scope| scope.path.is_some())
    }

    /// Whether a create may be refused although access admits it: the caller lacks a claim, or a scope depends on other
    /// records or on an assigned column.
    pub(crate) fn may_lack_claim(resource: &Descriptor, caller: &Caller) -> bool {
        let scopes = applying(resource.scopes, caller).chain(applying(resource.write_scopes, caller));
        let mut scopes = scopes.collect::<Vec<_>>().into_iter();
        scopes.any(|scope| {
            scope.path.is_some() || caller.claim(scope.claim).is_none() || resource.columns[scope.column].is_assigned()
        })
    }

    /// Whether a record is of the caller's tenant, or the caller sees every tenant.
    pub(crate) fn is_in_tenant(resource: &Descriptor, values: &[Value], caller: &Caller) -> bool {
        let Some(tenant) = resource.tenant else { return true };
        is_exempt(tenant.except, caller) || is_claim(&values[tenant.column], caller.tenant(), "tenant")
    }

    fn is_of_owner(resource: &Descriptor, values: &[Value], caller: &Caller) -> bool {
        let Some(owner) = resource.owner else { return true };
        is_exempt(owner.except, caller) || is_claim(&values[owner.column], caller.claim("sub").as_ref(), "sub")
    }

    /// Whether no scope applies to a caller, or one that applies holds.
    fn is_in_scope(
        &self,
        resource: &'static Descriptor,
        scopes: &'static [ClaimScope],
        values: &[Value],
        caller: &Caller,
        now: Option<DateTime<Utc>>,
    ) -> bool {
        let mut applying = applying(scopes, caller).peekable();
        applying.peek().is_none() || applying.any(|scope| self.holds(resource, scope, values, caller, now))
    }

    fn holds(
        &self,
        resource: &'static Descriptor,
        scope: &ClaimScope,
        values: &[Value],
        caller: &Caller,
        now: Option<DateTime<Utc>>,
    ) -> bool {
        let is_in_time = match (scope.within, now) {
            (Some(within), Some(now)) => {
                let time = TimeDelta::from_std(within.time).unwrap_or(TimeDelta::MAX);
                matches!(&values[within.column], Value::DateTime(at) if now.signed_duration_since(*at) <= time)
            }
            _ => true,
        };
        is_in_time && self.leads_to_claim(resource, scope, values, caller)
    }

    fn leads_to_claim(
        &self,
        resource: &'static Descriptor,
        scope: &ClaimScope,
        values: &[Value],
        caller: &Caller,
    ) -> bool {
        let claim = caller.claim(scope.claim);
        let Some(path) = scope.path else { return is_claim(&values[scope.column], claim.as_ref(), scope.claim) };
        let first = match path.children.and_then(|index| resource.children.get(index)) {
            Some(children) => self.children(resource, children, values),
            None => self.referred(resource, scope.column, values).into_iter().collect(),
        };
        let mut found = Self::active(first);
        for name in path.more {
            found = found.iter().flat_map(|(of, record)| self.related(of, name, &record.values)).collect();
        }
        found.iter().any(|(of, record)| {
            let column = of.columns.iter().position(|column| column.name == path.field);
            column.is_some_and(|column| is_claim(&record.values[column], claim.as_ref(), scope.claim))
        })
    }
}

/// The scopes that restrict a caller.
fn applying<'c>(
    scopes: &'static [ClaimScope],
    caller: &'c Caller,
) -> impl Iterator<Item = &'static ClaimScope> + use<'c> {
    scopes.iter().filter(|scope| admits(&scope.access, caller) && !is_exempt(scope.except, caller))
}

/// Whether a rule exempts a caller. A caller without a token is never exempt.
pub(crate) fn is_exempt(rule: Option<Access>, caller: &Caller) -> bool {
    !caller.is_nobody() && rule.is_some_and(|rule| admits(&rule, caller))
}
