//! [`DocumentVersion`]: the version of OpenAPI that a request asks for.

use crate::http::param::query_string;
use crate::model::problem::{FieldError, Problem};

/// The version of OpenAPI that a request asks for, by `?version=3.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentVersion {
    V3_1,
    V3_2,
}

impl DocumentVersion {
    /// The parameter's values.
    pub(crate) const NAMES: [&str; 2] = ["3.1", "3.2"];

    /// The version in a query string.
    ///
    /// # Errors
    /// `validation_failed` for another version.
    pub(crate) fn parse(query: Option<&str>) -> Result<Self, Problem> {
        match query.and_then(|query| query_string::first_parameter(query, "version")).as_deref() {
            None | Some("3.1") => Ok(Self::V3_1),
            Some("3.2") => Ok(Self::V3_2),
            Some(_) => Err(Problem::validation([FieldError::parameter("version", "value", "must be 3.1 or 3.2")])),
        }
    }
}
