//! Relations between records in memory, by their descriptors.

use crud_runtime::column::Value;
use crud_runtime::descriptor::{Children, Descriptor};

use super::records::Reading;
use crate::world::Record;

impl<'w> Reading<'w> {
    /// The record that a column refers to, soft-deleted or not.
    pub(crate) fn referred(
        &self,
        resource: &Descriptor,
        column: usize,
        values: &[Value],
    ) -> Option<(&'static Descriptor, &'w Record)> {
        let reference = resource.columns[column].references?;
        let target = (reference.target)();
        let pairs = reference.pairs(column);
        let is_same = |other: &&Record| {
            pairs.iter().all(|(own, key)| values[*own] != Value::Null && values[*own] == other.values[*key])
        };
        let found = self.world.records_of(target)?.iter().find(is_same)?;
        Some((target, found))
    }

    /// The records that refer to a record by `has_many`, soft-deleted or not.
    pub(crate) fn children(
        &self,
        resource: &Descriptor,
        children: &Children,
        values: &[Value],
    ) -> Vec<(&'static Descriptor, &'w Record)> {
        let other = (children.resource)();
        let reference = other.columns[children.column].references;
        let single = [(children.column, resource.id)];
        let pairs = reference.map_or_else(|| single.to_vec(), |reference| reference.pairs(children.column));
        let refers = |record: &&Record| {
            pairs.iter().all(|(own, key)| record.values[*own] != Value::Null && record.values[*own] == values[*key])
        };
        let records = self.world.records_of(other).unwrap_or_default();
        records.iter().filter(refers).map(|record| (other, record)).collect()
    }

    /// The active records of a relation, by its name in paths.
    pub(super) fn related(
        &self,
        resource: &'static Descriptor,
        name: &str,
        values: &[Value],
    ) -> Vec<(&'static Descriptor, &'w Record)> {
        if let Some(children) = resource.children.iter().find(|children| children.name == name) {
            return Self::active(self.children(resource, children, values));
        }
        let is_named = |column: &usize| {
            let column = &resource.columns[*column];
            let stem = column.name.strip_suffix("_id").unwrap_or(column.name);
            column.references.is_some_and(|reference| reference.named.unwrap_or(stem) == name)
        };
        let column = (0..resource.columns.len()).find(is_named);
        let found = column.and_then(|column| self.referred(resource, column, values));
        Self::active(found.into_iter().collect())
    }

    /// Keeps the records that are not soft-deleted.
    pub(super) fn active(
        mut records: Vec<(&'static Descriptor, &'w Record)>,
    ) -> Vec<(&'static Descriptor, &'w Record)> {
        records.retain(|(_, record)| !record.is_deleted);
        records
    }
}
