//! [`RequestBody`]: the body of a request, and [`UnreadBody`]: what a handler has left of it.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::sync::oneshot;

/// Maximum number of bytes that are discarded to keep a connection open.
const MAX_DISCARDED: usize = 64 * 1024;

/// The length of a body, as its head says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BodyLength {
    Bytes(u64),
    Chunked,
}

impl BodyLength {
    pub(crate) fn of(body: &Incoming) -> Self {
        body.size_hint().exact().map_or(Self::Chunked, Self::Bytes)
    }
}

/// The body of a request: dropped before its end, it becomes the [`UnreadBody`].
#[derive(Debug)]
pub(crate) struct RequestBody(Option<Unfinished>);

#[derive(Debug)]
struct Unfinished {
    body: Incoming,
    unread: oneshot::Sender<Incoming>,
}

/// The rest of a body that a handler did not read, if any.
#[derive(Debug)]
pub(crate) struct UnreadBody {
    remaining: Option<oneshot::Receiver<Incoming>>,
    /// Whether the client sends the body when it is asked to (RFC 9110, section 10.1.1): reading it would ask.
    expects_continue: bool,
}

impl RequestBody {
    /// The body of a request with these headers.
    pub(crate) fn new(body: Incoming, headers: &HeaderMap) -> (Self, UnreadBody) {
        if body.is_end_stream() {
            return (Self(None), UnreadBody { remaining: None, expects_continue: false });
        }
        let (unread, remaining) = oneshot::channel();
        let expects_continue = headers.contains_key(header::EXPECT);
        (Self(Some(Unfinished { body, unread })), UnreadBody { remaining: Some(remaining), expects_continue })
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if let Some(Unfinished { body, unread }) = self.0.take() {
            // Without a receiver, the response has begun, and the body is dropped.
            let _ = unread.send(body);
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(Unfinished { body, .. }) = &mut self.0 else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(&mut *body).poll_frame(context));
        if frame.is_none() || body.is_end_stream() {
            self.0 = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(|unfinished| unfinished.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(|| SizeHint::with_exact(0), |unfinished| unfinished.body.size_hint())
    }
}

impl UnreadBody {
    /// Discards what has arrived of the body. Returns whether that was the rest, so that the connection can be used
    /// again.
    pub(crate) async fn discard(self) -> bool {
        let Some(Ok(mut body)) = self.remaining.map(|mut remaining| remaining.try_recv()) else { return true };
        if self.expects_continue {
            return false;
        }
        let (mut discarded, mut waited) = (0, false);
        poll_fn(|context| {
            loop {
                match Pin::new(&mut body).poll_frame(context) {
                    Poll::Ready(Some(Ok(frame))) => {
                        discarded += frame.data_ref().map_or(0, Bytes::len);
                        if discarded > MAX_DISCARDED {
                            return Poll::Ready(false);
                        }
                        waited = false;
                    }
                    Poll::Ready(end) => return Poll::Ready(end.is_none()),
                    Poll::Pending if waited => return Poll::Ready(false),
                    // Lets the connection read what has arrived.
                    Poll::Pending => {
                        waited = true;
                        context.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                }
            }
        })
        .await
    }
}
