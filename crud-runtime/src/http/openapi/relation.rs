//! The fields of a resource and its relations to others, as the document has them: it is public, so fields with restricted
//! visibility are left out.

use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, FieldPath};

/// The columns in the document.
pub(crate) fn documented_columns(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static ColumnDescriptor> {
    descriptor.columns.iter().filter(|column| is_documented(column))
}

pub(crate) fn is_documented(column: &ColumnDescriptor) -> bool {
    column.visible.is_none()
}

/// The columns that refer to records by which lists filter, with the relations' names and resources.
pub(crate) fn relations(
    descriptor: &'static Descriptor,
) -> impl Iterator<Item = (usize, &'static str, &'static Descriptor)> {
    let columns = descriptor.columns.iter().enumerate();
    columns.filter(|(_, column)| is_documented(column)).filter_map(move |(index, column)| {
        let reference = column.references?;
        let (name, target) = (reference.relation?, (reference.target)());
        paths(descriptor, index, target).next().map(|_| (index, name, target))
    })
}

/// The fields of the record that a column refers to by which lists filter.
pub(crate) fn paths(
    descriptor: &'static Descriptor,
    reference: usize,
    target: &'static Descriptor,
) -> impl Iterator<Item = &'static ColumnDescriptor> {
    let paths = descriptor.paths.iter().filter(move |path| path.reference == reference);
    paths.map(|path| &target.columns[path.column]).filter(|column| column.visible.is_none())
}

/// The names of those of these paths that the document has, such as `category.name`.
pub(crate) fn path_names(descriptor: &'static Descriptor, paths: &'static [FieldPath]) -> impl Iterator<Item = String> {
    paths.iter().filter_map(|path| {
        let reference = Some(&descriptor.columns[path.reference]).filter(|it| is_documented(it))?.references?;
        let column = &(reference.target)().columns[path.column];
        column.visible.is_none().then(|| format!("{}.{}", reference.relation.unwrap_or_default(), column.json))
    })
}

/// The records that refer to one of a resource, where the document has them.
pub(crate) fn children(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static Children> {
    descriptor.children.iter().filter(|children| {
        let column = &(children.resource)().columns[children.column];
        is_documented(column) && column.is_returned()
    })
}

/// The relations that a condition can be on, with the fields that it can filter by.
pub(crate) fn conditions(
    descriptor: &'static Descriptor,
) -> impl Iterator<Item = (&'static str, Vec<&'static ColumnDescriptor>)> {
    let referenced =
        relations(descriptor).map(move |(index, name, target)| (name, paths(descriptor, index, target).collect()));
    let children = children(descriptor).map(|children| {
        let columns = (children.resource)().columns.iter();
        let filterable = columns.filter(|column| is_documented(column) && column.is_returned() && column.filterable);
        (children.name, filterable.collect())
    });
    referenced.chain(children).filter(|(_, columns): &(_, Vec<_>)| !columns.is_empty())
}
