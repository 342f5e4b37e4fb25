//! The service's own routes that are mounted as a program's: sessions, users, jobs.

#![cfg_attr(not(all(feature = "auth", feature = "jobs")), allow(dead_code, unused_imports, unused_macros, unused_mut))]

#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "auth")]
mod sessions;
#[cfg(feature = "auth")]
mod tenants;
#[cfg(feature = "auth")]
mod users;

use std::sync::Arc;

use super::description::security::Security;
use super::routing::mounted::{MountedRoute, Place};
use super::routing::route::Route;
use super::service_paths::ServicePaths;
use crate::Schema;
use crate::model::access::Enforcement;
use crate::model::descriptor::ColumnDescriptor;

/// The access of the jobs.
#[derive(Debug)]
pub(crate) struct JobsAccess {
    /// The role that reads them.
    pub(crate) role: Arc<str>,
    /// Whether that role retries and cancels them too: the program states it for that.
    pub(crate) changes: bool,
    /// The option that states the role, if the program has it.
    pub(crate) stated_by: Option<&'static str>,
    /// Whether records have tenants.
    pub(crate) has_tenants: bool,
}

/// The query string of routes that take no parameters.
#[cfg(any(feature = "auth", feature = "jobs"))]
#[derive(Debug, Schema)]
struct NoParameters {}

/// The routes of a service: those of its authentication, and those of its jobs, where it has them. `tenant`: the column of the
/// tenants that users belong to, where they belong to several.
pub(crate) fn routes(
    security: Option<&Security>,
    paths: &ServicePaths,
    jobs: Option<&JobsAccess>,
    tenant: Option<&'static ColumnDescriptor>,
) -> Vec<MountedRoute> {
    let mut all = Vec::new();
    let mut add = |route: (&str, Route), stated_by: Option<&str>| all.extend(mounted(route, paths, stated_by));
    #[cfg(feature = "jobs")]
    if let Some(access) = jobs {
        for route in jobs::routes(access) {
            add(route, access.stated_by);
        }
    }
    #[cfg(feature = "auth")]
    if let Some(security) = security {
        for route in sessions::routes(security, tenant).into_iter().chain(tenants::routes(security, tenant)) {
            add(route, None);
        }
        for route in users::routes(security, paths.auth.unwrap_or_default()) {
            add(route, Some("users_role"));
        }
    }
    let _ = (security, jobs, tenant, &mut add);
    all
}

/// A route whose access this option of the service states, at its path, unless the program leaves it out.
fn mounted((path, route): (&str, Route), paths: &ServicePaths, stated_by: Option<&str>) -> Option<MountedRoute> {
    let (path, is_stated) = (paths.place(path)?.into_owned(), stated_by.is_some());
    let stated_by = stated_by.unwrap_or("default").to_owned();
    let place = Place { resource: None, is_item: false, name: path.clone() };
    Some(MountedRoute { is_stated, stated_by, ..MountedRoute::new(place, path, Arc::new(route), Enforcement::All) })
}

/// Implements `ToSchema` by a name and a schema of the document.
macro_rules! to_schema {
    ($($type:ty, $name:literal, $schema:expr;)+) => { $(
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                crate::http::description::utoipa_schema::schema(&$schema)
            }
        }

        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    )+ };
}
use to_schema;
