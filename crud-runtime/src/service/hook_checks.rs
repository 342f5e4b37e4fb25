//! The checks of resources with hooks before a service starts.

use super::builder::Service;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, OnDelete};
use crate::storage::error::{Error, Result};
use crate::store::hooks::Hooks;

impl Service {
    /// Checks that storage can call the hooks of every resource, and that the database changes none of their records
    /// itself.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(super) fn check_hooks(&self) -> Result<()> {
        let is_interactive = self.adapter.capabilities().interactive;
        for resource in self.tables() {
            let Some(hooks) = Hooks::of(resource) else { continue };
            if !is_interactive {
                return Err(Error::Setup(format!(
                    "{} has hooks, which need transactions of several calls, and this storage has none: remove \
                     `validate` and `hooks`, or use another database",
                    resource.name
                )));
            }
            for column in resource.columns {
                check_reference(resource, hooks, column)?;
            }
        }
        Ok(())
    }
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
        "{child} has hooks, and a delete of {parent} would change its records without them: write `on_delete = restrict` \
         on `{field}`, not `{action}`",
        child = resource.name,
        parent = (reference.target)().name,
        field = column.name,
    )))
}
