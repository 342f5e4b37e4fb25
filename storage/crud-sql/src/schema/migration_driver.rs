//! [`MigrationDriver`]: a driver whose database changes the tables that it has, by written migrations.

use std::future::{Future, ready};

use super::change::cost::Cost;
use super::change::render::{reshape, standard};
use super::change::{AlteredColumn, Change};
use super::comparison::compared::Compared;
use super::driver::SchemaDriver;
use crate::catalogue::table::{Check, Index};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::migrations::Step;
use crate::storage::schema::DifferenceKind;

/// A driver whose database changes the tables that it has. By default the statements are the SQL standard's, as PostgreSQL has
/// them.
pub(crate) trait MigrationDriver: SchemaDriver {
    /// Whether indexes can be made, and records checked against constraints, while others use the table.
    const ONLINE: bool = false;

    /// Whether columns and constraints that are there can be altered, and indexes renamed.
    const ALTERS: bool = true;

    /// Whether [`reshape`](Self::reshape) writes the whole column, whichever property changes.
    const REPEATS_COLUMN: bool = false;

    /// Whether a foreign key can be renamed.
    const RENAMES_FOREIGN_KEYS: bool = true;

    /// The statements before and after those of a script that rebuilds a table.
    const FRAME: (&'static str, &'static str) = ("", "");

    /// The pragmas of the frame: those that come before a transaction in which a table is rebuilt, and after it.
    const PRAGMAS: (&'static str, &'static str) = ("", "");

    /// On a server: the statement that prepares a connection for migrations. A statement takes its time, but does not wait
    /// long for a lock, as the requests of a service would wait behind it.
    const PREPARE_MIGRATION: &'static str = "";

    /// Statement that returns the number of its session, which no other session has; `None` where each connection is one.
    /// Behind a pooler of transactions, each statement of a connection may run in another session.
    const SESSION: Option<&'static str> = None;

    /// Statement that tries to take the lock on the history of migrations, and returns 1 when it is taken; `None` without such
    /// a lock. It is released when the connection closes.
    const LOCK_HISTORY: fn() -> Option<&'static str> = || None;

    /// Statement that creates the table of applied migrations if it is missing, as sqlx does.
    const CREATE_HISTORY: &'static str = "CREATE TABLE IF NOT EXISTS _crud_migrations (
        version BIGINT PRIMARY KEY,
        description TEXT NOT NULL,
        installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
        success BOOLEAN NOT NULL,
        checksum BLOB NOT NULL,
        execution_time BIGINT NOT NULL
    )";

    /// Literal of bytes, from their hexadecimal digits.
    const BYTES: fn(&str) -> String = |digits| format!("X'{digits}'");

    /// The type that a value of any type is cast to, to be read as text.
    const TEXT_OF_ANY: &'static str = "TEXT";

    /// Clause after a literal, which compares text as columns do.
    const COLLATE_LITERAL: &'static str = "";

    /// Whether a statement that changes tables is part of a transaction.
    const TRANSACTIONAL_DDL: bool = true;

    /// The statements of a change of a table, a line each.
    fn render(table: &str, change: &Change) -> String {
        standard::<Self>(table, change)
    }

    /// The statements that give a column of a table, whose name is quoted, another shape, a line each.
    fn reshape(table: &str, altered: &AlteredColumn) -> String {
        reshape::<Self>(table, altered)
    }

    /// Cost of a change of a table to others who use it, where that is more than a moment.
    fn cost(_: &Compared, _: &Change) -> Option<Cost> {
        None
    }

    /// Whether every value of the declared type is one of the type that the column wants, and stays as it is.
    fn widens(_: &Descriptor, _: &ColumnDescriptor, _declared: &str) -> bool {
        false
    }

    /// Whether a column of the declared type stores the field's values, and is too short for some of them.
    fn is_short(_: &Descriptor, _: &ColumnDescriptor, _declared: &str) -> bool {
        false
    }

    /// Suffix of a column of a declared type in an index.
    fn index_suffix(_: &Index, _declared: &str) -> &'static str {
        ""
    }

    /// The changes that drop a column that no field has, with what depends on it; `None` where the table has to be written anew.
    fn drop_unused(_: &Compared, column: &str) -> Option<Vec<Change>> {
        Some(vec![Change::drop_column(column)])
    }

    /// The CHECK constraints that a resource wants, as the database spells them; `None` where those of the table are not
    /// compared.
    fn wanted_checks(
        connection: &mut Self::Connection,
        compared: &Compared,
    ) -> impl Future<Output = Result<Option<Vec<Check>>, Self::Error>> + Send;

    /// A condition without what the database spells in different ways.
    const BARE_CONDITION: fn(&str) -> String = str::to_owned;

    /// The views, and what else depends on a table, that keep its differences from being mended, or that the mending would
    /// break: each view after those that read it. Those of structs are among them.
    fn dependents(
        _: &mut Self::Connection,
        _: &Compared,
    ) -> impl Future<Output = Result<Vec<Dependent>, Self::Error>> + Send {
        ready(Ok(Vec::new()))
    }

    /// The statements that create a table as it is. `without`: the foreign keys that are left out.
    fn present(
        connection: &mut Self::Connection,
        compared: &Compared,
        without: &[&str],
    ) -> impl Future<Output = Result<Present, Self::Error>> + Send;

    /// Whether the database changes this only by rebuilding the table.
    fn needs_rebuild(_: &Compared, _: &DifferenceKind) -> bool {
        false
    }

    /// Whether a rebuild of the table changes this too.
    const IS_REBUILT: fn(&DifferenceKind) -> bool = |_| false;

    /// Rebuilds the table, where a difference [needs that](Self::needs_rebuild).
    fn rebuild(
        _: &mut Self::Connection,
        _: &Compared,
    ) -> impl Future<Output = Result<Option<Rebuild>, Self::Error>> + Send {
        ready(Ok(None))
    }

    /// Finds the reason of a failed statement, where the database's message leaves it out.
    fn further_reason(
        _: &mut Self::Connection,
        _message: &str,
    ) -> impl Future<Output = Result<Option<String>, Self::Error>> + Send {
        ready(Ok(None))
    }

    /// Whether a statement that changes tables failed because it was done before.
    const IS_DONE: fn(&Self::Error) -> bool = |_| false;

    /// Whether a statement failed because another transaction had a lock.
    const IS_LOCKED: fn(&Self::Error) -> bool = |_| false;

    /// Settings before and after a statement that waits for other transactions while none waits behind it.
    fn patience(_statement: &str) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Removes leftovers of a statement that was interrupted or failed, on which its repetition would fail.
    fn prepare_repetition(
        _: &mut Self::Connection,
        _statement: &str,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send {
        ready(Ok(()))
    }
}

/// Whether changes of a table, which is there, are made while others use it.
pub(crate) fn is_online<D: MigrationDriver>(compared: &Compared) -> bool {
    D::ONLINE && compared.table.as_ref().is_some_and(|table| !table.partitioned)
}

/// The step that writes a table anew, and the cost of its statements, unless they are left to the reader.
pub(crate) type Rebuild = (Step, Option<Cost>);

/// A table as it is, for a script that makes it anew.
#[derive(Debug, Default)]
pub(crate) struct Present {
    /// The statements, none with a semicolon at its end: those of the types and sequences that it needs, of the table with its
    /// indexes, and of its partitions.
    pub(crate) statements: Vec<String>,
    /// The objects around it that the script leaves out, such as ``the trigger `films_search` ``.
    pub(crate) left_out: Vec<String>,
}

/// Object of a database that depends on a table.
pub(crate) enum Dependent {
    /// A view, which is created again.
    View {
        name: String,
        /// The statement that creates it, after `CREATE`.
        definition: String,
        /// The text with the names that columns get.
        renamed: String,
    },
    /// An object that the reader creates again.
    Left {
        name: String,
        /// Comment on it.
        note: String,
    },
}
