//! Relations that lead to hidden resources: no expansion, filter, order or nested record reaches one.

use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use serde_json::{Map, Value as Json};

use crate::access::{Visible, refused};

/// Members of conditions that name no relation.
const CONNECTIVES: [&str; 3] = ["and", "or", "not"];

impl Visible<'_> {
    /// Checks paths over relations, such as `category.name`, in an argument. A text may have several, with commas between
    /// them and with `-` for a descending order.
    ///
    /// # Errors
    /// `validation_failed` for a path to a hidden resource, as for an unknown one.
    pub(crate) fn check_paths<'p>(
        self,
        resource: &'static Descriptor,
        argument: &str,
        paths: impl IntoIterator<Item = &'p str>,
    ) -> Result<(), Problem> {
        paths.into_iter().flat_map(|paths| paths.split(',')).try_for_each(|path| {
            let path = path.trim().trim_start_matches('-');
            let mut at = Some(resource);
            for name in path.split('.') {
                at = at.and_then(|at| related(at, name)).map(|found| self.check(argument, path, found)).transpose()?;
            }
            Ok(())
        })
    }

    /// Checks a condition in JSON: `{"or": [{"category": {"name": "Lamps"}}]}`.
    ///
    /// # Errors
    /// Errors of [`check_paths`](Self::check_paths).
    pub(crate) fn check_condition(self, resource: &'static Descriptor, condition: &Json) -> Result<(), Problem> {
        match condition {
            Json::Array(all) => all.iter().try_for_each(|one| self.check_condition(resource, one)),
            Json::Object(members) => members.iter().try_for_each(|(name, value)| {
                self.check_paths(resource, "filter", [&**name])?;
                let inside = if CONNECTIVES.contains(&&**name) { Some(resource) } else { target(resource, name) };
                inside.map_or(Ok(()), |inside| self.check_condition(inside, value))
            }),
            _ => Ok(()),
        }
    }

    /// Checks the records of other resources in the values of a record.
    ///
    /// # Errors
    /// Errors of [`check_paths`](Self::check_paths).
    pub(crate) fn check_values(self, resource: &'static Descriptor, values: &Map<String, Json>) -> Result<(), Problem> {
        values.iter().try_for_each(|(name, value)| {
            self.check_paths(resource, "values", [&**name])?;
            let (Some(inside), Json::Array(records)) = (target(resource, name), value) else { return Ok(()) };
            records.iter().filter_map(Json::as_object).try_for_each(|values| self.check_values(inside, values))
        })
    }

    /// The resource of related records, unless it or its junction is hidden.
    fn check(self, argument: &str, path: &str, found: Related) -> Result<&'static Descriptor, Problem> {
        if !self.hides(found.target) && !found.junction.is_some_and(|junction| self.hides(junction)) {
            return Ok(found.target);
        }
        let detail = format!("`{path}` is not known: `describe` lists related records");
        Err(refused(argument, "unknown", detail))
    }
}

/// Other records that a name leads to.
#[derive(Clone, Copy)]
struct Related {
    target: &'static Descriptor,
    /// The junction that links them.
    junction: Option<&'static Descriptor>,
}

fn target(resource: &'static Descriptor, name: &str) -> Option<&'static Descriptor> {
    related(resource, name).map(|found| found.target)
}

/// The records that a field refers to, that refer to the record, or that a junction links.
fn related(resource: &'static Descriptor, name: &str) -> Option<Related> {
    let reference = resource.columns.iter().filter_map(|it| it.references).find(|it| it.relation == Some(name));
    let child = || resource.children.iter().find(|it| it.name == name).map(|it| (it.resource)());
    if let Some(target) = reference.map(|it| (it.target)()).or_else(child) {
        return Some(Related { target, junction: None });
    }
    let linked = resource.many_to_many.iter().find(|it| it.name == name)?.junction(resource)?;
    Some(Related { target: linked.target, junction: Some(linked.resource) })
}
