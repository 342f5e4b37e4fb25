//! The service's own routes that are mounted as a program's: sessions, users, jobs.

#[cfg(feature = "jobs")]
pub(crate) mod jobs;
#[cfg(any(feature = "auth", feature = "jobs"))]
mod rewording;
#[cfg(feature = "auth")]
mod sessions;
#[cfg(feature = "auth")]
mod tenants;
#[cfg(any(feature = "auth", feature = "jobs"))]
#[cfg(feature = "auth")]
mod users;

use std::sync::Arc;

use super::description::security::Security;
use super::routing::mounted::{MountedRoute, PathPlace};
use super::routing::route::Route;
use super::service_paths::ServicePaths;
#[cfg(any(feature = "auth", feature = "jobs"))]
use crate::Schema;
use crate::model::access::Enforcement;
use crate::model::descriptor::ColumnDescriptor;

/// The query string of routes that take no parameters.
#[cfg(any(feature = "auth", feature = "jobs"))]
#[derive(Debug, Schema)]
struct NoParameters {}

/// A route at its path, with the option of the service that states its access.
pub(crate) type BuiltInRoute = (&'static str, Route, Option<&'static str>);

/// The routes of a service: those of its jobs, where it has them, and those of its authentication. `tenant`: the column of the
/// tenants that users belong to, where they belong to several.
pub(crate) fn routes(
    security: Option<&Security>,
    paths: &ServicePaths,
    jobs: Vec<BuiltInRoute>,
    tenant: Option<&'static ColumnDescriptor>,
) -> Vec<MountedRoute> {
    let of_users = security.into_iter().flat_map(|security| of_authentication(security, paths, tenant));
    jobs.into_iter().chain(of_users).filter_map(|route| mounted(route, paths)).collect()
}

#[cfg(feature = "auth")]
fn of_authentication(
    security: &Security,
    paths: &ServicePaths,
    tenant: Option<&'static ColumnDescriptor>,
) -> Vec<BuiltInRoute> {
    let own = sessions::routes(security, tenant).into_iter().chain(tenants::routes(security, tenant));
    let of_users = users::routes(security, paths.auth.unwrap_or_default());
    let of_users = of_users.into_iter().map(|(path, route)| (path, route, Some("users_role")));
    own.map(|(path, route)| (path, route, None)).chain(of_users).collect()
}

#[cfg(not(feature = "auth"))]
fn of_authentication(_: &Security, _: &ServicePaths, _: Option<&'static ColumnDescriptor>) -> Vec<BuiltInRoute> {
    Vec::new()
}

/// A route at its path, unless the program leaves it out.
fn mounted((path, route, stated_by): BuiltInRoute, paths: &ServicePaths) -> Option<MountedRoute> {
    let (path, is_stated) = (paths.place(path)?.into_owned(), stated_by.is_some());
    let stated_by = stated_by.unwrap_or("default").to_owned();
    let place = PathPlace { resource: None, is_item: false, name: path.clone() };
    Some(MountedRoute { is_stated, stated_by, ..MountedRoute::new(place, path, Arc::new(route), Enforcement::All) })
}
