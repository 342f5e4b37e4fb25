//! [`MountedAction`]: an action of a service.

use std::sync::Arc;

use axum::http::Method;
use axum::http::request::Parts;

use super::argument::ActionRequest;
use super::rule::RouteRule;
use super::{Action, Handler};
use crate::http::handler::BodyReader;
use crate::http::handler::authorization::RequestIdentity;
use crate::http::state::ServiceState;
use crate::model::access::Access;
use crate::model::descriptor::{Descriptor, Operation};
use crate::store::mounted_resource::MountedResource;
use crate::store::resource_options::ResourceOptions;

/// An action of a service.
#[derive(Debug, Clone)]
pub(crate) struct MountedAction {
    /// The resource that it belongs to.
    pub(crate) resource: Option<&'static Descriptor>,
    /// The whole path, such as `/parts/{id}/take`.
    pub(crate) path: String,
    pub(crate) action: Arc<Action<Handler>>,
    /// The access that it needs: the program's word, or that of the operation that it resembles.
    pub(crate) access: RouteRule,
    /// Whether the program states the access.
    pub(crate) is_stated: bool,
    /// The words that state the access, such as `the route`.
    pub(crate) stated_by: String,
    /// The fields of its body.
    pub(crate) schema: Option<Arc<MountedResource>>,
    /// The parameters of its query string.
    pub(crate) query_schema: Option<Arc<MountedResource>>,
    /// The parameters of its path.
    pub(crate) path_schema: Option<Arc<MountedResource>>,
    /// The generated operation that it replaces, whose access it has.
    pub(crate) replaces: Option<Operation>,
}

impl MountedAction {
    /// An action at a whole path, of a resource or of none.
    pub(crate) fn new(resource: Option<&'static Descriptor>, path: String, action: Arc<Action<Handler>>) -> Self {
        let stated_access = resource.filter(|resource| resource.access.is_stated());
        let (access, is_stated, stated_by) = match (action.options.access.clone(), stated_access) {
            (Some(access), _) => (access, true, "the route".to_owned()),
            (None, Some(resource)) => {
                (resembled(&action, resource), true, format!("what it resembles in `{}`", resource.name))
            }
            (None, None) => {
                let unstated = RouteRule::Access(Access::Authenticated);
                let access = resource.map_or(unstated, |resource| resembled(&action, resource));
                (access, false, "default".to_owned())
            }
        };
        let described = action.handler.0.describe();
        let mounted = |schema: Option<&'static Descriptor>| {
            schema.map(|schema| Arc::new(MountedResource::of_derived(ResourceOptions::new(schema))))
        };
        let (schema, query_schema) = (mounted(described.body), mounted(described.query));
        let path_schema = mounted(described.path);
        let replaces = None;
        Self { resource, path, action, access, is_stated, stated_by, schema, query_schema, path_schema, replaces }
    }

    /// A request for it, before its arguments are read.
    pub(super) fn request(
        &self,
        state: ServiceState,
        parts: Parts,
        identity: RequestIdentity,
        body_reader: BodyReader,
        mount: String,
    ) -> ActionRequest {
        let options = &self.action.options;
        ActionRequest {
            schema: self.schema.clone(),
            envelope: options.envelope,
            body_limit: options.body_limit.min(state.limits().body),
            query_schema: self.query_schema.clone(),
            path_schema: self.path_schema.clone(),
            ..ActionRequest::new(state, parts, identity, body_reader, mount)
        }
    }
}

/// The access of the operation of a resource that an action resembles.
fn resembled(action: &Action<Handler>, resource: &Descriptor) -> RouteRule {
    let rules = resource.access;
    RouteRule::Access(match (action.options.is_item, action.options.method == Method::GET) {
        (true, true) => rules.get,
        (true, false) => rules.update,
        (false, true) => rules.list,
        (false, false) => rules.create,
    })
}
