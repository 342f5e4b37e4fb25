//! [`Term`]: one condition of a scope on a record, and the terms of owners and of claims.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};

use super::claims::{claim_value, is_admitted, subject_value, tenant_text};
use super::related_scope::RelatedScope;
use super::{Comparison, InSubquery, Predicate, Scope};
use crate::model::adapter_error::AdapterError;
use crate::model::column::owned_value;
use crate::model::descriptor::{ClaimScope, ColumnDescriptor, Descriptor, Step, Within};
use crate::model::principal::Principal;
use crate::model::row::Row;
use crate::model::value::Value;

/// A condition on a record.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) column: usize,
    /// The scope's number among the scopes of its kind, from 1.
    pub(super) number: usize,
    pub(super) test: Test,
    pub(super) within: Option<Within>,
}

/// Test of a column's value.
#[derive(Debug, Clone)]
pub(super) enum Test {
    /// Equality. Without a value, no record satisfies it: the principal has no such claim, or one of another type.
    Equals(Option<Value>),
    /// The value leads to a record of another resource.
    Related(Arc<RelatedScope>),
}

impl Term {
    pub(super) fn equal(column: usize, value: Option<Value>) -> Self {
        Self { column, number: 0, test: Test::Equals(value), within: None }
    }

    /// The value that the column must have, where the test is equality.
    pub(super) const fn value(&self) -> Option<&Value> {
        match &self.test {
            Test::Equals(value) => value.as_ref(),
            Test::Related(_) => None,
        }
    }

    pub(super) const fn related(&self) -> Option<&Arc<RelatedScope>> {
        match &self.test {
            Test::Equals(_) => None,
            Test::Related(related) => Some(related),
        }
    }

    pub(super) fn predicate(&self, now: Option<DateTime<Utc>>) -> Predicate {
        let compare = |column, operator, value| Predicate::Compare { column, operator, value };
        let term = match &self.test {
            Test::Equals(Some(value)) => compare(self.column, Comparison::Eq, value.clone()),
            Test::Equals(None) => Predicate::Or(Vec::new()),
            Test::Related(related) => Predicate::InSubquery(Box::new(related.select.clone())),
        };
        match (self.within, now) {
            (Some(within), Some(now)) => {
                term.and(compare(within.column, Comparison::Gte, Value::DateTime(since(now, within))))
            }
            _ => term,
        }
    }

    pub(super) fn admits(
        &self,
        resource: &Descriptor,
        record: &dyn Row,
        now: Option<DateTime<Utc>>,
    ) -> Result<bool, AdapterError> {
        let value = |column: usize| match record.value(column) {
            Ok(stored) => Ok(owned_value(resource.columns[column].kind, stored).ok()),
            // An unreadable value satisfies no term.
            Err(AdapterError::Corrupt { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        let stored = value(self.column)?;
        let holds = match &self.test {
            Test::Equals(wanted) => wanted.is_some() && *wanted == stored,
            Test::Related(related) => stored.is_some_and(|stored| related.admits(&stored)),
        };
        match (self.within, now) {
            (Some(within), Some(now)) if holds => {
                Ok(matches!(value(within.column)?, Some(Value::DateTime(time)) if time >= since(now, within)))
            }
            _ => Ok(holds),
        }
    }
}

/// The beginning of the time limit that ends now.
fn since(now: DateTime<Utc>, within: Within) -> DateTime<Utc> {
    let time = TimeDelta::from_std(within.time).ok();
    let now = now.trunc_subsecs(6);
    time.and_then(|time| now.checked_sub_signed(time)).unwrap_or(DateTime::<Utc>::MIN_UTC)
}

pub(super) fn owner_term(resource: &Descriptor, column: usize, principal: Option<&Principal>) -> Term {
    Term::equal(column, principal.and_then(|principal| subject_value(&resource.columns[column], principal)))
}

/// The terms of the scopes that restrict a principal.
pub(super) fn claim_terms(
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

/// The test of a scope's field for a principal. A path that cannot be followed, which a service refuses at its start,
/// admits nothing.
fn claim_test(resource: &'static Descriptor, scope: &ClaimScope, principal: Option<&Principal>) -> Test {
    let Ok((steps, column)) = scope.steps(resource) else { return Test::Equals(None) };
    let end = steps.last().map_or(resource, |step| step.resource);
    let value = named_claim(&end.columns[column], principal, scope.claim);
    if steps.is_empty() {
        return Test::Equals(value);
    }
    let mut inner = match value {
        Some(value) => Predicate::Compare { column, operator: Comparison::Eq, value },
        // Without the claim, no record satisfies the condition.
        None => Predicate::Or(Vec::new()),
    };
    let mut first = None;
    for &Step { column, resource, selected, .. } in steps.iter().rev() {
        let filter = Scope::Active.predicate(resource).and(inner);
        let select = InSubquery { columns: vec![(column, selected)], resource, filter };
        inner = Predicate::InSubquery(Box::new(select.clone()));
        first = Some(select);
    }
    first.map_or(Test::Equals(None), |select| Test::Related(Arc::new(RelatedScope::new(select))))
}

/// The claim of this name as a value of a column; `sub` is the subject, and the empty name the tenant.
fn named_claim(column: &ColumnDescriptor, principal: Option<&Principal>, name: &str) -> Option<Value> {
    match name {
        ClaimScope::SUBJECT => subject_value(column, principal?),
        ClaimScope::TENANT => tenant_text(column, principal),
        name => claim_value(column, principal?.claim(name)?),
    }
}
