//! A path of the program: the actions of its methods.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;
use tokio::time::Instant;

use super::MountedAction;
use super::argument::{ActionRequest, PathParameters};
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
    let Some(mounted) = actions.iter().find(|mounted| mounted.action.method == *method) else {
        return frame::not_allowed(actions.iter().map(|mounted| &mounted.action.method), request.method());
    };
    let respond = async |request: Request, deadline| {
        let request = action_request(state.clone(), mounted, request, deadline).await?;
        mounted.action.handler.0.call(request).await
    };
    Frame::new(*method == Method::GET).answer(&state, request, respond).await
}

async fn action_request(
    state: ServiceState,
    mounted: &MountedAction,
    request: Request,
    deadline: Instant,
) -> Result<ActionRequest, Problem> {
    let mount = mount(&request).to_owned();
    let (mut parts, body) = request.into_parts();
    let identity = authorize_action(&state, mounted, &parts).await?;
    let resource = mounted.resource.and_then(|resource| state.mounted_resource(resource)).cloned();
    let parameters = path_parameters(&mut parts).await?;
    let id = match &resource {
        Some(resource) if mounted.action.is_item => Some(path_id(&parameters, resource)?),
        _ => None,
    };
    let memory = state.memory_of(&parts.headers, &parts.extensions);
    let body_reader = BodyReader::new(body, state.limits().body_idle, deadline, memory);
    Ok(ActionRequest { id, parameters, ..ActionRequest::new(mounted, state, parts, identity, body_reader, mount) })
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
