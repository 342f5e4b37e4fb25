//! The program's own authentication.

use std::sync::Arc;

use crate::http::description::auth::SCHEME;
use crate::http::layer::challenge::Challenge;
use crate::http::principal_source::{PrincipalSource, Sources};
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

impl Service {
    /// The source of the principals of requests.
    pub(in crate::service) fn principals(&self) -> PrincipalSource {
        if !self.is_authenticated() {
            return if self.access.is_waived { PrincipalSource::Waived } else { PrincipalSource::Missing };
        }
        let authentication = &self.access.authentication;
        PrincipalSource::Present(Arc::new(Sources {
            layers: authentication.layers,
            functions: authentication.sources.iter().map(|source| source.find.clone()).collect(),
            is_private: authentication.is_private(),
            #[cfg(feature = "auth")]
            tokens: self.auth.clone(),
            origins: self.server.cors.as_ref().map(|cors| cors.credential_origins().to_vec()).unwrap_or_default(),
            memberships: self.memberships(),
            beyond_tenants: self.roles_beyond_tenants(),
            roles: self.access.roles.clone(),
            default_access: self.access.default,
        }))
    }

    /// The challenges of responses, where the challenge of tokens alone would be wrong.
    pub(in crate::service) fn challenge(&self) -> Option<Challenge> {
        let schemes = self.access.authentication.schemes.iter().map(|(_, scheme)| scheme);
        #[cfg(feature = "auth")]
        if let Some(auth) = &self.auth {
            return Challenge::beside_tokens(&auth.scheme, schemes);
        }
        self.access.authentication.is_present().then(|| Challenge::of_program(schemes))
    }

    /// Checks that no two security schemes have one name.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first name that two schemes have.
    pub(in crate::service) fn check_schemes(&self) -> Result<()> {
        let authentication = &self.access.authentication;
        let names: Vec<&str> = authentication.schemes.iter().map(|(name, _)| name.as_str()).collect();
        let named = authentication.sources.iter().filter_map(|source| source.name.as_deref());
        let is_of_tokens = |name: &str| name == SCHEME && self.security().is_some_and(|security| security.has_tokens);
        let is_twice = |name: &&str| is_of_tokens(name) || names.iter().filter(|other| *other == name).count() > 1;
        match named.into_iter().find(is_twice) {
            None => Ok(()),
            Some(name) => Err(Error::Setup(format!(
                "two security schemes have the name `{name}`: give the `principal_source` another one"
            ))),
        }
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
