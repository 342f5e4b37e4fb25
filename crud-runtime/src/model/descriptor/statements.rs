//! [`Statements`]: a resource's SQL.

/// A resource's fixed statements in one SQL dialect. Every identifier is quoted; values are bound.
#[derive(Debug, Clone, Copy)]
pub struct Statements {
    /// `SELECT <all columns> FROM <table>`, to which a list appends its clauses.
    pub select: &'static str,
    /// The record of a key; binds the key.
    pub get: &'static str,
    /// `INSERT … <returning>`; binds the columns of `insert_columns`.
    pub insert: &'static str,
    /// The columns that an insert binds, in order.
    pub insert_columns: &'static [usize],
    /// ` RETURNING <all columns>`; where that is not to be had of every change, what an insert has of it.
    pub returning: &'static str,
    /// `DELETE … RETURNING <all columns>`, or without it; binds the key.
    pub delete: &'static str,
}
