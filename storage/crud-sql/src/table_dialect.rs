//! [`TableDialect`]: the table definitions of a database.

use std::borrow::Cow;

use crate::catalogue::table::Table;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::search_index::SearchIndex;
use crate::storage::indexes::ActiveBy;

/// Table definitions of a database whose statements bind `A`.
pub(crate) struct TableDialect<A> {
    /// The end of `CREATE TABLE`, after the columns.
    pub(crate) table_end: &'static str,
    /// The end of `CREATE TABLE` where texts keep the database's collation.
    pub(crate) table_end_of_database: &'static str,
    /// The attributes of an integer key after its type, by which storage assigns keys and never repeats one.
    pub(crate) assigned_key: &'static str,
    /// The declaration that an integer key must have, for a message.
    pub(crate) assigned: &'static str,
    /// The indexes that `CREATE TABLE` contains.
    pub(crate) in_table: InTable,
    /// The form of an index that is restricted to active records.
    pub(crate) active_by: ActiveBy,
    /// Whether constraints are column constraints rather than table constraints.
    pub(crate) constraints_in_columns: bool,
    /// Whether a CHECK's name must be unique only in its table, so that two tables can have the same name.
    pub(crate) checks_of_table: bool,
    /// The collation that compares text by code point, for a message.
    pub(crate) collation: &'static str,
    /// The type of a column, without its collation.
    pub(crate) column_type: fn(&Descriptor, &ColumnDescriptor) -> Cow<'static, str>,
    /// Clause of a column's collation, which follows its type; empty where the type alone decides.
    pub(crate) column_collation: fn(&Descriptor, &ColumnDescriptor) -> &'static str,
    /// View definitions of the database.
    pub(crate) views: ViewDialect,
    /// The index of words that a resource wants.
    pub(crate) search: fn(&Descriptor) -> Option<SearchIndex>,
    /// The statements that drop an index of words of a table.
    pub(crate) drop_search: fn(table: &str, index: &str) -> Vec<String>,
    /// The suffix of a column in an index, so that lists can use the index in both directions.
    pub(crate) index_column: fn(&Descriptor, &ColumnDescriptor) -> &'static str,
    /// The expression by which an index ignores the letter case of a quoted column; `None` where an index has no
    /// expressions, and takes a [generated column](crate::schema::folded) instead.
    pub(crate) folded: Option<fn(name: &str) -> String>,
    /// The expression after `DEFAULT`, for the literal of a value.
    pub(crate) default_value: fn(literal: String) -> String,
    /// Shortens a name to the database's limit, always in the same way.
    pub(crate) shorten: fn(name: String) -> String,
    /// The literal of exactly this value, if there is one.
    pub(crate) literal: fn(&A) -> Option<String>,
    /// The CHECK condition for the column's kind, as far as the database can check it. Null satisfies it.
    pub(crate) kind_check: fn(&ColumnDescriptor, name: &str) -> Option<String>,
    /// The expression for the length of the column's values, if they have a length.
    pub(crate) length: fn(&ColumnDescriptor, name: &str) -> Option<String>,
    /// Whether the database appends the key to every index of the table. The table is given if it exists.
    pub(crate) key_implied: fn(&Descriptor, Option<&Table>) -> bool,
    /// Whether two names are the same identifier.
    pub(crate) is_same_name: fn(&str, &str) -> bool,
    /// Whether a column of the declared type stores the kind's values unchanged and in their order.
    pub(crate) can_store: fn(&ColumnDescriptor, declared: &str) -> bool,
}

impl<A> TableDialect<A> {
    /// The type of a column, with its collation.
    pub(crate) fn declared(&self, resource: &Descriptor, column: &ColumnDescriptor) -> Cow<'static, str> {
        (self.column_type)(resource, column) + (self.column_collation)(resource, column)
    }

    /// Whether the database has partial indexes.
    pub(crate) const fn partial_indexes(&self) -> bool {
        !matches!(self.active_by, ActiveBy::Column)
    }
}

/// The indexes that `CREATE TABLE` contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InTable {
    /// None: each index has its own statement.
    Nothing,
    /// Indexes that are unique among all records, as constraints without a name.
    Uniques,
    /// All indexes.
    Indexes,
}

/// View definitions of a database.
pub(crate) struct ViewDialect {
    /// The beginning of the statement that creates a view, before its name.
    pub(crate) create: &'static str,
    /// Whether that statement replaces a view with any other columns in one step, so that no view is dropped first.
    pub(crate) replaces: bool,
    /// A column of the query in the view's select list, by its quoted name.
    pub(crate) column: fn(&ColumnDescriptor, name: String) -> String,
    /// Whether values of a column of the declared type can be read as the kind's, if they are in its range.
    pub(crate) can_read: fn(&ColumnDescriptor, declared: &str) -> bool,
}
