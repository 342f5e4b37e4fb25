//! [`Token`]: the secret of a link. The database has only its hash.

use std::fmt;

use crud_runtime::error::Problem;
use sha2::{Digest, Sha256};

/// A secret of 256 random bits, as 64 hexadecimal digits: for a link in a mail, or a challenge.
pub(crate) struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// A random token.
    ///
    /// # Errors
    /// `internal` when the system has no random bytes.
    pub(crate) fn random() -> Result<Self, Problem> {
        Ok(Self(hex(&random_bytes::<32>()?)))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// The hash of the token, as the database has it.
    pub(crate) fn hash(&self) -> String {
        hash(&self.0)
    }
}

/// The SHA-256 of a secret, in hexadecimal digits. A token has 256 random bits, so it needs neither a salt nor many
/// rounds.
pub(crate) fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Random bytes from the system.
///
/// # Errors
/// `internal` when the system has no random bytes.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], Problem> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_256_bits_and_differ() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.text().len(), 64);
        assert_ne!(one.text(), other.text());
        assert_ne!(one.text(), one.hash());
        assert_eq!(format!("{one:?}"), "Token");
    }
}
