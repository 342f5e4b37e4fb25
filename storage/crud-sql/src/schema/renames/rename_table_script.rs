//! The steps of a migration that rename tables.

use super::index_names;
use super::rename_table::RenamedTable;
use crate::catalogue::table::{Index, IndexedColumn, Table};
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{self, IndexDefinition, check_name_of};
use crate::schema::driver::SchemaDriver;
use crate::schema::view::{self, ComparedView};
use crate::storage::indexes::{indexes, uniques};
use crate::storage::migrations::{Step, StepKind};

/// The steps of a migration that renames tables, and nothing else. Views that read them are made anew, by the next one where
/// `lacks`: columns are missing or have other names.
pub(crate) fn steps<D: SchemaDriver>(
    renamed: &[(&Compared, &RenamedTable)],
    views: &[ComparedView],
    lacks: bool,
) -> Vec<Step> {
    let reads = |view: &&ComparedView| {
        let all = view.resource.with_depends();
        renamed.iter().any(|(_, one)| all.iter().any(|other| other.table == one.resource.table))
    };
    let views: Vec<&ComparedView> = views.iter().filter(reads).collect();
    let present = |view: &&&ComparedView| view.present.as_ref().is_some_and(|present| present.kind == "view");
    let step = |table, up, down| Step { table, up, down, kind: StepKind::Alter };
    let drop = |view: &ComparedView| format!("DROP VIEW {};", table_identifier::<D>(view.resource.table));
    let mut steps = Vec::new();
    // Views that read a view are dropped before it.
    for view in views.iter().rev().filter(present) {
        let create = view.present.as_ref().map(|present| format!("CREATE VIEW {};", present.view)).unwrap_or_default();
        steps.push(step(view.resource.table, drop(view), create));
    }
    for (compared, one) in renamed {
        steps.push(rename::<D>(compared.resource, one));
    }
    for view in views.iter().filter(present).filter(|_| !lacks) {
        let create = view::create::<D>(view.resource);
        steps.extend(create.map(|create| step(view.resource.table, create + ";", drop(view))));
    }
    steps
}

/// Renames a table, and what is named after it.
fn rename<D: SchemaDriver>(resource: &'static Descriptor, renamed: &RenamedTable) -> Step {
    let mut former = resource.clone();
    former.table = renamed.from;
    let (old, new) = (table_identifier::<D>(renamed.from), table_identifier::<D>(resource.table));
    let mut up = vec![format!(
        "-- A program that uses {old} fails from here on: stop such servers before, or keep the table with\n\
             -- `table = \"{}\"`. Further changes are for another file: run `migrate diff` again after this one.",
        renamed.from
    )];
    let mut down = Vec::new();
    // An index of words is made from the records.
    for search in &renamed.table.searches {
        up.extend((D::TABLES.drop_search)(renamed.from, &search.name).into_iter().map(|drop| drop + ";"));
        down.push(search.definition.clone() + ";");
    }
    let renamed_to = D::ALTERATION.renamed_to;
    up.push(format!("ALTER TABLE {old} RENAME TO {};", renamed_to(resource.table)));
    down.insert(0, format!("ALTER TABLE {new} RENAME TO {};", renamed_to(renamed.from)));
    for (from, to) in
        pairs::<D>(resource, &former, &renamed.table).into_iter().filter(|pair| renamed.table.has_named(&pair.0.name))
    {
        if D::ALTERATION.renames_indexes {
            up.push((D::ALTERATION.rename_index)(&new, &from.name, &to.name));
            down.insert(0, (D::ALTERATION.rename_index)(&new, &to.name, &from.name));
        } else {
            // As it is: another condition is a difference of the next file.
            let present = renamed.table.indexes.iter().find(|index| index.name == from.name);
            let create = |table: &str, named: &Named| {
                let again = present.and_then(|index| create_again::<D>(table, &named.name, index));
                again.unwrap_or_else(|| named.create.clone()) + ";"
            };
            up.push((D::ALTERATION.drop_index)(&new, &from.name));
            up.push(create(&new, &to));
            down.insert(0, (D::ALTERATION.drop_index)(&new, &to.name));
            down.push(create(&old, &from));
        }
    }
    for column in renamed.table.columns.iter().map(|column| column.name.as_str()) {
        let (from, to) = (check_name_of::<D>(&former, column), check_name_of::<D>(resource, column));
        if from != to && renamed.table.has_named(&from) {
            let condition = renamed.table.check(&from);
            let rename = |from: &str, to: &str| {
                let renamed = (D::ALTERATION.rename_foreign_key)(&new, from, to);
                renamed.or_else(|| {
                    let (from, to) = (identifier::<D>(from), identifier::<D>(to));
                    let check = condition?;
                    Some(format!("ALTER TABLE {new} DROP CONSTRAINT {from}, ADD CONSTRAINT {to} CHECK ({check});"))
                })
            };
            up.extend(rename(&from, &to));
            down.splice(0..0, rename(&to, &from));
        }
        let [from, to] = [&former, resource].map(|resource| ddl::foreign_key_name::<D>(resource, column));
        if renamed.table.has_named(&from) {
            up.extend((D::ALTERATION.rename_foreign_key)(&new, &from, &to));
            let back = (D::ALTERATION.rename_foreign_key)(&new, &to, &from);
            down.splice(0..0, back);
        }
    }
    // Where columns are missing, or get other names, it is for the next file.
    let has = |column: &ColumnDescriptor| {
        column.role == Role::IsDeleted || renamed.table.column::<D>(column.column).is_some()
    };
    let is_complete = resource.columns.iter().all(has);
    if let Some(search) = (D::TABLES.search)(resource).filter(|_| is_complete) {
        up.extend(search.create.iter().map(|create| format!("{create};")));
        let drop = (D::TABLES.drop_search)(resource.table, &search.name);
        down.splice(0..0, drop.into_iter().map(|drop| drop + ";"));
    }
    Step { table: resource.table, up: up.join("\n"), down: down.join("\n"), kind: StepKind::Alter }
}

/// The statement that creates an index that is there, by another name. `None` for one of expressions.
fn create_again<D: Dialect>(table: &str, name: &str, index: &Index) -> Option<String> {
    let key = |column: &IndexedColumn| {
        let name = identifier::<D>(column.name.as_deref()?);
        if column.ignores_case { D::TABLES.folded.map(|folded| folded(&name)) } else { Some(name) }
    };
    let keys: Vec<String> = index.columns.iter().map(key).collect::<Option<_>>()?;
    let (unique, condition) = (if index.unique { "UNIQUE " } else { "" }, index.partial.as_ref());
    let condition = condition.map_or_else(String::new, |condition| format!(" WHERE {condition}"));
    Some(format!("CREATE {unique}INDEX {} ON {table} ({}){condition}", identifier::<D>(name), keys.join(", ")))
}

/// An index by its name, and the statement that creates it.
struct Named {
    name: String,
    create: String,
}

/// The indexes that the resource wants, and those that are there, by their names on the former table and on its own.
fn pairs<D: Dialect>(resource: &Descriptor, former: &Descriptor, table: &Table) -> Vec<(Named, Named)> {
    let key_implied = (D::TABLES.key_implied)(resource, Some(table));
    let on = |resource: &Descriptor| {
        let named = |name: String, index: IndexDefinition| Named {
            name: (D::TABLES.shorten)(name),
            create: index.create::<D>(resource),
        };
        let uniques = uniques(resource).into_iter();
        let uniques =
            uniques.map(|unique| named(unique.name(resource), ddl::definition_of_unique::<D>(resource, &unique)));
        let indexes = indexes(resource, key_implied, D::TABLES.active_by, &[]).into_iter();
        let indexes = indexes.map(|index| named(index.name(resource), ddl::definition_of_index::<D>(resource, &index)));
        uniques.chain(indexes).collect::<Vec<Named>>()
    };
    let mut pairs: Vec<(Named, Named)> = on(former).into_iter().zip(on(resource)).collect();
    // One that no list wants any more would hold its name against another table that gets the former one.
    let followed = table.indexes.iter().filter_map(|index| {
        let to = index_names::followed::<D>(index, [former.table, resource.table], str::to_owned)?;
        let named = |name: &str| Named { name: name.to_owned(), create: String::new() };
        Some((named(&index.name), named(&to)))
    });
    for (from, to) in followed {
        if !pairs.iter().any(|(other, _)| other.name == from.name) {
            pairs.push((from, to));
        }
    }
    pairs
}
