//! An independent implementation of the rules: it reads descriptors, and decides by itself. Nothing here calls the code
//! by which a service decides requests.

mod access;
mod caller;
mod equality;
mod records;
mod relations;

pub(crate) use access::{Rules, admits};
pub(crate) use caller::{Caller, Limit};
pub(crate) use equality::{json_of, key_text, text_of};
pub(crate) use records::Reading;
