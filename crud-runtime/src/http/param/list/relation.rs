//! Other records in filters and orders: the one that a field refers to (`category.name__ilike`,
//! `{"category": {"name": "Lamps"}}`), those that refer to the listed one (`{"orders": {"status": "open"}}`), and those that
//! a junction links to it (`{"labels": {"name": "bug"}}`).
//!
//! Conditions on the records of a list are the filters of those records' own lists, so they may also be on records that
//! those refer to: `{"orders": {"product": {"name": "Lamp"}}}`. They go no further.

use super::json::Json;
use super::parser::{ListContext, Parser};
use super::subject::{KnownField, Relation, Subject};
use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, FieldPath, Junction};
use crate::query::expansion::{visible_children, visible_links};
use crate::query::{InSubquery, Predicate};

/// Other records that a condition is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Related {
    /// The record that a field refers to.
    Referenced(Relation),
    /// The records that refer to the listed one.
    Children(&'static Children),
    /// The records that a junction links to the listed one.
    Linked(Junction),
}

impl Related {
    fn subject(self) -> Subject {
        match self {
            Self::Referenced(relation) => Subject::Referenced(relation),
            Self::Children(children) => Subject::Related((children.resource)()),
            Self::Linked(junction) => Subject::Related(junction.target),
        }
    }
}

impl Parser<'_> {
    /// The resource whose lists' filters the condition has; `None` for the record that a field refers to.
    fn filtered(&self) -> Option<&'static Descriptor> {
        match self.subject {
            Subject::Listed => Some(self.context.resource),
            Subject::Related(resource) => Some(resource),
            Subject::Referenced(_) => None,
        }
    }

    /// The relation of this name, if the client can filter by a field of the record.
    pub(super) fn known_relation(&self, name: &str) -> Option<Relation> {
        let relation = self.named_relation(name)?;
        (!self.shown_paths(relation.of.paths, relation).is_empty()).then_some(relation)
    }

    /// The relation of this name, if the client sees its column.
    pub(super) fn named_relation(&self, name: &str) -> Option<Relation> {
        self.relations().into_iter().find(|(relation, _)| *relation == name).map(|(_, relation)| relation)
    }

    /// The relations whose columns the client sees, with their names.
    fn relations(&self) -> Vec<(&'static str, Relation)> {
        let Some(of) = self.filtered() else { return Vec::new() };
        let view = self.view_of_subject();
        let named = |(column, descriptor): (usize, &'static ColumnDescriptor)| {
            Some((descriptor.references?.relation?, Relation { of, column }))
        };
        view.returned(of).filter_map(named).collect()
    }

    /// A field that the client can filter by, in the record that a column refers to.
    pub(super) fn known_path(&self, relation: Relation, name: &str) -> Option<KnownField> {
        let (resource, index) = self.known_path_of(relation.of.paths, relation, name)?;
        Some(KnownField { resource, index, relation: Some(relation) })
    }

    /// The field with this name among these paths, if the client knows it, in the record that a column refers to.
    pub(super) fn known_path_of(
        &self,
        paths: &'static [FieldPath],
        relation: Relation,
        name: &str,
    ) -> Option<(&'static Descriptor, usize)> {
        let target = relation.target()?;
        let shown = self.shown_paths(paths, relation);
        shown.into_iter().find(|column| target.columns[*column].json == name).map(|column| (target, column))
    }

    /// The fields that the client can filter by in the record that a column refers to.
    pub(super) fn paths_of(&self, relation: Relation) -> Vec<&'static ColumnDescriptor> {
        let Some(target) = relation.target() else { return Vec::new() };
        let shown = self.shown_paths(relation.of.paths, relation);
        shown.into_iter().map(|column| &target.columns[column]).collect()
    }

    /// The columns of these paths that the client sees, in the record that a column refers to.
    fn shown_paths(&self, paths: &'static [FieldPath], relation: Relation) -> Vec<usize> {
        let visibility = self.context.visibility;
        let Some(target) = relation.target().filter(|target| visibility.lists(target)) else { return Vec::new() };
        let view = visibility.fields(target);
        let paths = paths.iter().filter(|path| path.reference == relation.column).map(|path| path.column);
        paths.filter(|column| view.shows(*column)).collect()
    }

    /// The names of all fields of other records that the client can filter by, such as `category.name`.
    pub(super) fn path_names(&self) -> Vec<String> {
        self.filtered().map_or_else(Vec::new, |of| self.relation_paths(of.paths))
    }

    /// The names of these paths, without those that the client does not see.
    pub(super) fn relation_paths(&self, paths: &'static [FieldPath]) -> Vec<String> {
        let names = self.relations().into_iter().flat_map(|(name, relation)| {
            let shown = self.shown_paths(paths, relation);
            let target = relation.target();
            let column = move |column: usize| target.map(|target| format!("{name}.{}", target.columns[column].json));
            shown.into_iter().filter_map(column)
        });
        names.collect()
    }

    /// The other records that a member of a condition is about, if there are any.
    pub(super) fn related(&self, name: &str) -> Option<Related> {
        if let Some(relation) = self.known_relation(name) {
            return Some(Related::Referenced(relation));
        }
        self.known_lists().into_iter().find(|(list, _)| *list == name).map(|(_, related)| related)
    }

    /// The lists of records that refer to the listed one or are linked to it, where the client can filter by a field of
    /// theirs. Lists of records that refer to those are not included.
    pub(super) fn known_lists(&self) -> Vec<(&'static str, Related)> {
        let Subject::Listed = self.subject else { return Vec::new() };
        let is_filterable = |target: &'static Descriptor| {
            self.context.visibility.fields(target).returned(target).any(|(_, column)| column.filterable)
        };
        let children = visible_children(self.context.resource, self.context.visibility);
        let children = children.map(|children| (children.name, Related::Children(children), (children.resource)()));
        let linked = visible_links(self.context.resource, self.context.visibility);
        let linked = linked.map(|(many, junction)| (many.name, Related::Linked(junction), junction.target));
        let known = children.chain(linked).filter(|(.., target)| is_filterable(target));
        known.map(|(name, related, _)| (name, related)).collect()
    }

    /// A condition on the record that a column refers to, or on the records of a list, one of which has to satisfy all
    /// of it.
    ///
    /// The negation on a referenced record is that the record does not satisfy it. The negation on a list is that no
    /// record does.
    pub(super) fn related_condition(
        &mut self,
        related: Related,
        name: &str,
        value: &Json,
        depth: usize,
        negated: bool,
    ) -> Predicate {
        let inside = negated && matches!(related, Related::Referenced(_));
        let before = std::mem::replace(&mut self.subject, related.subject());
        let predicate = self.inside(name, |parser| parser.condition(value, depth + 1, inside));
        self.subject = before;
        let one = match related {
            Related::Referenced(relation) => return self.of_record(relation, predicate),
            Related::Children(children) => {
                self.related += 1;
                self.one_of(children.pairs(self.context.resource), (children.resource)(), predicate)
            }
            Related::Linked(junction) => self.of_linked(junction, predicate),
        };
        if negated { Predicate::Not(Box::new(one)) } else { one }
    }

    /// The condition that the record that a column refers to is one that the client sees and satisfies a predicate.
    pub(super) fn of_record(&mut self, relation: Relation, predicate: Predicate) -> Predicate {
        self.related += 1;
        let reference = relation.of.columns[relation.column].references;
        let Some(reference) = reference else { return predicate };
        self.one_of(reference.pairs(relation.column), (reference.target)(), predicate)
    }

    /// The condition that a junction links one of the records that the client sees and that satisfy a predicate. Links
    /// that the client does not see do not count.
    fn of_linked(&mut self, junction: Junction, predicate: Predicate) -> Predicate {
        self.related += 2;
        let ListContext { resource, visibility, .. } = self.context;
        let filter = visibility.links(junction, predicate);
        let columns = resource.key().iter().copied().zip(junction.near_columns().iter().copied()).collect();
        Predicate::InSubquery(Box::new(InSubquery { columns, resource: junction.resource, filter }))
    }

    /// The condition that columns have the values of a record that the client sees and that satisfies a predicate.
    fn one_of(&self, columns: Vec<(usize, usize)>, resource: &'static Descriptor, predicate: Predicate) -> Predicate {
        let filter = self.context.visibility.records(resource).and(predicate);
        Predicate::InSubquery(Box::new(InSubquery { columns, resource, filter }))
    }
}
