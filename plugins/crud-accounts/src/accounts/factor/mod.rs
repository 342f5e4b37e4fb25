//! The second factor: codes of an app (TOTP, RFC 6238), and recovery codes for a lost telephone.

pub(crate) mod challenge;
pub(crate) mod gate;
pub(crate) mod record;
pub(crate) mod recovery;
pub(crate) mod secret;
