//! [`Program`]: the additions of the program to the document.

use std::sync::Arc;

use crate::http::access::table::AccessTable;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::list_header::ListHeader;
use crate::http::routing::mounted::MountedRoute;
use crate::http::service_paths::ServicePaths;
use crate::model::access::AccessRules;
use crate::model::descriptor::ColumnDescriptor;

/// Access to `/openapi.json` and `/docs`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum DocsAccess {
    /// Every client.
    #[default]
    Public,
    /// Principals with this role.
    Role(Arc<str>),
    /// No client: the routes do not exist.
    Off,
}

/// The program's additions to the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    /// The program's own routes.
    pub(crate) own_routes: &'a [MountedRoute],
    /// The routes of the service that are mounted like the program's.
    pub(crate) built_in: &'a [MountedRoute],
    /// The access that the document's own routes need.
    pub(crate) docs_access: &'a DocsAccess,
    /// The paths of the service's own routes.
    pub(crate) paths: &'a ServicePaths,
    /// The access that each route needs.
    pub(crate) access: Option<&'a AccessTable>,
    /// The largest body, in bytes.
    pub(crate) body_limit: usize,
    /// The format of errors, if it is not the problem document.
    pub(crate) problem_format: Option<&'a ProblemFormat>,
    /// Whether policies of the database may deny what a request asks for.
    pub(crate) has_policies: bool,
    /// The default rules, for operations for which a resource states none.
    pub(crate) default_access: Option<&'static AccessRules>,
    /// The column of the tenants that requests may name, where users belong to several.
    pub(crate) tenant: Option<&'static ColumnDescriptor>,
    /// The headers that plugins add to lists.
    pub(crate) list_headers: &'a [ListHeader],
}
