//! [`Replacement`]: the end of connections to a server that another one has replaced.

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Instant;

use tokio::sync::watch;

use crate::model::adapter_error::{AdapterError, BoxError};

const REPLACED: &str = "another server has replaced the one of this connection";

/// The replacement of a connection's server. A server that hangs answers nothing, so that
/// its calls are ended by this.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replacement(Option<Watched>);

#[derive(Debug, Clone)]
struct Watched {
    /// Time at which the connection was requested.
    since: Instant,
    /// Time of the last replacement of the server.
    replaced: watch::Receiver<Option<Instant>>,
}

impl Replacement {
    /// The next replacement after a connection was asked for.
    #[cfg(any(feature = "mysql", feature = "postgres"))]
    pub(crate) const fn after(since: Instant, replaced: watch::Receiver<Option<Instant>>) -> Self {
        Self(Some(Watched { since, replaced }))
    }

    /// Completes when the server is replaced.
    pub(crate) async fn happened(self) {
        let happened = match self.0 {
            Some(Watched { since, mut replaced }) => {
                replaced.wait_for(|at| at.is_some_and(|at| at >= since)).await.is_ok()
            }
            None => false,
        };
        if !happened {
            pending::<()>().await;
        }
    }

    /// The output of a read, or of a part of a transaction: without an answer, nothing has changed.
    ///
    /// # Errors
    /// Its own; [`AdapterError::Unavailable`] when the server is replaced before it ends.
    pub(crate) fn read<T>(
        self,
        work: impl Future<Output = Result<T, AdapterError>>,
    ) -> impl Future<Output = Result<T, AdapterError>> {
        self.end(work, AdapterError::Unavailable)
    }

    /// The output of a change or a commit.
    ///
    /// # Errors
    /// Its own; [`AdapterError::Undecided`] when the server is replaced before it ends: the change may have reached the
    /// other one.
    pub(crate) fn change<T>(
        self,
        work: impl Future<Output = Result<T, AdapterError>>,
    ) -> impl Future<Output = Result<T, AdapterError>> {
        self.end(work, AdapterError::Undecided)
    }

    async fn end<T>(
        self,
        work: impl Future<Output = Result<T, AdapterError>>,
        error: fn(BoxError) -> AdapterError,
    ) -> Result<T, AdapterError> {
        let (mut work, mut happened) = (pin!(work), pin!(self.happened()));
        // `select!` would expand to several closures, which are compiled for each work.
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Pending => happened.as_mut().poll(cx).map(|()| Err(error(REPLACED.into()))),
            done @ Poll::Ready(_) => done,
        })
        .await
    }
}
