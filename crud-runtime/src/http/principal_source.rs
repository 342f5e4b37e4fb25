//! [`PrincipalSource`]: where the principals of requests come from.

use std::fmt;
use std::sync::Arc;

use axum::http::{Extensions, HeaderValue, header};
use axum::response::Response;

use super::head::Head;
use super::same_origin;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::auth::AuthParts;
use crate::model::access::Enforcement;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::storage::future::BoxFuture;

/// Source of the principals of requests, which access rules admit or not.
#[derive(Clone, Debug, Default)]
pub(crate) enum PrincipalSource {
    /// No source: requests have no principal. A service that states a rule does not start.
    #[default]
    Missing,
    /// No source, and the program says that its rules are not enforced.
    Waived,
    /// The sources of a service with authentication.
    Present(Arc<Sources>),
}

/// The sources of a service with authentication. The first that has a principal for a request decides.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// Whether layers set principals, as extensions of requests.
    pub(crate) layers: bool,
    /// The program's function.
    pub(crate) program: Option<Authenticate>,
    /// The service's own authentication, by tokens.
    #[cfg(feature = "auth")]
    pub(crate) tokens: Option<Arc<Auth>>,
    /// The origins of other pages that may send cookies.
    pub(crate) origins: Vec<String>,
}

/// The future of a request's principal.
pub(crate) type Authenticating = BoxFuture<'static, Result<Option<Principal>, Problem>>;

/// The program's function that authenticates requests.
#[derive(Clone)]
pub(crate) struct Authenticate(pub(crate) Arc<dyn Fn(AuthParts) -> Authenticating + Send + Sync>);

impl fmt::Debug for Authenticate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticate")
    }
}

/// The principal of a request of a test, which needs no token.
#[cfg(all(feature = "auth", feature = "testing"))]
#[derive(Debug, Clone)]
pub(crate) struct TestPrincipal(pub(crate) Principal);

impl PrincipalSource {
    /// Whether requests can have principals.
    pub(crate) const fn is_present(&self) -> bool {
        matches!(self, Self::Present(_))
    }

    /// Whether the program authenticates requests.
    pub(crate) fn is_of_program(&self) -> bool {
        matches!(self, Self::Present(sources) if sources.is_of_program())
    }

    /// The rules that apply to requests.
    pub(crate) const fn enforcement(&self) -> Enforcement {
        match self {
            Self::Missing => Enforcement::Stated,
            Self::Waived => Enforcement::None,
            Self::Present(_) => Enforcement::All,
        }
    }

    /// The service's own authentication, where it has one.
    #[cfg(feature = "auth")]
    pub(crate) fn auth(&self) -> Option<&Arc<Auth>> {
        match self {
            Self::Present(sources) => sources.tokens.as_ref(),
            Self::Missing | Self::Waived => None,
        }
    }

    /// The principal of a request with this head; `None` without one or without a source.
    ///
    /// # Errors
    /// A problem of status 401 when the token is not valid; the problem of the program's function; `permission_denied` when
    /// a page of another origin may have sent the request.
    pub(crate) async fn authenticate(&self, head: Head<'_>) -> Result<Option<Principal>, Problem> {
        let Self::Present(sources) = self else { return Ok(None) };
        #[cfg(all(feature = "auth", feature = "testing"))]
        if let Some(TestPrincipal(principal)) = head.extensions.get() {
            return Ok(Some(principal.clone()));
        }
        if let Some(principal) = sources.of_program(head).await? {
            same_origin::check(head, &sources.origins)?;
            return Ok(Some(principal));
        }
        #[cfg(feature = "auth")]
        if let Some(auth) = &sources.tokens {
            return auth.authenticate(head.headers).await;
        }
        Ok(None)
    }

    /// The principal that a layer names as the author of changes. It counts where the service has no authentication: elsewhere
    /// a request has the principal that the service has authenticated, and no other name is in the audit log.
    pub(crate) fn named_actor(&self, extensions: &Extensions) -> Option<Principal> {
        let set = extensions.get::<Principal>().filter(|_| !self.is_present());
        set.filter(|actor| is_named(actor)).cloned()
    }

    /// Keeps an answer from caches that several clients share, where it may depend on what is not in `Authorization`: HTTP
    /// keeps that from them by itself (RFC 9111, section 3.5). An answer that says who may keep it stays.
    pub(crate) fn keep_private(&self, response: &mut Response) {
        if self.is_of_program() {
            response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private"));
        }
    }
}

impl Sources {
    /// Whether the program authenticates requests.
    pub(crate) const fn is_of_program(&self) -> bool {
        self.layers || self.program.is_some()
    }

    /// The principal that the program has for a request.
    async fn of_program(&self, head: Head<'_>) -> Result<Option<Principal>, Problem> {
        let set = head.extensions.get::<Principal>().filter(|_| self.layers).cloned();
        let principal = match (set, &self.program) {
            (Some(set), _) => Some(set),
            (None, Some(Authenticate(authenticate))) => authenticate(head.into()).await?,
            (None, None) => None,
        };
        match principal {
            Some(principal) if !is_named(&principal) => Err(Problem::of(Code::AuthenticationFailed)),
            principal => Ok(principal),
        }
    }
}

/// Whether a principal has a subject that storage takes. An empty one is that of every request whose header is empty.
fn is_named(principal: &Principal) -> bool {
    !principal.subject().is_empty() && !principal.subject().contains('\0')
}
