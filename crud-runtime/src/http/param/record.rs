//! [`RecordQuery`]: the query parameters of a request for one record.

use chrono::{DateTime, Utc};

use super::list::{EXPAND, expand};
use super::{Parameter, Refused, boolean, flag, read_known};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;
use crate::model::text;
use crate::store::mounted::options::ResourceOptions;

/// The state of a record that a request asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordQuery {
    resource: &'static Descriptor,
    now: DateTime<Utc>,
    /// Whether a soft-deleted record is returned.
    pub(crate) include_deleted: bool,
    /// The time whose state is returned; without it, the current state.
    pub(crate) as_of: Option<DateTime<Utc>>,
}

const PARAMETERS: [Parameter<RecordQuery>; 2] = [
    flag("include_deleted", "Whether to return a deleted record too.", |query, value| {
        if query.resource.soft_delete.is_none() {
            return Err(format!("is not a parameter: {} has no soft delete", query.resource.name).into());
        }
        query.include_deleted = boolean(value).map_err(|refused| refused.detail)?;
        Ok(())
    }),
    Parameter {
        name: "as_of",
        description: "The time of the version to return, from the audit log.",
        schema: Schema::date_time,
        read: |query, value| {
            if query.resource.audit.is_none() {
                return Err(format!("is not a parameter: {} has no audit log", query.resource.name).into());
            }
            let time = text::parse_date_time(value).map_err(|error| Refused::from(error.message()))?;
            if time > query.now {
                return Err("must not be in the future".into());
            }
            query.as_of = Some(time);
            Ok(())
        },
    },
];

/// The names of the parameters.
pub(crate) const NAMES: &[&str] = &[PARAMETERS[0].name, PARAMETERS[1].name, EXPAND];

/// Reads the parameters of a request for one record at this time. Other parameters are ignored.
///
/// # Errors
/// A validation problem that names every invalid parameter.
pub(crate) fn parse(resource: &'static Descriptor, query: &str, now: DateTime<Utc>) -> Result<RecordQuery, Problem> {
    let mut parsed = RecordQuery { resource, now, include_deleted: false, as_of: None };
    read_known(query, &PARAMETERS, &mut parsed)?;
    Ok(parsed)
}

/// The parameters in the document.
pub(crate) fn document(options: &ResourceOptions) -> Vec<ParameterObject> {
    let resource = options.descriptor;
    let [include_deleted, as_of] = &PARAMETERS;
    let deleted = resource.soft_delete.map(|_| include_deleted.document());
    let past = resource.audit.map(|_| as_of.document());
    deleted.into_iter().chain(expand::document(options)).chain(past).collect()
}
