//! The statements of a first migration: those that create the tables as they are.

use crate::catalogue::Catalogue;
use crate::catalogue::table::{ForeignKey, Parts};
use crate::driver::Connection;
use crate::identifier::table_identifier;
use crate::in_order::in_order;
use crate::model::descriptor::Descriptor;
use crate::schema::change::Change;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::diff::compare;
use crate::schema::comparison::renamed_tables;
use crate::schema::migration_driver::{MigrationDriver, Present};
use crate::schema::view;
use crate::storage::migrations::{Step, StepKind};
use crate::table_dialect::InTable;

/// The tables and views of the resources that are there, each after what it refers to.
pub(crate) async fn present<D: MigrationDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Step>, D::Error> {
    let tables = Catalogue::around::<D>(connection, resources, Parts::Schema).await?;
    let renamed = renamed_tables::find::<D>(&tables, resources);
    // They are there by their former names; the service stops when it has written the file.
    let by_present_name = |resource: &&'static Descriptor| -> &'static Descriptor {
        let former = renamed.iter().find(|renamed| std::ptr::eq(renamed.resource, *resource));
        former.map_or(*resource, |former| resource.in_table(former.from))
    };
    let resources: Vec<&'static Descriptor> = resources.iter().map(by_present_name).collect();
    let resources = resources.as_slice();
    let all = compare::<D>(connection, resources, Parts::Migration).await?;
    let mut steps: Vec<Step> = Vec::new();
    let waits = |one: &&Compared, other: &&Compared| targets::<D>(one).any(|target| is_named::<D>(other, target));
    let ordered = in_order(all.iter().filter(|compared| compared.is_table()).collect(), waits);
    // Foreign keys of tables that refer to each other are added when both tables are there.
    let mut later_keys = Vec::new();
    for (place, compared) in ordered.iter().enumerate() {
        let keys: Vec<_> = keys_to::<D>(compared, &ordered[place + 1..]).collect();
        let names: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
        let Present { statements, left_out } = D::present(connection, compared, &names).await?;
        for (name, key) in keys {
            let add = Change::AddMissingForeignKey { name: name.to_owned(), key: key.clone() };
            later_keys.push(D::render(compared.resource.table, &add));
        }
        let mut up = statements.join(";\n") + ";";
        if !left_out.is_empty() {
            up = format!("-- It leaves out {}.\n{up}", left_out.join(", "));
        }
        for target in targets::<D>(compared).filter(|target| !all.iter().any(|other| is_named::<D>(other, target))) {
            let target = table_identifier::<D>(target);
            up = format!(
                "-- It refers to {target}, which is no resource's: an empty database needs that table first.\n{up}"
            );
        }
        let table = compared.resource.table;
        let down = format!("-- DROP TABLE {};", table_identifier::<D>(table));
        steps.push(Step { table, up, down, kind: StepKind::Create });
    }
    if let Some(last) = steps.last_mut().filter(|_| !later_keys.is_empty()) {
        last.up = format!("{}\n\n{}", last.up, later_keys.join("\n"));
    }
    for view in view::compare::<D>(connection, resources).await? {
        let table = view.resource.table;
        let Some(present) = view.present.filter(|present| present.kind == "view") else { continue };
        let up = format!("{} {};", D::TABLES.views.create, present.view);
        let down = format!("-- DROP VIEW {};", table_identifier::<D>(table));
        steps.push(Step { table, up, down, kind: StepKind::Create });
    }
    Ok(steps)
}

/// The foreign keys, and their names, that refer to one of these tables, where the database needs that first.
fn keys_to<'c, D: MigrationDriver>(
    compared: &'c Compared,
    later: &'c [&Compared],
) -> impl Iterator<Item = (&'c str, &'c ForeignKey)> {
    let keys = compared.foreign_keys().filter(|key| {
        D::TABLES.in_table != InTable::Uniques && later.iter().any(|other| is_named::<D>(other, &key.table))
    });
    keys.filter_map(|key| Some((key.name.as_deref()?, key)))
}

/// The tables that this one refers to.
fn targets<D: MigrationDriver>(compared: &Compared) -> impl Iterator<Item = &str> {
    compared.foreign_keys().map(|key| key.table.as_str()).filter(|target| !is_named::<D>(compared, target))
}

fn is_named<D: MigrationDriver>(compared: &Compared, name: &str) -> bool {
    (D::TABLES.is_same_name)(compared.resource.table, name)
}
