//! Filters on the record that a field refers to: `category.name__ilike`, and `{"category": {"name": "Lamps"}}`.

use super::filter::KnownField;
use super::json::Json;
use super::parser::Parser;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::query::{InSelect, Predicate};

impl Parser<'_> {
    /// The column whose relation has this name, if the client can filter by a field of the record.
    pub(super) fn known_relation(&self, name: &str) -> Option<usize> {
        let named = |column: &ColumnDescriptor| column.references.is_some_and(|found| found.relation == Some(name));
        let reference = self.resource.columns.iter().position(named)?;
        self.paths_of(reference).next().map(|_| reference)
    }

    /// A field of the record that a column refers to.
    pub(super) fn known_path(&self, reference: usize, name: &str) -> Option<KnownField> {
        let target = self.target(reference)?;
        let column = self.paths_of(reference).find(|column| column.json == name)?;
        let index = target.columns.iter().position(|other| std::ptr::eq(other, column))?;
        Some(KnownField { resource: target, index, relation: Some(reference) })
    }

    /// The fields by which the client can filter of the record that a column refers to.
    pub(super) fn paths_of(&self, reference: usize) -> impl Iterator<Item = &'static ColumnDescriptor> {
        let target = self.target(reference).filter(|target| self.reach.lists(target));
        let shown = target.map(|target| (target, self.reach.fields(target)));
        let paths = self.resource.paths.iter().filter(move |path| path.reference == reference);
        paths.filter_map(move |path| {
            let (target, view) = shown.as_ref()?;
            view.shows(path.column).then(|| &target.columns[path.column])
        })
    }

    /// The names of all those fields, such as `category.name`.
    pub(super) fn path_names(&self) -> impl Iterator<Item = String> {
        let relations = self.resource.columns.iter().enumerate();
        let relations = relations.filter_map(|(index, column)| Some((index, column.references?.relation?)));
        relations
            .flat_map(|(index, relation)| self.paths_of(index).map(move |column| format!("{relation}.{}", column.json)))
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
