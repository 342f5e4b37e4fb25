//! [`KeyText`]: the text of a key, `ck_<id>_<secret>_<checksum>`.

use std::fmt;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The prefix of every key, by which secret scanners recognise keys.
const PREFIX: &str = "ck_";

/// Number of characters of the id, which is not secret.
const ID: usize = 12;

/// Number of characters of the secret: 43 characters of an alphabet of 62 are 256 bits.
const SECRET: usize = 43;

/// Number of characters of the checksum: 6 characters of an alphabet of 62 hold a CRC-32.
const CHECKSUM: usize = 6;

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The text of a key. `Debug` shows only the id.
pub(super) struct KeyText {
    text: String,
}

impl KeyText {
    /// A new random key.
    ///
    /// # Errors
    /// When the system has no random bits.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let body = format!("{PREFIX}{}_{}", random_letters::<ID>()?, random_letters::<SECRET>()?);
        let checksum = checksum_of(&body);
        Ok(Self { text: format!("{body}_{checksum}") })
    }

    /// Whether a token begins as keys do.
    pub(super) fn is_meant(token: &str) -> bool {
        token.starts_with(PREFIX)
    }

    /// Parses a key; `None` for a malformed or mistyped text, so that it causes no query.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (body, checksum) = text.rsplit_once('_').filter(|_| text.is_ascii())?;
        let (id, secret) = body.strip_prefix(PREFIX)?.split_once('_')?;
        let is_of_letters = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_well_formed = id.len() == ID && secret.len() == SECRET && is_of_letters(id) && is_of_letters(secret);
        (is_well_formed && checksum == checksum_of(body)).then(|| Self { text: text.to_owned() })
    }

    /// The id, by which the key is found.
    pub(super) fn id(&self) -> &str {
        self.text.get(PREFIX.len()..PREFIX.len() + ID).unwrap_or_default()
    }

    /// The SHA-256 of the whole text, in hexadecimal digits. 256 random bits need no slow hash.
    pub(super) fn hash(&self) -> String {
        let mut digits = String::with_capacity(64);
        for byte in Sha256::digest(&self.text) {
            // Writing to a string cannot fail.
            let _ = write!(digits, "{byte:02x}");
        }
        digits
    }

    /// Whether this is the hash of the key. Takes constant time for hashes of the same length.
    pub(super) fn has_hash(&self, hash: &str) -> bool {
        let own = self.hash();
        let differences = own.bytes().zip(hash.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
        own.len() == hash.len() && differences == 0
    }

    /// The text, which is shown once.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyText").field(&self.id()).finish()
    }
}

/// Random letters and digits, each as likely as any other.
fn random_letters<const N: usize>() -> Result<String, getrandom::Error> {
    let mut letters = String::with_capacity(N);
    let mut bytes = [0; N];
    while letters.len() < N {
        getrandom::fill(&mut bytes)?;
        // 248 is the largest multiple of 62 in a byte; larger bytes would favour some letters.
        let even = bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(LETTERS[usize::from(byte % 62)]));
        letters.extend(even.take(N - letters.len()));
    }
    Ok(letters)
}

/// The CRC-32 of a text in letters and digits.
fn checksum_of(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut letters = [b'0'; CHECKSUM];
    for letter in letters.iter_mut().rev() {
        *letter = LETTERS[(rest % 62) as usize];
        rest /= 62;
    }
    letters.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_found_again_by_its_text() {
        let text = KeyText::random().unwrap().into_text();
        assert_eq!(text.len(), 66);
        let key = KeyText::parse(&text).unwrap();
        let hash = key.hash();
        assert!(key.has_hash(&hash) && !key.has_hash("") && !key.has_hash(&"0".repeat(64)));
        assert!(text.contains(key.id()) && !format!("{key:?}").contains(&text[16..]));
    }

    #[test]
    fn mistyped_key_is_none() {
        let text = KeyText::random().unwrap().into_text();
        for index in 0..text.len() {
            let mut altered = text.clone().into_bytes();
            altered[index] = if altered[index] == b'a' { b'b' } else { b'a' };
            assert!(KeyText::parse(std::str::from_utf8(&altered).unwrap()).is_none(), "{index}");
        }
        for other in ["", "ck_", "ck___", "ck_a_b_c", &text[..65], &format!("{text}a"), "ck_é_ü_ö"] {
            assert!(KeyText::parse(other).is_none(), "{other}");
        }
    }
}
