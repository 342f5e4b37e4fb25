//! The check of former names before a service starts.

use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

impl Service {
    /// Refuses a former name that is another resource's name, unless both have one table: their records would be read as one.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first one.
    pub(in crate::service) fn check_formers(&self) -> Result<()> {
        let tables = self.tables();
        for resource in &tables {
            for former in resource.formers {
                let taken = tables.iter().find(|other| {
                    !std::ptr::eq(**other, *resource) && other.table != resource.table && other.is_named(former.name)
                });
                if let Some(other) = taken {
                    let (name, former, other) = (resource.name, former.name, other.name);
                    return Err(Error::Setup(if other == former {
                        format!(
                            "{name} was renamed from {former}, which is a struct of the service: give that another name, or \
                             remove `renamed_from = \"{former}\"`"
                        )
                    } else {
                        format!(
                            "{name} and {other} were both renamed from {former}: remove `renamed_from` from one of them"
                        )
                    }));
                }
            }
        }
        Ok(())
    }
}
