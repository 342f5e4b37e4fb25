//! [`RecordScope`]: the records of a resource that a principal reaches and changes, by its tenant, its ownership and its
//! claims.
//!
//! Every access to a resource, directly or through another one, takes its condition from here.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde_json::{Map, Value as Json};

use super::{Comparison, InSubquery, Predicate, Scope};
use crate::model::access::Access;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::clock::Clock;
use crate::model::column::owned_value;
use crate::model::descriptor::{ClaimScope, ColumnDescriptor, Descriptor, Step, Tenant, Within};
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::row::Row;
use crate::model::scalar;
use crate::model::value::{Kind, Value};

/// The records of a resource that a principal reaches: those that satisfy one term of each group. Of these, it changes those
/// that satisfy one term of each group of changes too.
#[derive(Debug, Clone, Default)]
pub struct RecordScope {
    groups: Vec<Group>,
    /// The groups that changes alone have to satisfy.
    changes: Vec<Group>,
    /// The columns that the principal cannot change.
    fixed: Vec<usize>,
    /// The clock that times of changes are measured by; the system's, where none is set.
    clock: Option<Clock>,
    is_anonymous: bool,
}

/// A policy, and the terms of which one must hold.
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

/// A condition on a record.
#[derive(Debug, Clone)]
struct Term {
    column: usize,
    /// The scope's number among those of its kind, from 1.
    number: usize,
    test: Test,
    within: Option<Within>,
}

/// Test of a column's value.
#[derive(Debug, Clone)]
enum Test {
    /// Equality. Without a value no record satisfies it: the principal has no such claim, or one of another type.
    Equals(Option<Value>),
    /// The value leads to a record of another resource.
    Leads(Arc<Lead>),
}

/// Records of another resource to which those of a scope lead, and what was found out about values that may lead to them.
///
/// Clones of a scope share it: guards know what the write has found out.
#[derive(Debug)]
pub struct Lead {
    select: InSubquery,
    /// By value as text, whether it leads to such a record.
    known: Mutex<HashMap<String, bool>>,
    /// Whether a record had a value that was not looked up.
    is_missed: AtomicBool,
}

impl Lead {
    /// The condition on a record.
    pub const fn select(&self) -> &InSubquery {
        &self.select
    }

    /// Keeps what was found out about values, by their texts.
    pub fn learn<'v>(&self, values: impl IntoIterator<Item = &'v Value>, found: &HashSet<String>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(values.into_iter().map(Value::to_string).map(|text| {
            let is_found = found.contains(&text);
            (text, is_found)
        }));
    }

    fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.is_missed.store(false, Ordering::Relaxed);
    }

    /// Whether a value is known to lead to such a record. What was not looked up does not.
    fn admits(&self, value: &Value) -> bool {
        if value.is_null() {
            return false;
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&value.to_string()).copied();
        if known.is_none() {
            self.is_missed.store(true, Ordering::Relaxed);
        }
        known.unwrap_or_default()
    }
}

impl Group {
    fn predicate(&self, now: Option<DateTime<Utc>>) -> Predicate {
        match &self.terms[..] {
            [term] => term.predicate(now),
            terms => Predicate::Or(terms.iter().map(|term| term.predicate(now)).collect()),
        }
    }

    /// Whether a record satisfies one of the terms. Without a time, times do not count.
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

    /// The policy, with the scopes that restrict the principal, and their fields.
    fn name(&self, resource: &'static Descriptor) -> String {
        let field = |term: &Term| resource.columns[term.column].name;
        let scopes = |word: &str, scopes: &'static [ClaimScope]| {
            let one = |term: &Term| match scopes.get(term.number.wrapping_sub(1)) {
                Some(scope) => format!("{word} {}: {}", term.number, scope.condition_of(resource)),
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

impl Term {
    fn equal(column: usize, value: Option<Value>) -> Self {
        Self { column, number: 0, test: Test::Equals(value), within: None }
    }

    /// The value that a record of the scope has, where it decides alone.
    const fn value(&self) -> Option<&Value> {
        match &self.test {
            Test::Equals(value) => value.as_ref(),
            Test::Leads(_) => None,
        }
    }

    const fn lead(&self) -> Option<&Arc<Lead>> {
        match &self.test {
            Test::Equals(_) => None,
            Test::Leads(lead) => Some(lead),
        }
    }

    fn predicate(&self, now: Option<DateTime<Utc>>) -> Predicate {
        let compare = |column, operator, value| Predicate::Compare { column, operator, value };
        let term = match &self.test {
            Test::Equals(Some(value)) => compare(self.column, Comparison::Eq, value.clone()),
            Test::Equals(None) => Predicate::Or(Vec::new()),
            Test::Leads(lead) => Predicate::InSubquery(Box::new(lead.select.clone())),
        };
        match (self.within, now) {
            (Some(within), Some(now)) => {
                term.and(compare(within.column, Comparison::Gte, Value::DateTime(since(now, within))))
            }
            _ => term,
        }
    }

    fn admits(
        &self,
        resource: &Descriptor,
        record: &dyn Row,
        now: Option<DateTime<Utc>>,
    ) -> Result<bool, AdapterError> {
        let value = |column: usize| match record.value(column) {
            Ok(stored) => Ok(owned_value(resource.columns[column].kind, stored).ok()),
            // Whose it is, is not known.
            Err(AdapterError::Corrupt { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        let stored = value(self.column)?;
        let holds = match &self.test {
            Test::Equals(wanted) => wanted.is_some() && *wanted == stored,
            Test::Leads(lead) => stored.is_some_and(|stored| lead.admits(&stored)),
        };
        match (self.within, now) {
            (Some(within), Some(now)) if holds => {
                Ok(matches!(value(within.column)?, Some(Value::DateTime(time)) if time >= since(now, within)))
            }
            _ => Ok(holds),
        }
    }
}

/// The earliest time within that before now.
fn since(now: DateTime<Utc>, within: Within) -> DateTime<Utc> {
    let time = TimeDelta::from_std(within.time).ok();
    let now = now.trunc_subsecs(6);
    time.and_then(|time| now.checked_sub_signed(time)).unwrap_or(DateTime::<Utc>::MIN_UTC)
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

    /// Narrows the scope to the records visible to a principal by ownership and claims, and its changes to those that it may
    /// change.
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
            self.fixed.extend(terms.iter().filter(|term| term.lead().is_none()).map(|term| term.column));
            let groups = if policy == Policy::Scope { &mut self.groups } else { &mut self.changes };
            groups.push(Group { policy, terms });
        }
        self
    }

    /// Sets the clock that times of changes are measured by.
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

    /// Whether it restricts nothing that is read.
    pub fn is_unrestricted(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether it restricts changes beyond what is read.
    pub fn restricts_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.groups.iter().chain(&self.changes).flat_map(|group| &group.terms)
    }

    /// Conditions on records of other resources.
    pub fn leads(&self) -> impl Iterator<Item = (usize, &Arc<Lead>)> {
        self.terms().filter_map(|term| Some((term.column, term.lead()?)))
    }

    /// Whether records of other resources decide.
    pub fn is_led(&self) -> bool {
        self.leads().next().is_some()
    }

    /// Whether records of other resources decide what is read.
    pub fn is_led_to_read(&self) -> bool {
        self.groups.iter().flat_map(|group| &group.terms).any(|term| term.lead().is_some())
    }

    /// The scopes of which records of other resources decide what is read.
    pub fn led_scopes(&self, resource: &'static Descriptor) -> impl Iterator<Item = &'static ClaimScope> {
        let terms = self.groups.iter().flat_map(|group| &group.terms).filter(|term| term.lead().is_some());
        terms.filter_map(|term| resource.scopes.get(term.number.wrapping_sub(1)))
    }

    /// Forgets what was found out about values of records.
    pub fn forget(&self) {
        self.leads().for_each(|(_, lead)| lead.forget());
    }

    /// Whether a record had a value that was not looked up: it has changed since.
    pub fn has_missed(&self) -> bool {
        self.leads().any(|(_, lead)| lead.is_missed.load(Ordering::Relaxed))
    }

    /// The columns by whose values records are in the scope.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flat_map(|group| &group.terms).map(|term| term.column)
    }

    /// The columns by whose values records are in the scope, or may be changed.
    pub fn columns_of_changes(&self) -> impl Iterator<Item = usize> {
        self.terms().map(|term| term.column)
    }

    /// The columns that the principal cannot change.
    pub fn fixed(&self) -> &[usize] {
        &self.fixed
    }

    /// The condition on the records.
    pub fn predicate(&self) -> Predicate {
        self.groups.iter().fold(Predicate::All, |all, group| all.and(group.predicate(None)))
    }

    /// The condition on the records that may be changed.
    pub fn change_predicate(&self) -> Predicate {
        let now = self.now();
        self.changes.iter().fold(self.predicate(), |all, group| all.and(group.predicate(Some(now))))
    }

    /// Whether a record is in the scope. Where other records decide, their values are [learnt](Lead::learn) before.
    pub fn admits(&self, resource: &Descriptor, record: &dyn Row) -> Result<bool, AdapterError> {
        all_admit(&self.groups, resource, record, None)
    }

    /// Whether a record of the scope may be changed, at its time.
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

    /// Reason why a record as it would be written is not one that the principal could read and change then. Times do not
    /// count: those of the service are not set yet.
    ///
    /// # Errors
    /// Errors of reading the record.
    pub fn refusal_of_result(&self, resource: &Descriptor, record: &dyn Row) -> Result<Option<Problem>, AdapterError> {
        let is_led = |group: &&Group| group.terms.iter().any(|term| term.lead().is_some());
        // The others hold by what the create assigns, and what an update cannot change.
        for group in self.groups.iter().chain(&self.changes).filter(is_led) {
            if group.admits(resource, record, None)? {
                continue;
            }
            // A key leads to records that refer to it, which no field of the body names.
            let reference = group.terms.iter().find(|term| term.lead().is_some() && !resource.is_key(term.column));
            return Ok(Some(match reference {
                Some(term) => {
                    let detail = "must refer to a record that the token's claims reach";
                    Problem::validation([FieldError::field(resource.columns[term.column].json, "scope", detail)])
                }
                None => Problem::new(Code::PermissionDenied, NO_CLAIM),
            }));
        }
        Ok(None)
    }

    /// Whether a record is in the scope, by its JSON. A field that HTTP never returns is in the log as `null`, where it has
    /// changed: nothing is in the scope then. Otherwise the record of now decides. Nothing is in a scope of which other
    /// records decide: what these were then is not known.
    pub fn admits_json(&self, resource: &Descriptor, record: &Map<String, Json>) -> bool {
        let satisfies = |term: &Term| {
            let Test::Equals(wanted) = &term.test else { return false };
            let column = &resource.columns[term.column];
            let value = match record.get(column.json) {
                None => return true,
                // None, or one that the log does not tell.
                Some(Json::Null) => None,
                Some(Json::String(text)) => scalar::parse(column, text).ok(),
                Some(other) => scalar::parse(column, &other.to_string()).ok(),
            };
            wanted.is_some() && *wanted == value
        };
        self.groups.iter().all(|group| group.terms.iter().any(satisfies))
    }

    /// The policies that restrict what the principal reads, and those that restrict its changes besides.
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

/// Detail of a create whose record would not be in the scope.
const NO_CLAIM: &str = "no new record would be one of the token's claims";

/// Values of a new record that the principal of the create determines: its tenant, its owner and the fields of its
/// claims.
#[derive(Debug, Clone, Default)]
pub struct Assignments {
    /// Groups of terms, of each of which one holds.
    groups: Vec<Vec<Term>>,
    /// The owner's column and the principal's id, where a body may name another owner.
    default_owner: Option<(usize, Value)>,
}

impl Assignments {
    /// The assignments of a principal.
    ///
    /// # Errors
    /// `permission_denied` for an anonymous request, and for a token whose subject is not a valid owner or that lacks a
    /// claim; `tenant_required`.
    pub fn new(resource: &'static Descriptor, principal: Option<&Principal>) -> Result<Self, Problem> {
        if !is_assigning(resource) {
            return Ok(Self::default());
        }
        let assignments = match principal_tenant(resource, principal)? {
            Some((tenant, value)) => Self::of_tenant(tenant, value),
            None => Self::default(),
        };
        assignments.owned_by(resource, principal)
    }

    /// The assignment of one tenant.
    pub fn of_tenant(tenant: Tenant, value: Value) -> Self {
        Self { groups: vec![vec![Term::equal(tenant.column, Some(value))]], default_owner: None }
    }

    /// Adds a principal's ownership and claims.
    ///
    /// # Errors
    /// Errors of [`new`](Self::new), but `tenant_required`.
    pub fn owned_by(mut self, resource: &'static Descriptor, principal: Option<&Principal>) -> Result<Self, Problem> {
        if let Some(owner) = resource.owner {
            let denied = |detail| Problem::new(Code::PermissionDenied, detail);
            let principal = principal.ok_or_else(|| denied("a record with an owner needs a token"))?;
            let term = owner_term(resource, owner.column, Some(principal));
            let id = term.value().cloned().ok_or_else(|| denied("the token's subject is not a valid owner id"))?;
            if is_admitted(owner.assign, Some(principal)) {
                self.default_owner = Some((owner.column, id));
            } else {
                self.groups.push(vec![term]);
            }
        }
        for scopes in [resource.scopes, resource.write_scopes] {
            let mut claims = claim_terms(resource, scopes, principal);
            if claims.is_empty() {
                continue;
            }
            // A key that storage assigns is not the claim's value.
            claims.retain(|term| match &term.test {
                Test::Equals(value) => value.is_some() && !resource.columns[term.column].is_assigned(),
                // Storage knows where the new record leads.
                Test::Leads(_) => true,
            });
            if claims.is_empty() {
                return Err(Problem::new(Code::PermissionDenied, NO_CLAIM));
            }
            self.groups.push(claims);
        }
        Ok(self)
    }

    /// Sets the assigned fields of a new record, and refuses other values.
    pub fn apply(&self, resource: &Descriptor, changes: &mut Changes, errors: &mut FieldErrors) {
        if !is_assigning(resource) {
            return;
        }
        for group in &self.groups {
            assign(resource, group, changes, errors);
        }
        if let Some((column, id)) = self.default_owner.as_ref().filter(|(column, _)| changes.get(*column).is_none()) {
            changes.set(*column, id.clone());
        }
    }
}

/// Whether the principal of a create determines values of the record.
fn is_assigning(resource: &Descriptor) -> bool {
    resource.restricts_records() || !resource.write_scopes.is_empty()
}

/// Makes one term of a group hold for a new record: the first, unless the record satisfies another. Where the record refers to
/// others that decide, the write asks storage.
fn assign(resource: &Descriptor, group: &[Term], changes: &mut Changes, errors: &mut FieldErrors) {
    if group.iter().any(|term| term.value().is_some() && changes.get(term.column) == term.value()) {
        return;
    }
    let leads = |term: &Term| term.lead().is_some() && changes.get(term.column).is_some_and(|value| !value.is_null());
    if group.iter().any(leads) {
        return;
    }
    let Some((column, value)) = group.iter().find_map(|term| Some((term.column, term.value()?))) else { return };
    if changes.get(column).is_none() {
        changes.set(column, value.clone());
    } else {
        let name = resource.columns[column].json;
        errors.push(FieldError::field(name, "scope", format!("must be `{value}`, as the token says, or be absent")));
    }
}

/// The problem of a token without a tenant, or of a request without a token.
pub fn tenant_required(principal: Option<&Principal>) -> Problem {
    match principal {
        Some(_) => Problem::of(Code::TenantRequired),
        None => Problem::denied(true),
    }
}

/// Refuses a principal without a tenant where records have tenants.
///
/// # Errors
/// `tenant_required`; `authentication_failed` for an anonymous request.
pub fn require_tenant(resource: &'static Descriptor, principal: Option<&Principal>) -> Result<(), Problem> {
    principal_tenant(resource, principal).map(drop)
}

/// The tenant whose records a principal reaches; `None` where records have no tenants, and for a principal of a role that
/// is exempt.
///
/// # Errors
/// Errors of [`require_tenant`].
pub fn principal_tenant(
    resource: &'static Descriptor,
    principal: Option<&Principal>,
) -> Result<Option<(Tenant, Value)>, Problem> {
    let tenant = resource.tenant.filter(|tenant| !is_admitted(tenant.except, principal));
    let Some(tenant) = tenant else { return Ok(None) };
    let value = tenant_value(resource, tenant, principal.and_then(Principal::tenant));
    value.map(|value| Some((tenant, value))).ok_or_else(|| tenant_required(principal))
}

/// A principal's tenant as a value of the resource's tenant column, if it is of the column's type.
pub fn tenant_value(resource: &Descriptor, tenant: Tenant, claim: Option<&Json>) -> Option<Value> {
    claim_value(&resource.columns[tenant.column], claim?)
}

/// Whether a principal reaches the records of every tenant: the resource exempts it from having one.
pub fn is_exempt(resource: &Descriptor, principal: Option<&Principal>) -> bool {
    resource.tenant.is_some_and(|tenant| is_admitted(tenant.except, principal))
}

fn is_admitted(rule: Option<Access>, principal: Option<&Principal>) -> bool {
    principal.is_some() && rule.is_some_and(|rule| rule.admits(principal))
}

/// A principal's subject as a value of a column; `None` where the column has no such value.
pub fn subject_value(column: &ColumnDescriptor, principal: &Principal) -> Option<Value> {
    scalar::parse(column, principal.subject()).ok()
}

fn owner_term(resource: &Descriptor, column: usize, principal: Option<&Principal>) -> Term {
    Term::equal(column, principal.and_then(|principal| subject_value(&resource.columns[column], principal)))
}

/// The terms of those of the scopes that restrict a principal.
fn claim_terms(
    resource: &'static Descriptor,
    scopes: &'static [ClaimScope],
    principal: Option<&Principal>,
) -> Vec<Term> {
    let own = scopes
        .iter()
        .enumerate()
        .filter(|(_, scope)| scope.access.admits(principal) && !is_admitted(scope.except, principal));
    let term = |(index, scope): (usize, &'static ClaimScope)| Term {
        column: if scope.path.is_some_and(|path| path.children.is_some()) { resource.id } else { scope.column },
        number: index + 1,
        test: claim_test(resource, scope, principal),
        within: scope.within,
    };
    own.map(term).collect()
}

/// The test of a scope's field for a principal. A path that leads nowhere, which a service refuses at its start, admits
/// nothing.
fn claim_test(resource: &'static Descriptor, scope: &ClaimScope, principal: Option<&Principal>) -> Test {
    let Ok((steps, column)) = scope.steps(resource) else { return Test::Equals(None) };
    let end = steps.last().map_or(resource, |step| step.resource);
    let value = principal.and_then(|principal| named_claim(&end.columns[column], principal, scope.claim));
    if steps.is_empty() {
        return Test::Equals(value);
    }
    let mut inner = match value {
        Some(value) => Predicate::Compare { column, operator: Comparison::Eq, value },
        // Without the claim, nothing leads to its records.
        None => Predicate::Or(Vec::new()),
    };
    let mut first = None;
    for &Step { column, resource, selected, .. } in steps.iter().rev() {
        let filter = Scope::Active.predicate(resource).and(inner);
        let select = InSubquery { columns: vec![(column, selected)], resource, filter };
        inner = Predicate::InSubquery(Box::new(select.clone()));
        first = Some(select);
    }
    let lead = |select| Lead { select, known: Mutex::default(), is_missed: AtomicBool::new(false) };
    first.map_or(Test::Equals(None), |select| Test::Leads(Arc::new(lead(select))))
}

/// The claim of this name as a value of a column; `sub` is the subject.
fn named_claim(column: &ColumnDescriptor, principal: &Principal, name: &str) -> Option<Value> {
    match name {
        ClaimScope::SUBJECT => subject_value(column, principal),
        name => claim_value(column, principal.claim(name)?),
    }
}

/// A claim as text, as the audit log and jobs have it.
pub fn claim_text(claim: &Json) -> String {
    match claim {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A claim as a value of a column: a number for a number, a string for everything that JSON has as a string.
fn claim_value(column: &ColumnDescriptor, claim: &Json) -> Option<Value> {
    let is_number = matches!(column.kind, Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32);
    match claim {
        Json::Number(number) if is_number => scalar::parse(column, &number.to_string()).ok(),
        Json::String(text) if !is_number => scalar::parse(column, text).ok(),
        Json::Bool(value) if column.kind == Kind::Bool => Some(Value::Bool(*value)),
        _ => None,
    }
}
