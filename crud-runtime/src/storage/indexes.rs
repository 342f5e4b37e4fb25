//! The unique constraints and indexes that resources want, on every database.

use crate::model::descriptor::{Descriptor, PartialIndex, Role, SoftDelete};
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
use crate::storage::uniques;
pub(crate) use crate::storage::uniques::Unique;
use crate::storage::uniques::led_by_tenant;

#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
impl Unique {
    /// The records among which they are unique.
    pub(crate) fn among(&self) -> RecordSet {
        RecordSet::in_state(self.active.map_or(DeletionState::Any, DeletionState::Active))
    }
}

/// The unique constraints of the resource's table, besides the primary key.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
pub(crate) fn uniques(resource: &Descriptor) -> Vec<Unique> {
    // References between tenants' records refer to both columns.
    let key = resource.tenant.map(|tenant| Unique { columns: vec![tenant.column, resource.id], active: None });
    uniques::of(resource).into_iter().chain(key).collect()
}

/// An index that a list wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Index {
    /// The columns, in order.
    pub(crate) columns: Vec<usize>,
    /// Whether the index is there for an order, and not for finding values alone.
    pub(crate) ordered: bool,
    /// The records that it contains.
    pub(crate) among: RecordSet,
}

/// The records that an index contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordSet {
    /// Whether they are deleted.
    pub(crate) state: DeletionState,
    /// The column that has a value in each of them.
    pub(crate) some: Option<usize>,
}

/// Whether records are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeletionState {
    /// Some are and others are not.
    Any,
    /// They have no deletion timestamp, which is this column.
    Active(usize),
    /// They have one.
    Deleted(usize),
}

impl RecordSet {
    /// All records.
    pub(crate) const ALL: Self = Self::in_state(DeletionState::Any);

    /// The records of this state.
    pub(crate) const fn in_state(state: DeletionState) -> Self {
        Self { state, some: None }
    }

    /// Whether these records have all of the others among them.
    fn includes(self, others: Self) -> bool {
        (self.state == DeletionState::Any || self.state == others.state)
            && (self.some.is_none() || self.some == others.some)
    }
}

/// The indexes that the resource's filters, orders and references want, where `present` does not serve.
///
/// An order always ends with the key. `key_implied`: whether the database's indexes end with the key by
/// themselves, so that one on `price` serves `ORDER BY price DESC, id DESC` too. `partial`: whether an index can have
/// a condition; where not, the index begins with the deletion timestamp.
pub(crate) fn indexes(resource: &Descriptor, key_implied: bool, partial: bool, present: &[Present]) -> Vec<Index> {
    // Lists see the active records alone, unless a request says otherwise.
    let state = match resource.soft_delete {
        Some(soft_delete) if !soft_delete.include_deleted_by_default => DeletionState::Active(soft_delete.deleted_at),
        _ => DeletionState::Any,
    };
    let group = |columns: &[usize], among| Index { columns: led_by_tenant(resource, columns), ordered: true, among };
    let with_key = |column: usize| {
        let columns = if key_implied { vec![column] } else { vec![column, resource.id] };
        led_by_tenant(resource, &columns)
    };
    let groups = resource.indexes.iter().map(|columns| group(columns, RecordSet::in_state(state)));
    let partial_groups = resource.partial_indexes.iter().map(|&PartialIndex { columns, some }| {
        let deleted_at = resource.soft_delete.map(|soft_delete| soft_delete.deleted_at);
        // Those that have a deletion timestamp are the deleted ones, whatever lists see.
        let deleted = deleted_at == Some(some);
        group(
            columns,
            if deleted {
                RecordSet::in_state(DeletionState::Deleted(some))
            } else {
                RecordSet { state, some: Some(some) }
            },
        )
    });
    let single = resource.columns.iter().enumerate().filter(|(column, descriptor)| {
        *column != resource.id
            && !matches!(descriptor.role, Role::DeletedAt | Role::IsDeleted)
            && (descriptor.filterable || descriptor.sortable || descriptor.indexed || descriptor.references.is_some())
    });
    let single = single.map(|(column, descriptor)| Index {
        columns: with_key(column),
        ordered: descriptor.sortable,
        // A delete of the other record looks for every record that refers to it.
        among: if descriptor.references.is_some() { RecordSet::ALL } else { RecordSet::in_state(state) },
    });
    // For restore and purge of the deleted records.
    let deleted = resource.soft_delete.map(|SoftDelete { deleted_at, .. }| Index {
        columns: with_key(deleted_at),
        ordered: true,
        among: RecordSet::in_state(DeletionState::Deleted(deleted_at)),
    });
    let mut wanted: Vec<Index> = Vec::new();
    for index in groups.chain(partial_groups).chain(single).chain(deleted) {
        let index = if partial { index } else { index.of_all() };
        let planned = wanted.iter().any(|other| other.serves(&index, resource));
        if !planned && !present.iter().any(|other| other.serves(&index, resource)) {
            wanted.push(index);
        }
    }
    wanted
}

impl Index {
    /// The index of all records that serves as well.
    fn of_all(mut self) -> Self {
        if let DeletionState::Active(deleted_at) = self.among.state {
            self.columns.insert(0, deleted_at);
        }
        Self { among: RecordSet::ALL, ..self }
    }

    fn serves(&self, wanted: &Self, resource: &Descriptor) -> bool {
        Present { columns: self.columns.clone(), unique: false, among: self.among }.serves(wanted, resource)
    }

    /// Its name, the same each time: two underscores keep the table `order` with a column `item_price`
    /// apart from the table `order_item` with a column `price`, and a word keeps the index of the records that have
    /// a value apart from that of all of them.
    pub(crate) fn name(&self, resource: &Descriptor) -> String {
        let prefix = if matches!(self.among.state, DeletionState::Deleted(_)) { "ix_deleted" } else { "ix" };
        joined(prefix, resource, &self.columns, self.among.some)
    }
}

impl Unique {
    /// Its name where it is an index, the same each time.
    pub(crate) fn name(&self, resource: &Descriptor) -> String {
        joined("ux", resource, &self.columns, None)
    }
}

fn joined(prefix: &str, resource: &Descriptor, columns: &[usize], some: Option<usize>) -> String {
    let mut name = format!("{prefix}_{}", resource.table);
    for column in columns {
        name.push_str(if some == Some(*column) { "__some_" } else { "__" });
        name.push_str(resource.columns[*column].column);
    }
    name
}

/// An index that is there anyway or already, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Present {
    /// The columns, in order.
    pub(crate) columns: Vec<usize>,
    /// Whether their values are unique.
    pub(crate) unique: bool,
    /// The records that it contains.
    pub(crate) among: RecordSet,
}

impl Present {
    fn serves(&self, wanted: &Index, resource: &Descriptor) -> bool {
        let nullable = |column: &usize| resource.columns[*column].nullable;
        if wanted.ordered {
            // After a unique value there is nothing left to order; nulls are not unique.
            let decides =
                self.unique && wanted.columns.starts_with(&self.columns) && !self.columns.iter().any(nullable);
            self.among.includes(wanted.among) && (self.columns == wanted.columns || decides)
        } else {
            // The key is there to order by.
            let sought = wanted.columns.strip_suffix(&[resource.id]).unwrap_or(&wanted.columns);
            // A search for values does not need the records that have none.
            let among = RecordSet { some: sought.first().copied(), ..wanted.among };
            self.among.includes(among) && self.columns.starts_with(sought)
        }
    }
}

/// The uniques as indexes.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
pub(crate) fn unique_indexes(uniques: &[Unique]) -> Vec<Present> {
    let index = |unique: &Unique| Present { columns: unique.columns.clone(), unique: true, among: unique.among() };
    uniques.iter().map(index).collect()
}
