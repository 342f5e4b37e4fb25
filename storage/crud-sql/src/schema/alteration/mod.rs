//! [`Alteration`]: how a database changes the tables that it has.
//!
//! `cost` says what a change costs others, `check` reads the CHECK constraints that are there.

pub(crate) mod check;
pub(crate) mod cost;

use self::cost::{Change, Cost};
use super::comparison::compared::Compared;
use super::ddl::{self, IndexDefinition};
use crate::catalogue::table::{Column, Index};
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::future::BoxFuture;
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::What;

/// Alteration of existing tables in a database: its differences from [the standard](Self::standard). `C` is a
/// connection, and `E` the error of a statement on it.
#[allow(clippy::struct_excessive_bools)] // Each is an independent property of a database.
pub(crate) struct Alteration<C, E> {
    /// The statements that create a table as it is, with its indexes, where they are not there; none ends with a semicolon.
    pub(crate) present: Present<C, E>,
    /// The objects around a table that a script which makes it anew needs, or leaves out.
    pub(crate) surroundings: ReadOfTable<C, Surroundings, E>,
    /// The statements before and after those of a script that rebuilds a table.
    pub(crate) frame: (&'static str, &'static str),
    /// The pragmas of the frame: those that come before a transaction in which a table is rebuilt, and after it.
    pub(crate) pragmas: (&'static str, &'static str),
    /// Whether indexes can be made, and records checked against constraints, while others use the table.
    pub(crate) online: bool,
    /// Cost of a change of a table to others who use it, where that is more than a moment.
    pub(crate) cost: fn(&Compared, Change<'_>) -> Option<Cost>,
    /// The views, and what else depends on a table, that keep its differences from being mended, or that the mending would
    /// break: each view after those that read it. Those of structs are among them.
    pub(crate) dependents: Read<C, Vec<Dependent>, E>,
    /// Whether columns and constraints that are there can be altered.
    pub(crate) alters: bool,
    /// Whether [`reshape`](Self::reshape) writes the whole column, whichever property changes.
    pub(crate) repeats_column: bool,
    /// The statements that give a column of a table, from its present shape, another one, a line each. `indexes`: the
    /// [parts](Self::respell_index) that create its indexes anew.
    pub(crate) reshape: fn(table: &str, from: &Shape, to: &Shape, indexes: &str) -> String,
    /// Whether every value of the declared type is one of the type that the column wants, and stays as it is.
    pub(crate) widens: fn(&Descriptor, &ColumnDescriptor, declared: &str) -> bool,
    /// Renames a column of a table, and its CHECK constraint.
    pub(crate) rename_column: fn(table: &str, from: &str, to: &str, Option<RenamedCheck>) -> Vec<String>,
    /// Whether an index can be renamed.
    pub(crate) renames_indexes: bool,
    /// Renames an index of a table, where that can be.
    pub(crate) rename_index: fn(table: &str, from: &str, to: &str) -> String,
    /// The new name of a table, as `RENAME TO` takes it.
    pub(crate) renamed_to: fn(table: &str) -> String,
    /// Renames a foreign key of a table, where the database can.
    pub(crate) rename_foreign_key: fn(table: &str, from: &str, to: &str) -> Option<String>,
    /// Drops an index of a table.
    pub(crate) drop_index: fn(table: &str, index: &str) -> String,
    /// Drops an index of a table, and creates another one by its name. `create`: the statement, without what ends it.
    pub(crate) replace_index: fn(table: &str, index: &str, new: &IndexDefinition) -> String,
    /// Suffix of a column of a declared type in an index.
    pub(crate) index_suffix: fn(&Index, declared: &str) -> &'static str,
    /// The part of a statement that alters a table which creates an index anew, with these keys.
    pub(crate) respell_index: fn(&Index, keys: &str) -> String,
    /// Drops a foreign key of a table, by its name.
    pub(crate) drop_foreign_key: fn(table: &str, name: &str) -> String,
    /// Adds a foreign key of a new table, unless it is there: a service may have created both tables before.
    pub(crate) add_missing_foreign_key: fn(table: &str, name: &str, key: (&str, &str)) -> String,
    /// Drops a field's column of a table.
    pub(crate) drop_column: fn(&Descriptor, table: &str, &ColumnDescriptor) -> String,
    /// The statements that drop a column that no field has, with what depends on it; `None` where the table has to be written
    /// anew.
    pub(crate) drop_unused: fn(&Compared, column: &str) -> Option<Vec<String>>,
    /// The differences that a migration mends and a service ignores: CHECK constraints that differ from the resource's.
    pub(crate) finer: Read<C, Vec<What>, E>,
    /// Whether the database changes this only by rebuilding the table.
    pub(crate) needs_rebuild: fn(&Compared, &What) -> bool,
    /// Whether a rebuild of the table changes this too.
    pub(crate) is_rebuilt: fn(&What) -> bool,
    /// Rebuilds the table, where that is ever needed.
    pub(crate) rebuild: Read<C, Step, E>,
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

/// The CHECK constraint of a column that is renamed: its names, quoted, and its condition afterwards.
pub(crate) struct RenamedCheck {
    pub(crate) from: String,
    pub(crate) to: String,
    #[cfg_attr(not(feature = "mysql"), allow(dead_code))]
    pub(crate) condition: String,
}

type Present<C, E> = for<'a> fn(&'a mut C, &'a Compared, &'a [&'a str]) -> BoxFuture<'a, Result<Vec<String>, E>>;

type Read<C, T, E> = for<'a> fn(&'a mut C, &'a Compared) -> BoxFuture<'a, Result<T, E>>;

type ReadOfTable<C, T, E> = for<'a> fn(&'a mut C, table: &'a str) -> BoxFuture<'a, Result<T, E>>;

impl<C, E: Send + 'static> Alteration<C, E> {
    /// The SQL standard's statements, as PostgreSQL has them. It finds no finer differences.
    pub(crate) const fn standard<D: Dialect>(present: Present<C, E>) -> Self {
        Self {
            present,
            surroundings: |_, _| Box::pin(std::future::ready(Ok(Surroundings::default()))),
            frame: ("", ""),
            pragmas: ("", ""),
            online: false,
            cost: |_, _| None,
            dependents: |_, _| Box::pin(std::future::ready(Ok(Vec::new()))),
            alters: true,
            repeats_column: false,
            reshape: reshape::<D>,
            widens: |_, _, _| false,
            rename_column: |table, from, to, check| {
                let rename =
                    |what: &str, from: &str, to: &str| format!("ALTER TABLE {table} RENAME {what} {from} TO {to};");
                let column = rename("COLUMN", &identifier::<D>(from), &identifier::<D>(to));
                let check = check.map(|check| rename("CONSTRAINT", &check.from, &check.to));
                std::iter::once(column).chain(check).collect()
            },
            renames_indexes: true,
            rename_index: |table, from, to| {
                format!("ALTER INDEX {} RENAME TO {};", in_schema_of::<D>(table, from), identifier::<D>(to))
            },
            renamed_to: |table| identifier::<D>(crud_shared::table::split(table).1),
            rename_foreign_key: |table, from, to| {
                let (from, to) = (identifier::<D>(from), identifier::<D>(to));
                Some(format!("ALTER TABLE {table} RENAME CONSTRAINT {from} TO {to};"))
            },
            drop_index: |table, index| format!("DROP INDEX {};", in_schema_of::<D>(table, index)),
            replace_index: |table, index, new| {
                format!("DROP INDEX {};\n{};", in_schema_of::<D>(table, index), new.create_on(table))
            },
            index_suffix: |_, _| "",
            respell_index: |_, _| String::new(),
            drop_foreign_key: |table, name| format!("ALTER TABLE {table} DROP CONSTRAINT {};", identifier::<D>(name)),
            add_missing_foreign_key: |table, name, (from, references)| {
                let name = identifier::<D>(name);
                let add = format!("ADD CONSTRAINT {name} FOREIGN KEY ({from}) {references}");
                format!("ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}, {add};")
            },
            drop_column: |_, table, column| drop_column::<D>(table, column.column),
            drop_unused: |compared, column| {
                Some(vec![drop_column::<D>(&table_identifier::<D>(compared.resource.table), column)])
            },
            finer: |_, _| Box::pin(std::future::ready(Ok(Vec::new()))),
            needs_rebuild: |_, _| false,
            is_rebuilt: |_| false,
            rebuild: |_, compared| {
                let (up, down) = (String::new(), String::new());
                let step = Step { table: compared.resource.table, up, down, kind: StepKind::Rebuild };
                Box::pin(std::future::ready(Ok(step)))
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

/// The name of an index in the schema of its table, which is quoted.
fn in_schema_of<D: Dialect>(table: &str, index: &str) -> String {
    let index = identifier::<D>(index);
    table.rsplit_once('.').map_or_else(|| index.clone(), |(schema, _)| format!("{schema}.{index}"))
}

/// The statement that drops a column of a table, whose name is quoted.
pub(crate) fn drop_column<D: Dialect>(table: &str, column: &str) -> String {
    format!("ALTER TABLE {table} DROP COLUMN {};", identifier::<D>(column))
}

/// `ALTER COLUMN`, for the type and for NOT NULL.
fn reshape<D: Dialect>(table: &str, from: &Shape, to: &Shape, _: &str) -> String {
    let column = identifier::<D>(&to.name);
    let alter = |what: &str| format!("ALTER TABLE {table} ALTER COLUMN {column} {what};");
    let mut statements = Vec::new();
    if from.declared != to.declared {
        let Declared { name, collation } = &to.declared;
        let using = if from.declared.name == *name { String::new() } else { format!(" USING {column}::{name}") };
        statements.push(alter(&format!("TYPE {name}{collation}{using}")));
    }
    match (from.not_null, to.not_null) {
        (false, true) => statements.push(alter("SET NOT NULL")),
        (true, false) => statements.push(alter("DROP NOT NULL")),
        _ => {}
    }
    statements.join("\n")
}

/// The type of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// The clause of its collation, where that is to be altered.
    pub(crate) collation: &'static str,
}

/// The properties of a column that can be altered.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) declared: Declared,
    pub(crate) not_null: bool,
    /// The expression after `DEFAULT`.
    #[cfg_attr(not(feature = "mysql"), allow(dead_code))]
    pub(crate) default: Option<String>,
}

impl Shape {
    /// The shape that the field wants.
    pub(crate) fn wanted<D: Dialect>(resource: &Descriptor, column: &ColumnDescriptor) -> Self {
        let name = (D::TABLES.column_type)(resource, column).into_owned();
        let declared = Declared { name, collation: (D::TABLES.column_collation)(resource, column) };
        let default = ddl::column_default::<D>(column).map(D::TABLES.default_value);
        Self { name: column.column.to_owned(), declared, not_null: !column.nullable, default }
    }

    /// The shape of the column that is there.
    pub(crate) fn present(column: &Column) -> Self {
        let declared = Declared { name: column.declared.clone(), collation: "" };
        Self { name: column.name.clone(), declared, not_null: column.not_null, default: column.default.clone() }
    }

    /// With the default of a column that is there, where the field has none: programs of before may need it.
    pub(crate) fn keeping(self, present: &Column) -> Self {
        Self { default: self.default.or_else(|| present.default.clone()), ..self }
    }
}
