//! Other records in filters and orders: the one that a field refers to (`category.name__ilike`,
//! `{"category": {"name": "Lamps"}}`), and those that refer to the listed one (`{"orders": {"status": "open"}}`).

use super::filter::KnownField;
use super::json::Json;
use super::parser::{Parser, Subject};
use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, FieldPath};
use crate::query::expansion::reached_children;
use crate::query::{InSubquery, Predicate};

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

    /// The records that a member of a condition is about, if it is about other ones than the listed.
    pub(super) fn related(&self, name: &str) -> Option<Subject> {
        let Subject::Listed = self.subject else { return None };
        let children = || self.known_children().find(|children| children.name == name).map(Subject::Children);
        self.known_relation(name).map(Subject::Referenced).or_else(children)
    }

    /// The records that refer to the listed one, where the client can filter by a field of theirs.
    pub(super) fn known_children(&self) -> impl Iterator<Item = &'static Children> {
        let reach = self.reach;
        reached_children(self.resource, reach).filter(move |children| {
            let target = (children.resource)();
            reach.fields(target).returned(target).any(|(_, column)| column.filterable)
        })
    }

    /// A condition on the record that a column refers to, or on the records that refer to this one: one of them satisfies
    /// all of it.
    ///
    /// The negation of the first is that of the record's. The negation of the second is that none satisfies it.
    pub(super) fn related_condition(
        &mut self,
        subject: Subject,
        name: &str,
        value: &Json,
        depth: usize,
        negated: bool,
    ) -> Predicate {
        let inside = negated && !matches!(subject, Subject::Children(_));
        let before = std::mem::replace(&mut self.subject, subject);
        let predicate = self.inside(name, |parser| parser.condition(value, depth + 1, inside));
        self.subject = before;
        match subject {
            Subject::Listed => predicate,
            Subject::Referenced(reference) => self.of_record(reference, predicate),
            Subject::Children(children) => {
                let one = self.of_children(children, predicate);
                if negated { Predicate::Not(Box::new(one)) } else { one }
            }
        }
    }

    /// The condition that the record that a column refers to is one that the client reaches and satisfies a predicate.
    pub(super) fn of_record(&mut self, column: usize, predicate: Predicate) -> Predicate {
        self.related += 1;
        let Some(reference) = self.resource.columns[column].references else { return predicate };
        let resource = (reference.target)();
        let filter = self.reach.records(resource).and(predicate);
        Predicate::InSubquery(Box::new(InSubquery { columns: reference.pairs(column), resource, filter }))
    }

    /// The condition that one of the records that refer to this one is one that the client reaches and satisfies a
    /// predicate.
    fn of_children(&mut self, children: &Children, predicate: Predicate) -> Predicate {
        self.related += 1;
        let (columns, resource) = (children.pairs(self.resource), (children.resource)());
        let filter = self.reach.records(resource).and(predicate);
        Predicate::InSubquery(Box::new(InSubquery { columns, resource, filter }))
    }

    fn target(&self, reference: usize) -> Option<&'static Descriptor> {
        Some((self.resource.columns[reference].references?.target)())
    }
}
