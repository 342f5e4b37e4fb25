//! [`MountedRoute`]: a route of the program at its path in a service.

use std::sync::Arc;

use axum::http::Method;

use super::describe::{Described, DescribedBody};
use super::route::Route;
use super::route_context::{RouteInput, Schemas};
use super::rule::RouteRule;
use crate::model::access::{Access, AccessRules, Enforcement};
use crate::model::descriptor::{Deprecation, Descriptor, Operation};
use crate::model::principal::Principal;
use crate::store::mounted::options::ResourceOptions;
use crate::store::mounted::resource::MountedResource;

/// A route of the program at its path in a service.
#[derive(Debug, Clone)]
pub(crate) struct MountedRoute {
    /// The resource below whose prefix the path is.
    pub(crate) resource: Option<&'static Descriptor>,
    /// Whether the path names a record of the resource: `{prefix}/{id}`, or below.
    pub(crate) is_item: bool,
    /// The whole path, such as `/parts/{id}/take`.
    pub(crate) path: String,
    /// The path below the resource's prefix or the record, such as `take`; the whole path for a route without a
    /// resource.
    pub(crate) name: String,
    pub(crate) route: Arc<Route>,
    /// The access that the route needs: the one that the program states, or that of the operation that the route
    /// resembles.
    pub(crate) access: RouteRule,
    /// Whether the program states the access.
    pub(crate) is_stated: bool,
    /// The words that state the access, such as `the route`.
    pub(crate) stated_by: String,
    pub(crate) described: Arc<Described>,
    /// The fields of the handler's arguments.
    pub(crate) schemas: Schemas,
    /// The generated operation that the route replaces, whose access it has.
    pub(crate) replaces: Option<Operation>,
    /// The plugin that adds the route.
    pub(crate) plugin: Option<&'static str>,
}

/// The place of a path among the resources of a service.
#[derive(Debug, Clone)]
pub(crate) struct PathPlace {
    /// The resource below whose prefix the path is.
    pub(crate) resource: Option<&'static Descriptor>,
    /// Whether the path names a record of the resource.
    pub(crate) is_item: bool,
    /// The rest of the path.
    pub(crate) name: String,
}

impl PathPlace {
    /// The place of a path, below the longest matching prefix of a resource.
    pub(crate) fn of<'a>(path: &str, resources: impl Iterator<Item = &'a ResourceOptions>) -> Self {
        let below = |options: &'a ResourceOptions| {
            let rest = path.strip_prefix(&*options.prefix)?;
            (rest.is_empty() || rest.starts_with('/')).then_some((options, rest))
        };
        match resources.filter_map(below).max_by_key(|(options, _)| options.prefix.len()) {
            Some((options, rest)) => {
                let of_record = rest.strip_prefix("/{id}").filter(|rest| rest.is_empty() || rest.starts_with('/'));
                let name = of_record.unwrap_or(rest).trim_start_matches('/').to_owned();
                Self { resource: Some(options.descriptor), is_item: of_record.is_some(), name }
            }
            None => Self { resource: None, is_item: false, name: path.to_owned() },
        }
    }
}

impl MountedRoute {
    /// A route at a path of a service with this enforcement of rules.
    pub(crate) fn new(place: PathPlace, path: String, route: Arc<Route>, enforcement: Enforcement) -> Self {
        let PathPlace { resource, is_item, name } = place;
        let resembled = |resource: &Descriptor| {
            resembled(&name, is_item, &route.options.method, &enforcement.effective(&resource.access))
        };
        let has_default = matches!(enforcement, Enforcement::WithDefault(_));
        let stated_access = resource.filter(|resource| has_default || resource.access.is_stated());
        let (access, is_stated, stated_by) = match (route.options.access.clone(), stated_access) {
            (Some(access), _) => (access, true, "the route".to_owned()),
            (None, Some(resource)) => (resembled(resource), true, format!("what it resembles in `{}`", resource.name)),
            (None, None) => {
                let access = resource.map_or_else(|| Access::Authenticated.into(), resembled);
                (access, false, "default".to_owned())
            }
        };
        let described = route.handler.described();
        let mounted = |fields: Option<&'static Descriptor>| {
            fields.map(|fields| Arc::new(MountedResource::of_derived(ResourceOptions::new(fields))))
        };
        let body = match described.body {
            Some(DescribedBody::Fields(fields)) => Some(fields),
            _ => None,
        };
        let schemas = Schemas { body: mounted(body), query: mounted(described.query), path: mounted(described.path) };
        let (described, replaces, plugin) = (Arc::new(described), None, None);
        Self {
            resource,
            is_item,
            path,
            name,
            route,
            access,
            is_stated,
            stated_by,
            described,
            schemas,
            replaces,
            plugin,
        }
    }

    /// The parts of the route's requests that are read before the handler runs.
    pub(super) fn input(&self) -> RouteInput {
        RouteInput {
            described: self.described.clone(),
            schemas: self.schemas.clone(),
            envelope: self.route.options.envelope,
            body_limit: self.route.options.body_limit,
            streams: self.route.options.streams,
        }
    }

    /// Whether a principal has the access that the route needs; `None` is a request without a token.
    pub(crate) fn admits(&self, enforcement: Enforcement, principal: Option<&Principal>) -> bool {
        self.access.admits(principal) || !enforcement.applies(self.is_stated)
    }

    /// The deprecation of the route, or of the resource that it is below.
    pub(crate) fn deprecation(&self) -> Option<Deprecation> {
        self.route.options.deprecation.or_else(|| self.resource?.deprecation)
    }
}

/// The access of the operation of a resource that a route resembles; `name` is the route's path below the prefix or the
/// record.
fn resembled(name: &str, is_item: bool, method: &Method, rules: &AccessRules) -> RouteRule {
    let access = match (is_item, method.is_safe()) {
        _ if name.is_empty() && method == Method::DELETE => rules.delete,
        (true, true) => rules.get,
        (true, false) => rules.update,
        (false, true) => rules.list,
        (false, false) => rules.create,
    };
    access.into()
}
