//! What nobody guesses.

use crate::storage::error::{Error, Result};

/// A password of 128 random bits, in hexadecimal digits: easy to mark and to copy.
pub(super) fn password() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::Setup(format!("the system has no random bytes: {error}")))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// A secret that is long enough for any algorithm.
pub(super) fn secret() -> Result<String> {
    Ok(password()? + &password()?)
}
