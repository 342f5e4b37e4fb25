//! [`TableFacts`]: properties of a table that its resource does not state.

/// Facts of the table of a resource, as the database has them: read once at start, and followed by every write.
///
/// ```no_run
/// use crud_runtime::adapter::{AdapterError, Administration, PostgresAdapter};
/// # use crud_runtime::prelude::*;
/// # #[derive(Resource)]
/// # struct Book { id: i64 }
///
/// # async fn triggers() -> Result<(), AdapterError> {
/// let adapter = PostgresAdapter::connect("postgres://localhost/shop").await?;
/// for facts in adapter.learn(&[Book::DESCRIPTOR]).await? {
///     println!("{}: {} triggers", facts.table, facts.triggers.len());
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableFacts {
    /// The table.
    pub table: String,
    /// The table's columns, in order.
    pub columns: Vec<ColumnFacts>,
    /// The table's enabled triggers, except those of a full-text index.
    pub triggers: Vec<TriggerFacts>,
    /// The table's unique indexes, including the primary key's. Indexes may be left out if the database itself reports
    /// their columns.
    pub uniques: Vec<UniqueFacts>,
    /// Whether an insert returns a key that the database fills in, of any type.
    pub returns_keys: bool,
}

/// Facts of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnFacts {
    /// The name of the column.
    pub name: String,
    /// The declared type, where the audit entry of a change is made before the database has stored it: PostgreSQL's.
    pub declared: Option<String>,
    /// The collation of text that is not compared by code point.
    pub collation: Option<String>,
    /// Whether the column can be null.
    pub nullable: bool,
    /// Whether an insert may leave the column out: it has a default.
    pub has_default: bool,
    /// Whether the database computes the column, and no statement may set it.
    pub is_generated: bool,
}

/// Facts of a trigger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // each is a fact for itself
pub struct TriggerFacts {
    /// The name of the trigger.
    pub name: String,
    /// Whether the trigger runs at an insert or an update, and so can change the record.
    pub changes: bool,
    /// Whether the trigger can change the record after the statement has returned it.
    pub changes_returned: bool,
    /// Whether the trigger can prevent the insert or the delete of a record.
    pub leaves_out: bool,
    /// Whether the trigger does something instead of a change of the table, as a rule of PostgreSQL can.
    pub replaces: bool,
    /// Whether the trigger runs at the commit, after the last statement.
    pub is_deferred: bool,
}

/// Facts of a unique index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UniqueFacts {
    /// The name by which the database reports a duplicate.
    pub name: String,
    /// The index's columns in order; in place of an expression, the columns that it reads.
    pub columns: Vec<String>,
}

impl TableFacts {
    /// A table without anything special.
    pub fn new(table: impl Into<String>) -> Self {
        let (columns, triggers, uniques) = (Vec::new(), Vec::new(), Vec::new());
        Self { table: table.into(), columns, triggers, uniques, returns_keys: true }
    }
}

impl ColumnFacts {
    /// A column without anything special.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

impl TriggerFacts {
    /// A trigger that does not affect the record.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

impl UniqueFacts {
    /// An index without columns.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}
