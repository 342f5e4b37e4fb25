//! The fields of a resource and its relations to others, as the document has them. The document is public, so fields
//! with restricted visibility are left out.

use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, FieldPath, Junction, ManyToMany, Operation};
use crate::query::QueryLimits;
use crate::query::expansion::relation;

/// The columns in the document.
pub(crate) fn documented_columns(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static ColumnDescriptor> {
    descriptor.columns.iter().filter(|column| is_documented(column))
}

pub(crate) fn is_documented(column: &ColumnDescriptor) -> bool {
    column.visible.is_none()
}

/// The columns that refer to records whose fields lists can filter by, with the relations' names and resources.
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

/// The fields that lists can filter by in the record that a column refers to.
pub(crate) fn paths(
    descriptor: &'static Descriptor,
    reference: usize,
    target: &'static Descriptor,
) -> impl Iterator<Item = &'static ColumnDescriptor> {
    let paths = descriptor.paths.iter().filter(move |path| path.reference == reference);
    paths.map(|path| &target.columns[path.column]).filter(|column| column.visible.is_none())
}

/// The names of these paths, such as `category.name`, without those that the document does not have.
pub(crate) fn path_names(descriptor: &'static Descriptor, paths: &'static [FieldPath]) -> impl Iterator<Item = String> {
    paths.iter().filter_map(|path| {
        let reference = Some(&descriptor.columns[path.reference]).filter(|it| is_documented(it))?.references?;
        let column = &(reference.target)().columns[path.column];
        column.visible.is_none().then(|| format!("{}.{}", reference.relation.unwrap_or_default(), column.json))
    })
}

/// The relations to records that refer to a record of the resource, where the document has them.
pub(crate) fn children(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static Children> {
    descriptor.children.iter().filter(|children| {
        let column = &(children.resource)().columns[children.column];
        is_documented(column) && column.is_returned()
    })
}

/// The relations to records that junctions link to a record of the resource, where the document has them.
pub(crate) fn links(descriptor: &'static Descriptor) -> impl Iterator<Item = (&'static ManyToMany, Junction)> {
    let links = descriptor.many_to_many.iter().filter_map(move |many| Some((many, many.junction(descriptor)?)));
    links.filter(|(_, junction)| {
        let mut sides = junction.sides().into_iter().map(|column| &junction.resource.columns[column]);
        sides.all(|side| is_documented(side) && side.is_returned())
    })
}

/// The relations of a resource whose values are lists, with the resources of their records.
pub(crate) fn lists(descriptor: &'static Descriptor) -> impl Iterator<Item = (&'static str, &'static Descriptor)> {
    let children = children(descriptor).map(|children| (children.name, (children.resource)()));
    children.chain(links(descriptor).map(|(many, junction)| (many.name, junction.target)))
}

/// The names of the fields that lists sort by, such as `price` and `category.name`.
pub(crate) fn sort_names(descriptor: &'static Descriptor) -> Vec<String> {
    let own = documented_columns(descriptor).filter(|column| column.sortable).map(|column| column.json.to_owned());
    own.chain(path_names(descriptor, descriptor.sort_paths)).collect()
}

/// The paths to other records that `expand` names.
pub(crate) fn expand_paths(descriptor: &'static Descriptor) -> Vec<String> {
    paths_of_length(descriptor, QueryLimits::default().expand_depth)
}

/// The paths of at most `depth` relations.
fn paths_of_length(descriptor: &'static Descriptor, depth: usize) -> Vec<String> {
    if depth == 0 {
        return Vec::new();
    }
    let relations = documented_columns(descriptor).filter_map(relation).chain(lists(descriptor));
    let paths = relations.flat_map(|(name, target)| {
        let longer = paths_of_length(target, depth - 1).into_iter().map(move |path| format!("{name}.{path}"));
        std::iter::once(name.to_owned()).chain(longer)
    });
    paths.collect()
}

/// A relation that a condition can be on.
#[derive(Debug)]
pub(crate) struct RelationCondition {
    /// Name of the relation, and of its member in the condition.
    pub(crate) name: &'static str,
    /// The resource of its records.
    pub(crate) target: &'static Descriptor,
    /// Whether the relation's value is a list: all lists of such records share the condition's schema.
    pub(crate) is_list: bool,
    /// The fields that the condition can filter by.
    pub(crate) columns: Vec<&'static ColumnDescriptor>,
    /// Relations of the records of a list.
    pub(crate) inside: Vec<Self>,
}

/// The relations that a condition can be on.
pub(crate) fn conditions(descriptor: &'static Descriptor) -> impl Iterator<Item = RelationCondition> {
    let lists = lists(descriptor).map(|(name, target)| {
        let columns = documented_columns(target).filter(|column| column.is_returned() && column.filterable).collect();
        RelationCondition { name, target, is_list: true, columns, inside: referenced(target) }
    });
    referenced(descriptor).into_iter().chain(lists.filter(|relation| !relation.columns.is_empty()))
}

/// The relations of fields that a condition can be on.
fn referenced(descriptor: &'static Descriptor) -> Vec<RelationCondition> {
    let condition = |(index, name, target): (usize, &'static str, &'static Descriptor)| {
        let columns = paths(descriptor, index, target).collect();
        RelationCondition { name, target, is_list: false, columns, inside: Vec::new() }
    };
    relations(descriptor).map(condition).filter(|relation| !relation.columns.is_empty()).collect()
}

/// Whether lists have filters in the document.
pub(crate) fn has_filters(descriptor: &'static Descriptor) -> bool {
    filterable(descriptor).next().is_some() || conditions(descriptor).next().is_some()
}

/// The filterable fields in the document.
pub(crate) fn filterable(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static ColumnDescriptor> {
    documented_columns(descriptor).filter(|column| column.filterable)
}

/// Whether lists are searched by a body.
pub(crate) fn has_search(descriptor: &'static Descriptor) -> bool {
    descriptor.offers(Operation::List) && (has_filters(descriptor) || descriptor.search.is_some())
}
