//! [`Statements`]: a resource's fixed SQL.

/// A resource's fixed statements in one SQL dialect. Every identifier is quoted; values are bound.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Statements {
    /// The expressions that a record is read from, in the order of the resource's columns: `"id", "name"`.
    pub columns: &'static str,
    /// The record of a key, `SELECT <columns> FROM …`; binds the key, and the tenant where records have tenants.
    pub get: &'static str,
    /// `INSERT … RETURNING <columns>`, where inserts return records; binds the columns of `insert_columns`.
    pub insert: &'static str,
    /// The columns that an insert binds, in order.
    pub insert_columns: &'static [usize],
    /// `DELETE … RETURNING <columns>`, where deletes return records; binds the key, and the tenant where records have tenants.
    pub delete: &'static str,
}

impl Statements {
    /// The statements of a resource, in the order of the fields.
    pub const fn new(
        columns: &'static str,
        get: &'static str,
        insert: &'static str,
        insert_columns: &'static [usize],
        delete: &'static str,
    ) -> Self {
        Self { columns, get, insert, insert_columns, delete }
    }
}
