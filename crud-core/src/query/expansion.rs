//! [`Expansion`]: records that a request asks for together with a record that they relate to.

use crud_shared::spelling;

use super::limits::QueryLimits;
use super::visibility::{FieldVisibility, Visibility};
use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, Junction, ManyToMany};
use crate::model::problem::{Code, Problem};
use crate::model::scalar;

/// Records that can be expanded with a record: the one that it refers to, those that refer to it, or those that a
/// junction links.
#[derive(Debug, Clone)]
pub struct Expandable {
    /// Name of the expansion in requests.
    pub name: &'static str,
    /// The columns of the record whose values lead to the expanded records: a reference, or the key.
    pub columns: Vec<usize>,
    /// The resource of the expanded records.
    pub target: &'static Descriptor,
    /// The list, where the expanded records refer to the record.
    pub children: Option<&'static Children>,
    /// The junction, where one links the expanded records.
    pub links: Option<Links>,
}

/// Records that a junction links to a record.
#[derive(Debug, Clone, Copy)]
pub struct Links {
    pub junction: Junction,
    /// Maximum number of linked records that are returned for one record.
    pub limit: u32,
}

impl Expandable {
    /// Maximum number of expanded records for a list; `None` for a single record.
    pub fn limit(&self) -> Option<u32> {
        self.children.map(|children| children.limit).or(self.links.map(|links| links.limit))
    }
}

/// Expanded records that a request asks for with a record.
#[derive(Debug, Clone)]
pub struct Expansion {
    pub of: Expandable,
    /// The JSON member of the expanded records, as written after another member: `,"category":`.
    pub member: String,
    /// Expansions inside of the expanded records.
    pub inside: Vec<Expansion>,
}

/// Expansions of a resource's records that a principal can ask for. Records that the principal may not list are
/// returned as `null`, or as an empty list.
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

/// The lists of records that refer to a record, where a principal sees the referring field and may list the records.
pub fn visible_children(
    resource: &'static Descriptor,
    visibility: Visibility<'_>,
) -> impl Iterator<Item = &'static Children> {
    shown_children(resource, visibility).filter(move |children| visibility.lists((children.resource)()))
}

/// The lists of records that refer to a record, where a principal sees the referring field.
fn shown_children(
    resource: &'static Descriptor,
    visibility: Visibility<'_>,
) -> impl Iterator<Item = &'static Children> {
    resource.children.iter().filter(move |children| {
        let target = (children.resource)();
        target.columns[children.column].is_returned() && visibility.fields(target).shows(children.column)
    })
}

/// The linked records of a record, where a principal sees both sides of the junction, and may list its records and the
/// linked ones.
pub fn visible_links(
    resource: &'static Descriptor,
    visibility: Visibility<'_>,
) -> impl Iterator<Item = (&'static ManyToMany, Junction)> {
    shown_links(resource, visibility).filter(move |(_, junction)| visibility.lists_links(*junction))
}

/// The linked records of a record, where a principal sees both sides of the junction.
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

/// Maximum number of expanded records in lists, for one record.
pub fn child_rows(expansions: &[Expansion]) -> u64 {
    let rows = expansions.iter().map(|expansion| {
        let inside = child_rows(&expansion.inside);
        expansion.of.limit().map_or(inside, |limit| u64::from(limit).saturating_mul(1 + inside))
    });
    rows.fold(0, u64::saturating_add)
}

/// The member and the resource of the record that a column refers to, if requests can expand that record.
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

    /// Adds a path, with the expansions on its way.
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

    /// Finishes the expansions of this many records.
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
