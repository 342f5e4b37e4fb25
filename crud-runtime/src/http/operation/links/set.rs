//! The set of records that are linked to a record, as the sender sees it.

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;

use super::{MOST, needed};
use crate::http::handler::{ResourceRequest, require_access, response};
use crate::http::param::header::etag::{self, EtagCondition};
use crate::http::param::header::idempotency_key;
use crate::http::render::expand::{LinkedList, linked_list};
use crate::model::descriptor::{Junction, ManyToMany};
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::query::Scope;
use crate::query::claims::require_tenant;
use crate::query::expansion::Links;
use crate::store::owned_record::{OwnedRecord, OwnedSink};

/// The junction of a route, whose access the request has.
#[derive(Debug)]
pub(super) struct Linked {
    pub(super) many: &'static ManyToMany,
    pub(super) junction: Junction,
}

impl Linked {
    /// The junction of the request's route.
    ///
    /// # Errors
    /// 401 and 403 where the request lacks the access; `tenant_required`; `idempotency_key_required` where links need a key.
    pub(super) fn of(request: &ResourceRequest) -> Result<Self, Problem> {
        let Some(many) = request.links else { return Err(Problem::internal("the route is of no links")) };
        let resource = request.resource();
        let junction = many.resolve(resource).map_err(Problem::internal)?;
        for (other, operation) in needed(many, resource, &request.parts.method) {
            require_access(&request.state, &request.identity, operation, other)?;
            require_tenant(other, request.identity.principal.as_deref())?;
            idempotency_key::check(request.headers(), other, operation)?;
        }
        if let Some(schema) = request.state.schema() {
            schema.check(junction.resource)?;
            schema.check(junction.target)?;
        }
        Ok(Self { many, junction })
    }

    /// The active record of the path, as the sender sees it.
    ///
    /// # Errors
    /// `not_found`.
    pub(super) async fn record(&self, request: &ResourceRequest, id: &Key) -> Result<OwnedRecord, Problem> {
        let mut record = OwnedSink::new(request.resource());
        request.find(id, Scope::Active, &mut record).await?;
        record.record.ok_or_else(|| Problem::record_not_found(request.resource(), id))
    }

    /// The set of records that are linked to a record.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn set(&self, request: &ResourceRequest, id: &Key) -> Result<LinkedList, Problem> {
        let links = Links { junction: self.junction, limit: MOST };
        let list = linked_list(request.adapter(), request.visibility(), links, id).await;
        list.map_err(|error| Problem::from_adapter(self.junction.resource, error))
    }

    /// Refuses a change where `If-Match` names another version of the set.
    ///
    /// # Errors
    /// `precondition_failed`.
    pub(super) async fn check_version(&self, request: &ResourceRequest, id: &Key) -> Result<(), Problem> {
        let Some(condition) = EtagCondition::if_match(request.headers()) else { return Ok(()) };
        let tag = entity_tag(&self.set(request, id).await?);
        let matches = matches!(condition, EtagCondition::Any) || tag.is_some_and(|tag| condition.matches(&tag));
        if matches { Ok(()) } else { Err(Problem::of(Code::PreconditionFailed)) }
    }
}

/// The entity tag of a set; `None` where the answer does not have the whole set.
fn entity_tag(set: &LinkedList) -> Option<HeaderValue> {
    (!set.more).then(|| etag::entity_tag(&set.json))
}

/// The response with a set.
pub(super) fn of_set(set: LinkedList) -> Response {
    let tag = entity_tag(&set);
    let mut response = response::json(StatusCode::OK, set.json);
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The set of the record in the path.
///
/// # Errors
/// 401 and 403 where the request lacks the access; `not_found`.
async fn of_path(request: &mut ResourceRequest) -> Result<LinkedList, Problem> {
    let linked = Linked::of(request)?;
    let id = match request.parts.method {
        Method::DELETE => request.id_and_linked().await?.0,
        _ => request.id().await?,
    };
    linked.record(request, &id).await?;
    linked.set(request, &id).await
}

/// Answers with the set.
pub(super) async fn get(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let set = of_path(&mut request).await?;
    Ok(response::unless_current(request.headers(), of_set(set)))
}

/// Answers a repeated change, whose answer was too large to be stored, with the set as it is now.
///
/// # Errors
/// Errors of the change; `not_found` where the record is gone.
pub(crate) async fn again(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    Ok(of_set(of_path(&mut request).await?))
}
