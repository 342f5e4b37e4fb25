//! [`Expansion`]: records that a request asks for beside another one: the one that it refers to, or those that refer to it.

use crud_shared::spelling;

use super::limits::QueryLimits;
use super::reach::Reach;
use super::visibility::FieldVisibility;
use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor};
use crate::model::problem::{Code, Problem};
use crate::model::scalar;

/// Expandable records of a record: the one that it refers to, or those that refer to it.
#[derive(Debug, Clone)]
pub struct Beside {
    /// Name of the expansion in requests.
    pub name: &'static str,
    /// The columns of the record whose values lead to it: a reference, or the key.
    pub columns: Vec<usize>,
    /// Its resource.
    pub target: &'static Descriptor,
    /// The list of records that refer to the record, if it is one.
    pub children: Option<&'static Children>,
}

/// Expanded records that a request asks for with a record.
#[derive(Debug, Clone)]
pub struct Expansion {
    pub beside: Beside,
    /// The member that has it, as it stands after another one: `,"category":`.
    pub member: String,
    /// Expansions inside that record.
    pub inside: Vec<Expansion>,
}

/// Expansions of a resource's records that a principal can ask for.
pub fn expandable(resource: &'static Descriptor, view: &FieldVisibility, reach: Reach<'_>) -> Vec<Beside> {
    let referenced = view.returned(resource).filter_map(|(column, descriptor)| {
        let (name, target) = relation(descriptor)?;
        let columns = descriptor.references?.columns(&column).to_vec();
        reach.lists(target).then_some(Beside { name, columns, target, children: None })
    });
    let children = reached_children(resource, reach).map(|children| {
        let target = (children.resource)();
        Beside { name: children.name, columns: resource.key().to_vec(), target, children: Some(children) }
    });
    referenced.chain(children).collect()
}

/// The records of other resources that refer to one, where a principal reaches them by the field that refers.
pub fn reached_children(resource: &'static Descriptor, reach: Reach<'_>) -> impl Iterator<Item = &'static Children> {
    resource.children.iter().filter(move |children| {
        let target = (children.resource)();
        reach.lists(target)
            && target.columns[children.column].is_returned()
            && reach.fields(target).shows(children.column)
    })
}

/// Maximum number of expanded records that refer to others, for one record.
pub fn child_rows(expansions: &[Expansion]) -> u64 {
    let rows = expansions.iter().map(|expansion| {
        let inside = child_rows(&expansion.inside);
        expansion.beside.children.map_or(inside, |children| u64::from(children.limit).saturating_mul(1 + inside))
    });
    rows.fold(0, u64::saturating_add)
}

/// The member and the resource of the record that a column refers to, if requests can ask for it.
pub fn relation(column: &ColumnDescriptor) -> Option<(&'static str, &'static Descriptor)> {
    let reference = column.references.filter(|reference| reference.expand)?;
    Some((reference.relation?, (reference.target)()))
}

/// Collects the paths of a request, such as `product.category`.
#[derive(Debug)]
pub struct Expansions<'a> {
    resource: &'static Descriptor,
    view: &'a FieldVisibility,
    reach: Reach<'a>,
    limits: QueryLimits,
    found: Vec<Expansion>,
    paths: usize,
}

/// Code and detail of an error in a path.
pub type PathError = (&'static str, String);

impl<'a> Expansions<'a> {
    pub fn new(
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
    pub fn add(&mut self, path: &str) -> Result<(), PathError> {
        let Self { resource, view, reach, .. } = *self;
        let (mut resource, mut view) = (resource, view.clone());
        let (mut level, mut is_new) = (&mut self.found, false);
        for name in path.split('.') {
            let legal = expandable(resource, &view, reach);
            let Some(beside) = legal.iter().find(|beside| beside.name == name).cloned() else {
                let names = || legal.iter().map(|beside| beside.name);
                let hint = scalar::did_you_mean(spelling::nearest(name, names()));
                let listed = if legal.is_empty() { "none".to_owned() } else { scalar::listed(names()) };
                let detail = format!("`{name}` is not a record beside {}; those are {listed}{hint}", resource.name);
                return Err(("unknown_field", detail));
            };
            let target = beside.target;
            let position = level.iter().position(|known| known.beside.name == name).unwrap_or_else(|| {
                level.push(Expansion { beside, member: format!(",\"{name}\":"), inside: Vec::new() });
                self.paths += 1;
                is_new = true;
                level.len() - 1
            });
            level = &mut level[position].inside;
            (resource, view) = (target, reach.fields(target));
        }
        if is_new { Ok(()) } else { Err(("duplicate", format!("`{path}` is given twice"))) }
    }

    /// Finishes the expansions of so many records.
    ///
    /// # Errors
    /// `query_too_complex` beyond the limits.
    pub fn finish(self, rows: u64) -> Result<Vec<Expansion>, Problem> {
        let too_complex = |detail| Err(Problem::new(Code::QueryTooComplex, detail));
        self.limits.check_paths(self.paths)?;
        let QueryLimits { expand_depth, expand_rows, .. } = self.limits;
        let depth = depth(&self.found);
        if depth > expand_depth {
            return too_complex(format!("the paths of `expand` must be at most {expand_depth} long, found {depth}"));
        }
        let beside = child_rows(&self.found);
        if rows.saturating_mul(beside) > expand_rows {
            let most = expand_rows / beside;
            return too_complex(match most {
                0 => {
                    format!("`expand` asks for up to {beside} records beside each; at most {expand_rows} are returned")
                }
                _ => format!(
                    "`expand` asks for up to {beside} records beside each, and at most {expand_rows} are returned: \
                     `limit` must be at most {most}"
                ),
            });
        }
        Ok(self.found)
    }
}

fn depth(expansions: &[Expansion]) -> usize {
    expansions.iter().map(|expansion| 1 + depth(&expansion.inside)).max().unwrap_or(0)
}
