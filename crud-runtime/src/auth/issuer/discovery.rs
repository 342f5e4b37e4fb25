//! The documents of an issuer: its configuration, and its keys.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use url::Url;

use super::fetch::{self, Fetch};
use crate::auth::TokenKey;
use crate::auth::key::jwks;

/// Maximum number of keys that are read from a document: a token without a `kid` is tried with each.
const MAX_KEYS: usize = 100;

/// The members of the configuration that are read here (`OpenID` Connect Discovery 1.0, section 3).
#[derive(Deserialize)]
pub(super) struct Configuration {
    issuer: String,
    jwks_uri: String,
    /// The URL that people log in at.
    pub(super) authorization_endpoint: Option<String>,
    /// The URL that codes are sent to.
    pub(super) token_endpoint: Option<String>,
    /// Whether the issuer names itself in its answers (RFC 9207, section 3).
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

/// The keys of an issuer, as a JWKS document of those that verify tokens here.
///
/// # Errors
/// When a document cannot be fetched or read, is of another issuer, or leads to no key.
pub(super) async fn keys(fetch: &Fetch, issuer: &str) -> Result<String, String> {
    let url = endpoint(issuer, &configuration(fetch, issuer).await?.jwks_uri)?;
    usable(&fetch.get(&url).await?).ok_or_else(|| format!("{url} has no signature key of RS256, ES256 or EdDSA"))
}

/// The configuration of an issuer.
///
/// # Errors
/// When it cannot be fetched or read, or is of another issuer.
pub(super) async fn configuration(fetch: &Fetch, issuer: &str) -> Result<Configuration, String> {
    let url = configuration_url(issuer)?;
    let configuration: Configuration = serde_json::from_slice(&fetch.get(&url).await?)
        .map_err(|error| format!("{url}: the configuration cannot be read: {error}"))?;
    if configuration.issuer != issuer {
        return Err(format!("{url} is the configuration of `{}`, not of `{issuer}`", configuration.issuer));
    }
    Ok(configuration)
}

/// A URL of an issuer's configuration.
///
/// # Errors
/// When it is not a URL, or leads from an issuer with TLS to a host without TLS.
pub(super) fn endpoint(issuer: &str, url: &str) -> Result<Url, String> {
    let url = Url::parse(url).map_err(|error| format!("a URL of the configuration of `{issuer}`: {error}"))?;
    if issuer.starts_with("https://") && url.scheme() != "https" {
        return Err(format!("a URL of the configuration of `{issuer}`, `{url}`, must be `https`"));
    }
    Ok(url)
}

/// The URL of an issuer's configuration.
///
/// # Errors
/// When it may not be fetched.
pub(super) fn configuration_url(issuer: &str) -> Result<Url, String> {
    let base = issuer.strip_suffix('/').unwrap_or(issuer);
    let url = Url::parse(&format!("{base}/.well-known/openid-configuration"));
    let url = url.map_err(|error| format!("`{issuer}` is not a URL: {error}"))?;
    fetch::check(&url)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{issuer}` must have neither a query nor a fragment"));
    }
    Ok(url)
}

/// The keys of a document that verify tokens here; `None` where it has none. An issuer may have keys for other uses
/// too.
fn usable(document: &[u8]) -> Option<String> {
    let document: Json = serde_json::from_slice(document).ok()?;
    let all = document["keys"].as_array()?;
    let usable: Vec<&Json> = all.iter().filter(|key| read(key).is_some()).take(MAX_KEYS).collect();
    (!usable.is_empty()).then(|| json!({ "keys": usable }).to_string())
}

/// The keys of a document that [`keys`] returned.
pub(super) fn parse(document: &str) -> Vec<TokenKey> {
    let document: Json = serde_json::from_str(document).unwrap_or_default();
    document["keys"].as_array().into_iter().flatten().filter_map(read).collect()
}

/// A key, if it verifies tokens here. The algorithm is the key's: a token cannot choose another.
fn read(key: &Json) -> Option<TokenKey> {
    jwks::keys(&json!({ "keys": [key] }).to_string()).ok()?.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_is_below_the_issuer() {
        for (issuer, expected) in [
            ("https://id.example", "https://id.example/.well-known/openid-configuration"),
            ("https://id.example/", "https://id.example/.well-known/openid-configuration"),
            ("https://id.example/realms/shop", "https://id.example/realms/shop/.well-known/openid-configuration"),
        ] {
            assert_eq!(configuration_url(issuer).unwrap().as_str(), expected);
        }
        for wrong in ["", "id.example", "http://id.example", "https://id.example?a=b", "https://id.example#a"] {
            assert!(configuration_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_that_verify_nothing_here_are_left_out() {
        let ed =
            json!({ "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "a" });
        let others = [
            json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "secret" }),
            json!({ "kty": "NEW", "kid": "new" }),
            json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "short" }),
            json!({ "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "use": "enc" }),
            json!({ "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "alg": "HS256" }),
            json!("text"),
        ];
        let document = json!({ "keys": others.iter().chain([&ed]).collect::<Vec<_>>() }).to_string();
        let usable = usable(document.as_bytes()).unwrap();
        assert_eq!(parse(&usable).into_iter().map(|key| key.id).collect::<Vec<_>>(), [Some("a".to_owned())]);
        assert_eq!(super::usable(json!({ "keys": others }).to_string().as_bytes()), None);
        assert_eq!(super::usable(b"<html>"), None);
    }
}
