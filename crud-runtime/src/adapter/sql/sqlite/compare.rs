//! How a table that is there already differs from what a resource wants, line by line.

use super::ddl::{self, column_type, on_delete};
use super::inspect::{Column, Index, Table};
use crate::adapter::sql::schema::{Among, Present, Unique, names};
use crate::descriptor::{ColumnDescriptor, Descriptor, OnDelete, Reference, Role};
use crate::value::Kind;

/// What contradicts the resource.
pub(super) fn differences(resource: &Descriptor, uniques: &[Unique], table: &Table) -> Vec<String> {
    let name = resource.table;
    if table.kind != "table" {
        return vec![format!("table `{name}`: is a {}, must be a table", table.kind)];
    }
    let mut lines = Vec::new();
    for descriptor in resource.columns.iter().filter(|column| column.role != Role::IsDeleted) {
        let at = |line: String| format!("table `{name}`, column `{}`: {line}", descriptor.column);
        match find(table, descriptor) {
            None => lines.push(at("is missing".to_owned())),
            Some(column) => {
                lines.extend(column_differences(descriptor, column).map(at));
                if let Some(reference) = &descriptor.references {
                    lines.extend(reference_difference(descriptor, reference, table).map(at));
                }
            }
        }
    }
    lines.extend(key_difference(resource, table).map(|line| format!("table `{name}`: {line}")));
    for unique in uniques {
        lines.extend(unique_difference(resource, unique, table).map(|line| format!("table `{name}`, {line}")));
    }
    for column in &table.columns {
        let known = resource.columns.iter().any(|other| column.is(other));
        if !known && column.not_null && !column.has_default && column.key == 0 && !column.generated {
            let column = &column.name;
            lines.push(format!("table `{name}`, column `{column}`: is NOT NULL without default, and no field"));
        }
    }
    lines
}

/// The indexes of the table that a list can use, by the resource's columns.
pub(super) fn present(resource: &Descriptor, table: &Table) -> Vec<Present> {
    let position = |name: &Option<String>| {
        let name = name.as_deref()?;
        resource.columns.iter().position(|column| column.column.eq_ignore_ascii_case(name))
    };
    let usable = table.indexes.iter().filter(|index| index.plain);
    usable
        .filter_map(|index| {
            // What follows a column that the resource does not know serves nobody.
            let columns: Option<Vec<usize>> = index.columns.iter().map(position).collect();
            Some(Present { columns: columns?, unique: index.unique, among: among(resource, index)? })
        })
        .collect()
}

/// The records that an index has, if its condition is one that resources want.
fn among(resource: &Descriptor, index: &Index) -> Option<Among> {
    let Some(condition) = &index.partial else { return Some(Among::All) };
    let column = resource.soft_delete?.deleted_at;
    let is = |wanted: String| condition.eq_ignore_ascii_case(&wanted);
    if is(ddl::condition(resource, Among::Active(column))?) {
        Some(Among::Active(column))
    } else {
        is(ddl::condition(resource, Among::Deleted(column))?).then_some(Among::Deleted(column))
    }
}

/// Whether the key is the table's row number, by which every index ends.
pub(super) fn key_is_row_number(resource: &Descriptor, table: &Table) -> bool {
    column_type(resource.id_column().kind) == "INTEGER" && !table.indexes.iter().any(|index| index.origin == "pk")
}

impl Column {
    fn is(&self, descriptor: &ColumnDescriptor) -> bool {
        self.name.eq_ignore_ascii_case(descriptor.column)
    }
}

fn find<'a>(table: &'a Table, descriptor: &ColumnDescriptor) -> Option<&'a Column> {
    table.columns.iter().find(|column| column.is(descriptor))
}

fn column_differences(descriptor: &ColumnDescriptor, column: &Column) -> impl Iterator<Item = String> {
    let declared = if column.declared.is_empty() { "without type" } else { column.declared.as_str() };
    let wanted = column_type(descriptor.kind);
    let differing = !fits(descriptor.kind, &column.declared);
    let wrong_type = differing.then(|| match descriptor.kind {
        Kind::Decimal => format!("is {declared}, must be {wanted} (a decimal in units of 1/10^{})", descriptor.scale),
        _ => format!("is {declared}, must be {wanted}"),
    });
    // A key is not null, whatever else its declaration leaves open.
    let wrong_null = (column.key == 0 && column.not_null == descriptor.nullable).then(|| {
        let line = if descriptor.nullable { "is NOT NULL, must allow null" } else { "allows null, must be NOT NULL" };
        line.to_owned()
    });
    let generated = column.generated.then(|| "is generated, must be stored".to_owned());
    [wrong_type, wrong_null, generated].into_iter().flatten()
}

/// How SQLite treats the values of a column (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

fn affinity(declared: &str) -> Affinity {
    let has = |part: &str| declared.to_ascii_uppercase().contains(part);
    if has("INT") {
        Affinity::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        Affinity::Text
    } else if has("BLOB") || declared.is_empty() {
        Affinity::Blob
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        Affinity::Real
    } else {
        Affinity::Numeric
    }
}

/// Whether a column so declared keeps the values of the kind as they are and compares them as they
/// compare.
fn fits(kind: Kind, declared: &str) -> bool {
    let affinity = affinity(declared);
    let is = |names: &[&str]| names.iter().any(|name| declared.eq_ignore_ascii_case(name));
    match kind {
        Kind::Bool => affinity == Affinity::Integer || is(&["BOOLEAN", "BOOL"]),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::Decimal => affinity == Affinity::Integer,
        Kind::F32 | Kind::F64 => matches!(affinity, Affinity::Real | Affinity::Numeric) && !is(&["ANY"]),
        Kind::Bytes => affinity == Affinity::Blob,
        // No such text looks like a number, so that numeric affinity leaves it alone.
        Kind::DateTime | Kind::NaiveDateTime => affinity == Affinity::Text || is(&["DATETIME", "TIMESTAMP"]),
        Kind::Date => affinity == Affinity::Text || is(&["DATE"]),
        Kind::Time => affinity == Affinity::Text || is(&["TIME"]),
        Kind::Uuid => affinity == Affinity::Text || is(&["UUID"]),
        Kind::Text | Kind::Enum(_) | Kind::Json | Kind::TextList => affinity == Affinity::Text,
    }
}

fn reference_difference(descriptor: &ColumnDescriptor, reference: &Reference, table: &Table) -> Option<String> {
    let target = (reference.target)();
    let wanted = on_delete(reference.on_delete);
    let refers = |key: &&super::inspect::ForeignKey| {
        let [(from, to)] = key.columns.as_slice() else { return false };
        from.eq_ignore_ascii_case(descriptor.column)
            && key.table.eq_ignore_ascii_case(target.table)
            && to.as_ref().is_none_or(|to| to.eq_ignore_ascii_case(target.id_column().column))
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

fn key_difference(resource: &Descriptor, table: &Table) -> Option<String> {
    let id = resource.id_column();
    let mut key: Vec<&Column> = table.columns.iter().filter(|column| column.key > 0).collect();
    key.sort_by_key(|column| column.key);
    let wanted = id.column;
    match key.as_slice() {
        [] => Some(format!("has no primary key, must have `{wanted}`")),
        [only] if only.is(id) => {
            let assigned = column_type(id.kind) != "INTEGER" || key_is_row_number(resource, table);
            (!assigned).then(|| format!("its key `{wanted}` must be INTEGER PRIMARY KEY, so that SQLite assigns it"))
        }
        others => {
            let names: Vec<String> = others.iter().map(|column| format!("`{}`", column.name)).collect();
            Some(format!("its primary key is {}, must be `{wanted}`", names.join(", ")))
        }
    }
}

/// A unique index of other columns of the same set will do; one of a part of them would refuse more than
/// the resource means, and be found by its conflicts.
fn unique_difference(resource: &Descriptor, unique: &Unique, table: &Table) -> Option<String> {
    let wanted = |name: &Option<String>| {
        let mut columns = unique.columns.iter().map(|column| resource.columns[*column].column);
        columns.any(|column| name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(column)))
    };
    let there = table.indexes.iter().any(|index| {
        index.unique
            && among(resource, index) == Some(unique.active.map_or(Among::All, Among::Active))
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
