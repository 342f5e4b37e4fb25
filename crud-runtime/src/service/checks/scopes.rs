//! The checks of scopes before a service starts, and the indexes that scopes over other resources want.

use crate::model::descriptor::{ClaimScope, ColumnDescriptor, Descriptor};
use crate::model::value::Kind;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::storage::indexes::{ActiveBy, indexes};
use crate::storage::uniques;

impl Service {
    /// Checks that the paths of scopes lead to fields that can hold claims, of resources of the service, and that times are
    /// times.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(in crate::service) fn check_scopes(&self) -> Result<()> {
        let tables = self.tables();
        for (resource, scope, word) in self.scopes() {
            let condition = scope.condition_of(resource);
            let refused =
                |reason: String| Err(Error::Setup(format!("{} has `{word}(…, {condition})`: {reason}", resource.name)));
            let (steps, column) = match scope.steps(resource) {
                Ok(found) => found,
                Err(reason) => return refused(reason),
            };
            let is_known = |other: &Descriptor| tables.iter().any(|known| std::ptr::eq(*known, other));
            if let Some(step) = steps.iter().find(|step| !is_known(step.resource)) {
                return refused(format!("the service does not have {}", step.resource.name));
            }
            let end = steps.last().map_or(resource, |step| step.resource);
            if !holds_a_claim(&end.columns[column]) {
                let (name, field) = (end.name, end.columns[column].name);
                return refused(format!(
                    "{name}.{field} cannot hold a claim: expected an integer, a text, a UUID or a boolean"
                ));
            }
            if let Some(within) = scope.within.filter(|within| resource.columns[within.column].kind != Kind::DateTime) {
                return refused(format!("{} is not a time", resource.columns[within.column].name));
            }
        }
        Ok(())
    }

    /// Logs the indexes by which the records that scopes lead to are found, where a resource has none of them. Where the tables
    /// are another program's, no attribute would create one.
    pub(in crate::service) fn report_scope_indexes(&self) {
        if self.is_unmanaged {
            return;
        }
        for (resource, scope, word) in self.scopes() {
            for (other, columns) in wanted(resource, scope) {
                let names: Vec<&str> = columns.iter().map(|column| other.columns[*column].name).collect();
                let advice = match names[..] {
                    [field] => format!("add `index` to the field `{field}`"),
                    _ => format!("add `index({})`", names.join(", ")),
                };
                tracing::info!(
                    "{} has `{word}(…, {})`, and no index of {} finds what it compares: {advice}",
                    resource.name,
                    scope.condition_of(resource),
                    other.name,
                );
            }
        }
    }

    fn scopes(&self) -> impl Iterator<Item = (&'static Descriptor, &'static ClaimScope, &'static str)> {
        self.resources.iter().map(|options| options.descriptor).flat_map(|resource| {
            let reads = resource.scopes.iter().map(move |scope| (resource, scope, "scope"));
            reads.chain(resource.write_scopes.iter().map(move |scope| (resource, scope, "scope(write)")))
        })
    }
}

/// The columns of the indexes that a scope needs on other resources and that are missing: the compared field, and the
/// field that refers.
fn wanted(resource: &'static Descriptor, scope: &ClaimScope) -> Vec<(&'static Descriptor, Vec<usize>)> {
    let Ok((steps, column)) = scope.steps(resource) else { return Vec::new() };
    let compared = steps.iter().skip(1).map(|step| step.column).chain([column]);
    let of_steps = steps.iter().zip(compared).map(|(step, compared)| {
        let refers = Some(step.selected).filter(|selected| !step.resource.is_key(*selected) && *selected != compared);
        (step.resource, [compared].into_iter().chain(refers).collect::<Vec<_>>())
    });
    let is_missing = |(other, columns): &(&'static Descriptor, Vec<usize>)| {
        let is_key = other.key().starts_with(columns);
        !is_key && other.is_managed() && !has_index(other, columns)
    };
    of_steps.filter(is_missing).collect()
}

/// Whether an index of a resource begins with these columns, after the tenant's.
fn has_index(resource: &Descriptor, columns: &[usize]) -> bool {
    let tenant = resource.tenant.map(|tenant| tenant.column);
    let begins = |index: &[usize]| {
        let own: Vec<usize> = index.iter().copied().filter(|column| Some(*column) != tenant).collect();
        own.starts_with(columns) || index.starts_with(columns)
    };
    indexes(resource, true, ActiveBy::Condition, &[]).iter().any(|index| begins(&index.columns))
        || uniques::of(resource).iter().any(|unique| begins(&unique.columns))
}

const fn holds_a_claim(column: &ColumnDescriptor) -> bool {
    matches!(
        column.kind,
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::Text | Kind::Uuid | Kind::Bool | Kind::Enum(_)
    )
}
