//! [`SecurityScheme`]: a way in which requests authenticate, in the document.

use serde_json::{Map, Value, json};

/// A way in which requests authenticate, as the document describes it: `Authorization`, another header, or a cookie.
///
/// With the feature `utoipa`, it is made of utoipa's `SecurityScheme` too.
///
/// ```
/// use crud_runtime::openapi::SecurityScheme;
/// # use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let session = SecurityScheme::cookie("session").description("The session of the shop's pages.");
/// let service = Service::connect("sqlite::memory:").await?.access(|access| {
///     access.principal_from_layers().security_scheme("session", session)
/// });
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a scheme does nothing until a service has it"]
pub struct SecurityScheme(Map<String, Value>);

impl SecurityScheme {
    /// A token in `Authorization: Bearer …` (RFC 6750).
    pub fn bearer() -> Self {
        Self::http("bearer")
    }

    /// A name and a password in `Authorization: Basic …` (RFC 7617).
    pub fn basic() -> Self {
        Self::http("basic")
    }

    /// Credentials in `Authorization` by another scheme of the registry of HTTP, such as `digest`.
    pub fn http(scheme: &str) -> Self {
        Self::of(json!({ "type": "http", "scheme": scheme.to_ascii_lowercase() }))
    }

    /// A secret in a header of this name.
    pub fn header(name: &str) -> Self {
        Self::of(json!({ "type": "apiKey", "in": "header", "name": name }))
    }

    /// A secret in a cookie of this name.
    pub fn cookie(name: &str) -> Self {
        Self::of(json!({ "type": "apiKey", "in": "cookie", "name": name }))
    }

    /// Tokens of an issuer with this URL of its metadata (`OpenID` Connect Discovery).
    pub fn open_id_connect(url: &str) -> Self {
        Self::of(json!({ "type": "openIdConnect", "openIdConnectUrl": url }))
    }

    fn of(scheme: Value) -> Self {
        if let Value::Object(members) = scheme { Self(members) } else { Self(Map::new()) }
    }

    /// Sets the format of a bearer token, such as `JWT`.
    pub fn bearer_format(self, format: &str) -> Self {
        self.with("bearerFormat", format)
    }

    /// Sets the description.
    pub fn description(self, description: &str) -> Self {
        self.with("description", description)
    }

    fn with(mut self, member: &str, value: &str) -> Self {
        self.0.insert(member.to_owned(), value.into());
        self
    }

    /// A member, such as `type`; empty for none.
    pub(crate) fn get(&self, member: &str) -> &str {
        self.0.get(member).and_then(Value::as_str).unwrap_or_default()
    }

    /// The scheme's JSON.
    pub(crate) fn json(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

#[cfg(feature = "utoipa")]
impl From<utoipa::openapi::security::SecurityScheme> for SecurityScheme {
    fn from(scheme: utoipa::openapi::security::SecurityScheme) -> Self {
        Self::of(serde_json::to_value(scheme).unwrap_or_default())
    }
}
