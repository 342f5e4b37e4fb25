//! [`Alteration`]: how a database changes the tables that it has.

use super::change::cost::Cost;
use super::change::render::{reshape, standard};
use super::change::{AlteredColumn, Change};
use super::comparison::compared::Compared;
use super::driver::SchemaDriver;
use crate::catalogue::table::Index;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::future::BoxFuture;
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::What;

/// Alteration of existing tables in a database: its differences from [the standard](Self::standard). `C` is a
/// connection, and `E` the error of a statement on it.
#[allow(clippy::struct_excessive_bools)] // Each is an independent property of a database.
pub(crate) struct Alteration<C, E> {
    /// The statements of a change of a table, a line each.
    pub(crate) statements: fn(table: &str, &Change) -> String,
    /// The statements that give a column of a table, whose name is quoted, another shape, a line each.
    pub(crate) reshape: fn(table: &str, &AlteredColumn) -> String,
    /// Cost of a change of a table to others who use it, where that is more than a moment.
    pub(crate) cost: fn(&Compared, &Change) -> Option<Cost>,
    /// Whether indexes can be made, and records checked against constraints, while others use the table.
    pub(crate) online: bool,
    /// Whether columns and constraints that are there can be altered.
    pub(crate) alters: bool,
    /// Whether [`reshape`](Self::reshape) writes the whole column, whichever property changes.
    pub(crate) repeats_column: bool,
    /// Whether an index can be renamed.
    pub(crate) renames_indexes: bool,
    /// Whether a foreign key can be renamed.
    pub(crate) renames_foreign_keys: bool,
    /// Whether every value of the declared type is one of the type that the column wants, and stays as it is.
    pub(crate) widens: fn(&Descriptor, &ColumnDescriptor, declared: &str) -> bool,
    /// Suffix of a column of a declared type in an index.
    pub(crate) index_suffix: fn(&Index, declared: &str) -> &'static str,
    /// The changes that drop a column that no field has, with what depends on it; `None` where the table has to be written anew.
    pub(crate) drop_unused: fn(&Compared, column: &str) -> Option<Vec<Change>>,
    /// The differences that a migration mends and a service ignores: CHECK constraints that differ from the resource's.
    pub(crate) finer: Read<C, Vec<What>, E>,
    /// The views, and what else depends on a table, that keep its differences from being mended, or that the mending would
    /// break: each view after those that read it. Those of structs are among them.
    pub(crate) dependents: Read<C, Vec<Dependent>, E>,
    /// The statements that create a table as it is, with its indexes, where they are not there; none ends with a semicolon.
    pub(crate) present: Present<C, E>,
    /// The objects around a table that a script which makes it anew needs, or leaves out.
    pub(crate) surroundings: ReadOfTable<C, Surroundings, E>,
    /// The statements before and after those of a script that rebuilds a table.
    pub(crate) frame: (&'static str, &'static str),
    /// The pragmas of the frame: those that come before a transaction in which a table is rebuilt, and after it.
    pub(crate) pragmas: (&'static str, &'static str),
    /// Whether the database changes this only by rebuilding the table.
    pub(crate) needs_rebuild: fn(&Compared, &What) -> bool,
    /// Whether a rebuild of the table changes this too.
    pub(crate) is_rebuilt: fn(&What) -> bool,
    /// Rebuilds the table, where that is ever needed.
    pub(crate) rebuild: Read<C, Rebuild, E>,
}

/// A table that is written anew.
#[derive(Debug)]
pub(crate) struct Rebuild {
    pub(crate) step: Step,
    /// Cost of the statements, unless they are left to the reader.
    pub(crate) cost: Option<Cost>,
}

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

/// Object of a database that depends on a table.
pub(crate) enum Dependent {
    /// A view, which is created again.
    #[cfg_attr(not(any(feature = "mysql", feature = "postgres")), allow(dead_code))]
    View {
        name: String,
        /// The statement that creates it, after `CREATE`.
        definition: String,
        /// The text with the names that columns get.
        renamed: String,
    },
    /// An object that the reader creates again.
    #[cfg_attr(not(feature = "mysql"), allow(dead_code))]
    Left {
        name: String,
        /// Comment on it.
        note: String,
    },
}

type Present<C, E> = for<'a> fn(&'a mut C, &'a Compared, &'a [&'a str]) -> BoxFuture<'a, Result<Vec<String>, E>>;

type Read<C, T, E> = for<'a> fn(&'a mut C, &'a Compared) -> BoxFuture<'a, Result<T, E>>;

type ReadOfTable<C, T, E> = for<'a> fn(&'a mut C, table: &'a str) -> BoxFuture<'a, Result<T, E>>;

impl<C, E: Send + 'static> Alteration<C, E> {
    /// The SQL standard's statements, as PostgreSQL has them. It finds no finer differences.
    pub(crate) const fn standard<D: SchemaDriver>(present: Present<C, E>) -> Self {
        Self {
            statements: standard::<D>,
            reshape: reshape::<D>,
            cost: |_, _| None,
            online: false,
            alters: true,
            repeats_column: false,
            renames_indexes: true,
            renames_foreign_keys: true,
            widens: |_, _, _| false,
            index_suffix: |_, _| "",
            drop_unused: |_, column| Some(vec![Change::drop_column(column)]),
            finer: |_, _| Box::pin(std::future::ready(Ok(Vec::new()))),
            dependents: |_, _| Box::pin(std::future::ready(Ok(Vec::new()))),
            present,
            surroundings: |_, _| Box::pin(std::future::ready(Ok(Surroundings::default()))),
            frame: ("", ""),
            pragmas: ("", ""),
            needs_rebuild: |_, _| false,
            is_rebuilt: |_| false,
            rebuild: |_, compared| {
                let (up, down) = (String::new(), String::new());
                let step = Step { table: compared.resource.table, up, down, kind: StepKind::Rebuild };
                Box::pin(std::future::ready(Ok(Rebuild { step, cost: None })))
            },
        }
    }
}

impl<C, E> Alteration<C, E> {
    /// Whether changes of a table, which is there, are made while others use it.
    pub(crate) fn is_online(&self, compared: &Compared) -> bool {
        self.online && compared.table.as_ref().is_some_and(|table| !table.partitioned)
    }
}
