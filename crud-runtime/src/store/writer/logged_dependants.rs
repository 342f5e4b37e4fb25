//! [`LoggedDependants`]: the references by which the removal of a record changes records of audited resources, or memberships.

use crate::model::descriptor::{Descriptor, OnDelete, Reference};
use crate::storage::error::{Error, Result};
use crate::store::observer::interest::Interests;
use crate::store::observer::kind::ObservedKind;
use crate::store::writer::kept_role::KeptRole;

/// A reference with `on_delete(cascade)` or `on_delete(set_null)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dependants {
    /// The resource that refers.
    pub(crate) resource: &'static Descriptor,
    /// The column that refers.
    pub(crate) column: usize,
    pub(crate) reference: Reference,
}

impl Dependants {
    /// Whether the records are removed with the one that they refer to.
    pub(crate) fn are_removed(&self) -> bool {
        self.reference.on_delete == OnDelete::Cascade
    }

    /// The kind of the dependants' change.
    pub(crate) fn observed_kind(&self) -> ObservedKind {
        if self.are_removed() { ObservedKind::Remove } else { ObservedKind::Update }
    }

    /// Whether the dependants refer to records of a resource's table.
    fn refer_to(&self, resource: &Descriptor) -> bool {
        (self.reference.target)().table == resource.table
    }
}

/// The references by which a removal changes records that storage must not change by itself: of audited resources
/// (storage would write no entries), memberships (storage would remove the last one with a kept role), and observed
/// records.
#[derive(Debug, Default)]
pub(crate) struct LoggedDependants(Vec<Dependants>);

impl LoggedDependants {
    /// References among the tables of a service with these observers.
    pub(crate) fn new(tables: impl Iterator<Item = &'static Descriptor>, observers: &Interests) -> Self {
        let all: Vec<Dependants> = tables.filter(|table| table.view.is_none()).flat_map(dependants).collect();
        let logged = Self::leading_to(all.clone(), is_logged);
        if logged.0.len() == all.len() {
            return logged;
        }
        let observed = |of: &Dependants| is_logged(of) || observers.observe(of.resource, of.observed_kind());
        let both = Self::leading_to(all, observed);
        // Removals that lead back to the same resource are left to storage, and not observed.
        if both.0.iter().any(|of| of.are_removed() && both.lead_back(of)) { logged } else { both }
    }

    /// The references for which `of` holds, and those whose removals lead to them.
    fn leading_to(all: Vec<Dependants>, of: impl Fn(&Dependants) -> bool) -> Self {
        let (mut logged, mut others): (Vec<Dependants>, Vec<Dependants>) = all.into_iter().partition(|one| of(one));
        // The removal of a record also removes records that refer to it.
        loop {
            let leads_on =
                |of: &Dependants| of.are_removed() && logged.iter().any(|logged| logged.refer_to(of.resource));
            let (more, rest): (Vec<Dependants>, Vec<Dependants>) = others.into_iter().partition(leads_on);
            if more.is_empty() {
                return Self(logged);
            }
            logged.extend(more);
            others = rest;
        }
    }

    /// References to records of a resource.
    pub(crate) fn of(&self, resource: &Descriptor) -> impl Iterator<Item = Dependants> {
        self.0.iter().copied().filter(move |of| of.refer_to(resource))
    }

    /// Checks that the entries of these changes can be written in the transaction of the removal, each once.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(crate) fn check(&self, is_interactive: bool) -> Result<()> {
        for of in &self.0 {
            let (parent, child) = ((of.reference.target)().name, of.resource.name);
            let field = of.resource.columns[of.column].name;
            let action = if of.are_removed() { "cascade" } else { "set_null" };
            let problem = if !is_interactive {
                "these changes need transactions of several calls, and this storage has none"
            } else if of.are_removed() && self.lead_back(of) {
                "removals lead back to the same resource, so that storage could remove a record first"
            } else {
                continue;
            };
            let key = if of.resource.audit.is_none() && keeps_role(of) { "keep" } else { "audit" };
            return Err(Error::Setup(format!(
                "{child}.{field} has `on_delete({action})`, and a delete of {parent} changes records with `{key}`: {problem}. \
                 Write `on_delete(restrict)`, or remove `{key}`"
            )));
        }
        Ok(())
    }

    /// Whether the removal of these records removes records of the resource that they refer to.
    fn lead_back(&self, of: &Dependants) -> bool {
        let mut reached = vec![of.resource];
        let mut next = 0;
        while let Some(resource) = reached.get(next).copied() {
            if of.refer_to(resource) {
                return true;
            }
            for more in self.of(resource).filter(Dependants::are_removed) {
                if !reached.iter().any(|known| std::ptr::eq(*known, more.resource)) {
                    reached.push(more.resource);
                }
            }
            next += 1;
        }
        false
    }
}

/// Whether the change of a dependant has an entry, or may take a kept role.
fn is_logged(of: &Dependants) -> bool {
    of.resource.audit.is_some() || keeps_role(of)
}

/// Whether storage would remove memberships with a kept role, or change the role. A membership may be removed with its
/// tenant.
fn keeps_role(of: &Dependants) -> bool {
    let Some((kept, tenant)) = KeptRole::of(of.resource).zip(of.resource.tenant) else { return false };
    let changes_role = of.reference.columns(&of.column).contains(&kept.column());
    of.column != tenant.column && (of.are_removed() || changes_role)
}

/// The references of a resource by which storage changes its records.
fn dependants(resource: &'static Descriptor) -> impl Iterator<Item = Dependants> {
    resource.columns.iter().enumerate().filter_map(move |(column, descriptor)| {
        let reference = descriptor.constraint()?;
        (reference.on_delete != OnDelete::Restrict).then_some(Dependants { resource, column, reference })
    })
}
