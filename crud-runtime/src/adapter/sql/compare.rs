//! How a table that is there already differs from what a resource wants, line by line.

use super::ddl::{self, on_delete};
use super::definition::{Column, Definition, ForeignKey, Index, Table};
use super::schema::{Among, Present, Unique, names};
use crate::descriptor::{ColumnDescriptor, Descriptor, OnDelete, Reference, Role};
use crate::value::Kind;

/// What contradicts the resource.
pub(super) fn differences<D: Definition>(resource: &Descriptor, uniques: &[Unique], table: &Table) -> Vec<String> {
    let name = resource.table;
    if table.kind != "table" {
        return vec![format!("table `{name}`: is a {}, must be a table", table.kind)];
    }
    let mut lines = Vec::new();
    for descriptor in resource.columns.iter().filter(|column| column.role != Role::IsDeleted) {
        let at = |line: String| format!("table `{name}`, column `{}`: {line}", descriptor.column);
        match find::<D>(table, descriptor) {
            None => lines.push(at("is missing".to_owned())),
            Some(column) => {
                lines.extend(column_differences::<D>(resource, descriptor, column).map(at));
                if let Some(reference) = &descriptor.references {
                    lines.extend(reference_difference::<D>(descriptor, reference, table).map(at));
                }
            }
        }
    }
    lines.extend(key_difference::<D>(resource, table).map(|line| format!("table `{name}`: {line}")));
    for unique in uniques {
        lines.extend(unique_difference::<D>(resource, unique, table).map(|line| format!("table `{name}`, {line}")));
    }
    for column in &table.columns {
        let known = resource.columns.iter().any(|other| D::is_same_name(&column.name, other.column));
        if !known && column.not_null && !column.has_default && column.key == 0 && !column.generated {
            let column = &column.name;
            lines.push(format!("table `{name}`, column `{column}`: is NOT NULL without default, and no field"));
        }
    }
    lines
}

/// The indexes of the table that a list can use, by the resource's columns.
pub(super) fn present<D: Definition>(resource: &Descriptor, table: &Table) -> Vec<Present> {
    let position = |name: &Option<String>| {
        let name = name.as_deref()?;
        resource.columns.iter().position(|column| D::is_same_name(column.column, name))
    };
    let usable = table.indexes.iter().filter(|index| index.plain);
    usable
        .filter_map(|index| {
            // What follows a column that the resource does not know serves nobody.
            let columns: Option<Vec<usize>> = index.columns.iter().map(position).collect();
            Some(Present { columns: columns?, unique: index.unique, among: among::<D>(resource, index)? })
        })
        .collect()
}

/// The records that an index has, if its condition is one that resources want.
fn among<D: Definition>(resource: &Descriptor, index: &Index) -> Option<Among> {
    let Some(condition) = &index.partial else { return Some(Among::All) };
    let column = resource.soft_delete?.deleted_at;
    // Databases put quotes and parentheses where they see fit.
    let bare = |text: &str| text.replace(['"', '`', '(', ')'], "");
    let is = |wanted: String| bare(condition).eq_ignore_ascii_case(&bare(&wanted));
    if is(ddl::condition::<D>(resource, Among::Active(column))?) {
        Some(Among::Active(column))
    } else {
        is(ddl::condition::<D>(resource, Among::Deleted(column))?).then_some(Among::Deleted(column))
    }
}

fn find<'a, D: Definition>(table: &'a Table, descriptor: &ColumnDescriptor) -> Option<&'a Column> {
    table.columns.iter().find(|column| D::is_same_name(&column.name, descriptor.column))
}

fn column_differences<D: Definition>(
    resource: &Descriptor,
    descriptor: &ColumnDescriptor,
    column: &Column,
) -> impl Iterator<Item = String> + use<D> {
    let declared = if column.declared.is_empty() { "without type" } else { column.declared.as_str() };
    let wanted = D::column_type(resource, descriptor);
    let differing = !D::fits(descriptor, &column.declared);
    let wrong_type = differing.then(|| match descriptor.kind {
        Kind::Decimal if wanted == "INTEGER" => {
            format!("is {declared}, must be {wanted} (a decimal in units of 1/10^{})", descriptor.scale)
        }
        _ => format!("is {declared}, must be {wanted}"),
    });
    // A key is not null, whatever else its declaration leaves open.
    let wrong_null = (column.key == 0 && column.not_null == descriptor.nullable).then(|| {
        let line = if descriptor.nullable { "is NOT NULL, must allow null" } else { "allows null, must be NOT NULL" };
        line.to_owned()
    });
    let generated = column.generated.then(|| "is generated, must be stored".to_owned());
    let compared = descriptor.filterable || descriptor.sortable || descriptor.role == Role::Id;
    let collation = column.collation.as_ref().filter(|_| compared);
    let wrong_collation =
        collation.map(|collation| format!("is COLLATE {collation}, must be COLLATE {}", D::COLLATION));
    [wrong_type, wrong_null, generated, wrong_collation].into_iter().flatten()
}

fn reference_difference<D: Definition>(
    descriptor: &ColumnDescriptor,
    reference: &Reference,
    table: &Table,
) -> Option<String> {
    let target = (reference.target)();
    let wanted = on_delete(reference.on_delete);
    let refers = |key: &&ForeignKey| {
        let [(from, to)] = key.columns.as_slice() else { return false };
        D::is_same_name(from, descriptor.column)
            && D::is_same_name(&key.table, target.table)
            && to.as_ref().is_none_or(|to| D::is_same_name(to, target.id_column().column))
    };
    let Some(key) = table.foreign_keys.iter().find(refers) else {
        let id = target.id_column().column;
        return Some(format!("must have a foreign key to `{}` (`{id}`) ON DELETE {wanted}", target.table));
    };
    // Both refuse the delete: one at once, the other at its end.
    let refuses = reference.on_delete == OnDelete::Restrict && key.on_delete == "NO ACTION";
    (key.on_delete != wanted && !refuses)
        .then(|| format!("its foreign key is ON DELETE {}, must be ON DELETE {wanted}", key.on_delete))
}

fn key_difference<D: Definition>(resource: &Descriptor, table: &Table) -> Option<String> {
    let id = resource.id_column();
    let mut key: Vec<&Column> = table.columns.iter().filter(|column| column.key > 0).collect();
    key.sort_by_key(|column| column.key);
    let wanted = id.column;
    match key.as_slice() {
        [] => Some(format!("has no primary key, must have `{wanted}`")),
        [only] if D::is_same_name(&only.name, wanted) => {
            let unassigned = id.kind.integer_range().is_some() && !only.has_default;
            unassigned.then(|| format!("its key `{wanted}` must be {}", D::ASSIGNED))
        }
        others => {
            let names: Vec<String> = others.iter().map(|column| format!("`{}`", column.name)).collect();
            Some(format!("its primary key is {}, must be `{wanted}`", names.join(", ")))
        }
    }
}

/// A unique index of other columns of the same set will do; one of a part of them would refuse more than
/// the resource means, and be found by its conflicts.
fn unique_difference<D: Definition>(resource: &Descriptor, unique: &Unique, table: &Table) -> Option<String> {
    let wanted = |name: &Option<String>| {
        let mut columns = unique.columns.iter().map(|column| resource.columns[*column].column);
        columns.any(|column| name.as_deref().is_some_and(|name| D::is_same_name(name, column)))
    };
    let there = table.indexes.iter().any(|index| {
        index.unique
            && among::<D>(resource, index) == Some(unique.active.map_or(Among::All, Among::Active))
            && index.columns.len() == unique.columns.len()
            && index.columns.iter().all(wanted)
    });
    (!there).then(|| {
        let columns = names(unique.columns.iter().map(|column| &resource.columns[*column]));
        let among = if unique.active.is_some() { " among the records that are not deleted" } else { "" };
        match unique.columns.as_slice() {
            [_] => format!("column {columns}: must be UNIQUE{among}"),
            _ => format!("columns {columns}: must be UNIQUE together{among}"),
        }
    })
}
