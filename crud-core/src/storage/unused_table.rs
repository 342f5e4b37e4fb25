//! [`UnusedTable`]: a table with records that no resource has.

use std::fmt;

/// Maximum number of records that are counted in a table.
pub const MAX_COUNTED: u64 = 100_000;

/// A table with records that belongs to no resource: its struct was renamed or removed, or the table is another
/// program's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedTable {
    /// The table's name.
    pub name: String,
    /// The number of records, at most 100,001.
    pub records: u64,
    /// Whether the table is known to have been created for a resource.
    pub is_known: bool,
    /// The plugin that has registered the table, where that is known.
    pub owner: Option<String>,
}

impl UnusedTable {
    /// A table with this many records.
    pub const fn new(name: String, records: u64, is_known: bool) -> Self {
        Self { name, records, is_known, owner: None }
    }
}

/// `` `orders` (7 records) ``, `` `board_card` (1 record, of the plugin `board`) ``.
impl fmt::Display for UnusedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, records, .. } = self;
        match *records {
            1 => write!(f, "`{name}` (1 record")?,
            counted if counted > MAX_COUNTED => write!(f, "`{name}` (more than {MAX_COUNTED} records")?,
            _ => write!(f, "`{name}` ({records} records")?,
        }
        match &self.owner {
            Some(owner) => write!(f, ", of the plugin `{owner}`)"),
            None => f.write_str(")"),
        }
    }
}
