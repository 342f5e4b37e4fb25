//! [`Algorithm`]: a token's signature algorithm.

use std::fmt;
use std::str::FromStr;

use crate::storage::error::Error;

/// A token's signature algorithm (RFC 7518, section 3.1; RFC 8037).
///
/// ```
/// use crud_runtime::auth::Algorithm;
///
/// assert_eq!("ES256".parse::<Algorithm>().unwrap(), Algorithm::Es256);
/// assert_eq!(Algorithm::default().to_string(), "HS256");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// HMAC with SHA-256: a secret of at least 32 bytes.
    #[default]
    Hs256,
    /// HMAC with SHA-384: a secret of at least 48 bytes.
    Hs384,
    /// HMAC with SHA-512: a secret of at least 64 bytes.
    Hs512,
    /// RSA (PKCS #1 v1.5) with SHA-256: a key pair of at least 2048 bits.
    Rs256,
    /// ECDSA on P-256 with SHA-256: a key pair.
    Es256,
    /// Ed25519: a key pair.
    EdDsa,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 6] = [Self::Hs256, Self::Hs384, Self::Hs512, Self::Rs256, Self::Es256, Self::EdDsa];

    /// The algorithm's name in a token's header, such as `HS256`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hs256 => "HS256",
            Self::Hs384 => "HS384",
            Self::Hs512 => "HS512",
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The smallest size of a secret in bytes, the size of the hash (RFC 7518, section 3.2); none for key pairs.
    pub(in crate::auth) const fn min_secret_bytes(self) -> Option<usize> {
        match self {
            Self::Hs256 => Some(32),
            Self::Hs384 => Some(48),
            Self::Hs512 => Some(64),
            Self::Rs256 | Self::Es256 | Self::EdDsa => None,
        }
    }

    pub(in crate::auth) const fn jwt(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::Hs256 => jsonwebtoken::Algorithm::HS256,
            Self::Hs384 => jsonwebtoken::Algorithm::HS384,
            Self::Hs512 => jsonwebtoken::Algorithm::HS512,
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
            Self::EdDsa => jsonwebtoken::Algorithm::EdDSA,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            Error::Setup(format!("expected one of {known}, found `{name}`"))
        })
    }
}
