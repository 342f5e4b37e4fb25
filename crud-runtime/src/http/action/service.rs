//! A path of the program: the actions of its methods.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;
use tokio::time::Instant;

use super::argument::{ActionRequest, PathParameters};
use super::mounted::MountedAction;
use crate::http::frame::{self, Frame, mount};
use crate::http::handler::{BodyReader, authorize_action};
use crate::http::state::ServiceState;
use crate::model::problem::{FieldError, Problem};
use crate::model::scalar;
use crate::model::value::Value;
use crate::store::mounted_resource::MountedResource;

/// Answers a request by the action of its method.
pub(crate) async fn dispatch(state: ServiceState, actions: Arc<[MountedAction]>, request: Request) -> Response {
    let method = frame::method(&request);
    let methods = || actions.iter().map(|mounted| &mounted.action.options.method);
    let Some(index) = methods().position(|known| known == method) else {
        return frame::not_allowed(methods(), request.method());
    };
    let mounted = &actions[index];
    let frame = Frame::new(*method == Method::GET);
    let frame = if mounted.action.options.no_store { frame.no_store() } else { frame };
    let respond = async |request: Request, deadline| {
        let request = action_request(state.clone(), mounted, request, deadline).await?;
        mounted.action.handler.0.call(request).await
    };
    frame.answer(&state, request, respond).await
}

async fn action_request(
    state: ServiceState,
    mounted: &MountedAction,
    request: Request,
    deadline: Instant,
) -> Result<ActionRequest, Problem> {
    let mount = mount(&request).to_owned();
    let (mut parts, body) = request.into_parts();
    let MountedAction { resource, access, is_stated, .. } = mounted;
    let identity = authorize_action(&state, *resource, access, *is_stated, &parts).await?;
    let resource = resource.and_then(|resource| state.mounted_resource(resource)).cloned();
    let checks = state.enforcement().applies(true);
    let (parameters, malformed) = match path_parameters(&mut parts).await {
        Ok(parameters) => (parameters, None),
        Err(problem) => (PathParameters::new(), Some(problem)),
    };
    let memory = state.memory_of(&parts.headers, &parts.extensions);
    let body_reader = BodyReader::new(body, state.limits().body_idle, deadline, memory);
    let mut request = mounted.request(state, parts, identity, body_reader, mount);
    request.parameters = parameters;
    let options = &mounted.action.options;
    if let Some(check) = options.check.as_ref().filter(|_| checks) {
        check.run(&mut request).await?;
    }
    if let Some(problem) = malformed {
        return Err(problem);
    }
    if let Some(resource) = resource.filter(|_| options.is_item) {
        request.id = Some(path_id(&request.parameters, &resource)?);
    }
    Ok(request)
}

async fn path_parameters(parts: &mut Parts) -> Result<PathParameters, Problem> {
    let refuse = |detail: &str| Problem::validation([FieldError::parameter("path", "type", detail)]);
    let parameters = RawPathParams::from_request_parts(parts, &()).await;
    let parameters = parameters.map_err(|_| refuse("must be percent-encoded UTF-8"))?;
    Ok(parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// The key, which is the last parameter: earlier ones belong to outer routers.
fn path_id(parameters: &PathParameters, resource: &MountedResource) -> Result<Value, Problem> {
    let text = parameters.last().map_or("", |(_, value)| value);
    let refuse = |detail: &str| Problem::validation([FieldError::parameter("id", "type", detail)]);
    scalar::parse(resource.resource().id_column(), text).map_err(|error| refuse(error.message()))
}

impl ActionRequest {
    /// Opens the transaction, if an argument works in one.
    pub(super) async fn open(&self) -> Result<(), Problem> {
        if self.opens_transaction { self.begin().await.map(drop) } else { Ok(()) }
    }

    /// Ends the request's transaction: a reply commits it, a problem rolls it back.
    pub(super) async fn end(&self, replied: Result<Response, Problem>) -> Result<Response, Problem> {
        if self.is_joined {
            return replied;
        }
        let Some(transaction) = self.transaction.lock().await.take() else { return replied };
        // A response that the handler made itself may report a failure.
        let succeeded = replied
            .as_ref()
            .is_ok_and(|response| !response.status().is_client_error() && !response.status().is_server_error());
        if succeeded {
            transaction.commit().await.map_err(Problem::from_storage)?;
        } else {
            transaction.abandon();
        }
        replied
    }
}
