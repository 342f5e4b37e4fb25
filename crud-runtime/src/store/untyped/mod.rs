//! The part of a store that is not generic over the record's type, compiled once.

mod batches;
mod changes;
mod compare_and_set;
mod reads;
pub(crate) mod store;
