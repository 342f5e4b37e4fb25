//! [`Protection`]: metadata of a protected resource (RFC 9728), which says where clients log in.

use std::sync::{Arc, OnceLock};

use crud_runtime::axum::extract::Request;
use crud_runtime::axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use crud_runtime::axum::middleware::Next;
use crud_runtime::axum::response::Response;
use serde_json::{Value as Json, json};

use crate::origin::is_loopback;

/// The path of a resource's metadata: the resource's path after the well-known one (RFC 9728, section 3.1).
pub(crate) fn metadata_path(path: &str) -> String {
    format!("/.well-known/oauth-protected-resource{path}")
}

/// The endpoint as a protected resource of OAuth.
#[derive(Debug, Clone)]
pub(crate) struct Protection {
    pub(crate) path: String,
    pub(crate) servers: Vec<String>,
    pub(crate) public_url: Arc<OnceLock<String>>,
}

impl Protection {
    /// The metadata. Clients compare its `resource` with the URL that they call.
    pub(crate) fn metadata(&self, headers: &HeaderMap) -> Json {
        let resource = format!("{}{}", self.base(headers), self.path);
        let mut metadata = json!({ "resource": resource, "bearer_methods_supported": ["header"] });
        if !self.servers.is_empty() {
            metadata["authorization_servers"] = json!(self.servers);
        }
        metadata
    }

    /// The URL of the service: the stated one, or one from the header `Host`. It is `https` except on the user's own
    /// machine, as tokens need TLS.
    fn base(&self, headers: &HeaderMap) -> String {
        if let Some(url) = self.public_url.get() {
            return url.clone();
        }
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        let scheme = if is_loopback(host) { "http" } else { "https" };
        format!("{scheme}://{host}")
    }

    /// The challenge with the metadata's URL: `Bearer realm="api", resource_metadata="https://…"`.
    fn challenged(&self, challenge: &HeaderValue, headers: &HeaderMap) -> Option<HeaderValue> {
        let challenge = challenge.to_str().ok().filter(|challenge| challenge.starts_with("Bearer "))?;
        let url = format!("{}{}", self.base(headers), metadata_path(&self.path));
        HeaderValue::try_from(format!("{challenge}, resource_metadata=\"{}\"", url.replace(['"', '\\'], ""))).ok()
    }
}

/// Adds the URL of the metadata to the challenges of the endpoint.
pub(crate) async fn challenge(protection: Arc<Protection>, request: Request, next: Next) -> Response {
    if request.uri().path() != protection.path {
        return next.run(request).await;
    }
    let headers = request.headers().clone();
    let mut response = next.run(request).await;
    if matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        for value in response.headers_mut().iter_mut().filter(|(name, _)| *name == header::WWW_AUTHENTICATE) {
            if let Some(challenged) = protection.challenged(value.1, &headers) {
                *value.1 = challenged;
            }
        }
    }
    response
}
