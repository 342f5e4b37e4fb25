//! [`ApiKeys`]: keys of programs that call a service.

use crud_runtime::Plugin;

/// Keys of programs that call a service: `POST /auth/keys` makes one.
#[derive(Debug, Default)]
#[must_use = "keys count by `Service::plugin`"]
pub struct ApiKeys;

impl ApiKeys {
    /// Keys at `/auth/keys`.
    pub const fn new() -> Self {
        Self
    }
}

impl Plugin for ApiKeys {
    fn name(&self) -> &'static str {
        "keys"
    }
}
