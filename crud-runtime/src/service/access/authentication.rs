//! The program's own authentication.

use std::sync::Arc;

use crate::http::layer::challenge::Challenge;
use crate::http::principal_source::{PrincipalSource, Sources};
use crate::service::builder::Service;

impl Service {
    /// The source of the principals of requests.
    pub(in crate::service) fn principals(&self) -> PrincipalSource {
        if !self.is_authenticated() {
            return if self.access.is_waived { PrincipalSource::Waived } else { PrincipalSource::Missing };
        }
        PrincipalSource::Present(Arc::new(Sources {
            layers: self.access.authentication.layers,
            program: self.access.authentication.function.clone(),
            #[cfg(feature = "auth")]
            tokens: self.auth.clone(),
            origins: self.server.cors.as_ref().map(|cors| cors.credential_origins().to_vec()).unwrap_or_default(),
            memberships: self.memberships(),
            beyond_tenants: self.roles_beyond_tenants(),
            roles: self.access.roles.clone(),
            default_access: self.access.default,
        }))
    }

    /// The challenge of responses, where that of tokens would be wrong.
    pub(in crate::service) fn challenge(&self) -> Option<Challenge> {
        #[cfg(feature = "auth")]
        if let Some(auth) = &self.auth {
            return (&*auth.scheme != "Bearer").then(|| Challenge::OfTokens(auth.scheme.clone()));
        }
        let schemes = self.access.authentication.schemes.iter().map(|(_, scheme)| scheme);
        self.access.authentication.is_present().then(|| Challenge::of_program(schemes))
    }

    /// Whether requests can have principals.
    pub(in crate::service) const fn is_authenticated(&self) -> bool {
        #[cfg(feature = "auth")]
        let has_tokens = self.auth.is_some();
        #[cfg(not(feature = "auth"))]
        let has_tokens = false;
        has_tokens || self.access.authentication.is_present()
    }
}
