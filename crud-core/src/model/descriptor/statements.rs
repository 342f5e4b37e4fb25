//! [`Statements`]: a resource's fixed SQL.

/// A resource's fixed statements in one SQL dialect. Every identifier is quoted; values are bound.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Statements {
    /// `SELECT <all columns> FROM <table>`, to which a list appends its clauses.
    pub select: &'static str,
    /// The record of a key; binds the key.
    pub get: &'static str,
    /// `INSERT … <returning>`; binds the columns of `insert_columns`.
    pub insert: &'static str,
    /// The columns that an insert binds, in order.
    pub insert_columns: &'static [usize],
    /// ` RETURNING <all columns>`; where changes cannot all return records, the clause of an insert.
    pub returning: &'static str,
    /// `DELETE … RETURNING <all columns>`, or without it; binds the key.
    pub delete: &'static str,
}

impl Statements {
    /// The statements of a resource, in the order of the fields.
    pub const fn new(
        select: &'static str,
        get: &'static str,
        insert: &'static str,
        insert_columns: &'static [usize],
        returning: &'static str,
        delete: &'static str,
    ) -> Self {
        Self { select, get, insert, insert_columns, returning, delete }
    }
}
