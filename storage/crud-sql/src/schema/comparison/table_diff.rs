//! Differences between an existing table and the needs of a resource.

use crate::catalogue::table::{Column, ForeignKey, Index, IndexedColumn, Table};
use crate::dialect::Dialect;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, OnDelete, Operation, Reference, Role};
use crate::model::value::Kind;
use crate::schema::ddl::{self, field, stored_columns};
use crate::schema::foreign_key::{self, on_delete};
use crate::storage::indexes::{DeletionState, Index as Wanted, Present, RecordSet, Unique, uniques};
use crate::storage::schema::DifferenceKind;

/// Differences between a table and the needs of the resource, indexes apart.
pub(crate) fn differences<D: Dialect>(resource: &Descriptor, table: &Table) -> Vec<DifferenceKind> {
    if table.kind != "table" {
        return match table.kind.as_str() {
            // Views of others are read as they are.
            "view" | "materialized view" | "foreign table" | "system view" if !resource.is_managed() => {
                of_view::<D>(resource, table)
            }
            is => vec![DifferenceKind::NoTable { is: is.to_owned() }],
        };
    }
    let mut found = Vec::new();
    let columns = resource.columns.iter().enumerate();
    for (index, descriptor) in columns.filter(|(_, column)| column.is_stored()) {
        match table.column::<D>(descriptor.column) {
            None => found.push(DifferenceKind::ColumnMissing { column: descriptor.column }),
            Some(column) => {
                found.extend(column_differences::<D>(resource, descriptor, column));
                let has_value = column.has_default() || column.generated;
                let needs_default = !descriptor.nullable && !has_value && column.key == 0;
                let (column, other) = (descriptor.column, resource.leaves_out(index).filter(|_| needs_default));
                found.extend(other.map(|other| DifferenceKind::DefaultMissing { column, resource: other.name }));
                if let Some(reference) = descriptor.constraint() {
                    found.extend(reference_difference::<D>(resource, descriptor, &reference, table));
                }
            }
        }
    }
    found.extend(key_difference::<D>(resource, table));
    found.extend(uniques(resource).iter().filter_map(|unique| unique_difference::<D>(resource, unique, table)));
    let unused = table.indexes.iter().filter_map(|index| unused_unique::<D>(resource, index));
    found.extend(unused.map(|unique| unique_unused(resource, &unique)));
    found.extend(table.foreign_keys.iter().filter_map(|key| unused_foreign_key::<D>(resource, key)));
    // A generated column needs no value.
    let is_known = |column: &Column| column.key > 0 || column.generated || field::<D>(resource, &column.name).is_some();
    let unused = table.columns.iter().filter(|column| !is_known(column));
    found.extend(unused.map(|column| {
        let required = column.not_null && !column.has_default();
        DifferenceKind::ColumnUnused { column: column.name.clone(), required }
    }));
    found
}

/// Differences of another program's view: a column that is missing, or whose values cannot be read. It has no constraints, and
/// its columns allow null whether there is one or not.
fn of_view<D: Dialect>(resource: &Descriptor, view: &Table) -> Vec<DifferenceKind> {
    let found = stored_columns(resource).filter_map(|descriptor| match view.column::<D>(descriptor.column) {
        Some(column) => unreadable::<D>(resource, descriptor, column),
        None => Some(DifferenceKind::ColumnMissing { column: descriptor.column }),
    });
    found.collect()
}

/// A type whose values cannot be read as the field's.
fn unreadable<D: Dialect>(
    resource: &Descriptor,
    descriptor: &ColumnDescriptor,
    found: &Column,
) -> Option<DifferenceKind> {
    let fits =
        (D::TABLES.can_store)(descriptor, &found.declared) || (D::TABLES.views.can_read)(descriptor, &found.declared);
    (!fits).then(|| {
        let must_be = D::TABLES.declared(resource, descriptor).into_owned();
        DifferenceKind::Type { column: descriptor.column, is: found.declared.clone(), must_be }
    })
}

/// The constraint of a unique index that no field asks for.
pub(crate) fn unused_unique<D: Dialect>(resource: &Descriptor, index: &Index) -> Option<Unique> {
    // Where the condition is that a value is there, it may be unique for all that the fields say.
    let among = among::<D>(resource, index).filter(|among| among.some.is_none())?;
    let present = unique_of::<D>(resource, index)?;
    let is_wanted = |unique: &Unique| {
        let is_same_case = same(&unique.case_insensitive, &present.case_insensitive)
            || unique.case_insensitive.is_empty() && resource.follows_database();
        unique.among() == among && same(&unique.columns, &present.columns) && is_same_case
    };
    let wanted = same(&present.columns, resource.key()) || uniques(resource).iter().any(is_wanted);
    (!wanted).then_some(present)
}

/// The columns of a unique index, and those whose letter case it ignores, if it has the resource's alone.
pub(crate) fn unique_of<D: Dialect>(resource: &Descriptor, index: &Index) -> Option<Unique> {
    let columns = positions::<D>(resource, index).filter(|_| index.unique)?;
    let case_insensitive =
        columns.iter().zip(&index.columns).filter(|(_, it)| it.ignores_case).map(|it| *it.0).collect();
    Some(Unique { columns, case_insensitive, active: None })
}

/// The difference of a constraint that no field asks for.
pub(crate) fn unique_unused(resource: &Descriptor, unique: &Unique) -> DifferenceKind {
    let case_insensitive = names(resource, &unique.case_insensitive);
    DifferenceKind::UniqueUnused { columns: names(resource, &unique.columns), case_insensitive }
}

/// The resource's columns of an index, if it has no other.
pub(crate) fn positions<D: Dialect>(resource: &Descriptor, index: &Index) -> Option<Vec<usize>> {
    let position = |indexed: &IndexedColumn| resource.columns.iter().position(|column| indexed.is::<D>(column.column));
    index.columns.iter().map(position).collect()
}

/// Whether two lists have the same columns.
pub(crate) fn same(one: &[usize], other: &[usize]) -> bool {
    one.len() == other.len() && one.iter().all(|column| other.contains(column))
}

/// The names of columns.
pub(crate) fn names(resource: &Descriptor, columns: &[usize]) -> Vec<&'static str> {
    columns.iter().map(|column| resource.columns[*column].column).collect()
}

/// The constraint that is missing by a difference.
pub(crate) fn missing_unique(resource: &Descriptor, what: &DifferenceKind) -> Option<Unique> {
    uniques(resource).into_iter().find(|unique| unique_missing(resource, unique) == *what)
}

/// The difference of a constraint that is missing.
fn unique_missing(resource: &Descriptor, unique: &Unique) -> DifferenceKind {
    DifferenceKind::UniqueMissing {
        columns: names(resource, &unique.columns),
        active: unique.active.is_some(),
        case_insensitive: names(resource, &unique.case_insensitive),
    }
}

/// The foreign key of a field that is not such a reference.
fn unused_foreign_key<D: Dialect>(resource: &Descriptor, key: &ForeignKey) -> Option<DifferenceKind> {
    let (from, _) = key.columns.last()?;
    let column = field::<D>(resource, from)?;
    // A field that asks for none takes one to the same table.
    let is_unconstrained = column.references.is_some_and(|reference| {
        reference.unconstrained && (D::TABLES.is_same_name)((reference.target)().table, &key.table)
    });
    (!is_unconstrained && !foreign_key::is_of::<D>(resource, column, key))
        .then(|| DifferenceKind::ForeignKeyUnused { column: column.column, target: key.table.clone() })
}

/// An index that a list can use, by the resource's columns.
pub(crate) fn present_index<D: Dialect>(resource: &Descriptor, index: &Index) -> Option<Present> {
    // An index with a column that is not in the resource serves no list.
    let columns = positions::<D>(resource, index).filter(|_| index.plain)?;
    // Lists have nulls first. One that was made when the column allowed null, or did not, has another order.
    let nullable = |column: &usize| resource.columns[*column].nullable;
    // An index of another program's finds values, whatever its order is.
    let is_ordered = |column: &usize| resource.is_managed() || resource.columns[*column].sortable;
    let mut orders = columns.iter().zip(&index.columns).filter(|(column, _)| is_ordered(column));
    if orders.any(|(column, indexed)| indexed.nulls_first.is_some_and(|first| first != nullable(column))) {
        return None;
    }
    Some(Present { columns, unique: index.unique, among: among::<D>(resource, index)? })
}

/// An index that a service has created for a list: it has the name that such an index gets.
pub(crate) fn own_index<D: Dialect>(resource: &Descriptor, index: &Index) -> Option<Wanted> {
    let Present { columns, among, .. } = present_index::<D>(resource, index).filter(|present| !present.unique)?;
    let own = Wanted { columns, ordered: true, among };
    ((D::TABLES.shorten)(own.name(resource)) == index.name).then_some(own)
}

/// The records that an index has, if its condition is one that resources want.
pub(crate) fn among<D: Dialect>(resource: &Descriptor, index: &Index) -> Option<RecordSet> {
    let Some(condition) = &index.partial else { return Some(RecordSet::ALL) };
    let deleted_at = resource.soft_delete.map(|soft_delete| soft_delete.deleted_at);
    let states =
        deleted_at.into_iter().flat_map(|column| [DeletionState::Active(column), DeletionState::Deleted(column)]);
    // States come first: a record with a deletion timestamp is in one.
    let mut wanted = states.chain([DeletionState::Any]).flat_map(|state| {
        let somes = resource.partial_indexes.iter().map(|index| Some(index.some));
        std::iter::once(None).chain(somes).map(move |some| RecordSet { state, some })
    });
    // Databases add quotes and parentheses.
    let bare = |text: &str| text.replace(['"', '`', '(', ')'], "");
    let is = |wanted: String| bare(condition).eq_ignore_ascii_case(&bare(&wanted));
    wanted.find(|among| ddl::condition::<D>(resource, *among).is_some_and(is))
}

fn column_differences<D: Dialect>(
    resource: &Descriptor,
    descriptor: &ColumnDescriptor,
    found: &Column,
) -> impl Iterator<Item = DifferenceKind> + use<D> {
    let column = descriptor.column;
    let scale = (descriptor.kind == Kind::Decimal).then_some(descriptor.scale);
    let has_other_units = found.scale.is_some() && found.scale != scale;
    let wrong_type = (has_other_units || !(D::TABLES.can_store)(descriptor, &found.declared)).then(|| {
        let wanted = D::TABLES.declared(resource, descriptor);
        let must_be = in_units(&wanted, scale.filter(|_| wanted == "INTEGER"));
        let is = in_units(&found.declared, found.scale);
        let narrower = !resource.is_managed() && !has_other_units;
        if narrower && unreadable::<D>(resource, descriptor, found).is_none() {
            DifferenceKind::Narrower { column, is, must_be }
        } else {
            DifferenceKind::Type { column, is, must_be }
        }
    });
    // A key is not null, whatever else its declaration leaves open; what the database computes is as it computes it.
    let is_computed = found.generated && descriptor.is_computed();
    let wrong_null = found.key == 0 && !is_computed && found.not_null == descriptor.nullable;
    let wrong_null = wrong_null.then_some(DifferenceKind::Null { column, must_allow: descriptor.nullable });
    let generated = found.generated && !is_computed && (resource.is_managed() || is_written(resource));
    let generated = generated.then_some(DifferenceKind::Generated { column });
    // A type that the field names compares in its own way.
    let is_own = descriptor.sql_type.is_none();
    let compared = is_own && (descriptor.filterable || descriptor.sortable || descriptor.role == Role::Id);
    let equates = found.equates.clone().filter(|_| compared || is_unique(resource, descriptor));
    let equates = equates.filter(|_| resource.follows_database());
    let equates = equates.map(|collation| DifferenceKind::Equates { column, collation });
    let collation = found.collation.as_ref().filter(|_| compared && !resource.has_database_collation);
    // A difference in what is equal is reported instead, since it says more.
    let collation = collation.filter(|_| equates.is_none());
    let must_be = D::TABLES.collation.to_owned();
    let wrong_collation = collation.cloned().map(|is| DifferenceKind::Collation { column, is, must_be });
    [wrong_type, wrong_null, generated, wrong_collation, equates].into_iter().flatten()
}

/// Whether requests create or change records.
fn is_written(resource: &Descriptor) -> bool {
    resource.creates() || resource.offers(Operation::Update)
}

/// Whether a constraint of the resource makes values of the column unique.
fn is_unique(resource: &Descriptor, descriptor: &ColumnDescriptor) -> bool {
    let is = |column: &usize| std::ptr::eq(&raw const resource.columns[*column], descriptor);
    uniques(resource).iter().any(|unique| unique.columns.iter().any(is))
}

/// A type with the units of its decimals.
fn in_units(declared: &str, scale: Option<u32>) -> String {
    scale.map_or_else(|| declared.to_owned(), |scale| format!("{declared} (a decimal in units of 1/10^{scale})"))
}

fn reference_difference<D: Dialect>(
    resource: &Descriptor,
    descriptor: &ColumnDescriptor,
    reference: &Reference,
    table: &Table,
) -> Option<DifferenceKind> {
    let column = descriptor.column;
    let target = (reference.target)();
    let must_be = on_delete(reference.on_delete);
    let refers = |key: &&ForeignKey| foreign_key::is_of::<D>(resource, descriptor, key);
    let Some(key) = table.foreign_keys.iter().find(refers) else {
        let (columns, target, key) = (names(resource, reference.by), target.table, names(target, target.key()));
        return Some(DifferenceKind::ForeignKeyMissing { column, columns, target, key, on_delete: must_be });
    };
    // Both refuse the delete: one at once, the other at its end.
    let refuses = reference.on_delete == OnDelete::Restrict && key.on_delete == "NO ACTION";
    let is = key.on_delete.clone();
    (is != must_be && !refuses).then_some(DifferenceKind::OnDelete { column, is, must_be })
}

fn key_difference<D: Dialect>(resource: &Descriptor, table: &Table) -> Option<DifferenceKind> {
    if resource.keyless {
        return None;
    }
    let key = table.key();
    let wanted = names(resource, resource.key());
    let is_part = |column: &&Column| wanted.iter().any(|part| (D::TABLES.is_same_name)(&column.name, part));
    // The columns of a composite key may be in any order: all of them find one record.
    if key.len() != wanted.len() || !key.iter().all(is_part) {
        let is_same = |on: Vec<usize>| same(resource.key(), &on);
        let is_key = |index: &Index| {
            index.unique && index.partial.is_none() && positions::<D>(resource, index).is_some_and(is_same)
        };
        // In another program's table, a unique index is as good.
        let is_unique = !resource.is_managed() && table.indexes.iter().any(is_key);
        let is = key.iter().map(|column| column.name.clone()).collect();
        return (!is_unique).then_some(DifferenceKind::Key { is, must_be: wanted });
    }
    let column = resource.columns[resource.counted_key()?].column;
    let is_unassigned = key.iter().all(|column| !column.has_default());
    is_unassigned.then_some(DifferenceKind::KeyNotAssigned { column, must_be: D::TABLES.assigned })
}

/// The difference of a table that does not keep the key unique: neither its primary key nor a unique index is of columns of
/// the key alone.
pub(crate) fn ambiguous_key<D: Dialect>(resource: &Descriptor, table: &Table) -> Option<DifferenceKind> {
    // A view has neither, whatever its rows are.
    if table.kind != "table" {
        return None;
    }
    let wanted = names(resource, resource.key());
    let is_part = |name: &str| wanted.iter().any(|part| (D::TABLES.is_same_name)(name, part));
    let key = table.key();
    let is_primary = !key.is_empty() && key.iter().all(|column| is_part(&column.name));
    let is_unique = |index: &Index| {
        let mut columns = index.columns.iter();
        index.unique && index.partial.is_none() && columns.all(|column| column.name.as_deref().is_some_and(is_part))
    };
    let is_ambiguous = !is_primary && !table.indexes.iter().any(is_unique);
    let is = key.iter().map(|column| column.name.clone()).collect();
    is_ambiguous.then_some(DifferenceKind::Key { is, must_be: wanted })
}

/// A unique index of other columns of the same set will do; one of a part of them would refuse more than
/// the resource means, and be found by its conflicts.
fn unique_difference<D: Dialect>(resource: &Descriptor, unique: &Unique, table: &Table) -> Option<DifferenceKind> {
    let is_it = |index: &Index, present: &Unique| {
        let ignores_case = |column: &usize| present.ignores_case(*column);
        let is_same_case = same(&present.case_insensitive, &unique.case_insensitive)
            || resource.follows_database() && unique.case_insensitive.iter().all(ignores_case);
        among::<D>(resource, index) == Some(unique.among()) && same(&present.columns, &unique.columns) && is_same_case
    };
    let mut indexes = table.indexes.iter();
    let there = indexes.any(|index| unique_of::<D>(resource, index).is_some_and(|present| is_it(index, &present)));
    (!there).then(|| unique_missing(resource, unique))
}
