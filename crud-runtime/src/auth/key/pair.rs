//! Keys of key pairs: RS256, ES256 and `EdDSA`, with the feature `auth-asymmetric`.

#[cfg(not(feature = "auth-asymmetric"))]
use crate::auth::key::no_pair as pem;
#[cfg(feature = "auth-asymmetric")]
use crate::auth::key::pem;
use crate::auth::{Algorithm, TokenKey};
use crate::storage::error::Result;

#[cfg_attr(
    not(feature = "auth-asymmetric"),
    allow(clippy::needless_pass_by_value, reason = "no document is one: the functions are never called")
)]
impl TokenKey {
    /// A private key for RS256, ES256 or `EdDSA` in PEM (PKCS #8; for RSA also PKCS #1), which signs and verifies. An
    /// RSA key has 2048 to 4096 bits; an ES256 key includes its public key, as OpenSSL writes it. Needs the feature
    /// `auth-asymmetric`.
    ///
    /// # Errors
    /// [`Error::Setup`](crate::Error::Setup) when the text is not a private key of the algorithm.
    pub fn private_pem(algorithm: Algorithm, pem: impl AsRef<[u8]> + KeyDocument) -> Result<Self> {
        pem::private_key(algorithm, pem.as_ref())
    }

    /// A public key for RS256, ES256 or `EdDSA` in PEM, which verifies. Needs the feature `auth-asymmetric`.
    ///
    /// # Errors
    /// [`Error::Setup`](crate::Error::Setup) when the text is not a public key of the algorithm.
    pub fn public_pem(algorithm: Algorithm, pem: impl AsRef<[u8]> + KeyDocument) -> Result<Self> {
        pem::public_key(algorithm, pem.as_ref())
    }
}

/// A document that holds keys of key pairs: a text in PEM, or a JWKS document. With the feature `auth-asymmetric`, any text is
/// one; without it, none is.
///
/// ```
/// use crud_runtime::auth::KeyDocument;
///
/// fn is_document(_: impl KeyDocument) {}
///
/// # #[cfg(feature = "auth-asymmetric")]
/// is_document("-----BEGIN PUBLIC KEY-----…");
/// ```
#[diagnostic::on_unimplemented(
    message = "RS256, ES256, EdDSA and JWKS documents need the feature `auth-asymmetric` of `crud-runtime`",
    label = "the keys of a key pair",
    note = "expected `cargo add crud-runtime --features auth-asymmetric`; HS256, HS384 and HS512 need no feature"
)]
pub trait KeyDocument {}

#[cfg(feature = "auth-asymmetric")]
impl<T: ?Sized> KeyDocument for T {}
