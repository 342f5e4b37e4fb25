//! [`Draft`]: values of a person's new records, with references to records of the same person.

use std::sync::atomic::{AtomicU32, Ordering};

use crud_runtime::column::{Kind, Value};
use crud_runtime::descriptor::{Descriptor, Role};

use super::person::{Person, STRANGER, claim_columns, has_subjects};
use super::sample::sample;
use super::served::{Served, position};

/// A kind of generated record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// A record that refers to the person's own records.
    Own,
    /// A record that refers to the person's own records, and is older than time limits of rules.
    Old,
    /// A record that refers to deleted records of the person, if there are some.
    Orphan,
    /// A record that refers to records of the other person of the tenant.
    Crossing,
}

/// Records that drafts refer to: one active and one deleted record of each person, for each resource.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(super) own: Vec<Vec<Option<Vec<Value>>>>,
    pub(super) deleted: Vec<Vec<Option<Vec<Value>>>>,
    next: AtomicU32,
}

impl Draft {
    pub(super) fn new(resources: usize) -> Self {
        let none = || vec![vec![None; STRANGER + 1]; resources];
        Self { own: none(), deleted: none(), next: AtomicU32::new(1) }
    }

    /// The values of a new record.
    ///
    /// # Errors
    /// The reason why there can be no such record, as a sentence.
    pub(super) fn values(
        &self,
        served: &[Served],
        people: &[Person],
        resource: usize,
        person: usize,
        variant: Variant,
    ) -> Result<Vec<(usize, Value)>, String> {
        let descriptor = served[resource].descriptor;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut values = self.references(served, resource, person, variant)?;
        for (index, column) in descriptor.columns.iter().enumerate() {
            let is_set = values.iter().any(|(column, _)| *column == index);
            let is_timed = matches!(column.role, Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted);
            if is_set || is_timed || column.is_assigned() || !column.transitions.is_empty() {
                continue;
            }
            match value(descriptor, index, people, person, placed(column.kind, number, index)) {
                Some(value) => values.push((index, value)),
                None if column.nullable || column.default.is_some() || column.database_default => {}
                None => return Err(format!("no value of `{}` satisfies its rules", column.name)),
            }
        }
        let tenant = descriptor.tenant.and_then(|tenant| Some((tenant.column, people[person].tenant.clone()?)));
        if let Some((column, value)) = tenant {
            values.retain(|(other, _)| *other != column);
            values.push((column, value));
        }
        Ok(values)
    }

    /// The values of the columns that refer to other records.
    fn references(
        &self,
        served: &[Served],
        resource: usize,
        person: usize,
        variant: Variant,
    ) -> Result<Vec<(usize, Value)>, String> {
        let descriptor = served[resource].descriptor;
        let mut values = Vec::new();
        for (index, column) in descriptor.columns.iter().enumerate() {
            let is_tenant = descriptor.tenant.is_some_and(|tenant| tenant.column == index);
            let Some(reference) = column.references.filter(|_| !is_tenant && !has_subjects(descriptor, index)) else {
                continue;
            };
            let target = (reference.target)();
            let found = position(served, target).and_then(|target| self.referred(target, person, variant));
            match found {
                Some(record) => {
                    let pairs = reference.pairs(index);
                    values.extend(pairs.into_iter().map(|(own, key)| (own, record[key].clone())));
                }
                None if column.nullable => values.push((index, Value::Null)),
                None => return Err(format!("`{}` needs a record of {}, and there is none", column.name, target.name)),
            }
        }
        Ok(values)
    }

    /// The record that a draft refers to. A stranger's drafts refer to records of the first person.
    fn referred(&self, target: usize, person: usize, variant: Variant) -> Option<&Vec<Value>> {
        let person = if person == STRANGER { 0 } else { person };
        let own = self.own[target][person].as_ref();
        match variant {
            Variant::Own | Variant::Old => own,
            Variant::Orphan => self.deleted[target][person].as_ref().or(own),
            Variant::Crossing => self.own[target][[1, 0, 2][person]].as_ref(),
        }
    }
}

/// The number of a value in a record. Times and numbers grow with the column's index, so that an end is after its
/// begin.
fn placed(kind: Kind, number: u32, column: usize) -> u32 {
    match kind {
        Kind::Text | Kind::Enum(_) | Kind::Uuid | Kind::Bool | Kind::Json => number,
        _ => number.saturating_add(u32::try_from(column).unwrap_or_default()),
    }
}

/// A value of a column that is not a reference.
fn value(
    descriptor: &'static Descriptor,
    index: usize,
    people: &[Person],
    person: usize,
    number: u32,
) -> Option<Value> {
    let column = &descriptor.columns[index];
    // Routes of a plugin set the values of the column.
    if column.plugin.is_some() {
        return None;
    }
    if has_subjects(descriptor, index) {
        return typed(column.kind, &people[person].subject);
    }
    // Each person has a different role, so that each role has a member.
    let is_role = descriptor.tenant.and_then(|it| it.members).is_some_and(|members| members.role == Some(index));
    if is_role {
        return sample(column, u32::try_from(person).ok()?);
    }
    // All records of a person have the same value, which is the person's claim.
    if claim_columns(descriptor).any(|(column, _)| column == index) && !descriptor.key().contains(&index) {
        return sample(column, 900 + u32::try_from(person).ok()?);
    }
    sample(column, number)
}

/// A text, converted to a value of a kind.
pub(super) fn typed(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Text => Some(Value::Text(text.to_owned())),
        Kind::Uuid => text.parse().ok().map(Value::Uuid),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => text.parse().ok().map(Value::Int),
        _ => None,
    }
}
