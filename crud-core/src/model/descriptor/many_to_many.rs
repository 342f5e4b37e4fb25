//! [`ManyToMany`]: the records of another resource that a junction links to one.

use std::{ptr, slice};

use super::{Descriptor, SortKey, Uniqueness};

/// The records of another resource that a junction links to a record of this resource, declared by `many_to_many`.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(many_to_many(labels(IssueLabel, limit = 5)))]
/// struct Issue {
///     id: i64,
/// }
///
/// #[derive(Debug, Clone, Resource)]
/// struct Label {
///     id: i64,
/// }
///
/// #[derive(Debug, Clone, Resource)]
/// struct IssueLabel {
///     #[crud(id, references(Issue))]
///     issue_id: i64,
///     #[crud(id, references(Label))]
///     label_id: i64,
/// }
///
/// let labels = Issue::DESCRIPTOR.many_to_many[0];
/// let junction = labels.junction(Issue::DESCRIPTOR).unwrap();
/// assert_eq!((junction.near, junction.far, junction.target.name, labels.limit), (0, 1, "Label", 5));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ManyToMany {
    /// Name of the records in requests.
    pub name: &'static str,
    /// Path of all links of a record, below the prefix: `/{id}/labels`.
    pub path: &'static str,
    /// Path of one link: `/{id}/labels/{linked}`.
    pub link_path: &'static str,
    /// The junction; a function, because resources may refer to each other.
    pub resource: fn() -> &'static Descriptor,
    /// The columns of the junction that refer to this record and to the other one, where the attribute names them.
    pub columns: Option<(usize, usize)>,
    /// Maximum number that `expand` returns for one record.
    pub limit: u32,
}

/// A junction with its two sides.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Junction {
    /// The junction's resource.
    pub resource: &'static Descriptor,
    /// The column that refers to the record that is linked from; of several that refer together, the last.
    pub near: usize,
    /// The column that refers to the record that is linked to; of several that refer together, the last.
    pub far: usize,
    /// The resource of the linked record.
    pub target: &'static Descriptor,
}

impl ManyToMany {
    /// The records that a junction links; called by expansions.
    #[must_use]
    pub const fn new(
        name: &'static str,
        path: &'static str,
        link_path: &'static str,
        resource: fn() -> &'static Descriptor,
        limit: u32,
    ) -> Self {
        Self { name, path, link_path, resource, columns: None, limit }
    }

    /// Names the columns of the junction; called by expansions.
    #[must_use]
    pub const fn columns(mut self, near: usize, far: usize) -> Self {
        self.columns = Some((near, far));
        self
    }

    /// The junction, whose columns are found by their references where the attribute does not name them.
    ///
    /// # Errors
    /// A sentence with what to write instead.
    #[doc(hidden)]
    pub fn resolve(&self, of: &'static Descriptor) -> Result<Junction, String> {
        let resource = (self.resource)();
        let (near, far) = match self.columns {
            Some(columns) => columns,
            None => {
                let near = self.side(resource, &format!("to {}", of.name), |column| refers(resource, column, of))?;
                let far = self.side(resource, "to another resource", |column| {
                    column != near && resource.columns[column].references.is_some()
                })?;
                (near, far)
            }
        };
        let field = |column: usize| format!("{}.{}", resource.name, resource.columns[column].name);
        if !refers(resource, near, of) {
            return Err(format!("{} needs `references({})`", field(near), of.name));
        }
        match resource.columns[far].references {
            Some(reference) if near != far => Ok(Junction { resource, near, far, target: (reference.target)() }),
            Some(_) => Err(format!("{} is named twice: name the field that refers to the other record", field(far))),
            None => Err(format!("{} refers to no record: it needs `references`", field(far))),
        }
    }

    /// The junction of a resource's records; `None` where [`resolve`](Self::resolve) fails, which is an error at start.
    pub fn junction(&self, of: &'static Descriptor) -> Option<Junction> {
        self.resolve(of).ok()
    }

    /// The only column of the junction that refers to a side. The column of its tenant does not count.
    fn side(&self, resource: &Descriptor, to: &str, is_side: impl Fn(usize) -> bool) -> Result<usize, String> {
        let is_tenant = |column: usize| resource.tenant.is_some_and(|tenant| tenant.column == column);
        let columns = 0..resource.columns.len();
        let found: Vec<usize> = columns.filter(|column| !is_tenant(*column) && is_side(*column)).collect();
        let junction = resource.name;
        match found.as_slice() {
            [column] => Ok(*column),
            [] => Err(format!(
                "no field of {junction} refers {to}: expected the junction, which refers to both records with \
                 `references`"
            )),
            several => {
                let names: Vec<String> =
                    several.iter().map(|column| format!("`{}`", resource.columns[*column].name)).collect();
                Err(format!(
                    "{junction} refers {to} by {}: name the field that refers to this record and the one that refers to \
                     the other, `{}({junction}::…, {junction}::…)`",
                    names.join(" and "),
                    self.name
                ))
            }
        }
    }
}

fn refers(resource: &Descriptor, column: usize, to: &'static Descriptor) -> bool {
    resource.columns[column].references.is_some_and(|reference| ptr::eq((reference.target)(), to))
}

impl Junction {
    /// The columns that refer to the record that is linked from, in the order of its key.
    #[must_use]
    pub fn near_columns(&self) -> &[usize] {
        self.columns(&self.near)
    }

    /// The columns that refer to the record that is linked to, in the order of its key.
    #[must_use]
    pub fn far_columns(&self) -> &[usize] {
        self.columns(&self.far)
    }

    /// The columns of both sides, each once: two references may share some.
    #[doc(hidden)]
    pub fn sides(&self) -> Vec<usize> {
        let near = self.near_columns();
        let far = self.far_columns().iter().filter(|column| !near.contains(column));
        near.iter().chain(far).copied().collect()
    }

    fn columns<'c>(&self, column: &'c usize) -> &'c [usize] {
        let reference = self.resource.columns[*column].references;
        reference.map_or(slice::from_ref(column), |reference| reference.columns(column))
    }

    /// The order of links: the default order of the junction, or else the order of the linked keys.
    #[doc(hidden)]
    pub fn order(&self) -> Vec<SortKey> {
        match self.resource.default_sort {
            [] => self.far_columns().iter().map(|column| SortKey::ascending(*column)).collect(),
            keys => keys.to_vec(),
        }
    }

    /// Whether the key or a unique group keeps two records from being linked twice. Where links are soft-deleted, only
    /// active links count, so that a removed link can be created again.
    #[doc(hidden)]
    pub fn is_unique(&self) -> bool {
        let (resource, sides) = (self.resource, self.sides());
        let tenant = resource.tenant.map(|tenant| tenant.column);
        let is_pair = |columns: &[usize]| {
            let is_known = |column: &usize| sides.contains(column) || Some(*column) == tenant;
            sides.iter().all(|column| columns.contains(column)) && columns.iter().all(is_known)
        };
        let keeps_removed = resource.soft_delete.is_some();
        let is_group = resource.uniques.iter().any(|group| {
            let is_enough = !keeps_removed || group.among == Uniqueness::Active;
            is_enough && group.case_insensitive.is_empty() && is_pair(group.columns)
        });
        is_group || !keeps_removed && is_pair(resource.key())
    }
}
