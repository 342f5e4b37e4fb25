//! The parts of a request that are read before its extractors run: waiting for the client is over before a transaction
//! begins, and every error of a part is in one answer.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Request};
use futures_util::stream::{self, Stream};

use super::describe::{DescribedBody, Reading};
use super::route_context::{ReadParts, RouteContext};
use crate::http::handler::BodyReader;
use crate::http::handler::body_reader::check_length;
use crate::http::operation::list::is_by_body;
use crate::http::routing::argument::{list_parameters, path, query, valid};
use crate::http::server::memory_budget::Reservation;
use crate::model::problem::{Code, Problem};

/// Reads the parts; the result is the request for the extractors.
///
/// # Errors
/// Every error of the first part that has one: the path, the query string, the parameters of a list, the body.
pub(super) async fn prepare(context: &Arc<RouteContext>, request: Request) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    let (described, schemas) = (&context.described, &context.schemas);
    let mut read = ReadParts::default();
    if let Some(schema) = &schemas.path {
        read.path = Some((schema.resource(), path::read(schema, &context.parameters)?));
    }
    if let Some(schema) = &schemas.query {
        read.query = Some((schema.resource(), query::read(schema, &context.query, &context.headers)?));
    }
    let memory = || context.state.memory_of(&parts.headers, &parts.extensions);
    context.offer_body(|| {
        let reader = BodyReader::new(body, context.state.limits().body_idle, context.deadline, memory());
        context.streams.into_iter().fold(reader, BodyReader::at_least)
    });
    if context.streams.is_some() {
        check_length(&parts.headers, context.body_limit)?;
    }
    let is_search = described.list.is_some() && context.replaces_list && is_by_body(&context.method);
    // A body that is read while the record is locked would hold the lock for as long as its client likes.
    let reading = match described.reading {
        _ if is_search => Reading::Json,
        Reading::Nothing if described.locks => Reading::All,
        reading => reading,
    };
    let limit = if is_search { context.state.limits().search_body() } else { context.body_limit };
    if reading != Reading::Nothing
        && let Some(mut body) = context.take_body()
    {
        read.raw_body = Some(match reading {
            Reading::Json => body.json(&parts, limit).await?,
            Reading::All | Reading::Nothing => body.bytes(&parts.headers, limit).await?,
        });
    }
    if let Some(resource) = described.list {
        let search = read.raw_body.as_deref().filter(|_| is_search);
        read.list = Some(list_parameters::read(context, resource, search)?);
    }
    if let (Some(DescribedBody::Fields(_)), Some(schema)) = (described.body, &schemas.body) {
        let bytes = read.raw_body.as_deref().unwrap_or_default();
        read.body = Some((schema.resource(), valid::read(schema, context.envelope, bytes)?));
    }
    let body = match read.raw_body.clone() {
        Some(bytes) => bytes.into(),
        None => Body::from_stream(frames(context.clone())),
    };
    // A request's parts are read once. Of concurrent calls, which do not happen, the first would win.
    let _ = context.read.set(read);
    let mut request = Request::from_parts(parts, body);
    DefaultBodyLimit::disable().apply(&mut request);
    Ok(request)
}

/// The body as it arrives, within the limits of size, time and memory.
fn frames(context: Arc<RouteContext>) -> impl Stream<Item = Result<Bytes, Problem>> + Send {
    let begin = (context, None::<(BodyReader, Reservation)>, 0);
    stream::try_unfold(begin, async |(context, body, read)| {
        let (mut body, mut reservation) = match body {
            Some(body) => body,
            None => {
                let Some(body) = context.take_body() else { return Ok(None) };
                let reservation = body.reservation();
                (body, reservation)
            }
        };
        let limit = context.body_limit;
        let frame = match body.frame(&mut reservation).await {
            Ok(Some(frame)) if read + frame.len() > limit => {
                body.drain().await;
                Err(Problem::new(Code::BodyTooLarge, format!("the body must have at most {limit} bytes")))
            }
            frame => frame,
        };
        match frame {
            Ok(None) => Ok(None),
            Ok(Some(frame)) => {
                let read = read + frame.len();
                Ok(Some((frame, (context, Some((body, reservation)), read))))
            }
            Err(problem) => {
                // The extractor reports another error, which this problem replaces in the answer.
                let text = Problem::new(problem.code(), problem.detail());
                context.put_body_problem(problem);
                Err(text)
            }
        }
    })
}
