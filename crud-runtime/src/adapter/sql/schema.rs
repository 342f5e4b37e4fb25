//! Which constraints and indexes resources want, whatever the database.

use crate::descriptor::{Descriptor, Role, SoftDelete, Uniqueness};

/// Columns whose values are unique together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unique {
    /// By index.
    pub(super) columns: Vec<usize>,
    /// The deletion timestamp, when only records count that have none.
    pub(super) active: Option<usize>,
}

/// What the resource wants to be unique, besides the key.
pub(super) fn uniques(resource: &Descriptor) -> Vec<Unique> {
    let soft_delete = resource.soft_delete.map(|soft_delete| soft_delete.deleted_at);
    let single = resource.columns.iter().enumerate().filter(|(column, _)| *column != resource.id);
    let single = single.filter_map(|(column, descriptor)| {
        let active = match descriptor.unique? {
            Uniqueness::All => None,
            Uniqueness::Active => soft_delete,
        };
        Some(Unique { columns: vec![column], active })
    });
    let groups = resource.uniques.iter().map(|columns| Unique { columns: columns.to_vec(), active: None });
    single.chain(groups).collect()
}

/// An index that a list wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    /// The columns, in order.
    pub(super) columns: Vec<usize>,
    /// Whether the index is there for an order, and not for finding values alone.
    pub(super) ordered: bool,
    /// Which records are in it.
    pub(super) among: Among,
}

/// The records that an index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// All of them.
    All,
    /// Those without the deletion timestamp of this column.
    Active(usize),
    /// Those with it.
    Deleted(usize),
}

/// The indexes that the resource's filters, orders and references want, where `present` does not serve.
///
/// An order always ends with the key. `key_implied`: whether the database's indexes end with the key by
/// themselves, so that one on `price` serves `ORDER BY price DESC, id DESC` too. `partial`: whether an index can have
/// a part of the records; where not, it begins with the deletion timestamp, which tells them apart.
pub(super) fn indexes(resource: &Descriptor, key_implied: bool, partial: bool, present: &[Present]) -> Vec<Index> {
    // Lists see the active records alone, unless a request says otherwise.
    let among = match resource.soft_delete {
        Some(soft_delete) if !soft_delete.include_deleted_by_default => Among::Active(soft_delete.deleted_at),
        _ => Among::All,
    };
    let groups = resource.indexes.iter().map(|columns| Index { columns: columns.to_vec(), ordered: true, among });
    let single = resource.columns.iter().enumerate().filter(|(column, descriptor)| {
        *column != resource.id
            && !matches!(descriptor.role, Role::DeletedAt | Role::IsDeleted)
            && (descriptor.filterable || descriptor.sortable || descriptor.indexed || descriptor.references.is_some())
    });
    let single = single.map(|(column, descriptor)| Index {
        columns: if key_implied { vec![column] } else { vec![column, resource.id] },
        ordered: descriptor.sortable,
        // A delete of the other record looks for every record that refers to it.
        among: if descriptor.references.is_some() { Among::All } else { among },
    });
    // What finds the deleted records, to restore or remove them.
    let deleted = resource.soft_delete.map(|SoftDelete { deleted_at, .. }| Index {
        columns: if key_implied { vec![deleted_at] } else { vec![deleted_at, resource.id] },
        ordered: true,
        among: Among::Deleted(deleted_at),
    });
    let mut wanted: Vec<Index> = Vec::new();
    for index in groups.chain(single).chain(deleted) {
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
        if let Among::Active(deleted_at) = self.among {
            self.columns.insert(0, deleted_at);
        }
        Self { among: Among::All, ..self }
    }

    fn serves(&self, wanted: &Self, resource: &Descriptor) -> bool {
        Present { columns: self.columns.clone(), unique: false, among: self.among }.serves(wanted, resource)
    }

    /// Its name, the same each time: two underscores keep the table `order` with a column `item_price`
    /// apart from the table `order_item` with a column `price`.
    pub(super) fn name(&self, resource: &Descriptor) -> String {
        let prefix = if matches!(self.among, Among::Deleted(_)) { "ix_deleted" } else { "ix" };
        joined(prefix, resource, &self.columns)
    }
}

impl Unique {
    /// Its name where it is an index, the same each time.
    pub(super) fn name(&self, resource: &Descriptor) -> String {
        joined("ux", resource, &self.columns)
    }
}

fn joined(prefix: &str, resource: &Descriptor, columns: &[usize]) -> String {
    let mut name = format!("{prefix}_{}", resource.table);
    for column in columns {
        name.push_str("__");
        name.push_str(resource.columns[*column].column);
    }
    name
}

/// An index that is there anyway or already, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Present {
    /// The columns, in order.
    pub(super) columns: Vec<usize>,
    /// Whether their values are unique.
    pub(super) unique: bool,
    /// Which records are in it.
    pub(super) among: Among,
}

impl Present {
    fn serves(&self, wanted: &Index, resource: &Descriptor) -> bool {
        if self.among != Among::All && self.among != wanted.among {
            return false;
        }
        let nullable = |column: &usize| resource.columns[*column].nullable;
        if wanted.ordered {
            // After a unique value there is nothing left to order; nulls are not unique.
            let decides =
                self.unique && wanted.columns.starts_with(&self.columns) && !self.columns.iter().any(nullable);
            self.columns == wanted.columns || decides
        } else {
            // The key is there to order by.
            let sought = wanted.columns.strip_suffix(&[resource.id]).unwrap_or(&wanted.columns);
            self.columns.starts_with(sought)
        }
    }
}

/// The uniques as indexes.
pub(super) fn unique_indexes(uniques: &[Unique]) -> Vec<Present> {
    let among = |unique: &Unique| unique.active.map_or(Among::All, Among::Active);
    let index = |unique: &Unique| Present { columns: unique.columns.clone(), unique: true, among: among(unique) };
    uniques.iter().map(index).collect()
}
