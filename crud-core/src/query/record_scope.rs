//! [`RecordScope`]: the records of a resource that a principal sees and changes, by its tenant, its ownership and its
//! claims.
//!
//! Every access to a resource, directly or through another one, takes its condition from here.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use super::Predicate;
use super::assignments::NO_CLAIM;
use super::claims::{is_admitted, tenant_value};
use super::related_scope::RelatedScope;
use super::term::{Term, Test, claim_terms, owner_term};
use crate::model::adapter_error::AdapterError;
use crate::model::clock::Clock;
use crate::model::descriptor::{ClaimScope, Descriptor, Tenant};
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::row::Row;
use crate::model::scalar;
use crate::model::value::Value;

/// The records of a resource that a principal sees: those that satisfy one term of each group. The principal may change
/// such a record if it also satisfies one term of each group of changes.
#[derive(Debug, Clone, Default)]
pub struct RecordScope {
    groups: Vec<Group>,
    /// The groups that only changes have to satisfy.
    changes: Vec<Group>,
    /// The columns that the principal cannot change.
    fixed: Vec<usize>,
    /// The clock for time limits of changes; `None` for the system's clock.
    clock: Option<Clock>,
    is_anonymous: bool,
}

/// A policy with its terms; a record must satisfy one of them.
#[derive(Debug, Clone)]
struct Group {
    policy: Policy,
    terms: Vec<Term>,
}

/// A policy that restricts records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Tenant,
    Owner,
    Scope,
    WriteScope,
}

impl Group {
    fn predicate(&self, now: Option<DateTime<Utc>>) -> Predicate {
        match &self.terms[..] {
            [term] => term.predicate(now),
            terms => Predicate::Or(terms.iter().map(|term| term.predicate(now)).collect()),
        }
    }

    /// Whether a record satisfies one of the terms. Without a time, time limits are not checked.
    fn admits(
        &self,
        resource: &Descriptor,
        record: &dyn Row,
        now: Option<DateTime<Utc>>,
    ) -> Result<bool, AdapterError> {
        let mut admitted = false;
        for term in &self.terms {
            admitted |= term.admits(resource, record, now)?;
        }
        Ok(admitted)
    }

    /// The policy in words, with the fields or scopes that restrict the principal.
    fn name(&self, resource: &'static Descriptor) -> String {
        let field = |term: &Term| resource.columns[term.column].name;
        let scopes = |word: &str, scopes: &'static [ClaimScope]| {
            let one = |term: &Term| match scopes.get(term.number.wrapping_sub(1)) {
                Some(scope) => format!("{word} {}: {}", term.number, scope.policy_of(resource)),
                None => word.to_owned(),
            };
            self.terms.iter().map(one).collect::<Vec<_>>().join(" or ")
        };
        match (self.policy, self.terms.first()) {
            (Policy::Tenant, Some(term)) => format!("tenant: {}", field(term)),
            (Policy::Owner, Some(term)) => format!("owner: {}", field(term)),
            (Policy::Tenant | Policy::Owner, None) => String::new(),
            (Policy::Scope, _) => scopes("scope", resource.scopes),
            (Policy::WriteScope, _) => scopes("scope(write)", resource.write_scopes),
        }
    }
}

impl RecordScope {
    /// The scope of a principal; without one, of an anonymous request.
    pub fn new(resource: &'static Descriptor, principal: Option<&Principal>) -> Self {
        let mut scope = Self::default();
        if !resource.restricts_records() && resource.write_scopes.is_empty() {
            return scope;
        }
        if let Some(tenant) = resource.tenant {
            scope.fixed.push(tenant.column);
            if !is_admitted(tenant.except, principal) {
                let value = tenant_value(resource, tenant, principal.and_then(Principal::tenant));
                scope.groups.push(Group { policy: Policy::Tenant, terms: vec![Term::equal(tenant.column, value)] });
            }
        }
        scope.owned_by(resource, principal)
    }

    /// The records of one tenant.
    pub fn of_tenant(tenant: Tenant, value: Value) -> Self {
        let terms = vec![Term::equal(tenant.column, Some(value))];
        let groups = vec![Group { policy: Policy::Tenant, terms }];
        Self { groups, fixed: vec![tenant.column], ..Self::default() }
    }

    /// Narrows the scope to a principal: to the records visible by ownership and claims, and for changes to those that
    /// it may change.
    #[must_use]
    pub fn owned_by(mut self, resource: &'static Descriptor, principal: Option<&Principal>) -> Self {
        self.is_anonymous = principal.is_none();
        if let Some(owner) = resource.owner {
            if !is_admitted(owner.assign, principal) {
                self.fixed.push(owner.column);
            }
            if !is_admitted(owner.except, principal) {
                let terms = vec![owner_term(resource, owner.column, principal)];
                self.groups.push(Group { policy: Policy::Owner, terms });
            }
        }
        let of_scopes = [(Policy::Scope, resource.scopes), (Policy::WriteScope, resource.write_scopes)];
        for (policy, scopes) in of_scopes {
            let terms = claim_terms(resource, scopes, principal);
            if terms.is_empty() {
                continue;
            }
            self.fixed.extend(terms.iter().filter(|term| term.related().is_none()).map(|term| term.column));
            let groups = if policy == Policy::Scope { &mut self.groups } else { &mut self.changes };
            groups.push(Group { policy, terms });
        }
        self
    }

    /// Sets the clock for time limits of changes.
    #[must_use]
    pub fn by_clock(mut self, clock: &Clock) -> Self {
        if self.changes.iter().flat_map(|group| &group.terms).any(|term| term.within.is_some()) {
            self.clock = Some(clock.clone());
        }
        self
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.as_ref().map_or_else(Utc::now, Clock::now)
    }

    /// The tenant as text, where nothing else restricts the records.
    pub fn tenant_alone(&self) -> Option<String> {
        let [Group { policy: Policy::Tenant, terms }] = &self.groups[..] else { return None };
        terms.first()?.value().map(Value::to_string)
    }

    /// The tenant of the records, as storage compares it; `None` where the records have no tenant, or may be of every
    /// tenant.
    pub fn tenant(&self) -> Option<&Value> {
        let group = self.groups.iter().find(|group| group.policy == Policy::Tenant)?;
        group.terms.first()?.value()
    }

    /// Whether the scope restricts no reads.
    pub fn is_unrestricted(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether the scope restricts changes more than reads.
    pub fn restricts_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.groups.iter().chain(&self.changes).flat_map(|group| &group.terms)
    }

    /// Conditions on records of other resources, each with the column that leads there.
    pub fn related_scopes(&self) -> impl Iterator<Item = (usize, &Arc<RelatedScope>)> {
        self.terms().filter_map(|term| Some((term.column, term.related()?)))
    }

    /// Whether the scope depends on records of other resources.
    pub fn has_related(&self) -> bool {
        self.related_scopes().next().is_some()
    }

    /// Whether reads depend on records of other resources.
    pub fn reads_related(&self) -> bool {
        self.groups.iter().flat_map(|group| &group.terms).any(|term| term.related().is_some())
    }

    /// The scopes by which reads depend on records of other resources.
    pub fn scopes_of_related(&self, resource: &'static Descriptor) -> impl Iterator<Item = &'static ClaimScope> {
        let terms = self.groups.iter().flat_map(|group| &group.terms).filter(|term| term.related().is_some());
        terms.filter_map(|term| resource.scopes.get(term.number.wrapping_sub(1)))
    }

    /// The scope of a new record until the records that refer to it are written: without the groups that depend on
    /// them. `None` where no group does.
    pub fn before_children(&self, resource: &Descriptor) -> Option<Self> {
        let is_related_by_key = |term: &Term| term.related().is_some() && resource.is_key(term.column);
        let waits = |group: &Group| group.terms.iter().any(is_related_by_key);
        if !self.groups.iter().chain(&self.changes).any(waits) {
            return None;
        }
        let mut scope = self.clone();
        scope.groups.retain(|group| !waits(group));
        scope.changes.retain(|group| !waits(group));
        Some(scope)
    }

    /// Forgets the values that were looked up in other resources.
    pub fn forget(&self) {
        self.related_scopes().for_each(|(_, related)| related.forget());
    }

    /// Whether a record had a value that was not looked up, because it has changed since.
    pub fn has_missed(&self) -> bool {
        self.related_scopes().any(|(_, related)| related.has_missed())
    }

    /// The columns whose values decide whether a record is in the scope.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flat_map(|group| &group.terms).map(|term| term.column)
    }

    /// The columns whose values decide whether a record is in the scope, or may be changed.
    pub fn columns_of_changes(&self) -> impl Iterator<Item = usize> {
        self.terms().map(|term| term.column)
    }

    /// The columns that the principal cannot change.
    pub fn fixed(&self) -> &[usize] {
        &self.fixed
    }

    /// The condition on the records of the scope.
    pub fn predicate(&self) -> Predicate {
        self.groups.iter().fold(Predicate::All, |all, group| all.and(group.predicate(None)))
    }

    /// The condition on the records that may be changed.
    pub fn change_predicate(&self) -> Predicate {
        let now = self.now();
        self.changes.iter().fold(self.predicate(), |all, group| all.and(group.predicate(Some(now))))
    }

    /// Whether a record is in the scope. Where records of other resources decide, values are [looked
    /// up](RelatedScope::learn) before.
    pub fn admits(&self, resource: &Descriptor, record: &dyn Row) -> Result<bool, AdapterError> {
        all_admit(&self.groups, resource, record, None)
    }

    /// Whether a record of the scope may be changed, without regard to time limits.
    ///
    /// # Errors
    /// Errors of reading the record.
    pub fn admits_change_at_any_time(&self, resource: &Descriptor, record: &dyn Row) -> Result<bool, AdapterError> {
        all_admit(&self.changes, resource, record, None)
    }

    /// Reason why a record of the scope may not be changed now.
    ///
    /// # Errors
    /// Errors of reading the record.
    pub fn refusal_of_change(&self, resource: &Descriptor, record: &dyn Row) -> Result<Option<Problem>, AdapterError> {
        if self.changes.is_empty() || all_admit(&self.changes, resource, record, Some(self.now()))? {
            return Ok(None);
        }
        Ok(Some(Problem::denied(self.is_anonymous)))
    }

    /// Reason why the principal could not read and change a record after its write. Time limits are not checked,
    /// because the service's timestamps are not set yet.
    ///
    /// # Errors
    /// Errors of reading the record.
    pub fn refusal_of_result(&self, resource: &Descriptor, record: &dyn Row) -> Result<Option<Problem>, AdapterError> {
        let has_related = |group: &&Group| group.terms.iter().any(|term| term.related().is_some());
        // The other groups hold: a create assigns their fields, and an update cannot change them.
        for group in self.groups.iter().chain(&self.changes).filter(has_related) {
            if group.admits(resource, record, None)? {
                continue;
            }
            // Where the key leads to records that refer to it, no field of the body can be named.
            let reference = group.terms.iter().find(|term| term.related().is_some() && !resource.is_key(term.column));
            return Ok(Some(match reference {
                Some(term) => {
                    let detail = "must refer to a record of the token's claims";
                    Problem::validation([FieldError::field(resource.columns[term.column].json, "scope", detail)])
                }
                None => Problem::new(Code::PermissionDenied, NO_CLAIM),
            }));
        }
        Ok(None)
    }

    /// Whether a record is in the scope, by its JSON in the audit log. A field that the log lacks has not changed, and
    /// the present record decides. A changed field that HTTP never returns is `null` in the log, and satisfies no term.
    /// Nor does a term on other records hold, because their past is not known.
    pub fn admits_json(&self, resource: &Descriptor, record: &Map<String, Json>) -> bool {
        let satisfies = |term: &Term| {
            let Test::Equals(wanted) = &term.test else { return false };
            let column = &resource.columns[term.column];
            let value = match record.get(column.json) {
                None => return true,
                // Null, or a value that the log does not show.
                Some(Json::Null) => None,
                Some(Json::String(text)) => scalar::parse(column, text).ok(),
                Some(other) => scalar::parse(column, &other.to_string()).ok(),
            };
            wanted.is_some() && *wanted == value
        };
        self.groups.iter().all(|group| group.terms.iter().any(satisfies))
    }

    /// The policies that restrict what the principal reads, and the further policies that restrict its changes.
    pub fn policies(&self, resource: &'static Descriptor) -> (Vec<String>, Vec<String>) {
        let names = |groups: &[Group]| groups.iter().map(|group| group.name(resource)).collect();
        (names(&self.groups), names(&self.changes))
    }

    /// The [policies](Self::policies) that a record does not satisfy.
    ///
    /// # Errors
    /// Errors of reading the record.
    pub fn refusing(
        &self,
        resource: &'static Descriptor,
        record: &dyn Row,
    ) -> Result<(Vec<String>, Vec<String>), AdapterError> {
        let refusing = |groups: &[Group], now: Option<DateTime<Utc>>| {
            let mut names = Vec::new();
            for group in groups {
                if !group.admits(resource, record, now)? {
                    names.push(group.name(resource));
                }
            }
            Ok::<_, AdapterError>(names)
        };
        Ok((refusing(&self.groups, None)?, refusing(&self.changes, Some(self.now()))?))
    }
}

fn all_admit(
    groups: &[Group],
    resource: &Descriptor,
    record: &dyn Row,
    now: Option<DateTime<Utc>>,
) -> Result<bool, AdapterError> {
    for group in groups {
        if !group.admits(resource, record, now)? {
            return Ok(false);
        }
    }
    Ok(true)
}
