//! [`Shared`]: the tables that readers see.

use std::sync::{Arc, PoisonError, RwLock};

use crate::tables::Tables;

/// The tables that readers see. A writer publishes new ones; a snapshot stays as it is.
#[derive(Debug, Default)]
pub(crate) struct Shared(RwLock<Arc<Tables>>);

impl Shared {
    /// A snapshot of the tables.
    pub(crate) fn read(&self) -> Arc<Tables> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Publishes tables to readers.
    pub(crate) fn publish(&self, tables: Tables) {
        // The lock guards one assignment: a panic elsewhere leaves whole tables.
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tables);
    }
}
