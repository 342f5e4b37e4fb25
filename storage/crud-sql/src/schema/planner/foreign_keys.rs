//! Changes of foreign keys, and their names.

use super::by_name;
use super::replaced::{is_on, key_name, replaced_keys};
use crate::catalogue::table::ForeignKey;
use crate::identifier::identifier;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::change::planned::Planned;
use crate::schema::change::{Change, Constraint};
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl;
use crate::schema::foreign_key;
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::migrations::StepKind;

/// Adds the foreign key of a column. One that the column had is dropped before: the new one takes its place, and its name.
pub(super) fn added<D: MigrationDriver>(compared: &Compared, column: &ColumnDescriptor) -> Planned {
    let resource = compared.resource;
    let former = replaced_keys::<D>(compared).filter(|former| is_on::<D>(former, column.column));
    let drop =
        former.filter_map(|former| Some(Change::drop_foreign_key(key_name::<D>(compared, former)?, former.clone())));
    let mut changes: Vec<Change> = drop.collect();
    changes.reverse();
    let key = foreign_key::wanted(resource, column);
    changes.extend(key.map(|key| {
        let name = free_name::<D>(compared, column.column);
        Change::Constrain { name, from: None, to: Some(Constraint::ForeignKey(key)) }
    }));
    // It refers by the unique index of the tenant and the key, which the table that it refers to may lack.
    let is_later = D::ONLINE && ddl::is_composite(resource, column);
    Planned::apply_as(if is_later { StepKind::Constrain } else { StepKind::Alter }, changes)
}

/// A name for the foreign key of a column. One that was renamed may hold it, where the database cannot rename a foreign key.
fn free_name<D: MigrationDriver>(compared: &Compared, column: &str) -> String {
    let name = format!("{}_{column}_fkey", compared.resource.own_table());
    // That of the column itself makes place for the new one.
    let others = compared.foreign_keys().filter(|key| !is_on::<D>(key, column));
    let others: Vec<String> = others.filter_map(|key| key_name::<D>(compared, key)).collect();
    let mut names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}_{number}")));
    let free = names.find(|name| !others.contains(&(D::TABLES.shorten)(name.clone())));
    (D::TABLES.shorten)(free.unwrap_or(name))
}

/// Adds the foreign key of a column of a new table, once the table that it refers to is there as well.
pub(super) fn added_later<D: MigrationDriver>(resource: &Descriptor, column: &ColumnDescriptor) -> Planned {
    let name = ddl::foreign_key_name::<D>(resource, column.column);
    let key = foreign_key::wanted(resource, column);
    Planned::apply(key.map(|key| Change::AddMissingForeignKey { name, key }).into_iter().collect())
}

/// Gives the foreign key of a column another action of `ON DELETE`. The action on a change of the key, which no field states,
/// stays.
pub(super) fn on_delete<D: MigrationDriver>(compared: &Compared, column: &str) -> Planned {
    let wanted = foreign_key::wanted(compared.resource, by_name(compared.resource, column));
    let change = wanted.zip(present::<D>(compared, column)).map(|(wanted, (name, present))| {
        let to = ForeignKey { on_update: present.on_update.clone(), ..wanted };
        let [from, to] = [present.clone(), to].map(|key| Some(Constraint::ForeignKey(key)));
        Change::Constrain { name, from, to }
    });
    Planned::apply(change.into_iter().collect())
}

/// Proposes to drop the foreign key of a column that no field asks for.
pub(super) fn unused<D: MigrationDriver>(compared: &Compared, column: &str, remark: &str) -> Planned {
    let note = format!("-- {} {remark}. If that is to end", identifier::<D>(column));
    if !D::ALTERS {
        return Planned::propose(note + ", write the table anew.", Vec::new(), String::new());
    }
    let drop = present::<D>(compared, column).map(|(name, key)| Change::drop_foreign_key(name, key.clone()));
    Planned::propose(note + ":", drop.into_iter().collect(), String::new())
}

/// The foreign key that a column has, after its name.
fn present<'c, D: MigrationDriver>(compared: &'c Compared, column: &str) -> Option<(String, &'c ForeignKey)> {
    let mut keys = compared.foreign_keys().filter(|key| is_on::<D>(key, column));
    keys.find_map(|key| Some((key_name::<D>(compared, key)?, key)))
}
