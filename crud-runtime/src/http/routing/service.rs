//! The answer to a request of a route of the program.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{Method, header};
use axum::response::Response;
use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use tokio::time::Instant;
use tower::{ServiceExt, service_fn};

use super::answer::{deferred, envelope, failed};
use super::context::Context;
use super::mounted::MountedRoute;
use super::route_context::{PathParameters, RouteContext};
use crate::http::handler::authorization::AuthorizedRequest;
use crate::http::param::path_key::path_key;
use crate::http::request_policy::RequestPolicy;
use crate::http::state::ServiceState;
use crate::model::key::Key;
use crate::model::problem::{FieldError, Problem};
use crate::response::WrittenProblem;
use crate::store::mounted::rate_limiter::RateLimiter;
use crate::store::mounted::resource::MountedResource;

/// Timeout of a stream, so long that only the limits on pauses and rate matter.
const STREAM: Duration = Duration::from_hours(24 * 30);

/// A route of the program in a router, with its layers.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) mounted: MountedRoute,
    /// The handler within the layers, where the route has some.
    layered: Option<Router>,
    /// The count of each caller's requests, where the route limits them.
    rate_limiter: Option<Arc<RateLimiter>>,
}

impl Endpoint {
    pub(crate) fn new(mounted: MountedRoute, state: &ServiceState) -> Self {
        let layers = &mounted.route.options.layers;
        let layered = (!layers.is_empty()).then(|| {
            let (handler, state) = (mounted.route.handler.clone(), state.clone());
            let handler = service_fn(move |request: Request| {
                // The state in the request acts as the request's sender, under the sender's variables.
                let context = RouteContext::find(request.extensions());
                let state = context.map_or_else(|| state.clone(), |context| context.state_of_handler());
                let handler = handler.clone();
                async move { Ok::<_, Infallible>(handler.respond(request, state).await) }
            });
            layers.iter().fold(Router::new().fallback_service(handler), |router, layer| layer(router))
        });
        let name = || format!("{} {}", mounted.route.options.method, mounted.path);
        let rate_limiter = mounted.route.options.rate_limit.map(|limit| Arc::new(RateLimiter::new(limit, &name())));
        Self { mounted, layered, rate_limiter }
    }

    pub(crate) fn method(&self) -> &Method {
        &self.mounted.route.options.method
    }

    pub(crate) fn policy(&self) -> RequestPolicy {
        let options = &self.mounted.route.options;
        let policy = RequestPolicy::new(options.method.is_safe()).no_store(options.no_store);
        policy.streaming(options.streams.is_some())
    }

    pub(crate) fn rate_limiter(&self) -> Option<&RateLimiter> {
        self.rate_limiter.as_deref()
    }

    /// The resource below whose prefix the route is.
    pub(crate) fn mounted_resource<'s>(&self, state: &'s ServiceState) -> Option<&'s Arc<MountedResource>> {
        state.mounted_resource(self.mounted.resource?)
    }

    /// Answers an admitted request.
    ///
    /// # Errors
    /// Errors of the route's check and of its path; errors of writing the handler's answer, and of the commit.
    pub(crate) async fn respond(&self, authorized: AuthorizedRequest) -> Result<Response, Problem> {
        let (context, request) = self.context(authorized).await?;
        let response = match self.layered.clone() {
            None => self.mounted.route.handler.respond(request, context.state_of_handler()).await,
            Some(router) => {
                let Ok(response) = router.oneshot(request).await;
                response
            }
        };
        finish(&context, response).await
    }

    /// The context of an admitted request, and the request for the handler.
    async fn context(&self, authorized: AuthorizedRequest) -> Result<(Arc<RouteContext>, Request), Problem> {
        let AuthorizedRequest { state, identity, mut parts, body, deadline, reads } = authorized;
        let MountedRoute { is_item, path, route, .. } = &self.mounted;
        let deadline = if route.options.streams.is_some() { Instant::now() + STREAM } else { deadline };
        let resource = self.mounted_resource(&state).filter(|_| *is_item).cloned();
        let checks = state.enforcement().applies(true);
        let (parameters, malformed) = match path_parameters(&mut parts, path).await {
            Ok(parameters) => (parameters, None),
            Err(problem) => (PathParameters::new(), Some(problem)),
        };
        let mut context = RouteContext::new(self.mounted.input(), state, identity, &parts, reads, deadline);
        context.parameters = parameters;
        let context = Arc::new(context);
        if let Some(check) = route.options.check.as_ref().filter(|_| checks) {
            check(Context::new(context.clone())).await?;
        }
        if let Some(problem) = malformed {
            return Err(problem);
        }
        if let Some(resource) = resource {
            context.id.get_or_init({
                let id = path_id(&context.parameters, parts.uri.path(), &resource)?;
                || id
            });
        }
        context.share(&mut parts.extensions);
        Ok((context, Request::from_parts(parts, body)))
    }
}

/// The parameters of a route's own path, which are the last ones: earlier ones belong to outer routers.
async fn path_parameters(parts: &mut Parts, path: &str) -> Result<PathParameters, Problem> {
    let refuse = |detail: &str| Problem::validation([FieldError::parameter("path", "type", detail)]);
    let parameters = RawPathParams::from_request_parts(parts, &()).await;
    let parameters = parameters.map_err(|_| refuse("must be percent-encoded UTF-8"))?;
    let own = path.matches('{').count();
    let before = parameters.iter().count().saturating_sub(own);
    let parameters = parameters.iter().skip(before);
    Ok(parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

fn path_id(parameters: &PathParameters, path: &str, resource: &MountedResource) -> Result<Key, Problem> {
    let text = parameters.iter().find(|(name, _)| name == "id").map_or("", |(_, value)| value);
    let refuse = |detail: &str| Problem::validation([FieldError::parameter("id", "type", detail)]);
    path_key(resource.resource(), path, text).map_err(|error| refuse(error.message()))
}

/// Writes the answer that a handler has given, and ends the request's transaction.
///
/// # Errors
/// Errors of writing records, and of the commit.
pub(super) async fn finish(context: &RouteContext, response: Response) -> Result<Response, Problem> {
    let has_failed = failed::is_marked(&response);
    let answered = match (deferred::write(response, context), context.envelope) {
        (Ok(response), Some(name)) => envelope::wrap(name, response).await,
        (answered, _) => answered,
    };
    // A response that the handler made itself may report a failure.
    let is_error = |response: &Response| response.status().is_client_error() || response.status().is_server_error();
    let has_failed = has_failed || answered.as_ref().is_ok_and(is_error);
    let response = context.end(answered, has_failed).await?;
    let is_of_schema = response.extensions().get::<WrittenProblem>().is_some_and(|written| written.is_of_schema);
    if let Some(schema) = context.state.schema().filter(|_| is_of_schema) {
        schema.suspect();
    }
    Ok(until_stopped(context, response))
}

/// Ends a stream of events when the service stops.
fn until_stopped(context: &RouteContext, response: Response) -> Response {
    let is_stream = response.headers().get(header::CONTENT_TYPE).is_some_and(|it| it == "text/event-stream");
    if !is_stream {
        return response;
    }
    let mut stopping = Box::pin(context.state.parts().drain.notified());
    response.map(|body| {
        let mut events = body.into_data_stream();
        let mut is_stopping = false;
        Body::from_stream(stream::poll_fn(move |cx| {
            let polled = events.poll_next_unpin(cx);
            is_stopping = is_stopping || polled.is_pending() && stopping.poll_unpin(cx).is_ready();
            if !is_stopping || polled.is_ready() {
                return polled;
            }
            // The stream was notified before, and may still have a last event now.
            match events.poll_next_unpin(cx) {
                Poll::Pending => Poll::Ready(None),
                last @ Poll::Ready(_) => last,
            }
        }))
    })
}
