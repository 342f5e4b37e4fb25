//! [`PrincipalSource`]: where the principals of requests come from.

#[cfg(feature = "auth")]
use std::sync::Arc;

use axum::http::HeaderMap;

#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::model::access::Enforcement;
use crate::model::principal::Principal;
use crate::model::problem::Problem;

/// Source of the principals of requests, which access rules admit or not.
#[derive(Clone, Debug, Default)]
pub(crate) enum PrincipalSource {
    /// No source: requests have no principal. A service that states a rule does not start.
    #[default]
    Missing,
    /// No source, and the program says that its rules are not enforced.
    Waived,
    /// The service's authentication, by tokens.
    #[cfg(feature = "auth")]
    Tokens(Arc<Auth>),
}

impl PrincipalSource {
    /// Whether requests can have principals.
    pub(crate) const fn is_present(&self) -> bool {
        match self {
            Self::Missing | Self::Waived => false,
            #[cfg(feature = "auth")]
            Self::Tokens(_) => true,
        }
    }

    /// The rules that apply to requests.
    pub(crate) const fn enforcement(&self) -> Enforcement {
        match self {
            Self::Missing => Enforcement::Stated,
            Self::Waived => Enforcement::None,
            #[cfg(feature = "auth")]
            Self::Tokens(_) => Enforcement::All,
        }
    }

    /// The authentication, where it is the source.
    #[cfg(feature = "auth")]
    pub(crate) const fn auth(&self) -> Option<&Arc<Auth>> {
        match self {
            Self::Tokens(auth) => Some(auth),
            Self::Missing | Self::Waived => None,
        }
    }

    /// The principal of a request with these headers; `None` without a token or without a source.
    ///
    /// # Errors
    /// A problem of status 401 when the token is not valid.
    #[cfg_attr(not(feature = "auth"), allow(clippy::unused_async))]
    pub(crate) async fn authenticate(&self, headers: &HeaderMap) -> Result<Option<Principal>, Problem> {
        match self {
            Self::Missing | Self::Waived => {
                let _ = headers;
                Ok(None)
            }
            #[cfg(feature = "auth")]
            Self::Tokens(auth) => auth.authenticate(headers).await,
        }
    }
}
