//! Get: `GET {prefix}/{id}`.

use axum::http::{StatusCode, header};
use axum::response::Response;

use super::as_of;
use super::authorization::require_access;
use super::request::ResourceRequest;
use super::response;
use crate::http::etag::EtagCondition;
use crate::http::expand::ExpandingSink;
use crate::model::problem::{FieldError, Problem};
use crate::query::{Scope, record_query};

pub(super) async fn get(mut request: ResourceRequest) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let query =
        record_query::parse(resource, request.parts.uri.query().unwrap_or_default(), request.state.app().now())?;
    let scope = if query.include_deleted { Scope::All } else { Scope::Active };
    if query.include_deleted {
        require_access(&request.state, &request.identity, resource.access.restore)?;
    }
    if query.as_of.is_some() {
        require_access(&request.state, &request.identity, resource.access.history)?;
    }
    let expand = request.expansions()?;
    let not_found = || Problem::record_not_found(resource, &id);
    let mut response = match query.as_of {
        Some(_) if !expand.is_empty() => {
            let detail = "must be absent beside `as_of`: what is beside a record is its present state";
            return Err(Problem::validation([FieldError::parameter("expand", "value", detail)]));
        }
        Some(time) => {
            let json = as_of::record(&request, &id, scope, time).await?.ok_or_else(not_found)?;
            response::record(StatusCode::OK, json)
        }
        None => {
            let mut sink = ExpandingSink::new(request.sink(), &expand);
            if !request.find(&id, scope, &mut sink).await? {
                return Err(not_found());
            }
            request.record_response(StatusCode::OK, sink).await?
        }
    };
    // What is beside the record has no part in its entity tag.
    if !expand.is_empty() {
        return Ok(response);
    }
    let condition = EtagCondition::if_none_match(request.headers());
    let unchanged = |condition: EtagCondition| {
        response.headers().get(header::ETAG).is_some_and(|tag| condition.matches_weakly(tag))
    };
    if condition.is_some_and(unchanged) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(header::CONTENT_TYPE);
        *response.body_mut() = axum::body::Body::empty();
    }
    Ok(response)
}
