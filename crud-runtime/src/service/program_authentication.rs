//! [`ProgramAuthentication`]: the program's own authentication of requests.

use utoipa::openapi::security::SecurityScheme;

use crate::http::principal_source::Authenticate;

/// The program's own authentication, and its description.
#[derive(Debug, Default)]
pub(super) struct ProgramAuthentication {
    pub(super) layers: bool,
    pub(super) function: Option<Authenticate>,
    pub(super) schemes: Vec<(String, SecurityScheme)>,
}

impl ProgramAuthentication {
    /// Whether requests can have principals of the program.
    pub(super) const fn is_present(&self) -> bool {
        self.layers || self.function.is_some()
    }
}
