//! SQLite as a [`MigrationDriver`]: it adds columns and indexes; any other change rebuilds the table.

use super::argument::Argument;
use super::catalogue::text::is_strict;
use super::dialect::{Engine, Sqlite};
use super::rebuild::is_rebuilt;
use super::scale::without_scale;
use super::spelling::{RESET_PRAGMAS, SET_PRAGMAS};
use super::{catalogue, rebuild, unreadable_views};
use crate::catalogue::table::{Check, Index};
use crate::dialect::Dialect;
use crate::driver::Driver;
use crate::model::descriptor::ColumnDescriptor;
use crate::schema::change::cost::Cost;
use crate::schema::change::{AlteredColumn, Change, NewValues};
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::table_diff::missing_unique;
use crate::schema::ddl::{IndexDefinition, check, check_name, column_default, is_composite};
use crate::schema::migration_driver::{MigrationDriver, Present, Rebuild};
use crate::schema::planner::by_name;
use crate::schema::planner::replaced::{is_of_table, replaced_unique};
use crate::storage::schema::DifferenceKind;

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

/// Others who wait for a change: the database has one writer.
const WAITING: &str = "other writers of the database wait";

impl<E: Engine> MigrationDriver for Sqlite<E>
where
    Self: Driver<Argument = Argument>,
{
    const ALTERS: bool = false;
    const IS_REBUILT: fn(&DifferenceKind) -> bool = is_rebuilt;

    // A scale that differs is a difference of the type. Tables that were created before do not have it.
    const BARE_CONDITION: fn(&str) -> String = without_scale;

    const FRAME: (&'static str, &'static str) = FRAME;
    const PRAGMAS: (&'static str, &'static str) = (SET_PRAGMAS, RESET_PRAGMAS);

    /// Not without rebuilding the table.
    fn reshape(_: &str, _: &AlteredColumn) -> String {
        String::new()
    }

    /// Cost of a change.
    fn cost(_: &Compared, change: &Change) -> Option<Cost> {
        match change {
            Change::Index { to: Some(_), .. } | Change::CreateSearch(_) => Some(Cost::reading(WAITING)),
            Change::AddColumn(new) if matches!(new.records, NewValues::Value(_)) => Some(Cost::filling(WAITING)),
            _ => None,
        }
    }

    /// The statements that SQLite keeps.
    async fn present(
        connection: &mut Self::Connection,
        compared: &Compared,
        _: &[&str],
    ) -> Result<Present, Self::Error> {
        let table = compared.resource.table;
        let mut statements: Vec<String> = compared.table.iter().map(|table| table.written.clone()).collect();
        let searches = compared.table.iter().flat_map(|table| &table.searches).flat_map(|search| &search.create);
        statements.extend(searches.filter(|statement| statement.starts_with("CREATE ")).cloned());
        for (_, statement) in catalogue::attached::<Self>(connection, table).await? {
            // The triggers of an index of words are among both.
            if !statements.contains(&statement) {
                statements.push(statement);
            }
        }
        Ok(Present { statements, ..Present::default() })
    }

    /// A table that is not STRICT was made elsewhere, and may spell its CHECK constraints in another way.
    async fn wanted_checks(_: &mut Self::Connection, compared: &Compared) -> Result<Option<Vec<Check>>, Self::Error> {
        let resource = compared.resource;
        let check = |column: &ColumnDescriptor| {
            Some(Check { name: check_name::<Sqlite>(resource, column.column), condition: check::<Sqlite>(column)? })
        };
        let is_ours = compared.table.as_ref().is_some_and(|table| is_strict(&table.written));
        Ok(is_ours.then(|| resource.columns.iter().filter_map(check).collect()))
    }

    /// SQLite drops no column that an index has, or a constraint that is not the column's own.
    fn drop_unused(compared: &Compared, column: &str) -> Option<Vec<Change>> {
        let table = compared.table.as_ref()?;
        let is_same = |name: &str| (<Sqlite>::TABLES.is_same_name)(name, column);
        let names_it = |index: &&Index| {
            index.is_filtered_by::<Sqlite>(column) || index.columns.iter().any(|indexed| indexed.is::<Sqlite>(column))
        };
        let indexes: Vec<&Index> = table.indexes.iter().filter(names_it).collect();
        let is_in_key = table
            .foreign_keys
            .iter()
            .any(|key| key.columns.len() > 1 && key.columns.iter().any(|(from, _)| is_same(from)));
        if is_in_key || indexes.iter().any(|index| is_of_table(index)) {
            return None;
        }
        let drop = |index: &&Index| Change::drop_index(IndexDefinition::of_name(index));
        Some(indexes.iter().map(drop).chain([Change::drop_column(column)]).collect())
    }

    fn needs_rebuild(compared: &Compared, what: &DifferenceKind) -> bool {
        match what {
            DifferenceKind::ColumnMissing { column } => {
                let column = by_name(compared.resource, column);
                // SQLite adds a reference only if its default is null.
                let has_default = column_default::<Sqlite>(column).is_some();
                // A constraint of several columns is the table's.
                column.constraint().is_some() && (has_default || is_composite(compared.resource, column))
            }
            DifferenceKind::ColumnUnused { required, .. } => *required,
            // The constraint of all records, in whose place it is, is the table's.
            DifferenceKind::UniqueMissing { active: true, .. } => {
                let unique = missing_unique(compared.resource, what);
                unique.is_some_and(|unique| replaced_unique::<Sqlite>(compared, &unique).is_some_and(is_of_table))
            }
            DifferenceKind::UniqueMissing { .. } => false,
            other => is_rebuilt(other),
        }
    }

    async fn rebuild(connection: &mut Self::Connection, compared: &Compared) -> Result<Option<Rebuild>, Self::Error> {
        let is_needed = compared.whats().any(|what| Self::needs_rebuild(compared, what));
        let Some(table) = compared.table.as_ref().filter(|_| is_needed) else { return Ok(None) };
        rebuild::rebuild::<Self>(connection, compared, table).await.map(Some)
    }

    async fn further_reason(connection: &mut Self::Connection, message: &str) -> Result<Option<String>, Self::Error> {
        unreadable_views::further_reason::<Self>(connection, message).await
    }
}
