//! The independent reading of the rules: it reads the data of descriptors, and decides by itself. Nothing here calls what a
//! service decides requests by.

mod access;
mod caller;
mod equality;
mod records;
mod relations;

pub(crate) use access::{Rules, admits};
pub(crate) use caller::{Caller, Limit};
pub(crate) use equality::{json_of, key_text, text_of};
pub(crate) use records::Reading;
