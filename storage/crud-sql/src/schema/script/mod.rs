//! The statements of a migration: those that change the tables of a database, and those that revert that.
//!
//! `online` writes those of tables that others use meanwhile, with a remark on their `size`, `view_script` those of views,
//! `foreign_key_script` those of foreign keys, `folded_script` those of columns for indexes without regard to letter case,
//! `baseline` those of the tables as they are, `advice` those for the owners of other tables. `retyped_index` spells the indexes
//! of a column of another type, `replaced` finds the constraints in whose place others are, `duplicates` the records that a
//! unique index refuses.

mod advice;
pub(crate) mod baseline;
pub(crate) mod duplicates;
pub(crate) mod folded_script;
mod foreign_key_script;
mod online;
pub(crate) mod replaced;
mod retyped_index;
pub(crate) mod size;
mod view_script;

use self::replaced::{
    drop_other_case, former_index, former_unique, is_of_table, is_replaced_key, is_replaced_unique, replaced_unique,
};
use self::retyped_index::{Retyped, parts};
use self::size::Sizes;
use super::alteration::cost::Change;
use super::alteration::{Shape, drop_column};
use super::comparison::compared::Compared;
use super::comparison::diff::{add_missing_after, compare};
use super::comparison::table_diff::{named_unique, own_index, unused_unique};
use super::ddl::{self, ACTIVE, IndexDefinition, check_name, column_line, identifier, identifiers, table_identifier};
use super::plan::{create, missing};
use super::renames::rename_script;
use super::renames::rename_table_script;
use super::search_index::{PresentSearch, SearchIndex};
use super::table::{Column, IndexedColumn};
use super::view;
use crate::driver::{Connection, Driver};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::indexes::Unique;
use crate::storage::migrations::{Script, Step, StepKind};
use crate::storage::schema::{Difference, What};

/// Every difference, CHECK constraints among them.
pub(crate) async fn diff<D: Driver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Compared>, D::Error> {
    let mut all = compare::<D>(connection, resources).await?;
    for compared in &mut all {
        // A server compares conditions in a temporary table, for which a reader may lack the right.
        let is_ours = compared.resource.is_managed();
        if is_ours && compared.table.as_ref().is_some_and(|table| table.kind == "table") {
            let resource = compared.resource;
            // An index of a column depends on its type, which comes first.
            let mut types = Vec::new();
            for what in (D::ALTERATION.finer)(connection, compared).await? {
                // A missing column is created with its CHECK.
                let missing = matches!(&what, What::Check { column, .. } if compared.column::<D>(column).is_none());
                if matches!(what, What::Type { .. }) {
                    types.push(Difference::of(resource, what));
                } else if !missing {
                    compared.differences.push(Difference::of(resource, what));
                }
            }
            if !types.is_empty() {
                add_missing_after::<D>(compared, types);
            }
            if D::ALTERATION.repeats_column {
                require_before_retyping::<D>(compared);
            }
        }
    }
    Ok(all)
}

/// Puts the NOT NULL of a column before its type, where that is left to the reader: a statement that repeats the whole column
/// has what those before it have made, and a proposal may be taken or not.
fn require_before_retyping<D: Driver>(compared: &mut Compared) {
    for index in 0..compared.differences.len() {
        let What::Null { column, .. } = compared.differences[index].what else { continue };
        let resource = compared.resource;
        let widens = compared
            .column::<D>(column)
            .is_some_and(|present| (D::ALTERATION.widens)(resource, by_name(resource, column), &present.declared));
        let is_type = |other: &Difference| matches!(other.what, What::Type { column: of, .. } if of == column);
        let before = compared.differences[..index].iter().position(is_type);
        if let Some(before) = before.filter(|_| !widens) {
            compared.differences[before..=index].rotate_right(1);
        }
    }
}

/// Every difference, those of views after those of tables.
pub(crate) async fn differences<D: Driver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Difference>, D::Error> {
    let tables = diff::<D>(connection, resources).await?;
    let views = view::compare::<D>(connection, resources).await?;
    let of_tables = tables.into_iter().flat_map(|compared| compared.differences);
    Ok(of_tables.chain(views.into_iter().flat_map(|view| view.differences)).collect())
}

/// The statements that mend the differences.
pub(crate) async fn script<D: Driver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    sizes: Sizes<'_>,
) -> Result<Script, D::Error> {
    let all = diff::<D>(connection, resources).await?;
    let views = view::compare::<D>(connection, resources).await?;
    let renamed: Vec<_> = all.iter().filter_map(|compared| Some((compared, compared.former.as_ref()?))).collect();
    if !renamed.is_empty() {
        let steps = rename_table_script::steps::<D>(connection, &renamed, &views, lacks_columns::<D>(&all)).await?;
        return Ok(Script { steps, frame: D::ALTERATION.frame });
    }
    let views = view_script::steps::<D>(connection, &views, &all).await?;
    let mut steps = views.before;
    // A foreign key refers to columns that are unique in another table, which may be changed after its own.
    let mut foreign_keys = Vec::new();
    let mut later = missing::<D>(&all);
    for compared in all {
        later.retain(|table| *table != compared.resource.table);
        if !compared.resource.is_managed() {
            steps.extend(advice::step::<D>(&compared));
            continue;
        }
        // They are of columns that could be altered below.
        steps.extend(compared.search.unused.iter().map(|unused| drop_search::<D>(&compared, unused)));
        let is_of_search = |what: &&What| {
            matches!(what, What::SearchMissing { .. } | What::SearchUnused { .. } | What::SearchIncomplete { .. })
        };
        let differences = compared.differences.iter().map(|difference| &difference.what);
        let differences: Vec<&What> = differences.filter(|what| !is_of_search(what)).collect();
        let rebuilt = differences.iter().any(|what| (D::ALTERATION.needs_rebuild)(&compared, what));
        let is_unused = |what: &&&What| matches!(what, What::ColumnUnused { .. });
        let names = if compared.renamed.is_empty() && !differences.iter().any(|what| is_unused(&what)) {
            Vec::new()
        } else {
            (D::ALTERATION.names)(connection, compared.resource.table).await?
        };
        // A rebuild renames too.
        if !rebuilt && !compared.renamed.is_empty() {
            steps.push(rename_script::step::<D>(&compared, &names));
        }
        if rebuilt {
            let rebuild = (D::ALTERATION.rebuild)(connection, &compared).await?;
            steps.extend(size::remarked::<D>(connection, &compared, Change::Rebuild, vec![rebuild], sizes).await?);
        }
        // The index of a foreign key is created before it, and dropped after it.
        let is_of_foreign_key = |what: &&What| matches!(what, What::ForeignKeyMissing { .. } | What::OnDelete { .. });
        let (last, differences): (Vec<&What>, Vec<&What>) = differences.into_iter().partition(is_of_foreign_key);
        for what in differences.into_iter().filter(|what| !(rebuilt && (D::ALTERATION.is_rebuilt)(what))) {
            match what {
                What::ColumnRenamed { .. } => {}
                What::TableMissing => {
                    let up = create::<D>(compared.resource, &later).join(";\n") + ";";
                    let down = format!("DROP TABLE {};", table_identifier::<D>(compared.resource.table));
                    steps.push(Step { table: compared.resource.table, up, down, kind: StepKind::Create });
                    let columns = compared.resource.columns.iter().filter(|column| ddl::refers_to(column, &later));
                    foreign_keys
                        .extend(columns.map(|column| foreign_key_script::add_later::<D>(compared.resource, column)));
                }
                // It is replaced below, with what takes its place.
                What::ForeignKeyUnused { column, .. } if is_replaced_key::<D>(&compared, column) => {}
                What::UniqueUnused { columns, case_insensitive }
                    if is_replaced_unique::<D>(&compared, columns, case_insensitive) => {}
                What::ColumnUnused { column, required } => {
                    steps.extend(unused::<D>(&compared, column, *required && !rebuilt, rebuilt, &names));
                }
                what => {
                    let becomes_required = matches!(what, What::Null { must_allow: false, .. });
                    let records = if D::ALTERATION.online && becomes_required {
                        sizes.of::<D>(connection, compared.resource.table).await?.unwrap_or_default()
                    } else {
                        0
                    };
                    let mended = mend::<D>(&compared, what, records);
                    steps.extend(size::remarked::<D>(connection, &compared, Change::Of(what), mended, sizes).await?);
                }
            }
        }
        let apart = |column: &&ColumnDescriptor| {
            D::ALTERATION.online || !D::TABLES.constraints_in_columns || ddl::is_composite(compared.resource, column)
        };
        let columns = missing_columns(&compared).filter(|column| !rebuilt && column.constraint().is_some());
        let apart = columns.filter(apart);
        let apart = apart.flat_map(|column| foreign_key_script::add::<D>(&compared, column)).collect();
        foreign_keys.extend(size::remarked::<D>(connection, &compared, Change::ForeignKey, apart, sizes).await?);
        let last = last.into_iter().filter(|what| !(rebuilt && (D::ALTERATION.is_rebuilt)(what)));
        for what in last {
            let mended = mend::<D>(&compared, what, 0);
            foreign_keys.extend(size::remarked::<D>(connection, &compared, Change::Of(what), mended, sizes).await?);
        }
        let search = compared.search.missing.as_ref().map(|search| create_search::<D>(&compared, search));
        let search = search.into_iter().collect();
        steps.extend(size::remarked::<D>(connection, &compared, Change::Search, search, sizes).await?);
    }
    steps.extend(foreign_keys);
    steps.extend(views.after);
    Ok(Script { steps, frame: D::ALTERATION.frame })
}

/// Whether a table lacks a column of its struct, by the name that it has there.
fn lacks_columns<D: Driver>(all: &[Compared]) -> bool {
    let lacks = |compared: &Compared| {
        let is_lack = |what: &What| matches!(what, What::ColumnMissing { .. } | What::ColumnRenamed { .. });
        let mut columns = compared.resource.columns.iter().filter(|column| column.is_stored());
        let former = compared.former.as_ref().map(|former| &former.table);
        let is_other = former.is_some_and(|table| columns.any(|column| table.column::<D>(column.column).is_none()));
        is_other || compared.differences.iter().any(|difference| is_lack(&difference.what))
    };
    all.iter().any(lacks)
}

/// The columns that a table lacks.
fn missing_columns(compared: &Compared) -> impl Iterator<Item = &'static ColumnDescriptor> {
    compared.differences.iter().filter_map(|difference| match difference.what {
        What::ColumnMissing { column } => Some(by_name(compared.resource, column)),
        _ => None,
    })
}

/// Drops an index of words that has lost a trigger, or that no struct asks for.
fn drop_search<D: Driver>(compared: &Compared, unused: &PresentSearch) -> Step {
    let table = compared.resource.table;
    let up = (D::TABLES.drop_search)(table, &unused.name).join(";\n") + ";";
    let down = format!("{};", unused.definition);
    let is_replaced = compared.replaced_searches().any(|replaced| replaced.name == unused.name);
    Step { table, up, down, kind: if is_replaced { StepKind::Alter } else { StepKind::Unneeded } }
}

/// Creates the index of words that the struct asks for.
fn create_search<D: Driver>(compared: &Compared, search: &SearchIndex) -> Step {
    let resource = compared.resource;
    if let Some(create) = search.create_concurrently.as_ref().filter(|_| D::ALTERATION.is_online(compared)) {
        return index::<D>(compared, format!("{create};"), online::drop_index::<D>(resource, &search.name));
    }
    let down = (D::TABLES.drop_search)(resource.table, &search.name).join(";\n") + ";";
    index::<D>(compared, search.create.join(";\n") + ";", down)
}

/// The steps that mend one difference of a table, which has so many records where that matters.
fn mend<D: Driver>(compared: &Compared, what: &What, records: i64) -> Vec<Step> {
    let resource = compared.resource;
    let name = |column: &str| check_name::<D>(resource, by_name(resource, column));
    match what {
        What::ColumnMissing { column } if D::ALTERATION.online => {
            let column = by_name(resource, column);
            let mut steps = vec![one_step::<D>(compared, what)];
            if let Some(check) = ddl::check::<D>(column) {
                let check = format!("CHECK ({check})");
                steps.extend(online::constrain::<D>(resource, &name(column.column), &check));
            }
            if !column.nullable && ddl::column_default::<D>(column).is_none() {
                steps.extend(online::require::<D>(resource, column, None, records));
            }
            steps
        }
        What::Null { column, must_allow: false } if D::ALTERATION.online => {
            online::require::<D>(resource, by_name(resource, column), compared.column::<D>(column), records)
        }
        What::Check { column, is, must_be, .. } if D::ALTERATION.online => {
            let name = name(column);
            let condition = |condition: &String| format!("CHECK ({condition})");
            let (from, to) = (is.as_ref().map(condition), must_be.as_ref().map(condition));
            online::replace::<D>(resource, &name, from.as_deref(), to.as_deref())
        }
        What::ForeignKeyMissing { column, .. } => foreign_key_script::add::<D>(compared, by_name(resource, column)),
        What::OnDelete { column, is, must_be } if D::ALTERATION.is_online(compared) => {
            let name = foreign_key_script::name::<D>(compared, column);
            let key = |on_delete: &str| foreign_key_script::key_with::<D>(compared, column, on_delete);
            online::replace::<D>(resource, &name, Some(&key(is)), Some(&key(must_be)))
        }
        What::IndexMissing { index, .. } | What::IndexTaken { index, .. } => add_index::<D>(compared, index, what),
        What::UniqueMissing { columns, active, case_insensitive } => {
            let mut active_ones = compared.differences.iter().map(|difference| &difference.what);
            let first = active_ones.find(|what| matches!(what, What::UniqueMissing { active: true, .. }));
            let is_first = first.is_some_and(|first| std::ptr::eq(first, what));
            add_unique::<D>(compared, &named_unique(resource, columns, case_insensitive, *active), is_first)
        }
        what => vec![one_step::<D>(compared, what)],
    }
}

/// Creates the unique index of a constraint. One of other records that has its name makes place for it. `is_first`: whether
/// no other one of the active records comes before it.
fn add_unique<D: Driver>(compared: &Compared, unique: &Unique, is_first: bool) -> Vec<Step> {
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
fn in_place<D: Driver>(
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
fn add_index<D: Driver>(compared: &Compared, name: &str, what: &What) -> Vec<Step> {
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
fn index<D: Driver>(compared: &Compared, up: String, down: String) -> Step {
    let kind = if D::ALTERATION.is_online(compared) { StepKind::Concurrent } else { StepKind::Alter };
    Step { table: compared.resource.table, up, down, kind }
}

/// The statement that creates an index: concurrently, where the database can.
pub(crate) fn created<D: Driver>(compared: &Compared, index: &IndexDefinition) -> String {
    let table = table_identifier::<D>(compared.resource.table);
    let is_online = D::ALTERATION.is_online(compared);
    let create = if is_online { index.create_concurrently_on(&table) } else { index.create_on(&table) };
    create + ";"
}

/// The statement that drops an index: concurrently, where the database can.
fn dropped<D: Driver>(compared: &Compared, index: &str) -> String {
    if D::ALTERATION.is_online(compared) {
        return online::drop_index::<D>(compared.resource, index);
    }
    (D::ALTERATION.drop_index)(&table_identifier::<D>(compared.resource.table), index)
}

/// The step that mends one difference.
fn one_step<D: Driver>(compared: &Compared, what: &What) -> Step {
    let resource = compared.resource;
    let table = table_identifier::<D>(resource.table);
    let alter = |up: String, down: String| Step { table: resource.table, up, down, kind: StepKind::Alter };
    let remark = |proposal: &str| {
        let up = format!("-- {table}: {what}.{}{proposal}", if proposal.is_empty() { "" } else { "\n" });
        alter(up, String::new())
    };
    let propose = |up| Step { table: resource.table, up, down: String::new(), kind: StepKind::Proposal };
    match what {
        What::ColumnMissing { column } => {
            let column = by_name(resource, column);
            alter(add_column::<D>(resource, &table, column), (D::ALTERATION.drop_column)(resource, &table, column))
        }
        What::Type { column, .. } | What::Collation { column, .. } | What::Null { column, .. } => {
            match compared.column::<D>(column) {
                Some(present) => {
                    let (up, down) = reshape::<D>(compared, by_name(resource, column), present, what);
                    alter(up, down)
                }
                None => remark(""),
            }
        }
        What::DefaultMissing { column, .. } => match set_default::<D>(resource, &table, by_name(resource, column)) {
            Some((up, down)) => alter(up, down),
            None => remark(""),
        },
        What::OnDelete { column, is, must_be } => {
            let name = foreign_key_script::name::<D>(compared, column);
            let drop = (D::ALTERATION.drop_foreign_key)(&table, &name);
            let replace = |on_delete: &str| {
                let key = foreign_key_script::key_with::<D>(compared, column, on_delete);
                format!("{drop}\n{}", foreign_key_script::statement::<D>(&table, &name, &key))
            };
            alter(replace(must_be), replace(is))
        }
        What::IndexMissing { index, .. } => {
            let wanted = compared.indexes.iter().find(|wanted| (D::TABLES.shorten)(wanted.name(resource)) == *index);
            let up = wanted.map(|wanted| created::<D>(compared, &ddl::definition_of_index::<D>(resource, wanted)));
            self::index::<D>(compared, up.unwrap_or_default(), dropped::<D>(compared, index))
        }
        What::Check { column, is, must_be, .. } => {
            let name = identifier::<D>(&check_name::<D>(resource, by_name(resource, column)));
            let statements = |from: &Option<String>, to: &Option<String>| {
                let drop = from.as_ref().map(|_| format!("ALTER TABLE {table} DROP CONSTRAINT {name};"));
                let add = to.as_ref().map(|to| {
                    let note = "-- Fails where a record has another value.";
                    format!("{note}\nALTER TABLE {table} ADD CONSTRAINT {name} CHECK ({to});")
                });
                drop.into_iter().chain(add).collect::<Vec<_>>().join("\n")
            };
            alter(statements(is, must_be), statements(must_be, is))
        }
        What::UniqueUnused { columns, case_insensitive } => {
            if let Some((up, down)) = drop_other_case::<D>(compared, columns, case_insensitive) {
                // The other one, which may be made in a later step, comes first.
                let kind = if D::ALTERATION.online { StepKind::Finish } else { StepKind::Alter };
                return Step { kind, ..alter(up, down) };
            }
            let unique = named_unique(resource, columns, case_insensitive, false);
            let names = identifiers::<D>(columns.iter().copied());
            let index =
                compared.present_indexes().find(|index| unused_unique::<D>(resource, index).as_ref() == Some(what));
            let Some(index) = index.filter(|index| !is_of_table(index)) else {
                return propose(format!("-- {names} {what}. If that is to end, write the table anew without it."));
            };
            let drop = (D::ALTERATION.drop_index)(&table, &index.name);
            let create = former_unique::<D>(resource, &unique, index, &index.name).create_on(&table) + ";";
            let down = format!("-- If the UNIQUE of {names} was dropped:\n{}", comment(&create));
            Step { down, ..propose(format!("-- {names} {what}. If that is to end:\n-- {drop}")) }
        }
        What::ForeignKeyUnused { column, .. } => {
            let drop = (D::ALTERATION.drop_foreign_key)(&table, &foreign_key_script::name::<D>(compared, column));
            let end = if D::ALTERATION.alters { format!(":\n-- {drop}") } else { ", write the table anew.".to_owned() };
            propose(format!("-- {} {what}. If that is to end{end}", identifier::<D>(column)))
        }
        What::IndexUnused { index, .. } => {
            let name = identifier::<D>(index);
            let drop = comment(&(D::ALTERATION.drop_index)(&table, index));
            let up =
                format!("-- {name} serves no list of the structs. Once no program of before runs, drop it:\n{drop}");
            let present = compared.present_indexes().find(|present| present.name == *index);
            let own = present.and_then(|present| own_index::<D>(resource, present));
            let create = own.map_or_else(String::new, |own| comment(&(ddl::create_index::<D>(resource, &own) + ";")));
            Step {
                down: format!("-- Where it is not there any more, this creates {name} again:\n{create}"),
                ..propose(up)
            }
        }
        What::IndexTaken { index, .. } => {
            remark(&format!("-- If it is of no use: {}", (D::ALTERATION.drop_index)(&table, index)))
        }
        // What keeps a service from starting, and views, which have their own steps.
        _ => remark("-- How to mend that is left to you."),
    }
}

/// The statements that give a column the field's default, and take it away.
fn set_default<D: Driver>(resource: &Descriptor, table: &str, column: &ColumnDescriptor) -> Option<(String, String)> {
    let value = (D::TABLES.default_value)(ddl::default::<D>(column)?);
    let alter = |what: &str| format!("ALTER TABLE {table} ALTER COLUMN {} {what};", identifier::<D>(column.column));
    let wanted = Shape::wanted::<D>(resource, column);
    // MySQL takes a default of long text in the definition of the column alone.
    let is_long = D::ALTERATION.repeats_column && wanted.declared.name.to_ascii_lowercase().ends_with("text");
    let set = if is_long {
        (D::ALTERATION.reshape)(table, &wanted, &wanted, "")
    } else {
        alter(&format!("SET DEFAULT {value}"))
    };
    Some((set, alter("DROP DEFAULT")))
}

/// Adds a column. Where the field has no default, the reader decides what the existing records get.
fn add_column<D: Driver>(resource: &Descriptor, table: &str, column: &ColumnDescriptor) -> String {
    let name = identifier::<D>(column.column);
    let add = |column: &ColumnDescriptor, not_null| {
        if D::ALTERATION.online {
            let line = ddl::column_definition::<D>(resource, column, false, not_null, None);
            return format!("ALTER TABLE {table} ADD COLUMN {line};");
        }
        let (line, _) = column_line::<D>(resource, column, [false, not_null], None, &[]);
        // A foreign key as a table constraint follows once there is an index for it.
        let check = ddl::check_constraint::<D>(resource, column).filter(|_| !D::TABLES.constraints_in_columns);
        let check = check.map_or_else(String::new, |check| format!(", ADD {check}"));
        format!("ALTER TABLE {table} ADD COLUMN {line}{check};")
    };
    let former = column.renamed_from.map(identifier::<D>);
    let note = former.map(|from| format!("-- There is no column {from} to rename.\n")).unwrap_or_default();
    if column.nullable || ddl::column_default::<D>(column).is_some() {
        // A default that is the field's own may be another value than that of the records that are there.
        let fill = ddl::backfill::<D>(column).filter(|_| ddl::default::<D>(column).is_some());
        let Some(value) = fill else { return format!("{note}{}", add(column, !column.nullable)) };
        let set_default = set_default::<D>(resource, table, column).filter(|_| D::ALTERATION.alters);
        return match set_default {
            // They have the default with which the column is added, without being written.
            Some((set_default, _)) => {
                let mut filled = *column;
                filled.default = column.backfill;
                format!("{note}{}\n{set_default}", add(&filled, !column.nullable))
            }
            None => format!("{note}{}\nUPDATE {table} SET {name} = {value};", add(column, !column.nullable)),
        };
    }
    if D::ALTERATION.online {
        return note + &add(column, false);
    }
    if !D::ALTERATION.alters {
        return format!(
            "{note}-- Every record needs a value in {name}, and the field has no constant default: this fails where there\n\
             -- are records, unless you add `DEFAULT …` with what they get.\n{}",
            add(column, true)
        );
    }
    let wanted = Shape::wanted::<D>(resource, column);
    let set = (D::ALTERATION.reshape)(table, &Shape { not_null: false, ..wanted.clone() }, &wanted, "");
    format!(
        "{note}-- Every record needs a value in {name}, and the field has no constant default: this fails where there are\n\
         -- records, unless you say what they get.\n{}\n-- UPDATE {table} SET {name} = …;\n{set}",
        add(column, false)
    )
}

/// Alters a column to the shape that the field wants, and back. A change that could lose values is a proposal.
fn reshape<D: Driver>(
    compared: &Compared,
    column: &ColumnDescriptor,
    present: &Column,
    what: &What,
) -> (String, String) {
    let resource = compared.resource;
    let (table, name) = (&table_identifier::<D>(resource.table), identifier::<D>(column.column));
    let (from, to) = (Shape::present(present), Shape::wanted::<D>(resource, column).keeping(present));
    let widens = (D::ALTERATION.widens)(resource, column, &present.declared);
    // A statement may repeat the whole column, with what the one before it has changed.
    let mut before =
        compared.differences.iter().map(|other| &other.what).take_while(|other| !std::ptr::eq(*other, what));
    if let What::Null { must_allow, .. } = what {
        let is_widened = before.any(|other| matches!(other, What::Type { column: of, .. } if *of == column.column));
        let declared = if is_widened && widens { to.declared.clone() } else { from.declared.clone() };
        let (from, to) = (Shape { declared: declared.clone(), ..from }, Shape { declared, ..to });
        let reshape = |from: &Shape, to: &Shape| (D::ALTERATION.reshape)(table, from, to, "");
        let (up, down) = (reshape(&from, &to), reshape(&to, &from));
        let note = match ddl::backfill::<D>(column).filter(|_| !must_allow) {
            Some(value) => format!("UPDATE {table} SET {name} = {value} WHERE {name} IS NULL;\n"),
            None => format!(
                "-- Fails where a record has no value in {name}, unless you say what it gets.\n\
                 -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;\n"
            ),
        };
        return if *must_allow { (up, note + &down) } else { (note + &up, down) };
    }
    let is_altered = before.any(|other| matches!(other, What::Null { column: of, .. } if *of == column.column));
    let not_null = if is_altered { to.not_null } else { from.not_null };
    let (from, to) = (Shape { not_null, ..from }, Shape { not_null, ..to });
    let others = |name: &str| declared_meanwhile::<D>(compared, name, what);
    let steps = |from: &Shape, to: &Shape| {
        let retyped =
            Retyped { column: column.column, from: &from.declared.name, to: &to.declared.name, others: &others };
        let indexes = parts::<D>(compared, &retyped, false);
        (D::ALTERATION.reshape)(table, from, to, &indexes) + &folded_script::retype::<D>(compared, column, &retyped)
    };
    let (up, down) = (steps(&from, &to), steps(&to, &from));
    let loses_nothing = matches!(what, What::Collation { .. }) || widens;
    if loses_nothing {
        let is_narrowed = up.contains("ADD UNIQUE INDEX");
        let note = if is_narrowed {
            "-- Of long text, MySQL keeps the first characters unique, and MariaDB the whole.\n"
        } else {
            ""
        };
        return (note.to_owned() + &up, down);
    }
    let up = format!(
        "-- {name} {what}. This could lose what does not convert, so that it is left to you:\n{}",
        comment(&up)
    );
    (up, format!("-- If the type of {name} was changed:\n{}", comment(&down)))
}

/// The type that a column has before the statements that mend a difference: those of earlier ones may have changed it.
fn declared_meanwhile<D: Driver>(compared: &Compared, name: &str, what: &What) -> Option<String> {
    let present = compared.column::<D>(name)?;
    let before = compared.differences.iter().map(|other| &other.what).take_while(|other| !std::ptr::eq(*other, what));
    let mut retyped = before.filter_map(|other| match other {
        What::Type { column, .. } if (D::TABLES.is_same_name)(column, name) => Some(by_name(compared.resource, column)),
        _ => None,
    });
    let widened = retyped.find(|column| (D::ALTERATION.widens)(compared.resource, column, &present.declared));
    Some(match widened {
        Some(column) => (D::TABLES.column_type)(compared.resource, column).into_owned(),
        None => present.declared.clone(),
    })
}

/// Proposes what may have become of a column that no field has. It is kept, and nullable from here on. `rebuilt`: whether
/// the table is rebuilt above, which has made it nullable.
fn unused<D: Driver>(compared: &Compared, column: &str, required: bool, rebuilt: bool, names: &[String]) -> Vec<Step> {
    let (resource, table, name) =
        (compared.resource, table_identifier::<D>(compared.resource.table), identifier::<D>(column));
    let mut steps = Vec::new();
    let present = compared.table.iter().flat_map(|table| &table.columns).find(|other| other.name == column);
    if let Some(present) = present.filter(|_| required) {
        let from = Shape::present(present);
        let to = Shape { not_null: false, ..from.clone() };
        let reshape = |from: &Shape, to: &Shape| (D::ALTERATION.reshape)(&table, from, to, "");
        let (up, down) = (reshape(&from, &to), reshape(&to, &from));
        let up = format!("-- {name} is in no field: it is kept, and new records have nothing in it.\n{up}");
        let down = format!(
            "-- Fails where a record has no value in {name}, unless you say what it gets.\n\
             -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;\n{down}"
        );
        steps.push(Step { table: resource.table, up, down, kind: StepKind::Alter });
    }
    let fits =
        |wanted: &&ColumnDescriptor| present.is_some_and(|present| (D::TABLES.can_store)(wanted, &present.declared));
    let fitting = missing_columns(compared).filter(fits);
    let fitting: Vec<String> = fitting.map(|wanted| identifier::<D>(wanted.column)).collect();
    if !fitting.is_empty() {
        let lines = |each: &dyn Fn(&String) -> String| fitting.iter().map(each).collect::<Vec<_>>().join("\n");
        let (up, down) = if rebuilt {
            let select = |new: &String| format!("-- - {name} AS {new}");
            let note = format!("-- If {name} has another name now, select that above in place of the two:\n");
            let back = |new: &String| format!("-- - {new} AS {name}");
            (note + &lines(&select), format!("-- If {name} was renamed, select that below:\n{}", lines(&back)))
        } else {
            let rename = |from: &str, to: &str| format!("-- ALTER TABLE {table} RENAME COLUMN {from} TO {to};");
            let note =
                format!("-- If {name} was renamed, write this instead of the statements on both columns above:\n");
            let back =
                format!("-- If {name} was renamed, write this instead of the statements on both columns below:\n");
            (note + &lines(&|new| rename(&name, new)), back + &lines(&|new| rename(new, &name)))
        };
        steps.push(Step { table: resource.table, up, down, kind: StepKind::Proposal });
    }
    let is_former = |from: &str| (D::TABLES.is_same_name)(from, column);
    let successor = resource.columns.iter().find(|other| other.renamed_from.is_some_and(is_former));
    if let Some(new) = successor.map(|successor| identifier::<D>(successor.column)) {
        let up = format!(
            "-- {name} and {new} are both there, so that nothing is renamed. This would take the values of {name} over:\n\
             -- UPDATE {table} SET {new} = {name};"
        );
        steps.push(Step { table: resource.table, up, down: String::new(), kind: StepKind::Proposal });
    }
    let up = match (D::ALTERATION.drop_unused)(compared, column, names) {
        Some(statements) => {
            let drops = [folded_script::removal::<D>(compared, column), statements].concat();
            let drops = comment(&drops.join("\n"));
            format!("-- The struct no longer has {name}. This drops the column and its values:\n{drops}")
        }
        None => format!(
            "-- The struct no longer has {name}. A constraint of the table has it: to drop the column and its values, write\n\
             -- the table anew."
        ),
    };
    steps.push(Step { table: resource.table, up, down: String::new(), kind: StepKind::Proposal });
    steps
}

/// Statements as comments.
pub(crate) fn comment(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("-- {line}")).collect();
    lines.join("\n")
}

/// The field of a difference, which was found by it.
pub(crate) fn by_name(resource: &'static Descriptor, name: &str) -> &'static ColumnDescriptor {
    resource.columns.iter().find(|column| column.column == name).unwrap_or(resource.id_column())
}
