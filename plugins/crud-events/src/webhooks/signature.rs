//! Signatures of Standard Webhooks 1.0, and [`SigningSecret`], the secret of one webhook.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Prefix of a secret's text.
const PREFIX: &str = "whsec_";

/// The secret that a service and one receiver share: 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SigningSecret([u8; 32]);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningSecret").finish_non_exhaustive()
    }
}

impl SigningSecret {
    /// Derives the secret from the service's key and the webhook's random salt. The secret is stored nowhere.
    pub(crate) fn derive(key: &[u8; 32], salt: &str) -> Self {
        Self(hmac(key, &[salt.as_bytes()]))
    }

    /// The text that a receiver verifies signatures with, such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…`.
    pub(crate) fn text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    /// The signature of a message: `v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=`.
    fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let timestamp = timestamp.to_string();
        let signature = hmac(&self.0, &[id.as_bytes(), b".", timestamp.as_bytes(), b".", body]);
        format!("v1,{}", STANDARD.encode(signature))
    }
}

/// The header `webhook-signature`: one signature for each valid secret, separated by spaces.
pub(crate) fn signatures(secrets: &[SigningSecret], id: &str, timestamp: i64, body: &[u8]) -> String {
    secrets.iter().map(|secret| secret.sign(id, timestamp, body)).collect::<Vec<_>>().join(" ")
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC takes keys of any length.
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).unwrap_or_else(|_| unreachable!("any length"));
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification, whose secret has 24 bytes.
    #[test]
    fn signature_is_that_of_the_specification() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let body = br#"{"test": 2432232314}"#;
        let message = [b"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.".as_slice(), body].concat();
        assert_eq!(STANDARD.encode(hmac(&secret, &[&message])), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secret_is_the_salts_and_signs_id_time_and_body() {
        let (secret, other) = (SigningSecret::derive(&[7; 32], "a"), SigningSecret::derive(&[7; 32], "b"));
        assert_eq!(secret, SigningSecret::derive(&[7; 32], "a"));
        assert!(secret != other && secret != SigningSecret::derive(&[8; 32], "a"));
        assert_eq!(secret.text().len(), PREFIX.len() + 44);
        let signed = |id: &str, time, body: &[u8]| signatures(std::slice::from_ref(&secret), id, time, body);
        let whole = signed("7", 5, b"{}");
        assert!(whole.starts_with("v1,") && !whole.contains(' '));
        assert!([signed("8", 5, b"{}"), signed("7", 6, b"{}"), signed("7", 5, b"[]")].iter().all(|it| *it != whole));
        assert_eq!(signatures(&[secret.clone(), other], "7", 5, b"{}").split(' ').next(), Some(&*whole));
    }
}
