//! [`SeenTotals`]: the numbers of records in the snapshot that a connection read last.
//!
//! The `PRAGMA data_version` of a connection changes when it sees a commit of another connection. Until then, the next
//! snapshot has the same records, so that their numbers are known without a look at the shared totals. A writer's own
//! commits do not change its version, so that this is for readers only.

use crate::sqlite::embedded::totals::{Numbers, Table};

/// The numbers of records of tables at a data version of one connection.
#[derive(Debug, Default)]
pub(in crate::sqlite::embedded) struct SeenTotals {
    version: i64,
    numbers: Vec<(Table, Numbers)>,
}

impl SeenTotals {
    /// The numbers of a table, if they were seen at this data version.
    pub(in crate::sqlite::embedded) fn numbers(&self, version: i64, table: Table) -> Option<Numbers> {
        let seen = self.numbers.iter().filter(|_| version == self.version).find(|(seen, _)| *seen == table);
        seen.map(|(_, numbers)| *numbers)
    }

    /// Remembers the numbers of a table at this data version, and forgets those of other versions.
    pub(in crate::sqlite::embedded) fn remember(&mut self, version: i64, table: Table, numbers: Numbers) {
        if version != self.version {
            self.numbers.clear();
            self.version = version;
        }
        self.numbers.retain(|(seen, _)| *seen != table);
        self.numbers.push((table, numbers));
    }
}
