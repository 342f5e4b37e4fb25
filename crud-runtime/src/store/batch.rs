//! [`Batch`]: the result of a batch of changes.

use crate::model::problem::Problem;

/// The result of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct Batch<R> {
    /// The records as they are now stored, removed ones as they were, in the order of the items.
    pub items: Vec<R>,
    /// The items that failed, in order; empty for an atomic batch.
    pub errors: Vec<BatchError>,
}

/// A failed item of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchError {
    /// The item's index in the batch, from 0.
    pub index: usize,
    /// The problem of the item.
    pub problem: Problem,
}
