//! The statements of a migration: those that change the tables of a database, and those that revert that.
//!
//! `columns` writes those of columns, `indexes` those of indexes, `online` those of tables that others use meanwhile, with a
//! remark on their `size`, `view_script` those of views, `foreign_key_script` those of foreign keys, `folded_script` those of
//! columns for indexes without regard to letter case, `baseline` those of the tables as they are, `advice` those for the owners
//! of other tables. `retyped_index` spells the indexes of a column of another type, `replaced` finds the constraints in whose
//! place others are, `duplicates` the records that a unique index refuses.

mod advice;
pub(crate) mod baseline;
mod columns;
pub(crate) mod duplicates;
pub(crate) mod folded_script;
mod foreign_key_script;
mod indexes;
mod online;
pub(crate) mod replaced;
mod retyped_index;
pub(crate) mod size;
mod view_script;

use self::columns::{add_column, reshape, set_default, unused};
use self::indexes::{add_index, add_unique, create_search, created, drop_search, dropped};
use self::replaced::{drop_other_case, former_unique, is_of_table, is_replaced_key, is_replaced_unique};
use self::size::Sizes;
use super::alteration::cost::Change;
use super::comparison::compared::Compared;
use super::comparison::diff::{add_missing_after, compare};
use super::comparison::table_diff::{named_unique, own_index, unused_unique};
use super::ddl::{self, check_name};
use super::plan::{create, missing};
use super::renames::rename_script;
use super::renames::rename_table_script;
use super::view;
use crate::catalogue::table::Parts;
use crate::driver::Connection;
use crate::identifier::{identifier, identifiers, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::driver::SchemaDriver;
use crate::storage::migrations::{Script, Step, StepKind};
use crate::storage::schema::{Difference, What};

/// Every difference, CHECK constraints among them.
pub(crate) async fn diff<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Compared>, D::Error> {
    let mut all = compare::<D>(connection, resources, Parts::Migration).await?;
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
fn require_before_retyping<D: SchemaDriver>(compared: &mut Compared) {
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
pub(crate) async fn differences<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Difference>, D::Error> {
    let tables = diff::<D>(connection, resources).await?;
    let views = view::compare::<D>(connection, resources).await?;
    let of_tables = tables.into_iter().flat_map(|compared| compared.differences);
    Ok(of_tables.chain(views.into_iter().flat_map(|view| view.differences)).collect())
}

/// The statements that mend the differences.
pub(crate) async fn script<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    sizes: Sizes<'_>,
) -> Result<Script, D::Error> {
    let all = diff::<D>(connection, resources).await?;
    let views = view::compare::<D>(connection, resources).await?;
    let renamed: Vec<_> = all.iter().filter_map(|compared| Some((compared, compared.former.as_ref()?))).collect();
    if !renamed.is_empty() {
        let steps = rename_table_script::steps::<D>(&renamed, &views, lacks_columns::<D>(&all));
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
        // A rebuild renames too.
        if !rebuilt && !compared.renamed.is_empty() {
            steps.push(rename_script::step::<D>(&compared));
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
                    steps.extend(unused::<D>(&compared, column, *required && !rebuilt, rebuilt));
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
fn lacks_columns<D: SchemaDriver>(all: &[Compared]) -> bool {
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

/// The steps that mend one difference of a table, which has so many records where that matters.
fn mend<D: SchemaDriver>(compared: &Compared, what: &What, records: i64) -> Vec<Step> {
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

/// The step that mends one difference.
fn one_step<D: SchemaDriver>(compared: &Compared, what: &What) -> Step {
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
            indexes::index::<D>(compared, up.unwrap_or_default(), dropped::<D>(compared, index))
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
        // Differences that refuse a start, and views, which have separate steps.
        _ => remark("-- How to mend that is left to you."),
    }
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
