//! [`Successor`]: the refresh token that replaces a used one.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Builder;

/// The refresh token that replaces a used one, the same for each use of it.
pub(in crate::auth) struct Successor {
    pub(in crate::auth) id: String,
    pub(in crate::auth) issued_at: DateTime<Utc>,
}

impl Successor {
    /// The successor of the token with this id, which was used at this time.
    ///
    /// Its id is derived from the token's id. The id is not a secret: only the signature makes a token valid.
    pub(super) fn of(id: &str, used_at: DateTime<Utc>) -> Self {
        let digest = Sha256::digest(id.as_bytes());
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest).for_each(|(byte, of_digest)| *byte = of_digest);
        Self { id: Builder::from_custom_bytes(bytes).into_uuid().hyphenated().to_string(), issued_at: used_at }
    }
}
