//! The type `mood` of the database.

use crud_runtime::prelude::*;

/// A value of the type `mood` of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
pub enum Mood {
    #[crud(rename = "calm")]
    Calm,
    #[crud(rename = "PG-13")]
    Pg13,
    #[crud(rename = "In Love")]
    InLove,
}
