//! The records that a resource refers to, as the document has them.

use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// The columns that refer to records by which lists filter, with the relations' names and resources.
pub(super) fn relations(
    descriptor: &'static Descriptor,
) -> impl Iterator<Item = (usize, &'static str, &'static Descriptor)> {
    descriptor.columns.iter().enumerate().filter_map(move |(index, column)| {
        let reference = column.references?;
        let (name, target) = (reference.relation?, (reference.target)());
        paths(descriptor, index, target).next().map(|_| (index, name, target))
    })
}

/// The fields of the record that a column refers to by which lists filter.
pub(super) fn paths(
    descriptor: &'static Descriptor,
    reference: usize,
    target: &'static Descriptor,
) -> impl Iterator<Item = &'static ColumnDescriptor> {
    let paths = descriptor.paths.iter().filter(move |path| path.reference == reference);
    paths.map(|path| &target.columns[path.column]).filter(|column| column.visible.is_none())
}
