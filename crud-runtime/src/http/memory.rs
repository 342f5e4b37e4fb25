//! [`Memory`]: the bytes of bodies and responses that requests hold together, bounded.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

use crate::model::problem::{Code, Problem};

/// The size of a body or a response up to which it is not counted: the number of requests bounds these.
pub(crate) const UNCOUNTED: usize = 16 * 1024;

/// The size of a response from which on the rest is streamed.
pub(crate) const CHUNK: usize = 256 * 1024;

/// The bytes that requests hold together.
#[derive(Debug)]
pub(crate) struct Memory {
    limit: usize,
    held: AtomicUsize,
}

/// Bytes that one request holds, until this is dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Memory {
    /// Memory for this many bytes.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, held: AtomicUsize::new(0) })
    }

    /// How many bytes requests may hold together.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// A hold of nothing yet.
    pub(crate) fn hold(self: &Arc<Self>) -> Hold {
        Hold { memory: self.clone(), bytes: 0 }
    }

    /// Counts a response until it is written. One that `may_be_refused` changed nothing.
    ///
    /// # Errors
    /// `unavailable` where requests hold too much, if the response may be refused.
    pub(crate) fn count(self: &Arc<Self>, response: Response, may_be_refused: bool) -> Result<Response, Problem> {
        let size = match response.body().size_hint().exact() {
            Some(size) if size <= UNCOUNTED as u64 => return Ok(response),
            Some(size) => usize::try_from(size).unwrap_or(usize::MAX),
            None => CHUNK,
        };
        let mut hold = self.hold();
        if may_be_refused {
            hold.grow_to(size)?;
        } else {
            hold.set(size);
        }
        let memory = self.clone();
        Ok(response.map(|body| Body::new(CountedBody { body, memory, first: Some(hold) })))
    }
}

impl Hold {
    /// Holds this many bytes, or what it held before.
    ///
    /// # Errors
    /// `unavailable` where requests hold too much.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        let more = bytes.saturating_sub(self.bytes);
        let limit = self.memory.limit;
        let fits = |held: usize| held.checked_add(more).filter(|held| *held <= limit);
        match self.memory.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => {
                self.bytes += more;
                Ok(())
            }
            Err(_) => Err(Problem::new(Code::Unavailable, "requests hold too much memory; try again later")),
        }
    }

    /// Holds this many bytes, whatever the limit: they are there.
    pub(crate) fn set(&mut self, bytes: usize) {
        if bytes >= self.bytes {
            self.memory.held.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.memory.held.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }

    /// The same bytes, held until they are dropped.
    pub(crate) fn keep(mut self, bytes: Bytes) -> Bytes {
        self.set(bytes.len());
        Bytes::from_owner(HeldBytes { bytes, _hold: self })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.set(0);
    }
}

struct HeldBytes {
    bytes: Bytes,
    _hold: Hold,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body whose frames are counted until hyper has written them.
struct CountedBody {
    body: Body,
    memory: Arc<Memory>,
    /// What the first frame holds.
    first: Option<Hold>,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let hold = self.first.take();
        let memory = &self.memory;
        Poll::Ready(frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|bytes| match hold {
                    None if bytes.len() <= UNCOUNTED => bytes,
                    hold => hold.unwrap_or_else(|| memory.hold()).keep(bytes),
                })
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn held(memory: &Memory) -> usize {
        memory.held.load(Ordering::Relaxed)
    }

    #[test]
    fn hold_beyond_the_limit_is_refused_and_keeps_what_it_held() {
        let memory = Memory::new(100);
        let (mut first, mut second) = (memory.hold(), memory.hold());
        first.grow_to(60).unwrap();
        second.grow_to(40).unwrap();
        assert_eq!(second.grow_to(41).unwrap_err().code(), Code::Unavailable);
        drop(first);
        second.grow_to(100).unwrap();
        assert_eq!(held(&memory), 100);
        drop(second);
        assert_eq!(held(&memory), 0);
    }

    #[tokio::test]
    async fn response_is_counted_until_its_bytes_are_dropped() {
        let memory = Memory::new(100_000);
        let response = || Response::new(Body::from(vec![0; 60_000]));
        let first = memory.count(response(), true).unwrap();
        assert_eq!(memory.count(response(), true).unwrap_err().code(), Code::Unavailable);
        let change = memory.count(response(), false).unwrap();
        assert_eq!(held(&memory), 120_000);
        drop(change);
        let mut body = first.into_body();
        assert_eq!(body.size_hint().exact(), Some(60_000));
        let bytes = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!(held(&memory), 60_000);
        drop(bytes);
        assert_eq!(held(&memory), 0);
        memory.count(Response::new(Body::from(vec![0; UNCOUNTED])), true).unwrap();
        assert_eq!(held(&memory), 0);
    }
}
