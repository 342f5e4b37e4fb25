//! Group commit: the changes that wait are made together, or at most so many of them.

use tokio::sync::{mpsc, oneshot};

use crate::twin::error::ApiError;

/// Maximum number of changes that wait.
const QUEUE: usize = 1024;

/// Maximum number of changes that are applied together.
pub(super) const GROUP: usize = 256;

/// The key and the JSON of a changed record.
pub(super) type Answer = Result<(i64, Vec<u8>), ApiError>;

/// Makes changes.
pub(super) trait Make<T>: Send + 'static {
    /// Makes each change that can be made; the answers in the same order.
    fn each(&self, items: Vec<T>) -> impl Future<Output = Vec<Answer>> + Send;
}

#[derive(Debug)]
pub(super) struct Group<T> {
    queue: mpsc::Sender<(T, oneshot::Sender<Answer>)>,
}

impl<T: Send + 'static> Group<T> {
    /// Makes at most `size` changes together.
    pub(super) fn start(make: impl Make<T> + Sync, size: usize) -> Self {
        let (queue, mut changes) = mpsc::channel(QUEUE);
        tokio::spawn(async move {
            let mut group: Vec<(T, oneshot::Sender<Answer>)> = Vec::with_capacity(size);
            while changes.recv_many(&mut group, size).await > 0 {
                let (items, senders): (Vec<T>, Vec<_>) = group.drain(..).unzip();
                for (sender, answer) in senders.into_iter().zip(make.each(items).await) {
                    // A client that has gone needs no answer.
                    drop(sender.send(answer));
                }
            }
        });
        Self { queue }
    }

    /// Makes a change; returns after its commit.
    pub(super) async fn run(&self, change: T) -> Answer {
        let (sender, answer) = oneshot::channel();
        self.queue.try_send((change, sender)).map_err(|_| ApiError::Busy)?;
        answer.await.unwrap_or(Err(ApiError::Busy))
    }
}
