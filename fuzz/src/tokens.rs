//! The target of tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::service::{SECRET, on_service, with_header};

/// An `Authorization` header; or, after a NUL, the header and claims of a token, between them a line's end, which is
/// signed. No token but one with whole claims reaches the records.
pub(crate) fn token(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let value = match text.strip_prefix('\0') {
        None => text.to_owned(),
        Some(parts) => {
            let (head, claims) = parts.split_once('\n').unwrap_or((r#"{"alg":"HS256","typ":"JWT"}"#, parts));
            format!("Bearer {}", signed(head, claims))
        }
    };
    on_service(|service| {
        for target in ["/secrets", "/records"] {
            if let Some(request) = with_header(service.test().get(target), "authorization", &value) {
                let status = service.send(request).status();
                assert!(matches!(status, 200 | 401 | 403), "{status}: {value}");
                assert!(status != 200 || target == "/records" || text.starts_with('\0'), "{value} was accepted");
            }
        }
        if let Some(request) = with_header(service.test().post("/auth/logout", ()), "authorization", &value) {
            service.send(request);
        }
    });
}

/// A token of HS256 with the service's secret, whatever its header says.
fn signed(head: &str, claims: &str) -> String {
    let text = format!("{}.{}", URL_SAFE_NO_PAD.encode(head), URL_SAFE_NO_PAD.encode(claims));
    let mut code = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key of any length");
    code.update(text.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(code.finalize().into_bytes()))
}
