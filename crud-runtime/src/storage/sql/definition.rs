//! [`Definition`]: how databases define tables, and describe those that are there.

use std::borrow::Cow;

use super::driver::{Connection, Driver};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::adapter::BoxFuture;

/// An engine whose tables can be defined and looked at.
pub(super) trait Definition: Driver {
    /// What follows the columns of a `CREATE TABLE`.
    const TABLE_END: &'static str;

    /// What follows the type of an integer key, so that storage assigns it and gives none out again.
    const ASSIGNED_KEY: &'static str;

    /// What an integer key must be, for a message.
    const ASSIGNED: &'static str;

    /// Which indexes are part of a new table's definition.
    const IN_TABLE: InTable;

    /// Whether an index can have a part of the records alone.
    const PARTIAL_INDEXES: bool;

    /// Whether constraints stand with their columns, and not after all of them.
    const CONSTRAINTS_IN_COLUMNS: bool;

    /// Whether the names of CHECK constraints are the table's own, so that two tables can have the same.
    const CHECKS_OF_TABLE: bool;

    /// The collation that compares text by code point, for a message.
    const COLLATION: &'static str;

    /// The type of a column.
    fn column_type(resource: &Descriptor, column: &ColumnDescriptor) -> Cow<'static, str>;

    /// What follows a column in an index, for lists to use it in both directions.
    fn index_column(resource: &Descriptor, column: &ColumnDescriptor) -> &'static str;

    /// What follows `DEFAULT` for a value whose literal is this.
    fn default_value(literal: String) -> String {
        literal
    }

    /// A name that is as short as names have to be, and the same each time.
    fn short(name: String) -> String;

    /// A literal that means this value to the last bit, if there is one.
    fn literal(argument: &Self::Argument) -> Option<String>;

    /// What the kind asks of the column's values, as far as the database can tell. Null passes.
    fn kind_check(column: &ColumnDescriptor, name: &str) -> Option<String>;

    /// The length of the column's values, if they have one.
    fn length(column: &ColumnDescriptor, name: &str) -> Option<String>;

    /// Whether indexes of the table, which may be there, end with the key by themselves.
    fn key_implied(resource: &Descriptor, table: Option<&Table>) -> bool;

    /// Whether both name the same column.
    fn is_same_name(one: &str, other: &str) -> bool;

    /// Whether a column so declared keeps the values of the kind as they are and compares them as they compare.
    fn fits(column: &ColumnDescriptor, declared: &str) -> bool;

    /// The table of this name, if there is one.
    fn table<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> BoxFuture<'a, sqlx::Result<Option<Table>>>;

    /// Whether an index of this name could not be created.
    fn is_taken<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> BoxFuture<'a, sqlx::Result<bool>>;
}

/// Which indexes are part of a new table's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(all(feature = "mysql", feature = "postgres", feature = "sqlite")), allow(dead_code))]
pub(super) enum InTable {
    /// None: each has a statement of its own.
    Nothing,
    /// What is unique among all records, as constraints without a name.
    Uniques,
    /// All of them.
    Indexes,
}

/// A table as the database describes it.
#[derive(Debug)]
pub(super) struct Table {
    /// `table` or `view`.
    pub(super) kind: String,
    pub(super) columns: Vec<Column>,
    pub(super) indexes: Vec<Index>,
    pub(super) foreign_keys: Vec<ForeignKey>,
}

/// A column of a table that is there.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    /// The declared type, as the database spells it.
    pub(super) declared: String,
    /// What about its collation keeps it from comparing text by code point, if anything.
    pub(super) collation: Option<String>,
    pub(super) not_null: bool,
    /// Whether a record has a value when none is given.
    pub(super) has_default: bool,
    /// The place in the primary key, from 1; 0 outside of it.
    pub(super) key: i64,
    /// Whether storage computes it.
    pub(super) generated: bool,
}

/// An index of a table that is there.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) unique: bool,
    /// The condition of the records that are in it, where that is not all of them.
    pub(super) partial: Option<String>,
    /// The columns, in order; `None` for an expression.
    pub(super) columns: Vec<Option<String>>,
    /// Whether lists can use it in both directions: every column ascending, nulls first, by code point.
    pub(super) plain: bool,
}

/// A foreign key of a table that is there.
#[derive(Debug)]
pub(super) struct ForeignKey {
    /// Its name, where it has one by which it could be dropped.
    #[cfg_attr(not(feature = "migrations"), allow(dead_code))]
    pub(super) name: Option<String>,
    pub(super) table: String,
    /// The referring columns and those referred to; `None` for the other table's primary key.
    pub(super) columns: Vec<(String, Option<String>)>,
    /// Such as `NO ACTION`.
    pub(super) on_delete: String,
}
