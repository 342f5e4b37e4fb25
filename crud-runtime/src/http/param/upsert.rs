//! The parameters that let an update create a record, or a create change one.

use axum::http::Method;
use crud_shared::spelling;

use super::{Parameter, Refused, boolean, flag, is_second, read_known};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, Problem};
use crate::storage::uniques::Unique;
use crate::store::writer::upsert::unique_of;

/// The unique fields that make a create an upsert.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) unique: Unique,
    /// Whether a record that has the values stays as it is.
    pub(crate) ignore: bool,
}

/// The parameters of an upsert as they are read.
struct UpsertQuery {
    resource: &'static Descriptor,
    unique: Option<Unique>,
    ignore: Option<bool>,
}

impl UpsertQuery {
    fn check(&self) -> Result<(), Refused> {
        if self.resource.offered_upserts().is_empty() {
            let detail = format!("is not a parameter: {} has no upsert", self.resource.name);
            return Err(Refused::new("unknown_parameter", detail));
        }
        Ok(())
    }
}

const CONFLICT_PARAMETERS: [Parameter<UpsertQuery>; 2] = [
    Parameter {
        name: "on_conflict",
        description: "Unique fields: a record that has the same values in them is changed instead, in the fields of the \
                      body.",
        // The names of the fields depend on the resource.
        schema: Schema::text,
        read: |query, value| {
            query.check()?;
            let found = find(query.resource, query.resource.offered_upserts(), value);
            query.unique = Some(found.ok_or_else(|| format!("must be {}", alternatives(query.resource)))?);
            Ok(())
        },
    },
    Parameter {
        name: "conflict",
        description: "With `ignore`, the existing record stays as it is. Needs `on_conflict`.",
        schema: || Schema::choice(["update", "ignore"]).with("default", "update"),
        read: |query, value| {
            query.check()?;
            is_second(value, ["update", "ignore"]).map(|ignore| query.ignore = Some(ignore))
        },
    },
];

/// The names of the parameters of a create that may be an upsert.
pub(crate) const NAMES: [&str; 2] = [CONFLICT_PARAMETERS[0].name, CONFLICT_PARAMETERS[1].name];

/// The conflict target in a create's query string, if it has one.
///
/// # Errors
/// `validation_failed` for fields that are not those of an upsert.
pub(crate) fn target(resource: &'static Descriptor, query: Option<&str>) -> Result<Option<Target>, Problem> {
    let Some(query) = query else { return Ok(None) };
    let mut read = UpsertQuery { resource, unique: None, ignore: None };
    read_known(query, &CONFLICT_PARAMETERS, &mut read)?;
    if read.ignore.is_some() && read.unique.is_none() {
        let detail = format!("needs `on_conflict`: {}", alternatives(resource));
        return Err(Problem::validation([FieldError::parameter(NAMES[1], "value", detail)]));
    }
    Ok(read.unique.map(|unique| Target { unique, ignore: read.ignore.unwrap_or(false) }))
}

/// The unique columns of the fields that a value names.
pub(crate) fn find(resource: &'static Descriptor, groups: &[&[usize]], value: &str) -> Option<Unique> {
    let given: Vec<&str> = value.split(',').collect();
    let is = |columns: &&&[usize]| {
        columns.len() == given.len() && columns.iter().all(|column| given.contains(&resource.columns[*column].json))
    };
    groups.iter().find(is).and_then(|columns| unique_of(resource, columns))
}

fn names(resource: &'static Descriptor) -> Vec<String> {
    resource.offered_upserts().iter().map(|columns| resource.names_of(columns)).collect()
}

fn alternatives(resource: &'static Descriptor) -> String {
    spelling::alternatives(names(resource).iter().map(String::as_str))
}

/// The parameters in the document, where a create can be an upsert.
pub(crate) fn document(resource: &'static Descriptor) -> Vec<ParameterObject> {
    if resource.offered_upserts().is_empty() {
        return Vec::new();
    }
    let [on_conflict, conflict] = &CONFLICT_PARAMETERS;
    let fields = Schema::choice(names(resource));
    vec![ParameterObject::query(on_conflict.name, on_conflict.description, fields), conflict.document()]
}

/// The parameter of an update that may create its record.
pub(crate) const ALLOW_MISSING: &str = ALLOW_MISSING_PARAMETERS[0].name;

const ALLOW_MISSING_PARAMETERS: [Parameter<MissingQuery>; 1] = [flag(
    "allow_missing",
    "Whether to create the record if it does not exist: the body must then be a complete create.",
    |query, value| {
        if !query.resource.creates_by_put() {
            let detail = format!("is not a parameter: {} has no upsert by its key", query.resource.name);
            return Err(Refused::new("unknown_parameter", detail));
        }
        if !query.is_put {
            return Err("is for PUT: a PATCH changes a record that is there".into());
        }
        query.allows = boolean(value)?;
        Ok(())
    },
)];

/// The parameter `allow_missing` as it is read.
struct MissingQuery {
    resource: &'static Descriptor,
    is_put: bool,
    allows: bool,
}

/// Whether an update may create its record.
///
/// # Errors
/// `validation_failed` where it cannot.
pub(crate) fn allows_missing(
    resource: &'static Descriptor,
    method: &Method,
    query: Option<&str>,
) -> Result<bool, Problem> {
    let mut read = MissingQuery { resource, is_put: *method == Method::PUT, allows: false };
    read_known(query.unwrap_or_default(), &ALLOW_MISSING_PARAMETERS, &mut read)?;
    Ok(read.allows)
}

/// The parameter `allow_missing` in the document.
pub(crate) fn document_missing() -> ParameterObject {
    ALLOW_MISSING_PARAMETERS[0].document()
}
