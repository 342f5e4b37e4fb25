//! SQLite's [`Alteration`]: it adds columns and indexes; any other change rebuilds the table.

use super::argument::Argument;
use super::catalogue::text::is_strict;
use super::dialect::Sqlite;
use super::rebuild::is_rebuilt;
use super::scale::without_scale;
use super::spelling::{RESET_PRAGMAS, SET_PRAGMAS};
use super::{catalogue, rebuild};
use crate::catalogue::table::Index;
use crate::dialect::Dialect;
use crate::driver::Connection;
use crate::schema::alteration::Alteration;
use crate::schema::change::admitted::admits;
use crate::schema::change::cost::Cost;
use crate::schema::change::{Change, NewValues};
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::table_diff::named_unique;
use crate::schema::ddl::{IndexDefinition, check, column_default, is_composite};
use crate::schema::driver::SchemaDriver;
use crate::schema::planner::by_name;
use crate::schema::planner::renamed_columns::present_check;
use crate::schema::planner::replaced::{is_of_table, replaced_unique};
use crate::storage::schema::What;

// For other programs that apply the file: without the pragmas, which have no effect within a transaction, dropping the old
// table would apply ON DELETE, and the rename would look the new name up in views before the table exists. The service
// says them itself, and runs what is between in a transaction with the record that it was applied.
const FRAME: (&str, &str) = (
    "-- no-transaction\n\
     PRAGMA foreign_keys = OFF;\n\
     PRAGMA legacy_alter_table = ON;\n\
     BEGIN IMMEDIATE;",
    "COMMIT;\n\
     PRAGMA legacy_alter_table = OFF;\n\
     PRAGMA foreign_keys = ON;",
);

/// See [`SchemaDriver::ALTERATION`].
pub(super) const fn alteration<D: SchemaDriver<Argument = Argument>>() -> Alteration<D::Connection, D::Error> {
    Alteration {
        frame: FRAME,
        cost,
        pragmas: (SET_PRAGMAS, RESET_PRAGMAS),
        alters: false,
        renames_indexes: false,
        // Not without rebuilding the table.
        reshape: |_, _| String::new(),
        drop_unused,
        finer: |connection, compared| Box::pin(finer::<D>(connection, compared)),
        needs_rebuild,
        is_rebuilt,
        rebuild: |connection, compared| Box::pin(rebuild::rebuild::<D>(connection, compared)),
        ..Alteration::standard::<D>(|connection, compared, _| Box::pin(present::<D>(connection, compared)))
    }
}

/// Others who wait for a change: the database has one writer.
const WAITING: &str = "other writers of the database wait";

/// Cost of a change.
fn cost(_: &Compared, change: &Change) -> Option<Cost> {
    match change {
        Change::AddIndex { .. } | Change::ReplaceIndex { .. } | Change::CreateSearch(_) => Some(Cost::reading(WAITING)),
        Change::AddColumn(new) if matches!(new.records, NewValues::Value(_)) => Some(Cost::filling(WAITING)),
        _ => None,
    }
}

/// The statements that SQLite keeps, which begin with `CREATE TABLE` and its like in these letters.
async fn present<D: SchemaDriver<Argument = Argument>>(
    connection: &mut Connection<D>,
    compared: &Compared,
) -> Result<Vec<String>, D::Error> {
    let table = compared.resource.table;
    let mut statements: Vec<String> = compared.table.iter().map(|table| table.written.clone()).collect();
    let searches = compared.table.iter().flat_map(|table| &table.searches);
    let searches: Vec<&str> = searches.map(|search| search.name.as_str()).collect();
    if !searches.is_empty() {
        statements.extend(catalogue::search_statements::<D>(connection, &searches).await?.into_iter().flatten());
    }
    for (_, statement) in catalogue::attached::<D>(connection, table).await? {
        // The triggers of an index of words are among both.
        if !statements.contains(&statement) {
            statements.push(statement);
        }
    }
    let starts = ["TABLE", "INDEX", "UNIQUE INDEX", "TRIGGER", "VIRTUAL TABLE"];
    let skipping = |statement: String| {
        let mut starts = starts.iter();
        let found = starts.find_map(|start| Some((start, statement.strip_prefix(&format!("CREATE {start} "))?)));
        found.map(|(start, rest)| format!("CREATE {start} IF NOT EXISTS {rest}")).unwrap_or(statement)
    };
    Ok(statements.into_iter().map(skipping).collect())
}

async fn finer<D: SchemaDriver<Argument = Argument>>(
    connection: &mut Connection<D>,
    compared: &Compared,
) -> Result<Vec<What>, D::Error> {
    let resource = compared.resource;
    // A table that is not STRICT was made elsewhere, and may spell its CHECK constraints in another way.
    if !compared.table.as_ref().is_some_and(|table| is_strict(&table.written)) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for column in resource.columns.iter().filter(|column| column.is_stored()) {
        let is = present_check::<Sqlite>(compared, column);
        let must_be = check::<Sqlite>(column);
        // A scale that differs is a difference of the type. Tables that were created before do not have it.
        let bare = |condition: &Option<String>| condition.as_deref().map(without_scale);
        if bare(&is) != bare(&must_be) {
            let admits = admits::<D>(connection, column, is.as_deref(), "").await;
            found.push(What::Check { column: column.column, is, must_be, admits });
        }
    }
    Ok(found)
}

/// SQLite drops no column that an index has, or a constraint that is not the column's own.
fn drop_unused(compared: &Compared, column: &str) -> Option<Vec<Change>> {
    let table = compared.table.as_ref()?;
    let is_same = |name: &str| (<Sqlite>::TABLES.is_same_name)(name, column);
    let names_it = |index: &&Index| {
        index.is_filtered_by::<Sqlite>(column) || index.columns.iter().any(|indexed| indexed.is::<Sqlite>(column))
    };
    let indexes: Vec<&Index> = table.indexes.iter().filter(names_it).collect();
    let is_in_key =
        table.foreign_keys.iter().any(|key| key.columns.len() > 1 && key.columns.iter().any(|(from, _)| is_same(from)));
    if is_in_key || indexes.iter().any(|index| is_of_table(index)) {
        return None;
    }
    let drop = |index: &&Index| {
        let keys = IndexDefinition::of_keys::<Sqlite>(&index.name, index.unique, String::new(), None);
        Change::DropIndex(keys)
    };
    Some(indexes.iter().map(drop).chain([Change::drop_column(column)]).collect())
}

fn needs_rebuild(compared: &Compared, what: &What) -> bool {
    match what {
        What::ColumnMissing { column } => {
            let column = by_name(compared.resource, column);
            // SQLite adds a reference only if its default is null.
            let has_default = column_default::<Sqlite>(column).is_some();
            // A constraint of several columns is the table's.
            column.constraint().is_some() && (has_default || is_composite(compared.resource, column))
        }
        What::ColumnUnused { required, .. } => *required,
        // The constraint of all records, in whose place it is, is the table's.
        What::UniqueMissing { columns, active: true, case_insensitive } => {
            let unique = named_unique(compared.resource, columns, case_insensitive, true);
            replaced_unique::<Sqlite>(compared, &unique).is_some_and(is_of_table)
        }
        What::UniqueMissing { .. } => false,
        other => is_rebuilt(other),
    }
}
