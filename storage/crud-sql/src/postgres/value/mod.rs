//! Values in the binary format of the protocol.

pub(super) mod argument;
pub(super) mod numeric;
pub(super) mod row;
pub(super) mod types;
pub(super) mod unnest;
