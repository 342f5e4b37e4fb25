//! The plan of a migration: the changes from the tables of a database to those that resources want, and their order.
//!
//! `columns` finds the changes of columns, `indexes` those of indexes, `foreign_keys` those of foreign keys, `folded` those of
//! generated columns for indexes without regard to letter case, `renamed_columns` and `renamed_tables` what gets another name.
//! `views` makes views anew, `baseline` writes the tables as they are, `advice` is for the owners of other tables.
//! `present_index` defines indexes that are there, `retyped_index` spells those of a column of another type, `replaced` finds the constraints in whose place others are,
//! `duplicates` the records that a unique index refuses, `checks` compares CHECK constraints. `size` writes the steps, with what they cost a table of its size.

mod advice;
pub(crate) mod baseline;
pub(crate) mod checks;
mod columns;
pub(crate) mod duplicates;
mod folded;
mod foreign_keys;
mod indexes;
mod meanwhile;
mod present_index;
pub(crate) mod renamed_columns;
mod renamed_tables;
pub(crate) mod replaced;
mod retyped_index;
pub(crate) mod size;
mod views;

use self::meanwhile::Meanwhile;
use self::replaced::is_replaced_key;
use self::size::{Sizes, records, steps};
use super::change::planned::Planned;
use super::change::{Change, Constraint};
use super::comparison::compared::Compared;
use super::comparison::diff::{add_missing_after, compare, with_views};
use super::comparison::table_diff::missing_unique;
use super::ddl::{self, check_name};
use super::plan::missing;
use super::view;
use crate::catalogue::table::Parts;
use crate::driver::Connection;
use crate::identifier::table_identifier;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::migrations::{Script, StepKind};
use crate::storage::schema::{Difference, DifferenceKind};

/// Every difference, CHECK constraints among them.
pub(crate) async fn diff<D: MigrationDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Compared>, D::Error> {
    let mut all = compare::<D>(connection, resources, Parts::Migration).await?;
    for compared in &mut all {
        // A server compares conditions in a temporary table, for which a reader may lack the right.
        if compared.resource.is_managed() && compared.is_table() {
            let difference = |what| Difference::of(compared.resource, what);
            let [types, checks] = checks::finer::<D>(connection, compared).await?;
            let types: Vec<Difference> = types.into_iter().map(difference).collect();
            compared.differences.extend(checks.into_iter().map(difference));
            // An index of a column depends on its type, which comes first.
            if !types.is_empty() {
                add_missing_after::<D>(compared, types);
            }
            if D::REPEATS_COLUMN {
                require_before_retyping::<D>(compared);
            }
        }
    }
    Ok(all)
}

/// Puts the NOT NULL of a column before its type, where that is left to the reader: a statement that repeats the whole column
/// has what those before it have made, and a proposal may be taken or not.
fn require_before_retyping<D: MigrationDriver>(compared: &mut Compared) {
    for index in 0..compared.differences.len() {
        let DifferenceKind::Null { column, .. } = compared.differences[index].what else { continue };
        let resource = compared.resource;
        let widens = compared
            .column::<D>(column)
            .is_some_and(|present| D::widens(resource, by_name(resource, column), &present.declared));
        let is_type =
            |other: &Difference| matches!(other.what, DifferenceKind::Type { column: of, .. } if of == column);
        let before = compared.differences[..index].iter().position(is_type);
        if let Some(before) = before.filter(|_| !widens) {
            compared.differences[before..=index].rotate_right(1);
        }
    }
}

/// Every difference, those of views after those of tables.
pub(crate) async fn differences<D: MigrationDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Difference>, D::Error> {
    let tables = diff::<D>(connection, resources).await?;
    with_views::<D>(connection, resources, tables).await
}

/// The steps that mend the differences, each after those that it needs.
pub(crate) async fn script<D: MigrationDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    sizes: Sizes<'_>,
) -> Result<Script, D::Error> {
    let all = diff::<D>(connection, resources).await?;
    let views = view::compare::<D>(connection, resources).await?;
    let renamed: Vec<_> = all.iter().filter_map(|compared| compared.former.as_ref()).collect();
    if !renamed.is_empty() {
        let steps = renamed_tables::steps::<D>(&renamed, &views, lacks_columns::<D>(&all));
        return Ok(Script { steps, frame: D::FRAME });
    }
    let [mut tables, of_views] = views::steps::<D>(connection, &views, &all).await?;
    // A foreign key refers to columns that are unique in another table, which may be changed after its own.
    let mut foreign_keys = Vec::new();
    let mut later = missing::<D>(&all);
    for compared in all {
        later.retain(|table| *table != compared.resource.table);
        if !compared.resource.is_managed() {
            tables.extend(advice::step::<D>(&compared));
            continue;
        }
        let rebuild = D::rebuild(connection, &compared).await?;
        let is_rebuilt = rebuild.is_some();
        let remaining = compared.whats().filter(|what| !(is_rebuilt && (D::IS_REBUILT)(what)));
        let is_last =
            |what: &_| matches!(what, DifferenceKind::ForeignKeyMissing { .. } | DifferenceKind::OnDelete { .. });
        let (last, first): (Vec<&DifferenceKind>, Vec<&DifferenceKind>) = remaining.partition(|what| is_last(*what));
        // Indexes of words are of columns that could be altered below.
        let mut planned: Vec<Planned> =
            compared.search.unused.iter().map(|unused| indexes::drop_search(&compared, unused)).collect();
        // A rebuild renames too.
        let renames = !is_rebuilt && !compared.renamed.is_empty();
        planned.extend(renames.then(|| renamed_columns::renamed::<D>(&compared)));
        tables.extend(steps::<D>(connection, &compared, planned, sizes).await?);
        if let Some((mut step, cost)) = rebuild {
            if let Some(cost) = cost {
                let records = records::<D>(connection, compared.resource.table, sizes).await?;
                step.up = format!("{}\n{}", cost.comment(records), step.up);
            }
            tables.push(step);
        }
        let mut meanwhile = Meanwhile::default();
        let mut mended = |what: &DifferenceKind| mended::<D>(&compared, what, is_rebuilt, &later, &mut meanwhile);
        let first: Vec<Planned> = first.into_iter().flat_map(&mut mended).collect();
        tables.extend(steps::<D>(connection, &compared, first, sizes).await?);
        // The index of a foreign key is created before it, and dropped after it.
        let mut keys = new_foreign_keys::<D>(&compared, is_rebuilt, &later);
        keys.extend(last.into_iter().flat_map(mended));
        foreign_keys.extend(steps::<D>(connection, &compared, keys, sizes).await?);
        let search = compared.search.missing.clone().map(|search| Planned::apply(vec![Change::CreateSearch(search)]));
        tables.extend(steps::<D>(connection, &compared, search, sizes).await?);
    }
    tables.extend(foreign_keys);
    tables.extend(of_views);
    Ok(Script { steps: tables, frame: D::FRAME })
}

/// The foreign keys of new columns, and those of a new table to tables that are created `later`, which follow once there are
/// indexes for them.
fn new_foreign_keys<D: MigrationDriver>(compared: &Compared, is_rebuilt: bool, later: &[&str]) -> Vec<Planned> {
    let resource = compared.resource;
    if compared.whats().any(|what| *what == DifferenceKind::TableMissing) {
        let columns = resource.columns.iter().filter(|column| ddl::refers_to(column, later));
        return columns.map(|column| foreign_keys::added_later::<D>(resource, column)).collect();
    }
    let is_apart = |column: &&ColumnDescriptor| {
        D::ONLINE || !D::TABLES.constraints_in_columns || ddl::is_composite(resource, column)
    };
    let columns = missing_columns(compared).filter(|column| !is_rebuilt && column.constraint().is_some());
    columns.filter(is_apart).map(|column| foreign_keys::added::<D>(compared, column)).collect()
}

/// Whether a table lacks a column of its struct, by the name that it has there.
fn lacks_columns<D: MigrationDriver>(all: &[Compared]) -> bool {
    let lacks = |compared: &Compared| {
        let is_lack = |what: &DifferenceKind| {
            matches!(what, DifferenceKind::ColumnMissing { .. } | DifferenceKind::ColumnRenamed { .. })
        };
        let mut columns = ddl::stored_columns(compared.resource);
        let former = compared.former.as_ref().map(|former| &former.table);
        let is_other = former.is_some_and(|table| columns.any(|column| table.column::<D>(column.column).is_none()));
        is_other || compared.whats().any(is_lack)
    };
    all.iter().any(lacks)
}

/// The columns that a table lacks.
pub(crate) fn missing_columns(compared: &Compared) -> impl Iterator<Item = &'static ColumnDescriptor> {
    compared.whats().filter_map(|what| match what {
        DifferenceKind::ColumnMissing { column } => Some(by_name(compared.resource, column)),
        _ => None,
    })
}

/// The changes that mend one difference of a table. `is_rebuilt`: whether the table is rebuilt before, `later`: the tables that
/// are created after it, `meanwhile`: the columns as the changes so far leave them.
fn mended<D: MigrationDriver>(
    compared: &Compared,
    what: &DifferenceKind,
    is_rebuilt: bool,
    later: &[&str],
    meanwhile: &mut Meanwhile,
) -> Vec<Planned> {
    let resource = compared.resource;
    vec![match what {
        // Renames come before, and indexes of words after all other changes.
        DifferenceKind::ColumnRenamed { .. }
        | DifferenceKind::SearchMissing { .. }
        | DifferenceKind::SearchUnused { .. }
        | DifferenceKind::SearchIncomplete { .. } => return Vec::new(),
        // It is replaced with what takes its place.
        DifferenceKind::ForeignKeyUnused { column, .. } if is_replaced_key::<D>(compared, column) => return Vec::new(),
        DifferenceKind::TableMissing => {
            let create = Change::CreateTable(ddl::create::<D>(resource, later));
            Planned::apply_as(StepKind::Create, vec![create])
        }
        DifferenceKind::ColumnMissing { column } => return columns::added::<D>(compared, by_name(resource, column)),
        DifferenceKind::ColumnUnused { column, required } => {
            return columns::unused::<D>(compared, column, *required, is_rebuilt);
        }
        DifferenceKind::Type { column, .. } | DifferenceKind::Collation { column, .. } => {
            columns::retyped::<D>(compared, by_name(resource, column), meanwhile, what)
        }
        DifferenceKind::Null { column, .. } => columns::nullable::<D>(compared, by_name(resource, column), meanwhile),
        DifferenceKind::DefaultMissing { column, .. } => {
            let set = columns::set_default::<D>(resource, by_name(resource, column));
            set.map_or_else(|| remark::<D>(compared, what, ""), |change| Planned::apply(vec![change]))
        }
        DifferenceKind::Check { column, is, must_be, .. } => {
            let [from, to] = [is, must_be].map(|condition| condition.clone().map(Constraint::Check));
            Planned::apply(vec![Change::Constrain { name: check_name::<D>(resource, column), from, to }])
        }
        DifferenceKind::ForeignKeyMissing { column, .. } => {
            foreign_keys::added::<D>(compared, by_name(resource, column))
        }
        DifferenceKind::OnDelete { column, .. } => foreign_keys::on_delete::<D>(compared, column),
        DifferenceKind::ForeignKeyUnused { column, .. } => {
            foreign_keys::unused::<D>(compared, column, &what.to_string())
        }
        DifferenceKind::IndexMissing { index, .. } | DifferenceKind::IndexTaken { index, .. } => {
            indexes::add_index::<D>(compared, index, what)
        }
        DifferenceKind::UniqueMissing { .. } => {
            let add = |unique| indexes::add_unique::<D>(compared, &unique, is_first_active(compared, what));
            return missing_unique(resource, what).map(add).into_iter().collect();
        }
        DifferenceKind::UniqueUnused { .. } => {
            return indexes::unused_unique::<D>(compared, what).into_iter().collect();
        }
        DifferenceKind::IndexUnused { index, .. } => indexes::unused_index::<D>(compared, index),
        // Differences that refuse a start.
        _ => remark::<D>(compared, what, "-- How to mend that is left to you."),
    }]
}

/// Whether a missing unique constraint is the first one of the active records.
fn is_first_active(compared: &Compared, what: &DifferenceKind) -> bool {
    let first = compared.whats().find(|what| matches!(what, DifferenceKind::UniqueMissing { active: true, .. }));
    first.is_some_and(|first| std::ptr::eq(first, what))
}

/// The comment on a difference that is left to the reader, with a proposal.
fn remark<D: MigrationDriver>(compared: &Compared, what: &DifferenceKind, proposal: &str) -> Planned {
    let table = table_identifier::<D>(compared.resource.table);
    let note = format!("-- {table}: {what}.{}{proposal}", if proposal.is_empty() { "" } else { "\n" });
    Planned::leave(note, Vec::new(), String::new())
}

/// The field of a difference, which was found by it.
pub(crate) fn by_name(resource: &'static Descriptor, name: &str) -> &'static ColumnDescriptor {
    resource.columns.iter().find(|column| column.column == name).unwrap_or(resource.id_column())
}
