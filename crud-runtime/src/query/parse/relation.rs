//! Fields of the record that a field refers to, in filters and orders: `category.name__ilike`, and
//! `{"category": {"name": "Lamps"}}`.

use super::filter::KnownField;
use super::json::Json;
use super::parser::Parser;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, FieldPath};
use crate::query::{InSelect, Predicate};

impl Parser<'_> {
    /// The column whose relation has this name, if the client can filter by a field of the record.
    pub(super) fn known_relation(&self, name: &str) -> Option<usize> {
        let reference = self.named_relation(name)?;
        self.paths_of(reference).next().map(|_| reference)
    }

    /// The column whose relation has this name, if the client sees it.
    pub(super) fn named_relation(&self, name: &str) -> Option<usize> {
        self.relations().find(|(_, relation, _)| *relation == name).map(|(index, ..)| index)
    }

    /// The columns that the client sees and that refer to records of other resources, with the relations' names.
    fn relations(&self) -> impl Iterator<Item = (usize, &'static str, &'static Descriptor)> {
        let of = |(index, column): (usize, &'static ColumnDescriptor)| {
            let reference = column.references?;
            Some((index, reference.relation?, (reference.target)()))
        };
        self.view.returned(self.resource).filter_map(of)
    }

    /// A field of the record that a column refers to, by which the client can filter.
    pub(super) fn known_path(&self, reference: usize, name: &str) -> Option<KnownField> {
        let (resource, index) = self.known_path_of(self.resource.paths, reference, name)?;
        Some(KnownField { resource, index, relation: Some(reference) })
    }

    /// A field of the record that a column refers to, of these paths, as the client knows it.
    pub(super) fn known_path_of(
        &self,
        paths: &'static [FieldPath],
        reference: usize,
        name: &str,
    ) -> Option<(&'static Descriptor, usize)> {
        let target = self.target(reference)?;
        let mut shown = self.shown_paths(paths, reference);
        shown.find(|column| target.columns[*column].json == name).map(|column| (target, column))
    }

    /// The fields by which the client can filter of the record that a column refers to.
    pub(super) fn paths_of(&self, reference: usize) -> impl Iterator<Item = &'static ColumnDescriptor> {
        let target = self.target(reference);
        let shown = self.shown_paths(self.resource.paths, reference);
        shown.filter_map(move |column| target.map(|target| &target.columns[column]))
    }

    /// The columns of the record that a column refers to, of these paths, that the client sees.
    fn shown_paths(&self, paths: &'static [FieldPath], reference: usize) -> impl Iterator<Item = usize> {
        let target = self.target(reference).filter(|target| self.reach.lists(target));
        let view = target.map(|target| self.reach.fields(target));
        let paths = paths.iter().filter(move |path| path.reference == reference).map(|path| path.column);
        paths.filter(move |column| view.as_ref().is_some_and(|view| view.shows(*column)))
    }

    /// The names of all fields by which the client can filter, such as `category.name`.
    pub(super) fn path_names(&self) -> impl Iterator<Item = String> {
        self.relation_paths(self.resource.paths)
    }

    /// The names of those of these paths that the client sees.
    pub(super) fn relation_paths(&self, paths: &'static [FieldPath]) -> impl Iterator<Item = String> {
        self.relations().flat_map(move |(index, relation, target)| {
            let shown = self.shown_paths(paths, index);
            shown.map(move |column| format!("{relation}.{}", target.columns[column].json))
        })
    }

    /// A condition on the record that a column refers to; its negation is that of the record's.
    pub(super) fn related_condition(
        &mut self,
        reference: usize,
        name: &str,
        value: &Json,
        depth: usize,
        negated: bool,
    ) -> Predicate {
        let before = self.relation.replace(reference);
        let predicate = self.inside(name, |parser| parser.condition(value, depth + 1, negated));
        self.relation = before;
        self.of_record(Some(reference), predicate)
    }

    /// The condition that the record that a column refers to is one that the client reaches and satisfies a predicate.
    pub(super) fn of_record(&self, reference: Option<usize>, predicate: Predicate) -> Predicate {
        let Some((column, resource)) = reference.and_then(|column| Some((column, self.target(column)?))) else {
            return predicate;
        };
        let filter = self.reach.records(resource).and(predicate);
        Predicate::InSelect(Box::new(InSelect { column, resource, selected: resource.id, filter }))
    }

    fn target(&self, reference: usize) -> Option<&'static Descriptor> {
        Some((self.resource.columns[reference].references?.target)())
    }
}
