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
    /// To stay as they are.
    Share,
    /// To be changed, except for their key.
    Change,
    /// To be removed.
    Remove,
}

/// Spelling of statements in one database, and its storage of the values they bind.
pub(super) trait Dialect: Copy {
    /// A value as a statement binds it.
    type Argument: Clone;

    /// The resource's fixed statements.
    ///
    /// # Errors
    /// When the resource was derived without this database.
    fn statements(resource: &'static Descriptor) -> Result<&'static Statements, AdapterError>;

    /// The query of a view, if it has one for this database.
    fn view_sql(view: &View) -> Option<&'static str>;

    /// The expression of a computed field, if it has one for this database.
    fn computed_sql(computed: &Computed) -> Option<&'static str>;

    /// The spelling of identifiers, placeholders and returned rows, which the derive's fixed statements share.
    const SPELLING: crud_shared::dialect::Dialect;

    /// The value as the column stores it, so that storage's order and equality are the values'.
    fn operand(column: &ColumnDescriptor, value: &Value) -> Operand<Self::Argument>;

    /// The type that the placeholder of an argument is cast to, and whether it is a list of it.
    fn cast(_: &Self::Argument) -> Option<(&'static str, bool)> {
        None
    }

    /// Writes a column as one side of a comparison that [`IS_DISTINCT`](Self::IS_DISTINCT) makes.
    fn distinct(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.column(column);
    }

    /// Whether rows have another value in place of the column's, so that an order has to name its table.
    fn is_cast(_: &ColumnDescriptor) -> bool {
        false
    }

    /// Writes the cast of a value to the one that rows have in place of the column's.
    fn read_cast(_: &mut Sql<Self>, _: &ColumnDescriptor) {}

    /// A whole number, for `LIMIT` and `OFFSET`.
    fn number(value: u64) -> Self::Argument;

    /// A condition that the column's text matches a pattern in which `%` alone is special.
    ///
    /// # Errors
    /// When the database cannot match so long a pattern.
    fn like(sql: &mut Sql<Self>, column: ColumnRef, pattern: &Pattern, ignore_case: bool) -> Result<(), AdapterError>;

    /// Whether a word is asked of the resource's index of words.
    fn is_indexed(resource: &Descriptor, word: &str) -> bool;

    /// Writes that the index of words has these, one at least. `tenant`: the one whose records the statement reads, where
    /// that is known; an index may have it too.
    fn search(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        search: Search,
        terms: &[SearchTerm<'_>],
        tenant: Option<&Value>,
    );

    /// Writes, after a column, the condition that its value is, or is not, one of these values. There is at least one.
    fn one_of(sql: &mut Sql<Self>, negated: bool, values: Vec<Self::Argument>) {
        sql.in_list(negated, values);
    }

    /// Writes what follows a column of an order, which may be null, where nulls are to come first ascending and last descending.
    /// By default, the database has them there.
    fn direction(sql: &mut Sql<Self>, _nullable: bool, descending: bool) {
        if descending {
            sql.push(" DESC");
        }
    }

    /// Writes the span of time that a column's value is in, as its ISO text: of UTC, or of the time zone of these offsets.
    fn bucket(sql: &mut Sql<Self>, column: ColumnRef, bucket: Bucket, offsets: Option<&Offsets>);

    /// Writes the sum of a column's values, without an error where integers exceed their type.
    fn sum(sql: &mut Sql<Self>, column: ColumnRef);

    /// Writes the average of a column's values as a double.
    fn average(sql: &mut Sql<Self>, column: ColumnRef);

    /// Writes a column's values as the integers that are summed, where [`SPLITS_SUMS`](Self::SPLITS_SUMS).
    fn summed_integer(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.column(column);
    }

    /// Whether a sum of integers beyond 64 bits is an error of the statement: their halves are summed apart.
    const SPLITS_SUMS: bool = false;

    /// Whether a statement can tell values of the column apart as the program does.
    fn comparable(column: &ColumnDescriptor) -> bool;

    /// Writes a time of change that is later than the one in this column, which another writer may have set
    /// since this one was taken. By default, a time that is taken when it is the writer's turn is later anyway.
    fn later(sql: &mut Sql<Self>, _column: ColumnRef, time: Self::Argument) {
        sql.bind(time);
    }

    /// Whether a change can return the records as it leaves them. Where not, a statement after it reads them; of
    /// what it removes there is what was read before.
    const RETURNS: bool = matches!(Self::SPELLING.returning, Returning::Always);

    /// Writes a condition of the records that the connection's last insert made, so many, whose keys storage
    /// assigned. Asked only where changes do not return them.
    fn inserted(_: &mut Sql<Self>, _: &'static Descriptor, _count: usize) {}

    /// Ends a statement after [`inserted`](Self::inserted) and further conditions: further records may satisfy these.
    fn first_inserted(_: &mut Sql<Self>, _: &'static Descriptor, _count: usize) {}

    /// Between two operands: they differ, null being equal to null.
    const IS_DISTINCT: &'static str;

    /// Whether a comparison of rows, `(a, b) > (?, ?)`, is one range of an index.
    const ROW_RANGES: bool = true;

    /// Before and after the total of a page, the last of its columns.
    const TOTAL: (&'static str, &'static str) = (", (", ")");

    /// Before the placeholder of a limit.
    const LIMIT: &'static str = " LIMIT ";

    /// Before an `OFFSET` of a statement without limit, which not every database has.
    const NO_LIMIT: &'static str;

    /// Begins a transaction that changes something.
    const BEGIN: &'static str;

    /// A statement that shows whether the database answers.
    const PING: &'static str = "SELECT 1";

    /// Keywords before a statement that read its plan instead of its rows.
    const EXPLAIN: &'static str;

    /// The column of a plan's text.
    const PLAN_COLUMN: usize = 0;

    /// A plan of its text.
    fn plan(text: &str) -> Plan;

    /// Whether a refused statement spoils the transaction that it is in, unless a savepoint comes before it.
    const ERROR_ABORTS: bool = false;

    /// The statement after which deferred constraints of a transaction refuse each statement, and not the commit.
    const UNDEFER: Option<&'static str> = None;

    /// The end of a `SELECT` that locks the records it reads; empty, where a writer is alone anyway.
    fn lock(lock: Lock) -> &'static str;

    /// The ranges of so many changes that a statement makes at a time, the last one first. `values`: how many
    /// values one change binds.
    fn ranges(count: usize, values: usize) -> Vec<Range<usize>>;

    /// Whether an update of many records joins their new values before it says what it sets, and not after.
    const UPDATE_JOINS: bool = false;

    /// Writes the rows of an `INSERT`, after its columns: of each, the values of these columns, in their order.
    fn rows(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    );

    /// Writes a table of new values, and what it is called: rows as in [`rows`](Self::rows).
    fn new_values(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    );

    /// Writes the name of a value of that table: the one at this position, of this column.
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

/// A value as a column can store it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand<A> {
    /// The value itself, or the greatest below it that the column can store.
    pub(super) argument: A,
    /// Whether it is the value itself.
    pub(super) exact: bool,
}

impl<A> Operand<A> {
    /// The value itself.
    pub(super) const fn exact(argument: A) -> Self {
        Self { argument, exact: true }
    }

    /// The greatest value below that the column can store.
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(super) const fn below(argument: A) -> Self {
        Self { argument, exact: false }
    }
}
