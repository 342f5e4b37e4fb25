//! [`DocsAccess`]: who may read the OpenAPI document and its page.

use std::sync::Arc;

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
