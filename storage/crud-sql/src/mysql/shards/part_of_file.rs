//! The statements of a migration's file for the tables of one place.

use super::ShardedMySqlAdapter;
use super::places::{Place, Tables};
use crate::schema::history::way::steps;
use crate::sql_parts::{is_word, parts_of_script, unquoted};
use crate::storage::migrations::MigrationFile;

impl ShardedMySqlAdapter {
    /// The file with the statements for a place. The first of the service's tables that a statement names decides where
    /// it runs; a statement that names none runs everywhere. A data migration runs no statements in shards.
    pub(super) fn part_of(&self, file: &MigrationFile, place: &Place) -> MigrationFile {
        let mut part = file.clone();
        if place.is_shard && part.data_migration.take().is_some() {
            part.sql = String::new();
            return part;
        }
        if part.data_migration.is_some() {
            return part;
        }
        let of_place = statements_of(&self.tables, &file.sql, place.is_shard);
        part.sql = of_place.join(";\n");
        part
    }
}

/// The statements for tables in shards, or for tables outside of shards, and those that name no table.
fn statements_of<'a>(tables: &Tables, sql: &'a str, in_shards: bool) -> Vec<&'a str> {
    let all = steps(sql).into_iter().map(|range| &sql[range]);
    all.filter(|statement| place_of(tables, statement).is_none_or(|place| place == in_shards)).collect()
}

/// Whether the first of the service's tables that a statement names is in shards; `None` where it names none.
fn place_of(tables: &Tables, statement: &str) -> Option<bool> {
    let name = |part: &str| unquoted(part).or_else(|| is_word(part).then(|| part.to_owned()));
    parts_of_script(statement, true).filter_map(name).find_map(|name| tables.is_in_shards(&name))
}

#[cfg(test)]
mod tests {
    use super::{Tables, statements_of};
    use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
    use crate::storage::shards::PlacedTable;

    #[test]
    fn statement_is_about_the_first_table_that_it_names() {
        const ID: ColumnDescriptor = ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id);
        static DEVICES: Descriptor = Descriptor::new("Device", "core", "/devices", "devices", &[ID], 0);
        static MODELS: Descriptor = Descriptor::new("Model", "core", "/models", "models", &[ID], 0);
        let tables = Tables::default();
        let placed = |resource, tenant| PlacedTable { resource, tenant };
        tables.set(vec![placed(&DEVICES, Some(0)), placed(&MODELS, None)]);
        let sql = "CREATE TABLE `Devices` (a INT, models INT); CREATE INDEX i ON models (devices); SET @a = 'models'; DROP TABLE old;";
        assert_eq!(
            statements_of(&tables, sql, true),
            ["CREATE TABLE `Devices` (a INT, models INT)", "SET @a = 'models'", "DROP TABLE old"]
        );
        assert_eq!(
            statements_of(&tables, sql, false),
            ["CREATE INDEX i ON models (devices)", "SET @a = 'models'", "DROP TABLE old"]
        );
    }
}
