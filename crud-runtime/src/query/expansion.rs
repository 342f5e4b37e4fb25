//! [`Expansion`]: a record that a request asks for beside the one that refers to it.

use crud_shared::spelling;

use super::limits::QueryLimits;
use super::reach::Reach;
use super::visibility::FieldVisibility;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::problem::{Code, Problem};
use crate::model::scalar;

/// A record that a request asks for beside the one that refers to it.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    /// The column that refers to the record.
    pub(crate) column: usize,
    /// The member that has the record, as it stands after another one: `,"category":`.
    pub(crate) member: String,
    /// The record's resource.
    pub(crate) target: &'static Descriptor,
    /// What is asked for beside that record.
    pub(crate) inside: Vec<Expansion>,
}

/// The records that a principal can ask for beside those of a resource, by the columns that refer to them.
pub(crate) fn expandable(
    resource: &'static Descriptor,
    view: &FieldVisibility,
    reach: Reach<'_>,
) -> Vec<(usize, &'static str, &'static Descriptor)> {
    let relations = view.returned(resource).filter_map(|(index, column)| {
        let (name, target) = relation(column)?;
        reach.lists(target).then_some((index, name, target))
    });
    relations.collect()
}

/// The member and the resource of the record that a column refers to, if requests can ask for it.
pub(crate) fn relation(column: &ColumnDescriptor) -> Option<(&'static str, &'static Descriptor)> {
    let reference = column.references.filter(|reference| reference.expand)?;
    Some((reference.relation?, (reference.target)()))
}

/// Collects the paths of a request, such as `product.category`.
pub(crate) struct Expansions<'a> {
    resource: &'static Descriptor,
    view: &'a FieldVisibility,
    reach: Reach<'a>,
    limits: QueryLimits,
    found: Vec<Expansion>,
    paths: usize,
}

/// Why a path is not one.
pub(crate) type PathError = (&'static str, String);

impl<'a> Expansions<'a> {
    pub(crate) fn new(
        resource: &'static Descriptor,
        view: &'a FieldVisibility,
        reach: Reach<'a>,
        limits: QueryLimits,
    ) -> Self {
        Self { resource, view, reach, limits, found: Vec::new(), paths: 0 }
    }

    /// Adds a path, and what it leads through.
    ///
    /// # Errors
    /// The code and the detail of a path that does not exist for the principal.
    pub(crate) fn add(&mut self, path: &str) -> Result<(), PathError> {
        let Self { resource, view, reach, .. } = *self;
        let (mut resource, mut view) = (resource, view.clone());
        let (mut level, mut is_new) = (&mut self.found, false);
        for name in path.split('.') {
            let legal = expandable(resource, &view, reach);
            let Some(&(column, name, target)) = legal.iter().find(|(_, known, _)| *known == name) else {
                let names = || legal.iter().map(|(_, name, _)| *name);
                let hint = scalar::did_you_mean(spelling::nearest(name, names()));
                let listed = if legal.is_empty() { "none".to_owned() } else { scalar::listed(names()) };
                let detail = format!("`{name}` is not a record beside {}; those are {listed}{hint}", resource.name);
                return Err(("unknown_field", detail));
            };
            let position = level.iter().position(|known| known.column == column).unwrap_or_else(|| {
                level.push(Expansion { column, member: format!(",\"{name}\":"), target, inside: Vec::new() });
                self.paths += 1;
                is_new = true;
                level.len() - 1
            });
            level = &mut level[position].inside;
            (resource, view) = (target, reach.fields(target));
        }
        if is_new { Ok(()) } else { Err(("duplicate", format!("`{path}` is given twice"))) }
    }

    /// What was asked for.
    ///
    /// # Errors
    /// `query_too_complex` beyond the limits.
    pub(crate) fn finish(self) -> Result<Vec<Expansion>, Problem> {
        let too_complex = |detail| Err(Problem::new(Code::QueryTooComplex, detail));
        self.limits.check_paths(self.paths)?;
        let QueryLimits { expand_depth, .. } = self.limits;
        let depth = depth(&self.found);
        if depth > expand_depth {
            return too_complex(format!("the paths of `expand` must be at most {expand_depth} long, found {depth}"));
        }
        Ok(self.found)
    }
}

fn depth(expansions: &[Expansion]) -> usize {
    expansions.iter().map(|expansion| 1 + depth(&expansion.inside)).max().unwrap_or(0)
}
