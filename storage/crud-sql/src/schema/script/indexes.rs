//! The statements of a migration that create, replace and drop indexes.

use super::replaced::{former_index, former_unique, replaced_unique};
use super::{duplicates, folded_script, one_step, online};
use crate::catalogue::table::IndexedColumn;
use crate::identifier::{identifier, table_identifier};
use crate::schema::alteration::drop_column;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{self, ACTIVE, IndexDefinition};
use crate::schema::driver::SchemaDriver;
use crate::search_index::{PresentSearch, SearchIndex};
use crate::storage::indexes::Unique;
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::What;

/// Drops an index of words that has lost a trigger, or that no struct asks for.
pub(super) fn drop_search<D: SchemaDriver>(compared: &Compared, unused: &PresentSearch) -> Step {
    let table = compared.resource.table;
    let up = (D::TABLES.drop_search)(table, &unused.name).join(";\n") + ";";
    let down = format!("{};", unused.definition);
    let is_replaced = compared.replaced_searches().any(|replaced| replaced.name == unused.name);
    Step { table, up, down, kind: if is_replaced { StepKind::Alter } else { StepKind::Unneeded } }
}

/// Creates the index of words that the struct asks for.
pub(super) fn create_search<D: SchemaDriver>(compared: &Compared, search: &SearchIndex) -> Step {
    let resource = compared.resource;
    if let Some(create) = search.create_concurrently.as_ref().filter(|_| D::ALTERATION.is_online(compared)) {
        return index::<D>(compared, format!("{create};"), online::drop_index::<D>(resource, &search.name));
    }
    let down = (D::TABLES.drop_search)(resource.table, &search.name).join(";\n") + ";";
    index::<D>(compared, search.create.join(";\n") + ";", down)
}

/// Creates the unique index of a constraint. One of other records that has its name makes place for it. `is_first`: whether
/// no other one of the active records comes before it.
pub(super) fn add_unique<D: SchemaDriver>(compared: &Compared, unique: &Unique, is_first: bool) -> Vec<Step> {
    let (resource, table) = (compared.resource, table_identifier::<D>(compared.resource.table));
    let name = (D::TABLES.shorten)(unique.name(resource));
    let marked = compared.table.iter().flat_map(|table| &table.columns).any(|column| column.name == ACTIVE);
    let marking = unique.active.filter(|_| is_first && !D::TABLES.partial_indexes() && !marked);
    let mark = marking
        .map(|deleted_at| format!("ALTER TABLE {table} ADD COLUMN {};\n", ddl::active_line::<D>(resource, deleted_at)));
    let unmark = mark.as_ref().map(|_| format!("\n{}", drop_column::<D>(&table, ACTIVE)));
    let generated = folded_script::missing::<D>(compared, unique);
    let note = duplicates::comment::<D>(compared, unique);
    let new = ddl::definition_of_unique::<D>(resource, unique);
    let before = format!("{}{}{note}\n", mark.unwrap_or_default(), generated.add);
    let after = format!("{}{}", generated.drop, unmark.unwrap_or_default());
    let former = replaced_unique::<D>(compared, unique).filter(|former| former.name == name);
    if let Some(former) = former.filter(|_| !D::ALTERATION.is_online(compared)) {
        let back = former_unique::<D>(resource, unique, former, &name);
        let replace = |new| (D::ALTERATION.replace_index)(&table, &name, new);
        let (up, down) = (format!("{before}{}", replace(&new)), format!("{}{after}", replace(&back)));
        return vec![Step { table: resource.table, up, down, kind: StepKind::Alter }];
    }
    let up = format!("{before}{}", created::<D>(compared, &new));
    let down = format!("{}{after}", dropped::<D>(compared, &name));
    let Some(former) = former else { return vec![index::<D>(compared, up, down)] };
    in_place::<D>(compared, &name, up, down, |aside| {
        former_unique::<D>(resource, unique, former, aside).create_on(&table) + ";"
    })
}

/// Creates an index in the place of one that has its name: that stays by another one until the new one is there, so that
/// there is no moment without any. `back`: the statement that creates the former one by a name.
fn in_place<D: SchemaDriver>(
    compared: &Compared,
    name: &str,
    up: String,
    down: String,
    back: impl FnOnce(&str) -> String,
) -> Vec<Step> {
    let resource = compared.resource;
    let table = table_identifier::<D>(resource.table);
    let aside = (D::TABLES.shorten)(format!("{name}__former"));
    let rename = |from: &str, to: &str| (D::ALTERATION.rename_index)(&table, from, to);
    let step = |up, down, kind| Step { table: resource.table, up, down, kind };
    vec![
        step(rename(name, &aside), rename(&aside, name), StepKind::Alter),
        index::<D>(compared, up, down),
        step((D::ALTERATION.drop_index)(&table, &aside), back(&aside), StepKind::Finish),
    ]
}

/// Creates an index that is missing. One of the same columns with another place of nulls, which has its name, makes place
/// for it.
pub(super) fn add_index<D: SchemaDriver>(compared: &Compared, name: &str, what: &What) -> Vec<Step> {
    let resource = compared.resource;
    let wanted = compared.indexes.iter().find(|wanted| (D::TABLES.shorten)(wanted.name(resource)) == name);
    let former = wanted.and_then(|wanted| former_index::<D>(compared, wanted, name));
    let (Some(wanted), Some(former)) = (wanted, former) else { return vec![one_step::<D>(compared, what)] };
    let table = table_identifier::<D>(resource.table);
    let up = created::<D>(compared, &ddl::definition_of_index::<D>(resource, wanted));
    in_place::<D>(compared, name, up, dropped::<D>(compared, name), |aside| {
        let column = |(column, former): (&usize, &IndexedColumn)| {
            let nulls = if former.nulls_first == Some(true) { " NULLS FIRST" } else { "" };
            identifier::<D>(resource.columns[*column].column) + nulls
        };
        let columns: Vec<String> = wanted.columns.iter().zip(&former.columns).map(column).collect();
        let condition = ddl::condition::<D>(resource, wanted.among).map(|condition| format!(" WHERE {condition}"));
        let (aside, condition) = (identifier::<D>(aside), condition.unwrap_or_default());
        format!("CREATE INDEX {aside} ON {table} ({}){condition};", columns.join(", "))
    })
}

/// The step that makes an index of a table.
pub(super) fn index<D: SchemaDriver>(compared: &Compared, up: String, down: String) -> Step {
    let kind = if D::ALTERATION.is_online(compared) { StepKind::Concurrent } else { StepKind::Alter };
    Step { table: compared.resource.table, up, down, kind }
}

/// The statement that creates an index: concurrently, where the database can.
pub(super) fn created<D: SchemaDriver>(compared: &Compared, index: &IndexDefinition) -> String {
    let table = table_identifier::<D>(compared.resource.table);
    let is_online = D::ALTERATION.is_online(compared);
    let create = if is_online { index.create_concurrently_on(&table) } else { index.create_on(&table) };
    create + ";"
}

/// The statement that drops an index: concurrently, where the database can.
pub(super) fn dropped<D: SchemaDriver>(compared: &Compared, index: &str) -> String {
    if D::ALTERATION.is_online(compared) {
        return online::drop_index::<D>(compared.resource, index);
    }
    (D::ALTERATION.drop_index)(&table_identifier::<D>(compared.resource.table), index)
}
