//! Random passwords and secrets.

use crate::storage::error::{Error, Result};

/// A password of 128 random bits, in hexadecimal: a double click selects it whole.
pub(super) fn password() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::Setup(format!("the system has no random bytes: {error}")))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// A secret of 64 bytes, enough for every algorithm.
pub(super) fn secret() -> Result<String> {
    Ok(password()? + &password()?)
}
