//! The statements of a migration that add the foreign keys of columns, and their names.

use super::by_name;
use super::online;
use super::replaced::{is_on, key_line, key_name, replaced_keys};
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl;
use crate::schema::driver::SchemaDriver;
use crate::storage::migrations::{Step, StepKind};

/// Adds the foreign key of a column. One that the column had is dropped before: the new one takes its place, and its name.
pub(super) fn add<D: SchemaDriver>(compared: &Compared, column: &ColumnDescriptor) -> Vec<Step> {
    let (resource, table) = (compared.resource, table_identifier::<D>(compared.resource.table));
    let name = free_name::<D>(compared, column.column);
    let mut steps = if D::ALTERATION.is_online(compared) {
        online::constrain::<D>(resource, &name, &ddl::foreign_key::<D>(resource, column).unwrap_or_default())
    } else {
        let key = ddl::foreign_key::<D>(resource, column).unwrap_or_default();
        let (up, down) = (statement::<D>(&table, &name, &key), (D::ALTERATION.drop_foreign_key)(&table, &name));
        vec![Step { table: resource.table, up, down, kind: StepKind::Alter }]
    };
    let first = &mut steps[0];
    if D::ALTERATION.online && ddl::is_composite(resource, column) {
        // It refers by the unique index of the tenant and the key, which the table that it refers to may lack.
        first.kind = StepKind::Constrain;
    }
    for former in replaced_keys::<D>(compared).filter(|former| is_on::<D>(former, column.column)) {
        let Some(name) = key_name::<D>(compared, former) else { continue };
        first.up = format!("{}\n{}", (D::ALTERATION.drop_foreign_key)(&table, &name), first.up);
        let add = format!("ALTER TABLE {table} ADD CONSTRAINT {} {};", identifier::<D>(&name), key_line::<D>(former));
        first.down = format!("{}\n{add}", first.down);
    }
    steps
}

/// A name for the foreign key of a column. One that was renamed may hold it, where the database cannot rename a foreign key.
fn free_name<D: SchemaDriver>(compared: &Compared, column: &str) -> String {
    let name = format!("{}_{column}_fkey", compared.resource.own_table());
    // That of the column itself makes place for the new one.
    let others = compared.foreign_keys().filter(|key| !is_on::<D>(key, column));
    let others: Vec<String> = others.filter_map(|key| key_name::<D>(compared, key)).collect();
    let mut names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}_{number}")));
    let free = names.find(|name| !others.contains(&(D::TABLES.shorten)(name.clone())));
    (D::TABLES.shorten)(free.unwrap_or(name))
}

/// Adds the foreign key of a column of a new table, once the table that it refers to is there as well.
pub(super) fn add_later<D: SchemaDriver>(resource: &Descriptor, column: &ColumnDescriptor) -> Step {
    let table = table_identifier::<D>(resource.table);
    let name = ddl::foreign_key_name::<D>(resource, column.column);
    let (from, references) = ddl::foreign_key_parts::<D>(resource, column, None).unwrap_or_default();
    let up = (D::ALTERATION.add_missing_foreign_key)(&table, &name, (&from, &references));
    Step { table: resource.table, up, down: (D::ALTERATION.drop_foreign_key)(&table, &name), kind: StepKind::Alter }
}

/// The statement that adds a foreign key under a name.
pub(super) fn statement<D: SchemaDriver>(table: &str, name: &str, key: &str) -> String {
    let name = identifier::<D>(name);
    format!("-- Fails where a record refers to none.\nALTER TABLE {table} ADD CONSTRAINT {name} {key};")
}

/// The foreign key of a column with this action of `ON DELETE`, and the action on a change of the key that is there.
pub(super) fn key_with<D: SchemaDriver>(compared: &Compared, column: &str, on_delete: &str) -> String {
    let field = by_name(compared.resource, column);
    let key = ddl::foreign_key_with::<D>(compared.resource, field, Some(on_delete)).unwrap_or_default();
    key + &on_update::<D>(compared, column)
}

/// The action on a change of the key that the foreign key of a column has, which no field states: it stays.
fn on_update<D: SchemaDriver>(compared: &Compared, column: &str) -> String {
    let key = compared.foreign_keys().find(|key| is_on::<D>(key, column));
    match key.map(|key| key.on_update.as_str()) {
        None | Some("NO ACTION" | "") => String::new(),
        Some(action) => format!(" ON UPDATE {action}"),
    }
}

/// The name of the foreign key that a column has.
pub(super) fn name<D: SchemaDriver>(compared: &Compared, column: &str) -> String {
    let keys = compared.foreign_keys();
    keys.filter(|key| is_on::<D>(key, column)).find_map(|key| key_name::<D>(compared, key)).unwrap_or_default()
}
