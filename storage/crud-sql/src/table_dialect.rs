//! [`TableDialect`]: how a database defines tables.

use std::borrow::Cow;

use crate::catalogue::table::Table;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::search_index::SearchIndex;
use crate::storage::indexes::ActiveBy;

/// Table definitions of a database whose statements bind `A`.
pub(crate) struct TableDialect<A> {
    /// The end of `CREATE TABLE`, after the columns.
    pub(crate) table_end: &'static str,
    /// The end where texts keep the database's collation.
    pub(crate) table_end_of_database: &'static str,
    /// The attributes of an integer key, after its type: storage assigns it, and no value twice.
    pub(crate) assigned_key: &'static str,
    /// Required declaration of an integer key, for a message.
    pub(crate) assigned: &'static str,
    /// The indexes that a new table's definition contains.
    pub(crate) in_table: InTable,
    /// Restriction of an index to the active records.
    pub(crate) active_by: ActiveBy,
    /// Whether constraints are column constraints rather than table constraints.
    pub(crate) constraints_in_columns: bool,
    /// Whether the names of CHECK constraints are unique in their table alone, so that two tables can have the same.
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
    /// The suffix of a column in an index, with which lists use the index in both directions.
    pub(crate) index_column: fn(&Descriptor, &ColumnDescriptor) -> &'static str,
    /// The expression of a quoted column in an index that compares it without regard to letter case; none where an index
    /// has no expressions, and takes a [generated column](crate::schema::folded) instead.
    pub(crate) folded: Option<fn(name: &str) -> String>,
    /// The expression after `DEFAULT`, for the literal of a value.
    pub(crate) default_value: fn(literal: String) -> String,
    /// The name within the database's limit, the same each time.
    pub(crate) shorten: fn(name: String) -> String,
    /// The literal of exactly this value, if there is one.
    pub(crate) literal: fn(&A) -> Option<String>,
    /// The CHECK condition of the column's kind, as far as the database can check it. Null passes.
    pub(crate) kind_check: fn(&ColumnDescriptor, name: &str) -> Option<String>,
    /// The expression of the length of the column's values, if they have one.
    pub(crate) length: fn(&ColumnDescriptor, name: &str) -> Option<String>,
    /// Whether the database appends the key to every index of the table, which may exist already.
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

    /// Whether there are partial indexes.
    pub(crate) const fn partial_indexes(&self) -> bool {
        !matches!(self.active_by, ActiveBy::Column)
    }
}

/// The indexes that a new table's definition contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InTable {
    /// None: each has its statement.
    Nothing,
    /// Indexes of values that are unique among all records, as constraints without a name.
    Uniques,
    /// All of them.
    Indexes,
}

/// View definitions of a database.
pub(crate) struct ViewDialect {
    /// The beginning of the statement that creates a view, before its name.
    pub(crate) create: &'static str,
    /// Whether that statement replaces a view of any columns in one step, so that none is dropped before.
    pub(crate) replaces: bool,
    /// A column of the query, by its quoted name, in the select list of the view.
    pub(crate) column: fn(&ColumnDescriptor, name: String) -> String,
    /// Whether the values of a column of the declared type can be read as the kind's, if they are in its range.
    pub(crate) can_read: fn(&ColumnDescriptor, declared: &str) -> bool,
}
