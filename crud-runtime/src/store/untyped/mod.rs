//! The part of a store that is not generic over the record's type, compiled once.

pub(crate) mod compare_and_set;
pub(crate) mod store;
