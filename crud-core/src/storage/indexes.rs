//! The unique constraints and indexes that resources want, on every database.

use crate::model::descriptor::{ColumnDescriptor, Descriptor, Part, PartialIndex, Role, SoftDelete};
use crate::storage::uniques;
pub use crate::storage::uniques::Unique;
use crate::storage::uniques::led_by_tenant;

impl Unique {
    /// The records among which the values are unique.
    pub fn among(&self) -> RecordSet {
        RecordSet::in_state(self.active.map_or(DeletionState::Any, DeletionState::Active))
    }
}

/// The unique constraints of the resource's table, besides the primary key.
pub fn uniques(resource: &Descriptor) -> Vec<Unique> {
    // References between tenants' records refer to both columns.
    let key = resource.tenant.filter(|_| resource.composite.is_empty()).map(|tenant| Unique {
        columns: vec![tenant.column, resource.id],
        case_insensitive: Vec::new(),
        active: None,
    });
    uniques::of(resource).into_iter().chain(key).collect()
}

/// An index that a list wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// The columns, in order.
    pub columns: Vec<usize>,
    /// Whether the index is there for an order, and not for finding values alone.
    pub ordered: bool,
    /// The records that the index contains.
    pub among: RecordSet,
}

/// The records that an index contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSet {
    /// The deletion state of the records.
    pub state: DeletionState,
    /// The column that is not null in each of the records.
    pub some: Option<usize>,
}

/// Deletion state of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionState {
    /// Active and deleted records.
    Any,
    /// Records without a deletion timestamp, which this column has.
    Active(usize),
    /// Records with a deletion timestamp, which this column has.
    Deleted(usize),
}

impl RecordSet {
    /// All records.
    pub const ALL: Self = Self::in_state(DeletionState::Any);

    /// The records of this state.
    pub const fn in_state(state: DeletionState) -> Self {
        Self { state, some: None }
    }

    /// Whether these records include all of the others.
    fn includes(self, others: Self) -> bool {
        (self.state == DeletionState::Any || self.state == others.state)
            && (self.some.is_none() || self.some == others.some)
    }
}

/// The indexes that the resource's filters, orders and references want, where `present` does not serve.
///
/// An order always ends with the key. `key_implied`: whether the database's indexes end with the key by themselves, so
/// that one on `price` serves `ORDER BY price DESC, id DESC` too. `active`: the way in which an index is limited to the
/// active records.
pub fn indexes(resource: &Descriptor, key_implied: bool, active: ActiveBy, present: &[Present]) -> Vec<Index> {
    if resource.parts.is_empty() {
        return of_struct(resource, key_implied, active, present);
    }
    let mut wanted: Vec<Index> = Vec::new();
    for part in resource.parts {
        for index in of_struct(part.resource, key_implied, active, &[]) {
            let index = index.in_table(part);
            let planned = wanted.iter().any(|other| other.serves(&index, resource));
            if !planned && !present.iter().any(|other| other.serves(&index, resource)) {
                wanted.push(index);
            }
        }
    }
    wanted
}

/// The indexes that one struct wants.
fn of_struct(resource: &Descriptor, key_implied: bool, active: ActiveBy, present: &[Present]) -> Vec<Index> {
    // Lists see the active records alone, unless a request says otherwise.
    let state = match resource.soft_delete {
        Some(soft_delete) if !soft_delete.include_deleted_by_default => DeletionState::Active(soft_delete.deleted_at),
        _ => DeletionState::Any,
    };
    let group = |columns: &[usize], among| Index { columns: led_by_tenant(resource, columns), ordered: true, among };
    let ending_in_key = |mut columns: Vec<usize>| {
        if !key_implied {
            columns = with_key_after(resource, columns);
        }
        led_by_tenant(resource, &columns)
    };
    let with_key = |column: usize| ending_in_key(vec![column]);
    let groups = resource.indexes.iter().map(|columns| group(columns, RecordSet::in_state(state)));
    let partial_groups = resource.partial_indexes.iter().map(|&PartialIndex { columns, some }| {
        let deleted_at = resource.soft_delete.map(|soft_delete| soft_delete.deleted_at);
        // Records with a deletion timestamp are deleted, whatever lists show.
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
    // A reference by several columns has an index of all of them.
    let refers = |descriptor: &ColumnDescriptor| descriptor.references.is_some_and(|found| found.by.is_empty());
    let single = resource.columns.iter().enumerate().filter(|(column, descriptor)| {
        resource.key().first() != Some(column)
            && descriptor.is_stored()
            && !matches!(descriptor.role, Role::DeletedAt | Role::IsDeleted)
            && (descriptor.filterable || descriptor.sortable || descriptor.indexed || refers(descriptor))
    });
    let single = single.map(|(column, descriptor)| Index {
        columns: with_key(column),
        ordered: descriptor.sortable,
        // A delete of the other record looks for every record that refers to it.
        among: if refers(descriptor) { RecordSet::ALL } else { RecordSet::in_state(state) },
    });
    let together = resource.columns.iter().filter_map(|descriptor| descriptor.references.map(|reference| reference.by));
    let together = together.filter(|by| !by.is_empty() && !resource.key().starts_with(by)).map(|by| Index {
        columns: ending_in_key(by.to_vec()),
        ordered: false,
        among: RecordSet::ALL,
    });
    let of_list = |columns| Index { columns, ordered: true, among: RecordSet::in_state(state) };
    let order = default_order(resource);
    // The table itself is in the order of the key.
    let needs_index = |keys: &Vec<usize>| !keys.is_empty() || (!key_implied && state != DeletionState::Any);
    let default = order.clone().filter(needs_index).map(|keys| of_list(ending_in_key(keys)));
    let referring = resource.columns.iter().enumerate().filter(|(column, descriptor)| {
        resource.key().first() != Some(column) && descriptor.filterable && refers(descriptor)
    });
    // A delete of the other record looks for every record that refers to it, so that this index has all of them.
    let referring = order.iter().flat_map(|keys| {
        referring.clone().map(|(column, _)| {
            let rest = keys.iter().copied().filter(|key| *key != column);
            let columns: Vec<usize> = std::iter::once(column).chain(rest).collect();
            let columns = match state {
                DeletionState::Active(deleted_at) => {
                    let mut columns = with_key_after(resource, columns);
                    columns.push(deleted_at);
                    led_by_tenant(resource, &columns)
                }
                DeletionState::Any | DeletionState::Deleted(_) => ending_in_key(columns),
            };
            // Few records have the same value: the order of the key alone is no reason for another index.
            Index { columns, ordered: !keys.is_empty(), among: RecordSet::ALL }
        })
    });
    // For restore and purge of the deleted records.
    let deleted = resource.soft_delete.map(|SoftDelete { deleted_at, .. }| Index {
        columns: with_key(deleted_at),
        ordered: true,
        among: RecordSet::in_state(DeletionState::Deleted(deleted_at)),
    });
    // An index for the memberships of a user, in one tenant and in all.
    let members = resource.tenant.and_then(|tenant| Some((tenant.column, tenant.members?.user)));
    let members = members.map(|(tenant, user)| Index {
        columns: vec![user, tenant],
        ordered: false,
        among: RecordSet::in_state(state),
    });
    let exclusives = resource.exclusives.iter().map(|exclusive| group(&exclusive.group(), RecordSet::in_state(state)));
    let mut wanted: Vec<Index> = Vec::new();
    let all = groups
        .chain(partial_groups)
        .chain(exclusives)
        .chain(default)
        .chain(referring)
        .chain(together)
        .chain(single)
        .chain(deleted);
    for index in all.chain(members) {
        let index = match active {
            ActiveBy::Condition => index,
            ActiveBy::ConditionAndColumn => index.covering_deletion(resource.key()),
            ActiveBy::Column => index.of_all(),
        };
        let planned = wanted.iter().any(|other| other.serves(&index, resource));
        if !planned && !present.iter().any(|other| other.serves(&index, resource)) {
            wanted.push(index);
        }
    }
    wanted
}

/// Restriction of an index to the active records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveBy {
    /// The index has a condition.
    Condition,
    /// The index has a condition, and ends with the deletion timestamp: a count compares the timestamp though the
    /// condition implies it, and would otherwise read each record.
    ConditionAndColumn,
    /// The index has no condition, and begins with the deletion timestamp.
    Column,
}

/// The columns of an index without the key's columns at its end. The first column stays: a search may be for a part of
/// the key.
fn before_key<'c>(resource: &Descriptor, columns: &'c [usize]) -> &'c [usize] {
    let at_end = columns.iter().rev().take_while(|column| resource.is_key(**column)).count();
    &columns[..columns.len() - at_end.min(columns.len().saturating_sub(1))]
}

/// The columns, followed by the missing columns of the key.
fn with_key_after(resource: &Descriptor, mut columns: Vec<usize>) -> Vec<usize> {
    for &column in resource.key() {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// Maximum number of sort keys of a default order that gets an index: each makes every change more expensive.
const MAX_ORDER_KEYS: usize = 2;

/// The columns of the default order before the key, where one index serves it: in one direction, and few.
fn default_order(resource: &Descriptor) -> Option<Vec<usize>> {
    let keys = resource.default_sort;
    let descending = keys.first().is_some_and(|key| key.descending);
    let is_key = |column: &usize| resource.key().first() == Some(column);
    let columns: Vec<usize> = keys.iter().map(|key| key.column).take_while(|column| !is_key(column)).collect();
    let is_uniform = keys.iter().all(|key| key.descending == descending);
    // No index has the value of a computed field, or the order of an enum's declaration.
    let is_stored = keys.iter().all(|key| {
        let column = &resource.columns[key.column];
        column.computed.is_none() && column.ranked().is_none()
    });
    (is_uniform && is_stored && columns.len() <= MAX_ORDER_KEYS).then_some(columns)
}

impl Index {
    /// Converts the index to the columns of the table.
    fn in_table(self, part: &Part) -> Self {
        let state = match self.among.state {
            DeletionState::Any => DeletionState::Any,
            DeletionState::Active(column) => DeletionState::Active(part.columns[column]),
            DeletionState::Deleted(column) => DeletionState::Deleted(part.columns[column]),
        };
        let among = RecordSet { state, some: self.among.some.map(|column| part.columns[column]) };
        Self { columns: part.columns_of(&self.columns), among, ..self }
    }

    /// Adds the key and the deletion timestamp as the index's last columns.
    fn covering_deletion(mut self, key: &[usize]) -> Self {
        if let DeletionState::Active(deleted_at) = self.among.state {
            for column in key.iter().copied().chain([deleted_at]) {
                if !self.columns.contains(&column) {
                    self.columns.push(column);
                }
            }
        }
        self
    }

    /// The index of all records that serves in its place.
    fn of_all(mut self) -> Self {
        if let DeletionState::Active(deleted_at) = self.among.state {
            self.columns.insert(0, deleted_at);
        }
        Self { among: RecordSet::ALL, ..self }
    }

    fn serves(&self, wanted: &Self, resource: &Descriptor) -> bool {
        Present { columns: self.columns.clone(), unique: false, among: self.among }.serves(wanted, resource)
    }

    /// The index's name, the same each time. Two underscores keep the table `order` with a column `item_price` apart
    /// from the table `order_item` with a column `price`. The word `some_` marks an index that has only the records
    /// with a value.
    pub fn name(&self, resource: &Descriptor) -> String {
        let prefix = if matches!(self.among.state, DeletionState::Deleted(_)) { "ix_deleted" } else { "ix" };
        let word = |column| if self.among.some == Some(column) { SOME } else { "" };
        let columns = self.columns.iter().map(|column| (word(*column), resource.columns[*column].column));
        index_name(prefix, resource.own_table(), columns)
    }
}

impl Unique {
    /// The name of the unique index, the same each time.
    pub fn name(&self, resource: &Descriptor) -> String {
        let word = |column| if self.ignores_case(column) { NO_CASE } else { "" };
        let columns = self.columns.iter().map(|column| (word(*column), resource.columns[*column].column));
        index_name("ux", resource.own_table(), columns)
    }
}

/// The word before a column that has a value in each record of an index.
pub const SOME: &str = "some_";

/// The word before a column that a unique index compares without regard to letter case.
pub const NO_CASE: &str = "nocase_";

/// The name of an index of a table, from its columns, each after the word before it.
pub fn index_name<'c>(prefix: &str, table: &str, columns: impl IntoIterator<Item = (&'static str, &'c str)>) -> String {
    let mut name = format!("{prefix}_{table}");
    for (word, column) in columns {
        name.extend(["__", word, column]);
    }
    name
}

/// An index that exists already, or is created anyway; ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// The columns, in order.
    pub columns: Vec<usize>,
    /// Whether the columns' values are unique.
    pub unique: bool,
    /// The records that the index contains.
    pub among: RecordSet,
}

impl Present {
    fn serves(&self, wanted: &Index, resource: &Descriptor) -> bool {
        let nullable = |column: &usize| resource.columns[*column].nullable;
        if !resource.is_managed() {
            // The key is there for the order: the few records that are equal before it are sorted.
            let sought = before_key(resource, &wanted.columns);
            let among = RecordSet { some: sought.first().copied(), ..wanted.among };
            return self.among.includes(among) && self.columns.starts_with(sought);
        }
        if wanted.ordered {
            // After a unique value there is nothing left to order; nulls are not unique.
            let decides =
                self.unique && wanted.columns.starts_with(&self.columns) && !self.columns.iter().any(nullable);
            // After the key, nothing is left to order either.
            let ends_with_key = wanted.columns.last().is_some_and(|last| resource.is_key(*last))
                && resource.key().iter().all(|part| wanted.columns.contains(part));
            let begins = ends_with_key && self.columns.starts_with(&wanted.columns);
            self.among.includes(wanted.among) && (self.columns == wanted.columns || begins || decides)
        } else {
            // The key is there for the order, and the deletion timestamp after it to be covered.
            let covered = match wanted.among.state {
                DeletionState::Active(deleted_at) => wanted.columns.strip_suffix(&[deleted_at]),
                DeletionState::Any | DeletionState::Deleted(_) => None,
            };
            let sought = covered.unwrap_or(&wanted.columns);
            let sought = before_key(resource, sought);
            if covered.is_some() && !self.unique && !self.columns.ends_with(&wanted.columns[sought.len()..]) {
                return false;
            }
            // A search for values does not need the records with null.
            let among = RecordSet { some: sought.first().copied(), ..wanted.among };
            self.among.includes(among) && self.columns.starts_with(sought)
        }
    }
}

/// The unique constraints as indexes that lists can use, without the case-insensitive ones.
pub fn unique_indexes(uniques: &[Unique]) -> Vec<Present> {
    let index = |unique: &Unique| Present { columns: unique.columns.clone(), unique: true, among: unique.among() };
    uniques.iter().filter(|unique| unique.case_insensitive.is_empty()).map(index).collect()
}
