//! [`Transfers`]: the limit of concurrent uploads and downloads.

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::error::{Code, Problem};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The time after which a refused client should try again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The limit of transfers in flight.
#[derive(Debug, Clone)]
pub(crate) struct Transfers(Arc<Semaphore>);

impl Transfers {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Semaphore::new(limit)))
    }

    /// Begins a transfer, which ends when the permit is dropped.
    ///
    /// # Errors
    /// `unavailable` at the limit.
    pub(crate) fn begin(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let busy = |_| {
            let detail = "too many files are being transferred; try again later";
            Problem::new(Code::Unavailable, detail).retry_after(RETRY_AFTER)
        };
        self.0.clone().try_acquire_owned().map_err(busy)
    }
}
