//! [`Linger`]: reads on after a request was answered before it was read whole.

use std::future::Future;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Time for which the client may send nothing.
const IDLE: Duration = Duration::from_secs(2);

/// Time for which the client may send.
const TOTAL: Duration = Duration::from_secs(30);

/// The bytes that are read at a time.
const CHUNK: usize = 8 * 1024;

/// Reads and discards what a client still sends, until it closes the connection. A socket that is closed with unread
/// bytes resets the connection, and a client that is still sending then fails before it reads the response
/// (RFC 9112, section 9.6).
#[derive(Debug)]
pub(super) struct Linger {
    idle: Pin<Box<Sleep>>,
    end: Instant,
}

impl Linger {
    pub(super) fn begin() -> Self {
        Self { idle: Box::pin(sleep(IDLE)), end: Instant::now() + TOTAL }
    }

    /// Resolves when the client has closed the connection, or its time is over.
    pub(super) fn poll(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<()> {
        let mut chunk = [MaybeUninit::uninit(); CHUNK];
        loop {
            if self.idle.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            let mut chunk = ReadBuf::uninit(&mut chunk);
            let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut chunk));
            if read.is_err() || chunk.filled().is_empty() {
                return Poll::Ready(());
            }
            self.idle.as_mut().reset(self.end.min(Instant::now() + IDLE));
        }
    }
}
