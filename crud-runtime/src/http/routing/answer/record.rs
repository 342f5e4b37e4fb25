//! [`Record`] and [`Created`]: a record as the resource's own routes have it.

use std::fmt;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::{Answer, answers, deferred, not_found};
use crate::http::handler::response;
use crate::http::render::write_record;
use crate::http::routing::argument::dereferences;
use crate::http::routing::context::Context;
use crate::http::routing::describe::{DescribeArgument, Described, DescribedReply};
use crate::http::routing::route_context::RouteContext;
use crate::model::key::RecordKey;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::store::owned_record::OwnedRecord;

/// A record: as an argument, the one that the path `{prefix}/{id}/…` names, if the caller sees it; as an answer, its JSON
/// with the fields that the caller sees, its `ETag`, and `Prefer: return=minimal`.
///
/// The answer is what the handler holds: nothing is read again.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Record, get};
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Part { id: i64, name: String }
///
/// async fn label(part: Record<Part>) -> Json<String> {
///     Json(format!("{}: {}", part.id, part.name))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>();
/// let service = service.route("/parts/{id}/label", get(label));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Record<R>(pub R);

dereferences!(Record);

impl<R: Resource> fmt::Debug for Record<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Record").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<S: Send + Sync, R: Resource> FromRequestParts<S> for Record<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let ctx = Context::of(&parts.extensions)?;
        let id = ctx.id::<R>().ok_or_else(|| Problem::internal("the route names no record"))?;
        Ok(Self(ctx.store::<R>().get(id).await?))
    }
}

impl<S, R: Resource> DescribeArgument<S> for Record<R> {
    fn describe(described: &mut Described) {
        described.records.push(R::DESCRIPTOR);
    }
}

impl<R: Resource> IntoResponse for Record<R> {
    fn into_response(self) -> Response {
        deferred::response(move |context| {
            let response = response::record(StatusCode::OK, json(self.0, context)?);
            Ok(response::of_change(&context.headers, StatusCode::NO_CONTENT, response))
        })
    }
}

answers! {
    Record<R> where [R: Resource]: DescribedReply::Record(R::DESCRIPTOR);
    Created<R> where [R: Resource]: DescribedReply::Created(R::DESCRIPTOR);
}

/// Marker of a record that may be absent.
#[derive(Debug)]
pub struct OptionalRecord;

/// A record, as [`Record`] answers with it, or 404.
impl<R: Resource> Answer<OptionalRecord> for Option<R> {
    fn into_answer(self) -> Response {
        self.map_or_else(not_found, |record| Record(record).into_response())
    }

    fn is_failure(&self) -> bool {
        self.is_none()
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Record(R::DESCRIPTOR);
        described.problems.push(Code::NotFound);
    }
}

/// A record that was created: 201 with its `Location`.
///
/// ```
/// use crud_runtime::routing::{Context, Created, Valid, post};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, name: String, stock: i32 }
///
/// #[derive(Debug, Schema)]
/// struct Delivery { name: String }
///
/// async fn deliver(ctx: Context, body: Valid<Delivery>) -> crud_runtime::Result<Created<Part>> {
///     Ok(Created(ctx.store::<Part>().create(NewPart { name: body.name.clone(), stock: 1 }).await?))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().route("/parts/deliver", post(deliver));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Created<R>(pub R);

impl<R: Resource> fmt::Debug for Created<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Created").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<R: Resource> IntoResponse for Created<R> {
    fn into_response(self) -> Response {
        deferred::response(move |context| {
            let key = self.0.id().into_key();
            let mut response = response::record(StatusCode::CREATED, json(self.0, context)?);
            if let Some(mounted) = context.state.mounted_resource(R::DESCRIPTOR) {
                let segment = key.segment();
                let location = format!("{}{}/{segment}", context.mount, mounted.options().prefix);
                if let Ok(location) = HeaderValue::from_str(&location) {
                    response.headers_mut().insert(header::LOCATION, location);
                }
            }
            Ok(response::of_change(&context.headers, StatusCode::CREATED, response))
        })
    }
}

/// The record's JSON with the fields that the sender of the request sees.
fn json<R: Resource>(record: R, context: &RouteContext) -> Result<Vec<u8>, Problem> {
    let resource = R::DESCRIPTOR;
    let view = context.identity.fields(resource);
    let mut json = Vec::with_capacity(256);
    let row = OwnedRecord::of(record);
    write_record(&mut json, resource, &view, &row).map_err(|error| Problem::from_adapter(resource, error))?;
    Ok(json)
}
