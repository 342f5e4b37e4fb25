//! Tables: what resources want, what a database has, and the statements between the two.
//!
//! `indexes` says which constraints and indexes a resource wants, `ddl` writes them. `table` is a table as the
//! database describes it; `table_diff` compares it with the resource, `diff` the whole database with all resources.
//! `plan` is what a service creates by itself. `script` writes the statements of a migration by the database's
//! `alteration`, and `history` applies migrations and records them.

#[cfg(feature = "migrations")]
pub(crate) mod alteration;
pub(crate) mod ddl;
pub(crate) mod diff;
#[cfg(feature = "migrations")]
pub(crate) mod history;
pub(crate) mod indexes;
pub(crate) mod plan;
#[cfg(feature = "migrations")]
pub(crate) mod script;
pub(crate) mod table;
mod table_diff;

use std::borrow::Cow;

#[cfg(feature = "migrations")]
use self::alteration::Alteration;
use self::table::Table;
use super::driver::{Connection, Driver};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::future::BoxFuture;

/// How a database defines, describes and alters its tables.
pub(crate) trait Schema: Driver {
    /// The end of `CREATE TABLE`, after the columns.
    const TABLE_END: &'static str;

    /// The attributes of an integer key, after its type: storage assigns it, and no value twice.
    const ASSIGNED_KEY: &'static str;

    /// How an integer key must be declared, for a message.
    const ASSIGNED: &'static str;

    /// The indexes that a new table's definition contains.
    const IN_TABLE: InTable;

    /// Whether there are partial indexes.
    const PARTIAL_INDEXES: bool;

    /// Whether constraints are column constraints rather than table constraints.
    const CONSTRAINTS_IN_COLUMNS: bool;

    /// Whether the names of CHECK constraints are unique in their table alone, so that two tables can have the same.
    const CHECKS_OF_TABLE: bool;

    /// The collation that compares text by code point, for a message.
    const COLLATION: &'static str;

    /// The type of a column.
    fn column_type(resource: &Descriptor, column: &ColumnDescriptor) -> Cow<'static, str>;

    /// The suffix of a column in an index, with which lists use the index in both directions.
    fn index_column(resource: &Descriptor, column: &ColumnDescriptor) -> &'static str;

    /// The expression after `DEFAULT`, for the literal of a value.
    fn default_value(literal: String) -> String {
        literal
    }

    /// The name within the database's limit, the same each time.
    fn shorten(name: String) -> String;

    /// The literal of exactly this value, if there is one.
    fn literal(argument: &Self::Argument) -> Option<String>;

    /// The CHECK condition of the column's kind, as far as the database can check it. Null passes.
    fn kind_check(column: &ColumnDescriptor, name: &str) -> Option<String>;

    /// The expression of the length of the column's values, if they have one.
    fn length(column: &ColumnDescriptor, name: &str) -> Option<String>;

    /// Whether the database appends the key to every index of the table, which may exist already.
    fn key_implied(resource: &Descriptor, table: Option<&Table>) -> bool;

    /// Whether two names are the same identifier.
    fn is_same_name(one: &str, other: &str) -> bool;

    /// Whether a column of the declared type stores the kind's values unchanged and in their order.
    fn fits(column: &ColumnDescriptor, declared: &str) -> bool;

    /// Reads the table of this name, if there is one.
    fn table<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> BoxFuture<'a, sqlx::Result<Option<Table>>>;

    /// Whether the name of an index is taken.
    fn is_taken<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> BoxFuture<'a, sqlx::Result<bool>>;

    /// How tables that are there change.
    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Self>;
}

/// The indexes that a new table's definition contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(all(feature = "mysql", feature = "postgres", feature = "sqlite")), allow(dead_code))]
pub(crate) enum InTable {
    /// None: each has its statement.
    Nothing,
    /// Those of values that are unique among all records, as constraints without a name.
    Uniques,
    /// All of them.
    Indexes,
}
