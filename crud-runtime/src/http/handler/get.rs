//! Get: `GET {prefix}/{id}`.

use axum::http::{StatusCode, header};
use axum::response::Response;

use super::as_of;
use super::authorization::require_access;
use super::request::ResourceRequest;
use super::response;
use crate::http::etag::EtagCondition;
use crate::model::problem::Problem;
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
    let json = match query.as_of {
        Some(time) => as_of::record(&request, &id, scope, time).await?,
        None => {
            let mut sink = request.sink();
            request.find(&id, scope, &mut sink).await?.then_some(sink.out)
        }
    };
    let Some(json) = json else { return Err(Problem::record_not_found(resource, &id)) };
    let mut response = response::record(StatusCode::OK, json);
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
