//! A signed place in a list: the values of the last record's sort keys, and a code (HMAC-SHA-256, 128 bits) over them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::error::ApiError;

/// The bytes of the code.
const CODE: usize = 16;

/// A service in production reads it from its configuration.
const KEY: [u8; 32] = *b"a benchmark needs no real secret";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Cursor {
    /// Whether the page ends at the place.
    pub(crate) backward: bool,
    pub(crate) created_at: String,
    pub(crate) id: i64,
}

impl Cursor {
    /// The token of a place in a list.
    pub(crate) fn seal(&self, list: &str) -> Result<String, ApiError> {
        let place = serde_json::to_vec(self)?;
        let mut token = code(list, &place).finalize().into_bytes()[..CODE].to_vec();
        token.extend_from_slice(&place);
        Ok(URL_SAFE_NO_PAD.encode(token))
    }

    /// The place of a token of the same list.
    pub(crate) fn open(list: &str, token: &str) -> Result<Self, ApiError> {
        let invalid = || ApiError::BadParameter("cursor: is not a cursor of this list".to_owned());
        let token = URL_SAFE_NO_PAD.decode(token).map_err(|_| invalid())?;
        let (given, place) = token.split_at_checked(CODE).ok_or_else(invalid)?;
        code(list, place).verify_truncated_left(given).map_err(|_| invalid())?;
        Ok(serde_json::from_slice(place)?)
    }
}

fn code(list: &str, place: &[u8]) -> Hmac<Sha256> {
    let mut code = Hmac::<Sha256>::new_from_slice(&KEY).expect("a key of any length");
    code.update(&(list.len() as u64).to_le_bytes());
    code.update(list.as_bytes());
    code.update(place);
    code
}
