//! The checks of views before a service starts.

use crate::model::descriptor::{ClaimScope, Descriptor};
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

impl Service {
    /// Checks that storage has views, that each view restricts its rows like the resources that it depends on, and that
    /// nothing refers to a view. Storage checks what else a view reads.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(in crate::service) fn check_views(&self) -> Result<()> {
        let has_views = self.adapter.capabilities().views;
        for resource in self.tables() {
            for column in resource.columns {
                let target = column.constraint().map(|reference| (reference.target)());
                if let Some(target) = target.filter(|target| target.view.is_some()) {
                    return Err(Error::Setup(format!(
                        "{}.{} refers to {}, which is a view and so has no foreign keys to it: write \
                         `references({2}, unconstrained)`",
                        resource.name, column.name, target.name
                    )));
                }
            }
            let Some(view) = resource.view else { continue };
            if !has_views {
                return Err(Error::Setup(format!(
                    "{} is a view, and this storage has none: remove it, or use another database",
                    resource.name
                )));
            }
            for depends in view.depends {
                check_records(resource, depends())?;
            }
        }
        Ok(())
    }

    /// Checks that the database was asked what each view reads, which `migrate` does. Needed where some principals see
    /// only some records of a resource that the view does not declare.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first view about which it was not asked.
    pub(in crate::service) fn check_view_reads(&self) -> Result<()> {
        if self.is_compared() {
            return Ok(());
        }
        let tables = self.tables();
        for view in tables.iter().copied().filter(|resource| resource.view.is_some()) {
            let declared = view.with_depends();
            let is_declared = |other: &Descriptor| declared.iter().any(|known| std::ptr::eq(*known, other));
            if let Some(other) = tables.iter().find(|other| other.restricts_records() && !is_declared(other)) {
                return Err(Error::Setup(format!(
                    "{} is a view, and whether it reads {}, whose records have tenants, owners or scopes, is not known: call \
                     `Service::migrate` after the last resource and before the service starts",
                    view.name, other.name
                )));
            }
        }
        Ok(())
    }
}

/// Refuses a view that reads restricted records and has no column that restricts its rows to the same principals.
fn check_records(view: &Descriptor, of: &Descriptor) -> Result<()> {
    let lacks = |what: &str, needs: &str| {
        Err(Error::Setup(format!(
            "{} depends on {}, whose records have {what}: select that column in the view, and {needs}",
            view.name, of.name
        )))
    };
    if of.tenant.is_some() && view.tenant.is_none() {
        return lacks("tenants", "mark its field with `tenant`");
    }
    if of.owner.is_some() && view.owner.is_none() {
        return lacks("owners", "mark its field with `owner`");
    }
    // The column may have another name.
    let rule = |scope: &ClaimScope| (scope.access, scope.except, scope.claim);
    let has = |scope: &ClaimScope| view.scopes.iter().any(|other| rule(other) == rule(scope));
    match of.scopes.iter().find(|scope| !has(scope)) {
        Some(scope) => {
            let claim = scope.claim;
            lacks("scopes", &format!("write `scope(…, field(claim(\"{claim}\")))` with the same access on the struct"))
        }
        None => Ok(()),
    }
}
