//! [`Attempt`]: a started login at an issuer, in a cookie of the browser.

use crud_runtime::Result;
use crud_runtime::axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};

use crate::accounts::token::Token;

/// The name of the cookie. With the prefix `__Host-`, browsers accept it only over TLS or from this machine, and not
/// from a subdomain.
const COOKIE: &str = "__Host-crud-issuer";

/// Seconds that a person has to log in at the issuer.
const LIFETIME: u32 = 600;

/// A started login at an issuer. Its secrets are only in a cookie of the browser that started it, so the issuer's
/// answer is accepted only from that browser.
pub(crate) struct Attempt {
    /// The alias of the issuer. An answer from another issuer is refused.
    alias: String,
    pub(crate) state: String,
    pub(crate) nonce: String,
    /// The verifier of PKCE (RFC 7636).
    pub(crate) verifier: String,
}

impl Attempt {
    /// A new login at the issuer with this alias.
    pub(crate) fn begin(alias: &str) -> Result<Self> {
        let secret = || Token::random().map(|token| token.text().to_owned());
        Ok(Self { alias: alias.to_owned(), state: secret()?, nonce: secret()?, verifier: secret()? })
    }

    /// The login in the cookie of a request, if its issuer and its `state` are those of the issuer's answer.
    pub(crate) fn of(headers: &HeaderMap, alias: &str, state: &str) -> Option<Self> {
        let [of, known, nonce, verifier] = cookie_of(headers)?.split('.').collect::<Vec<_>>().try_into().ok()?;
        let attempt = Self { alias: of.into(), state: known.into(), nonce: nonce.into(), verifier: verifier.into() };
        (attempt.alias == alias && !state.is_empty() && attempt.state == state).then_some(attempt)
    }

    /// The cookie. `SameSite=Lax` lets browsers send it with the redirect from the issuer.
    pub(crate) fn cookie(&self) -> String {
        let Self { alias, state, nonce, verifier } = self;
        format!(
            "{COOKIE}={alias}.{state}.{nonce}.{verifier}; Path=/; Max-Age={LIFETIME}; HttpOnly; Secure; SameSite=Lax"
        )
    }

    /// The challenge of PKCE: the verifier's SHA-256, in base64url.
    pub(crate) fn challenge(&self) -> String {
        base64url(&Sha256::digest(self.verifier.as_bytes()))
    }
}

/// The value of the cookie. `None` if it is there twice: a page of a subdomain may have set one of them.
pub(crate) fn cookie_of(headers: &HeaderMap) -> Option<&str> {
    let headers = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = headers.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

/// The cookie of the browser in which the code of a login counts, in place of the started login.
pub(crate) fn kept(browser: &Token) -> String {
    format!("{COOKIE}={}; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax", browser.text())
}

/// The cookie that removes the login.
pub(crate) fn no_cookie() -> String {
    format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax")
}

/// The bytes in base64url without padding (RFC 4648, section 5).
fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..=chunk.len() {
            let digit = usize::try_from(three >> (18 - 6 * place) & 63).unwrap_or_default();
            text.push(char::from(ALPHABET[digit]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    #[test]
    fn challenge_is_that_of_the_rfc() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        let attempt = Attempt { alias: "a".into(), state: String::new(), nonce: String::new(), verifier };
        assert_eq!(attempt.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        for (bytes, expected) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
            assert_eq!(base64url(bytes.as_bytes()), expected);
        }
    }

    #[test]
    fn attempt_is_of_one_issuer_and_one_state() {
        let attempt = Attempt::begin("staff").unwrap();
        let with = |cookies: &[&str]| {
            cookies.iter().fold(HeaderMap::new(), |mut headers, cookie| {
                headers.append(header::COOKIE, cookie.parse().unwrap());
                headers
            })
        };
        let cookie = attempt.cookie();
        let pair = cookie.split(';').next().unwrap();
        let found = Attempt::of(&with(&["a=b", pair]), "staff", &attempt.state).unwrap();
        assert_eq!((found.nonce, found.verifier), (attempt.nonce, attempt.verifier));
        assert!(Attempt::of(&with(&[pair]), "other", &attempt.state).is_none());
        assert!(Attempt::of(&with(&[pair]), "staff", "another").is_none());
        assert!(Attempt::of(&with(&[pair, pair]), "staff", &attempt.state).is_none());
        assert!(Attempt::of(&with(&[]), "staff", &attempt.state).is_none());
        assert!(Attempt::of(&with(&["__Host-crud-issuer=staff..."]), "staff", "").is_none());
    }
}
