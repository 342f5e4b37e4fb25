//! [`FactorSecret`]: the secret that a service and an app share.

use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use totp_rs::{Builder, Totp};

use crate::accounts::token::random_bytes;

/// The size of a secret, in bytes (RFC 4226, section 4).
const BYTES: usize = 20;

/// The alphabet of Base32 (RFC 4648, section 6).
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The secret that a service and an app share: 160 random bits. Both compute codes of six digits from it, one for each
/// 30 seconds.
pub(crate) struct FactorSecret(pub(crate) [u8; BYTES]);

impl FactorSecret {
    /// A random secret.
    ///
    /// # Errors
    /// `internal` when the system has no random bytes.
    pub(crate) fn random() -> Result<Self, Problem> {
        Ok(Self(random_bytes()?))
    }

    /// The secret from its stored bytes.
    ///
    /// # Errors
    /// `internal` for another number of bytes.
    pub(crate) fn stored(bytes: &[u8]) -> Result<Self, Problem> {
        let secret = bytes.try_into().map_err(|_| Problem::internal("a secret of a second factor has another size"))?;
        Ok(Self(secret))
    }

    /// A negative number, which differs from that of another secret: a factor has it before the step of its first code.
    pub(crate) fn before_codes(&self) -> i64 {
        let [a, b, c, d, ..] = self.0;
        -1 - i64::from(u32::from_be_bytes([a, b, c, d]))
    }

    /// The step of a code that is right now, 30 seconds ago or in 30 seconds; `None` for a wrong one. A code is valid
    /// once: the caller compares the step with the last one.
    pub(crate) fn step_of(&self, code: &str, now: DateTime<Utc>) -> Option<i64> {
        let seconds = u64::try_from(now.timestamp()).ok()?;
        let code: String = code.chars().filter(|character| !character.is_whitespace()).collect();
        let is_code = code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit());
        is_code.then(|| self.totp().check(&code, seconds)).flatten().and_then(|step| i64::try_from(step).ok())
    }

    fn totp(&self) -> Totp {
        Builder::new().with_secret(self.0).build_noncompliant()
    }

    /// The secret in Base32, for people to type.
    pub(crate) fn base32(&self) -> String {
        let digit = |index: usize| {
            let (byte, bit) = (index * 5 / 8, index * 5 % 8);
            let next = self.0.get(byte + 1).copied().unwrap_or_default();
            let pair = u16::from_be_bytes([self.0[byte], next]);
            char::from(ALPHABET[usize::from((pair >> (11 - bit)) & 31)])
        };
        (0..BYTES * 8 / 5).map(digit).collect()
    }

    /// The link that an app takes the secret from.
    pub(crate) fn uri(&self, service: &str, account: &str) -> String {
        let (service, account) = (encoded(service), encoded(account));
        format!("otpauth://totp/{service}:{account}?secret={}&issuer={service}", self.base32())
    }
}

/// The text, percent-encoded.
pub(crate) fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// The secret and the times of RFC 6238, appendix B, whose codes have eight digits there.
    #[test]
    fn codes_are_those_of_the_rfc() {
        let secret = FactorSecret(*b"12345678901234567890");
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (2_000_000_000, "279037")] {
            assert_eq!(secret.step_of(code, at(seconds)), Some(seconds / 30));
            assert_eq!(secret.step_of(code, at(seconds + 30)), Some(seconds / 30), "a step ago");
            assert_eq!(secret.step_of(code, at(seconds + 90)), None);
        }
        assert_eq!(secret.step_of("287 082", at(59)), Some(1));
        for wrong in ["", "28708", "2870822", "abcdef", "94287082", "\u{661}87082"] {
            assert_eq!(secret.step_of(wrong, at(59)), None, "{wrong}");
        }
    }

    #[test]
    fn secret_is_written_in_base32() {
        assert_eq!(FactorSecret(*b"12345678901234567890").base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let uri = FactorSecret(*b"12345678901234567890").uri("My Shop", "ann@example.com");
        assert!(uri.starts_with("otpauth://totp/My%20Shop:ann%40example.com?secret=GEZDGNB"), "{uri}");
    }
}
