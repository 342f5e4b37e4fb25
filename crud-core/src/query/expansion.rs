//! [`Expansion`]: records that a request asks for with another one: the one that it refers to, or those that refer to it.

use crud_shared::spelling;

use super::limits::QueryLimits;
use super::visibility::{FieldVisibility, Visibility};
use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, Junction, ManyToMany};
use crate::model::problem::{Code, Problem};
use crate::model::scalar;

/// Expandable records of a record: the one that it refers to, those that refer to it, or those that a junction links.
#[derive(Debug, Clone)]
pub struct Expandable {
    /// Name of the expansion in requests.
    pub name: &'static str,
    /// The columns of the record whose values lead to it: a reference, or the key.
    pub columns: Vec<usize>,
    /// Its resource.
    pub target: &'static Descriptor,
    /// The list of records that refer to the record, if it is one.
    pub children: Option<&'static Children>,
    /// The junction that links them, if one does.
    pub links: Option<Links>,
}

/// Records that a junction links to one.
#[derive(Debug, Clone, Copy)]
pub struct Links {
    pub junction: Junction,
    /// Maximum number that is returned for one record.
    pub limit: u32,
}

impl Expandable {
    /// Maximum number of the records of a list; none of a record.
    pub fn limit(&self) -> Option<u32> {
        self.children.map(|children| children.limit).or(self.links.map(|links| links.limit))
    }
}

/// Expanded records that a request asks for with a record.
#[derive(Debug, Clone)]
pub struct Expansion {
    pub of: Expandable,
    /// The member that has it, as it stands after another one: `,"category":`.
    pub member: String,
    /// Expansions inside that record.
    pub inside: Vec<Expansion>,
}

/// Expansions of a resource's records that a principal can ask for. Of records that it may not list, it sees none: `null`, or an
/// empty list.
pub fn expandable(
    resource: &'static Descriptor,
    view: &FieldVisibility,
    visibility: Visibility<'_>,
) -> Vec<Expandable> {
    let referenced = view.returned(resource).filter_map(|(column, descriptor)| {
        let (name, target) = relation(descriptor)?;
        let columns = descriptor.references?.columns(&column).to_vec();
        Some(Expandable { name, columns, target, children: None, links: None })
    });
    let children = shown_children(resource, visibility).map(|children| {
        let target = (children.resource)();
        let columns = resource.key().to_vec();
        Expandable { name: children.name, columns, target, children: Some(children), links: None }
    });
    let linked = shown_links(resource, visibility).map(|(many, junction)| {
        let links = Some(Links { junction, limit: many.limit });
        Expandable { name: many.name, columns: resource.key().to_vec(), target: junction.target, children: None, links }
    });
    referenced.chain(children).chain(linked).collect()
}

/// The records of other resources that refer to one, where a principal sees them by the field that refers.
pub fn visible_children(
    resource: &'static Descriptor,
    visibility: Visibility<'_>,
) -> impl Iterator<Item = &'static Children> {
    shown_children(resource, visibility).filter(move |children| visibility.lists((children.resource)()))
}

/// The records of other resources that refer to one, where the field that refers is not hidden from a principal.
fn shown_children(
    resource: &'static Descriptor,
    visibility: Visibility<'_>,
) -> impl Iterator<Item = &'static Children> {
    resource.children.iter().filter(move |children| {
        let target = (children.resource)();
        target.columns[children.column].is_returned() && visibility.fields(target).shows(children.column)
    })
}

/// The records that junctions link to one, where a principal sees both the junction, with its two sides, and them.
pub fn visible_links(
    resource: &'static Descriptor,
    visibility: Visibility<'_>,
) -> impl Iterator<Item = (&'static ManyToMany, Junction)> {
    shown_links(resource, visibility).filter(move |(_, junction)| visibility.lists_links(*junction))
}

/// The records that junctions link to one, where the two sides of the junction are not hidden from a principal.
fn shown_links(
    resource: &'static Descriptor,
    visibility: Visibility<'_>,
) -> impl Iterator<Item = (&'static ManyToMany, Junction)> {
    let links = resource.many_to_many.iter().filter_map(move |many| Some((many, many.junction(resource)?)));
    links.filter(move |(_, junction)| {
        let Junction { resource, .. } = *junction;
        let view = visibility.fields(resource);
        let is_seen = |column: usize| resource.columns[column].is_returned() && view.shows(column);
        junction.sides().into_iter().all(is_seen)
    })
}

/// Maximum number of expanded records that refer to others, for one record.
pub fn child_rows(expansions: &[Expansion]) -> u64 {
    let rows = expansions.iter().map(|expansion| {
        let inside = child_rows(&expansion.inside);
        expansion.of.limit().map_or(inside, |limit| u64::from(limit).saturating_mul(1 + inside))
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
    visibility: Visibility<'a>,
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
        visibility: Visibility<'a>,
        limits: QueryLimits,
    ) -> Self {
        Self { resource, view, visibility, limits, found: Vec::new(), paths: 0 }
    }

    /// Adds a path, and what it leads through.
    ///
    /// # Errors
    /// The code and the detail of a path that does not exist for the principal.
    pub fn add(&mut self, path: &str) -> Result<(), PathError> {
        let Self { resource, view, visibility, .. } = *self;
        let (mut resource, mut view) = (resource, view.clone());
        let (mut level, mut is_new) = (&mut self.found, false);
        for name in path.split('.') {
            let legal = expandable(resource, &view, visibility);
            let Some(found) = legal.iter().find(|found| found.name == name).cloned() else {
                let names = || legal.iter().map(|found| found.name);
                let hint = scalar::did_you_mean(spelling::nearest(name, names()));
                let listed = if legal.is_empty() { "none".to_owned() } else { scalar::listed(names()) };
                let detail = format!("`{name}` is not an expansion of {}; expected {listed}{hint}", resource.name);
                return Err(("unknown_field", detail));
            };
            let target = found.target;
            let position = level.iter().position(|known| known.of.name == name).unwrap_or_else(|| {
                level.push(Expansion { of: found, member: format!(",\"{name}\":"), inside: Vec::new() });
                self.paths += 1;
                is_new = true;
                level.len() - 1
            });
            level = &mut level[position].inside;
            (resource, view) = (target, visibility.fields(target));
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
        let related = child_rows(&self.found);
        if rows.saturating_mul(related) > expand_rows {
            let most = expand_rows / related;
            return too_complex(match most {
                0 => {
                    format!(
                        "`expand` asks for up to {related} related records for each; at most {expand_rows} are returned"
                    )
                }
                _ => format!(
                    "`expand` asks for up to {related} related records for each, and at most {expand_rows} are \
                     returned: `limit` must be at most {most}"
                ),
            });
        }
        Ok(self.found)
    }
}

fn depth(expansions: &[Expansion]) -> usize {
    expansions.iter().map(|expansion| 1 + depth(&expansion.inside)).max().unwrap_or(0)
}
