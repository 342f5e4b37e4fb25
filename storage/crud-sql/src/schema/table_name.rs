//! [`TableName`]: an existing table of any owner.

/// A table of the database's own schema.
#[derive(Debug)]
pub(crate) struct TableName {
    pub(crate) name: String,
    /// Whether it has what only tables of resources have.
    pub(crate) is_known: bool,
}
