//! Pauses of a future: moments at which its client may leave, or others may act.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// The output of a future that ends within this number of pauses; `None` leaves it in the next one.
pub async fn within_pauses<F: Future + Unpin>(mut pauses: usize, future: &mut F) -> Option<F::Output> {
    poll_fn(|context| match Pin::new(&mut *future).poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if pauses == 0 => Poll::Ready(None),
        Poll::Pending => {
            pauses -= 1;
            Poll::Pending
        }
    })
    .await
}
