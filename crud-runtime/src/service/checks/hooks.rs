//! The checks of what needs transactions of several calls, before a service starts: hooks, jobs, counters, idempotency
//! keys and limits that servers share.

use crate::model::descriptor::{ColumnDescriptor, Descriptor, OnDelete};
use crate::model::resource::Resource;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::store::hooks::Hooks;
use crate::store::tables::request_window::RequestWindow;
use crate::store::writer::kept_role::KeptRole;

impl Service {
    /// Checks that storage can call the hooks of every resource, keep jobs and counters and log what removals change, and that the
    /// database changes no record with hooks itself.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(in crate::service) fn check_hooks(&self) -> Result<()> {
        let is_interactive = self.adapter.capabilities().interactive;
        #[cfg(feature = "jobs")]
        if !is_interactive && !self.jobs.is_empty() {
            return Err(refused("the service has jobs"));
        }
        if !is_interactive && self.extended.has_counters {
            return Err(refused("the service has counters"));
        }
        for resource in self.tables() {
            if !is_interactive && resource.idempotency.is_some() {
                return Err(refused(&format!("{} has `idempotency`: keys", resource.name)));
            }
            if !is_interactive && std::ptr::eq(resource, RequestWindow::DESCRIPTOR) {
                return Err(refused("servers share limits: their counts"));
            }
            if !is_interactive && KeptRole::of(resource).is_some() {
                return Err(refused(&format!("{} has `keep`: changes of memberships", resource.name)));
            }
            if !is_interactive && !resource.exclusives.is_empty() {
                return Err(refused(&format!("{} has `exclusive`: changes of spans", resource.name)));
            }
            let Some(hooks) = Hooks::of(resource) else { continue };
            if !is_interactive {
                return Err(Error::Setup(format!(
                    "{} has hooks, which need transactions of several calls, and this storage has none: remove \
                     `hooks`, or use another database",
                    resource.name
                )));
            }
            for column in resource.columns {
                check_reference(resource, hooks, column)?;
            }
        }
        self.logged_dependants().check(is_interactive)
    }
}

/// The refusal of what needs transactions of several calls.
fn refused(what: &str) -> Error {
    Error::Setup(format!(
        "{what}, which need transactions of several calls, and this storage has none: use another database"
    ))
}

/// Refuses a reference by which the database would change records without their hooks.
fn check_reference(resource: &Descriptor, hooks: &Hooks, column: &ColumnDescriptor) -> Result<()> {
    let Some(reference) = column.references else { return Ok(()) };
    let (action, is_past_hooks) = match reference.on_delete {
        OnDelete::Restrict => return Ok(()),
        OnDelete::Cascade => ("cascade", hooks.see_removals()),
        OnDelete::SetNull => ("set_null", true),
    };
    if !is_past_hooks {
        return Ok(());
    }
    Err(Error::Setup(format!(
        "{child} has hooks, and a delete of {parent} would change its records without them: write `on_delete(restrict)` \
         on `{field}`, not `{action}`",
        child = resource.name,
        parent = (reference.target)().name,
        field = column.name,
    )))
}
