//! [`ClaimScope`]: the records that some principals see or change, by a claim.

use std::time::Duration;

use crud_shared::duration;

use super::{Children, Descriptor};
use crate::model::access::Access;
use crate::model::setters::setters;

/// Restricts the principals that a rule admits to the records that hold one of the principal's claims, or that lead to
/// such records.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(scope(role("customer"), customer_id(claim("customer"))))]
/// struct Device {
///     id: i64,
///     customer_id: i64,
/// }
///
/// assert_eq!(Device::DESCRIPTOR.scopes[0].claim, "customer");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimScope {
    /// The restricted principals. Of several scopes that restrict a principal, a record has to satisfy one.
    pub access: Access,
    /// The principals that the scope does not restrict, whatever `access` says.
    pub except: Option<Access>,
    /// The column that holds the claim's value; with a `path`, the column that leads to the other records.
    pub column: usize,
    /// The path to the records whose field holds the claim's value; `None` where the record itself holds it.
    pub path: Option<ScopePath>,
    /// The claim's name; `sub` is the subject, and the empty name the [tenant](Self::TENANT).
    pub claim: &'static str,
    /// The time within which the record may be changed.
    pub within: Option<Within>,
}

impl ClaimScope {
    /// The claim of the principal's own id, which is the subject of its token.
    pub const SUBJECT: &str = "sub";

    /// The tenant of a principal as text, whatever claim names it; the empty text for a principal without one.
    pub const TENANT: &str = "";

    /// Restricts these principals to the records whose column holds their claim.
    pub const fn new(access: Access, column: usize, claim: &'static str) -> Self {
        Self { access, except: None, column, path: None, claim, within: None }
    }

    setters! {
        /// Leaves out the principals that this rule admits.
        except(Some(Access));
        /// Compares the claim with a field of other records, to which the column leads.
        path(Some(ScopePath));
    }

    /// Allows changes only within this time after the time in a column.
    #[must_use]
    pub const fn within(mut self, column: usize, time: Duration) -> Self {
        self.within = Some(Within { column, time });
        self
    }

    /// The record's own column that is compared with the claim; `None` with a path.
    #[doc(hidden)]
    pub fn own_column(&self) -> Option<usize> {
        self.path.is_none().then_some(self.column)
    }

    /// The relations to the records whose field is compared, and the column of that field.
    ///
    /// # Errors
    /// A sentence about a name of the path that its resource does not have, or cannot be followed by.
    #[doc(hidden)]
    pub fn steps(&self, resource: &'static Descriptor) -> Result<(Vec<Step>, usize), String> {
        let Some(path) = self.path else { return Ok((Vec::new(), self.column)) };
        let first = match path.children {
            Some(index) => resource.children.get(index).map(|children| Step::of_children(resource, children)),
            None => Step::of_reference(resource, self.column),
        };
        let single = |step: Option<Step>, resource: &Descriptor, name: &str| match step {
            Some(step) if !step.is_single => Err(format!(
                "`{name}` of {} is a reference by several fields, which a scope cannot follow",
                resource.name
            )),
            Some(step) => Ok(step),
            None => Err(format!("{} has no relation `{name}`", resource.name)),
        };
        let mut step = single(first, resource, resource.columns[self.column].name)?;
        let mut steps = vec![step];
        for name in path.more {
            let from = step.resource;
            step = single(Step::named(from, name), from, name)?;
            steps.push(step);
        }
        let end = step.resource;
        let column = end.columns.iter().position(|column| column.name == path.field);
        let column = column.ok_or_else(|| format!("{} has no field `{}`", end.name, path.field))?;
        Ok((steps, column))
    }

    /// The condition as the attribute writes it, such as `issue::assignee_id(me)`.
    #[doc(hidden)]
    pub fn condition_of(&self, resource: &'static Descriptor) -> String {
        let claim = match self.claim {
            Self::SUBJECT => "me".to_owned(),
            Self::TENANT => "tenant".to_owned(),
            claim => format!("claim({claim:?})"),
        };
        let Some(path) = self.path else { return format!("{}({claim})", resource.columns[self.column].name) };
        let first = match path.children.and_then(|index| resource.children.get(index)) {
            Some(children) => children.name,
            None => relation_name(resource, self.column),
        };
        let names = [first].into_iter().chain(path.more.iter().copied()).chain([path.field]);
        let condition = format!("{}({claim})", names.collect::<Vec<_>>().join("::"));
        if path.children.is_some() { format!("any({condition})") } else { condition }
    }

    /// The condition with its time, such as `author_id(me), within(created_at, "15m")`.
    #[doc(hidden)]
    pub fn policy_of(&self, resource: &'static Descriptor) -> String {
        let condition = self.condition_of(resource);
        match self.within {
            None => condition,
            Some(Within { column, time }) => {
                format!("{condition}, within({}, {:?})", resource.columns[column].name, duration::text(time))
            }
        }
    }
}

/// Path from a record to other records, whose field a [`ClaimScope`] compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScopePath {
    /// The index in [`Descriptor::children`] of the records that refer to the record; `None` where the path begins with
    /// the record's own reference.
    pub children: Option<usize>,
    /// The names of the relations after the first.
    pub more: &'static [&'static str],
    /// The name of the compared field.
    pub field: &'static str,
}

impl ScopePath {
    /// A path to the record that the column refers to, and from there over these relations.
    pub const fn of_reference(more: &'static [&'static str], field: &'static str) -> Self {
        Self { children: None, more, field }
    }

    /// A path to the records that refer to the record, and from there over these relations.
    pub const fn of_children(children: usize, more: &'static [&'static str], field: &'static str) -> Self {
        Self { children: Some(children), more, field }
    }
}

/// Time limit for changes of a record, counted from the time in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Within {
    /// The column with the time that the limit is counted from.
    pub column: usize,
    /// The limit: changes are allowed until this much later.
    pub time: Duration,
}

/// A relation from a record to other records.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Step {
    /// The column of the record.
    pub column: usize,
    /// The resource of the other records.
    pub resource: &'static Descriptor,
    /// The column of the other records with the same value.
    pub selected: usize,
    /// Whether this column alone leads to the other records.
    is_single: bool,
}

impl Step {
    fn of_reference(resource: &'static Descriptor, column: usize) -> Option<Self> {
        let reference = resource.columns[column].references?;
        let (target, is_single) = ((reference.target)(), reference.columns(&column).len() == 1);
        Some(Self { column, resource: target, selected: target.id, is_single })
    }

    fn of_children(resource: &'static Descriptor, children: &Children) -> Self {
        let is_single = children.columns().len() == 1;
        Self { column: resource.id, resource: (children.resource)(), selected: children.column, is_single }
    }

    fn named(resource: &'static Descriptor, name: &str) -> Option<Self> {
        if let Some(children) = resource.children.iter().find(|children| children.name == name) {
            return Some(Self::of_children(resource, children));
        }
        let references = |column: &usize| resource.columns[*column].references.is_some();
        let mut columns = (0..resource.columns.len()).filter(references);
        columns.find(|column| relation_name(resource, *column) == name).and_then(|it| Self::of_reference(resource, it))
    }
}

/// The name of the record that a column refers to: the one that the attribute states, or the field's without `_id`.
fn relation_name(resource: &Descriptor, column: usize) -> &'static str {
    let column = &resource.columns[column];
    let stem = column.name.strip_suffix("_id").unwrap_or(column.name);
    column.references.and_then(|reference| reference.named).unwrap_or(stem)
}
