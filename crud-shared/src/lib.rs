//! Rules that the derive, the runtime, the configuration and the `crud` command share, so that each stands once.
//!
//! An internal crate: it is published because the others are, and a change of it is not a breaking change. It has no
//! dependency that costs a user's build anything worth measuring.

pub mod case;
#[cfg(feature = "catalogue")]
pub mod catalogue;
pub mod database;
pub mod declared;
pub mod dialect;
pub mod duration;
pub mod email;
pub mod list;
pub mod operation;
pub mod origin;
pub mod plural;
pub mod spelling;
pub mod statement;
pub mod table;
