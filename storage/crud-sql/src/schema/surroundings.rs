//! [`Surroundings`]: what a table needs, or has, beside its columns, constraints and indexes.

/// Objects around a table, for a script that makes it anew.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// The statements before that of the table, none with a semicolon at its end: types and sequences, where they are not there.
    pub(crate) before: Vec<String>,
    /// The end of the table's statement, such as how it is partitioned.
    pub(crate) table_end: String,
    /// The statements after it: its partitions.
    pub(crate) after: Vec<String>,
    /// The objects that the script leaves out, such as ``the trigger `films_search` ``.
    pub(crate) left_out: Vec<String>,
}
