//! [`Batch`]: the result of a batch of changes.

use crate::model::problem::Problem;

/// The result of a batch.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # #[crud(batch(mode(partial)))]
/// # struct Part { id: i64, #[crud(range(min = 0))] stock: i32 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
/// let parts = service.store::<Part>();
/// let batch = parts.create_batch([NewPart { stock: 5 }, NewPart { stock: -1 }]).await?;
/// assert_eq!((batch.items.len(), batch.errors[0].index), (1, 1));
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Batch<R> {
    /// The records as they are now stored, removed ones as they were, in the order of the items.
    pub items: Vec<R>,
    /// The items that failed, in order; empty for an atomic batch.
    pub errors: Vec<BatchError>,
}

/// A failed item of a batch.
///
/// ```
/// # use crud_runtime::prelude::*;
/// use crud_runtime::Batch;
///
/// fn report<R>(batch: &Batch<R>) {
///     for error in &batch.errors {
///         eprintln!("item {}: {}", error.index, error.problem.detail());
///     }
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchError {
    /// The item's index in the batch, from 0.
    pub index: usize,
    /// The problem of the item.
    pub problem: Problem,
}
