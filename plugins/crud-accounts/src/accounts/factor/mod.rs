//! The second factor: codes of an app (TOTP, RFC 6238), and recovery codes for the day on which the telephone is lost.

pub(crate) mod challenge;
pub(crate) mod gate;
pub(crate) mod record;
pub(crate) mod recovery;
pub(crate) mod secret;
