//! [`Dialect`]: where SQL databases differ.

use std::borrow::Borrow;
use std::ops::Range;

use crud_shared::dialect::Returning;

use super::plan::Plan;
use super::statement::Sql;
use super::statement::search_term::SearchTerm;
use super::table_dialect::TableDialect;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Computed, Descriptor, Search, Statements, View};
use crate::model::value::Value;
use crate::query::{Bucket, Offsets, Pattern};

/// Purpose of a lock on records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// The records must stay as they are.
    Share,
    /// The records will be changed, except for their keys.
    Change,
    /// The records will be removed.
    Remove,
}

/// Spelling of a database's statements, and its storage of the values that they bind.
pub(super) trait Dialect: Copy {
    /// A value in the form that a statement binds.
    type Argument: Clone;

    /// The resource's fixed statements.
    ///
    /// # Errors
    /// When the resource was derived without this database.
    fn statements(resource: &'static Descriptor) -> Result<&'static Statements, AdapterError>;

    /// The query of a view for this database, if the view has one.
    fn view_sql(view: &View) -> Option<&'static str>;

    /// The expression of a computed field for this database, if the field has one.
    fn computed_sql(computed: &Computed) -> Option<&'static str>;

    /// The spelling of identifiers, placeholders and returned rows, which the derive's fixed statements share.
    const SPELLING: crud_shared::dialect::Dialect;

    /// A value in the form that the column stores, so that storage orders and compares it as the program does.
    fn operand(column: &ColumnDescriptor, value: &Value) -> Operand<Self::Argument>;

    /// The type that an argument's placeholder is cast to, and whether the cast is to a list of that type.
    fn cast(_: &Self::Argument) -> Option<(&'static str, bool)> {
        None
    }

    /// Writes a column as one side of a comparison that [`IS_DISTINCT`](Self::IS_DISTINCT) makes.
    fn distinct(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.column(column);
    }

    /// Whether rows contain the column's value in a cast form under its name, so that `ORDER BY` has to name the table.
    fn is_cast(_: &ColumnDescriptor) -> bool {
        false
    }

    /// Writes the cast of a column's value to the form that rows contain.
    fn read_cast(_: &mut Sql<Self>, _: &ColumnDescriptor) {}

    /// A whole number, for `LIMIT` and `OFFSET`.
    fn number(value: u64) -> Self::Argument;

    /// Writes the condition that the column's text matches a pattern in which `%` alone is special.
    ///
    /// # Errors
    /// When the database cannot match so long a pattern.
    fn like(sql: &mut Sql<Self>, column: ColumnRef, pattern: &Pattern, ignore_case: bool) -> Result<(), AdapterError>;

    /// Whether the resource's index of words is asked for a word.
    fn is_indexed(resource: &Descriptor, word: &str) -> bool;

    /// Writes the condition that the index of words finds these terms, of which there is at least one. `tenant`: the
    /// only tenant whose records the statement reads, if any; the index may have a column of it.
    fn search(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        search: Search,
        terms: &[SearchTerm<'_>],
        tenant: Option<&Value>,
    );

    /// Writes, after a column, the condition that its value is, or is not, one of these values. There is at least one
    /// value.
    fn one_of(sql: &mut Sql<Self>, negated: bool, values: Vec<Self::Argument>) {
        sql.in_list(negated, values);
    }

    /// Writes the direction after a column of an order. Nulls of a nullable column have to come first ascending and
    /// last descending, as is the default.
    fn direction(sql: &mut Sql<Self>, _nullable: bool, descending: bool) {
        if descending {
            sql.push(" DESC");
        }
    }

    /// Writes the period of a column's time as ISO text, such as `2026-05`: in UTC, or in the time zone with these
    /// offsets.
    fn bucket(sql: &mut Sql<Self>, column: ColumnRef, bucket: Bucket, offsets: Option<&Offsets>);

    /// Writes the sum of a column's values, which is no error where integers exceed their type.
    fn sum(sql: &mut Sql<Self>, column: ColumnRef);

    /// Writes the average of a column's values as a double.
    fn average(sql: &mut Sql<Self>, column: ColumnRef);

    /// Writes a column's values as integers for a sum, where [`SPLITS_SUMS`](Self::SPLITS_SUMS).
    fn summed_integer(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.column(column);
    }

    /// Whether a sum of integers beyond 64 bits is an error of the statement. If so, the upper and the lower halves of
    /// the integers are summed separately.
    const SPLITS_SUMS: bool = false;

    /// Whether a statement finds values of the column different exactly where the program does.
    fn comparable(column: &ColumnDescriptor) -> bool;

    /// Writes a time of change that is later than the column's, which another writer may have set after this time was
    /// taken. By default, the time is later anyway, as it is taken under the lock.
    fn later(sql: &mut Sql<Self>, _column: ColumnRef, time: Self::Argument) {
        sql.bind(time);
    }

    /// Whether a change can return the records that it wrote. If not, a further statement reads them; removed records
    /// are read before.
    const RETURNS: bool = matches!(Self::SPELLING.returning, Returning::Always);

    /// Writes a condition on the `count` records of the connection's last insert, whose keys storage assigned. Used
    /// only where changes do not return records.
    fn inserted(_: &mut Sql<Self>, _: &'static Descriptor, _count: usize) {}

    /// Ends a statement after [`inserted`](Self::inserted) and further conditions, which further records may satisfy.
    fn first_inserted(_: &mut Sql<Self>, _: &'static Descriptor, _count: usize) {}

    /// Operator between two operands: they differ, and null equals null.
    const IS_DISTINCT: &'static str;

    /// Whether a comparison of rows, `(a, b) > (?, ?)`, is one range of an index.
    const ROW_RANGES: bool = true;

    /// Text before and after the total of a page, which is the last column.
    const TOTAL: (&'static str, &'static str) = (", (", ")");

    /// Before the placeholder of a limit.
    const LIMIT: &'static str = " LIMIT ";

    /// Text before an `OFFSET` without a limit, which some databases do not allow.
    const NO_LIMIT: &'static str;

    /// Begins a transaction of changes.
    const BEGIN: &'static str;

    /// A statement that shows whether the database answers.
    const PING: &'static str = "SELECT 1";

    /// Keywords that make a statement return its plan instead of its rows.
    const EXPLAIN: &'static str;

    /// Index of the column with a plan's text.
    const PLAN_COLUMN: usize = 0;

    /// Parses the text of a plan.
    fn plan(text: &str) -> Plan;

    /// Whether a refused statement aborts its transaction, unless a savepoint comes before it.
    const ERROR_ABORTS: bool = false;

    /// A statement after which deferred constraints of the transaction are checked at each statement, not at the
    /// commit.
    const UNDEFER: Option<&'static str> = None;

    /// The end of a `SELECT` that locks the records it reads; empty where only one writer runs at a time.
    fn lock(lock: Lock) -> &'static str;

    /// Divides `count` changes into ranges of one statement each, the last range first. `values`: number of values that
    /// a change binds.
    fn ranges(count: usize, values: usize) -> Vec<Range<usize>>;

    /// Whether an update of many records joins their new values before its `SET`, and not after.
    const UPDATE_JOINS: bool = false;

    /// Writes the rows of an `INSERT` after its columns. Each row has the values of these columns, in their order.
    fn rows(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    );

    /// Writes a table of new values and its alias, with rows as in [`rows`](Self::rows).
    fn new_values(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    );

    /// Writes the name of a value in the table of `new_values`: at this position, of this column.
    fn new_value(sql: &mut Sql<Self>, resource: &'static Descriptor, column: usize, position: usize);

    /// The database's definition of tables.
    const TABLES: TableDialect<Self::Argument>;
}

/// A column of a resource, by index.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnRef {
    pub(super) resource: &'static Descriptor,
    pub(super) column: usize,
}

impl ColumnRef {
    pub(super) fn descriptor(self) -> &'static ColumnDescriptor {
        &self.resource.columns[self.column]
    }
}

/// A value in the form that a column can store.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand<A> {
    /// The value itself, or the greatest value below it that the column can store.
    pub(super) argument: A,
    /// Whether the argument is the value itself.
    pub(super) exact: bool,
}

impl<A> Operand<A> {
    /// The value itself.
    pub(super) const fn exact(argument: A) -> Self {
        Self { argument, exact: true }
    }

    /// The greatest value below the operand that the column can store.
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(super) const fn below(argument: A) -> Self {
        Self { argument, exact: false }
    }
}
