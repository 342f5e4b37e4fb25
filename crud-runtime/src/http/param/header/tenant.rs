//! The tenant that a request names, where users belong to several.

use axum::http::{HeaderMap, HeaderName};

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::problem::{FieldError, Problem};

pub(crate) static X_TENANT_ID: HeaderName = HeaderName::from_static("x-tenant-id");

/// The tenant that the headers of a request name.
///
/// # Errors
/// `validation_failed` for several headers, one of which may be a proxy's, and for text that is not visible ASCII.
pub(crate) fn named(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(&X_TENANT_ID).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().map(str::trim).filter(|text| !text.is_empty() && values.next().is_none());
    let invalid = || {
        let detail = "must be one tenant, which the user is a member of";
        Problem::validation([FieldError::parameter(X_TENANT_ID.as_str(), "type", detail)])
    };
    text.map(Some).ok_or_else(invalid)
}

/// The header in the document, with the schema of a tenant.
pub(crate) fn document(tenant: Schema) -> ParameterObject {
    let description = "The tenant of the request, if the token names none: the user must be a member of it. If the token \
                       names a tenant, any other one is refused.";
    ParameterObject::header("Tenant", "X-Tenant-ID", description, tenant)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(values: &[&'static str]) -> HeaderMap {
        let header = |value: &&str| (X_TENANT_ID.clone(), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        values.iter().map(header).collect()
    }

    #[test]
    fn one_tenant_is_named_or_none() {
        assert_eq!(named(&headers(&[])).unwrap(), None);
        assert_eq!(named(&headers(&["7"])).unwrap(), Some("7"));
        for refused in [&["1", "2"][..], &["1", "1"], &[""], &[" "], &["é"]] {
            assert!(named(&headers(refused)).is_err(), "{refused:?}");
        }
    }
}
