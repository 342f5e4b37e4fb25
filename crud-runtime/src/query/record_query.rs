//! [`RecordQuery`]: the query parameters of a request for one record.

use chrono::{DateTime, Utc};

use super::parse::pairs;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::text;

/// The state of a record that a request asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordQuery {
    /// Whether a soft-deleted record is returned.
    pub(crate) include_deleted: bool,
    /// The time whose state is returned; without it, the current state.
    pub(crate) as_of: Option<DateTime<Utc>>,
}

/// Reads the parameters of a request for one record at this time. Others are not looked at.
///
/// # Errors
/// A validation problem that names every parameter that is wrong.
pub(crate) fn parse(resource: &Descriptor, query: &str, now: DateTime<Utc>) -> Result<RecordQuery, Problem> {
    let mut parsed = RecordQuery::default();
    let mut errors = FieldErrors::default();
    let mut seen = [false; 2];
    for (name, value) in pairs(query) {
        let (Ok(name), Ok(value)) = (name, value) else { continue };
        let (position, read): (usize, Result<(), String>) = match &*name {
            "include_deleted" => (0, include_deleted(resource, &value).map(|value| parsed.include_deleted = value)),
            "as_of" => (1, as_of(resource, &value, now).map(|value| parsed.as_of = Some(value))),
            _ => continue,
        };
        if std::mem::replace(&mut seen[position], true) {
            errors.push(FieldError::parameter(&*name, "duplicate", "must be given only once"));
        } else if let Err(detail) = read {
            errors.push(FieldError::parameter(&*name, "value", detail));
        }
    }
    errors.into_result(parsed)
}

fn include_deleted(resource: &Descriptor, value: &str) -> Result<bool, String> {
    if resource.soft_delete.is_none() {
        return Err(format!("is not a parameter: {} has no soft delete", resource.name));
    }
    scalar::boolean(value).map_err(|error| error.message().to_owned())
}

fn as_of(resource: &Descriptor, value: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    if resource.audit.is_none() {
        return Err(format!("is not a parameter: {} has no audit log", resource.name));
    }
    let time = text::parse_date_time(value).map_err(|error| error.message().to_owned())?;
    if time > now { Err("must not be in the future".to_owned()) } else { Ok(time) }
}
