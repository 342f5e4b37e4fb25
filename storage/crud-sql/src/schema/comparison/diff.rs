//! Differences between a database and the needs of resources, table by table.

use crud_shared::table::joined;

use super::absent::Neighbours;
use super::compared::Compared;
use super::search;
use super::table_diff::{ambiguous_key, differences, missing_unique, names, own_index, present_index, same};
use crate::catalogue::Catalogue;
use crate::catalogue::table::{ForeignKey, Index as TableIndex, Parts, Table};
use crate::driver::Connection;
use crate::model::descriptor::Descriptor;
use crate::schema::comparison::index_names;
use crate::schema::comparison::renamed_columns;
use crate::schema::comparison::renamed_tables;
use crate::schema::driver::SchemaDriver;
use crate::schema::foreign_key::successor;
use crate::schema::view;
use crate::storage::indexes::{Index, Present, Unique, indexes, unique_indexes};
use crate::storage::schema::{Difference, DifferenceKind};

/// Compares each resource that has a table with it, of which these parts are read.
pub(crate) async fn compare<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    parts: Parts,
) -> Result<Vec<Compared>, D::Error> {
    let mut all = Vec::with_capacity(resources.len());
    let tables = Catalogue::around::<D>(connection, resources, parts).await?;
    let renamed_tables = renamed_tables::find::<D>(&tables, resources);
    let neighbours = Neighbours::read::<D>(connection, &tables, resources).await?;
    for resource in resources.iter().filter(|resource| resource.view.is_none()) {
        if let Some(former) = renamed_tables.iter().find(|renamed| std::ptr::eq(renamed.resource, *resource)) {
            // The rest is compared once it is renamed.
            let what = DifferenceKind::TableRenamed { from: former.from };
            let differences = vec![Difference::of(resource, what)];
            all.push(Compared { former: Some(former.clone()), differences, ..Compared::missing(resource) });
            continue;
        }
        let mut table = tables.get(resource.table).cloned();
        if let Some(table) = &mut table {
            renamed_tables::apply::<D>(&renamed_tables, table);
        }
        // Nothing is renamed in another program's table.
        let renamed = table.as_mut().filter(|_| resource.is_managed());
        let renamed = renamed.map_or_else(Vec::new, |table| renamed_columns::apply::<D>(resource, table));
        // An index of a column that gets another name holds its own no longer.
        let renamed_indexes =
            table.as_mut().map_or_else(Vec::new, |table| index_names::apply::<D>(resource, table, &renamed));
        let mut found: Vec<DifferenceKind> = renamed
            .iter()
            .map(|one| DifferenceKind::ColumnRenamed { column: one.column.column, from: one.from })
            .collect();
        found.extend(match &table {
            Some(table) => differences::<D>(resource, table),
            None => neighbours.differences::<D>(connection, resource, resources).await?,
        });
        let mut indexes = Vec::new();
        for index in table.as_ref().map_or_else(Vec::new, |table| missing_indexes::<D>(resource, table, &found)) {
            let name = (D::TABLES.shorten)(index.name(resource));
            let columns = names(resource, &index.columns);
            let is_freed = renamed_indexes.iter().any(|(from, _)| *from == name);
            let taken = resource.is_managed()
                && !is_freed
                && D::is_taken(connection, &joined(resource.schema(), &name)).await?;
            if taken && is_created::<D>(connection, resource, &index, &found).await? {
                continue;
            }
            found.push(if taken {
                DifferenceKind::IndexTaken { index: name, columns }
            } else {
                DifferenceKind::IndexMissing { index: name, columns }
            });
            indexes.push(index);
        }
        let search = search::compare::<D>(resource, table.as_ref());
        found.extend(search.differences(resource));
        if resource.is_managed() {
            let unused = table.as_ref().map_or_else(Vec::new, |table| unused_indexes::<D>(resource, table, &found));
            found.extend(unused);
        }
        found.extend(dangling(&tables, resource, resources));
        let differences = found.into_iter().map(|what| Difference::of(resource, what)).collect();
        all.push(Compared { resource, table, former: None, renamed, renamed_indexes, indexes, search, differences });
    }
    Ok(all)
}

/// Every difference but those of CHECK constraints, those of views after those of tables.
pub(crate) async fn all_differences<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Difference>, D::Error> {
    let tables = compare::<D>(connection, resources, Parts::Schema).await?;
    with_views::<D>(connection, resources, tables).await
}

/// The differences of tables, and those of views after them.
pub(crate) async fn with_views<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    tables: Vec<Compared>,
) -> Result<Vec<Difference>, D::Error> {
    let views = view::compare::<D>(connection, resources).await?;
    let of_tables = tables.into_iter().flat_map(|compared| compared.differences);
    Ok(of_tables.chain(views.into_iter().flat_map(|view| view.differences)).collect())
}

/// The tables that are there and do not keep the keys of these resources unique.
pub(crate) async fn ambiguous_keys<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<Difference>, D::Error> {
    let keyed = || resources.iter().filter(|resource| resource.view.is_none() && !resource.keyless);
    let tables =
        Catalogue::read::<D>(connection, keyed().map(|resource| resource.table).collect(), Parts::Schema).await?;
    let ambiguous = keyed().filter_map(|resource| {
        let what = ambiguous_key::<D>(resource, tables.get(resource.table)?)?;
        Some(Difference::new(resource.table, what))
    });
    Ok(ambiguous.collect())
}

/// Whether another start has created an index since the tables were read.
async fn is_created<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    index: &Index,
    found: &[DifferenceKind],
) -> Result<bool, D::Error> {
    let Some(table) = D::table(connection, resource.table).await? else { return Ok(false) };
    let name = index.name(resource);
    Ok(!missing_indexes::<D>(resource, &table, found).iter().any(|missing| missing.name(resource) == name))
}

/// The indexes that lists lack once the other differences are mended.
fn missing_indexes<D: SchemaDriver>(resource: &Descriptor, table: &Table, found: &[DifferenceKind]) -> Vec<Index> {
    // A view has no indexes.
    if table.kind != "table" {
        return Vec::new();
    }
    let key_implied = (D::TABLES.key_implied)(resource, Some(table));
    indexes(resource, key_implied, D::TABLES.active_by, &present_after::<D>(resource, table, found))
}

/// The indexes of a table that a list can use once the other differences are mended.
fn present_after<D: SchemaDriver>(resource: &Descriptor, table: &Table, found: &[DifferenceKind]) -> Vec<Present> {
    // A unique index takes the place of that of other records or letter case.
    let added: Vec<Unique> = found.iter().filter_map(|what| missing_unique(resource, what)).collect();
    let is_replaced =
        |index: &Present| index.unique && added.iter().any(|unique| same(&unique.columns, &index.columns));
    let present = table.indexes.iter().filter_map(|index| present_index::<D>(resource, index));
    present.filter(|index| !is_replaced(index)).chain(unique_indexes(&added)).collect()
}

/// The indexes that a service has created, and that serve no list of the structs once the other differences are mended: those
/// without the tenant that the resource has since, for example, or whose lists a new unique index serves.
fn unused_indexes<D: SchemaDriver>(
    resource: &Descriptor,
    table: &Table,
    found: &[DifferenceKind],
) -> Vec<DifferenceKind> {
    let key_implied = (D::TABLES.key_implied)(resource, Some(table));
    let wanted = |present: &[Present]| indexes(resource, key_implied, D::TABLES.active_by, present);
    let all = present_after::<D>(resource, table, found);
    let (own_names, missing) = (wanted(&[]), wanted(&all).len());
    let unused = table.indexes.iter().filter(|_| table.kind == "table").filter_map(|index| {
        let own = own_index::<D>(resource, index)?;
        let is_wanted = own_names.iter().any(|wanted| wanted.name(resource) == own.name(resource));
        let mut others = all.clone();
        let place = others.iter().position(|one| !one.unique && one.columns == own.columns && one.among == own.among);
        place.map(|place| others.remove(place));
        // Another one that is wanted may be served by it.
        let is_used = is_wanted || wanted(&others).len() > missing || needs_index::<D>(resource, table, index);
        let columns = names(resource, &own.columns);
        (!is_used).then(|| DifferenceKind::IndexUnused { index: index.name.clone(), columns })
    });
    unused.collect()
}

/// Whether an index serves a foreign key that stays: it finds the records that refer to one that is removed, and MySQL drops
/// none that a foreign key needs.
fn needs_index<D: SchemaDriver>(resource: &Descriptor, table: &Table, index: &TableIndex) -> bool {
    let needs = |key: &ForeignKey| {
        let begins =
            key.columns.first().zip(index.columns.first()).is_some_and(|((from, _), first)| first.is::<D>(from));
        begins && successor::<D>(resource, table, key).is_none()
    };
    table.foreign_keys.iter().any(needs)
}

/// Adds the types that columns get, and the indexes that lists lack then: a server may keep a unique index of such a column as a
/// hash of its values, which is no order.
pub(crate) fn add_missing_after<D: SchemaDriver>(compared: &mut Compared, types: Vec<Difference>) {
    let column = |one: &Difference| match one.what {
        DifferenceKind::Type { column, .. } => Some(column),
        _ => None,
    };
    let retyped: Vec<&str> = types.iter().filter_map(column).collect();
    compared.differences.splice(0..0, types);
    let Some(table) = &mut compared.table else { return };
    let is_retyped =
        |index: &TableIndex| index.columns.iter().any(|column| retyped.iter().any(|name| column.is::<D>(name)));
    for index in table.indexes.iter_mut().filter(|index| index.unique && is_retyped(index)) {
        index.plain = false;
    }
    let found: Vec<DifferenceKind> = compared.differences.iter().map(|difference| difference.what.clone()).collect();
    let all = missing_indexes::<D>(compared.resource, table, &found);
    for added in all.iter().filter(|index| !compared.indexes.contains(index)) {
        let index = (D::TABLES.shorten)(added.name(compared.resource));
        let what = DifferenceKind::IndexMissing { index, columns: names(compared.resource, &added.columns) };
        compared.differences.push(Difference::of(compared.resource, what));
    }
    compared.indexes = all;
}

/// References to tables that do not exist and are not created.
fn dangling(tables: &Catalogue, resource: &Descriptor, resources: &[&'static Descriptor]) -> Vec<DifferenceKind> {
    let dangling = resource.columns.iter().filter_map(|column| {
        let target = (column.constraint()?.target)().table;
        let is_known = tables.get(target).is_some() || resources.iter().any(|other| other.table == target);
        (!is_known).then_some(DifferenceKind::TargetMissing { column: column.column, target })
    });
    dangling.collect()
}
