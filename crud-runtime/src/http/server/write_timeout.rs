//! [`WriteTimeout`]: a stream whose writes fail when the client does not read, and whose heads have no bare line feed.

use std::future::Future;
use std::io::{self, Cursor, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::connection_state::ConnectionState;
use super::head_lines::HeadLines;
use super::linger::Linger;

/// Unsent bytes of a connection that the system buffers. The system takes more when half of them are sent, so this is
/// also the least progress that a client has to make: 32 KiB in each timeout. Without this limit, the buffer grows to
/// megabytes, and a client may drain it for minutes before the next write succeeds.
#[cfg(any(target_os = "android", target_os = "linux"))]
const UNSENT_BYTES: u32 = 64 * 1024;

/// A stream whose writes fail with [`io::ErrorKind::TimedOut`] when none succeeds within the limit. While writes succeed,
/// it costs a comparison.
#[derive(Debug)]
pub(crate) struct WriteTimeout {
    stream: TcpStream,
    limit: Duration,
    state: Arc<ConnectionState>,
    /// The timer of the write that waits for the client, if one does.
    stall: Option<Pin<Box<Sleep>>>,
    lines: HeadLines,
    /// Bytes after a head, which hyper gets when it has read the head.
    held: Cursor<Vec<u8>>,
    linger: Option<Linger>,
}

impl WriteTimeout {
    /// Sets the stream's options. Where setting one fails, the system's default applies: writes are slower, or time out
    /// later.
    pub(crate) fn new(stream: TcpStream, limit: Duration, state: Arc<ConnectionState>) -> Self {
        // Responses are written whole: Nagle's algorithm would only delay them.
        let _ = stream.set_nodelay(true);
        #[cfg(any(target_os = "android", target_os = "linux"))]
        {
            let socket = SockRef::from(&stream);
            let _ = socket.set_tcp_notsent_lowat(UNSENT_BYTES);
            // For what the system still sends after the connection is closed.
            let _ = socket.set_tcp_user_timeout(Some(limit));
        }
        Self { stream, limit, state, stall: None, lines: HeadLines::new(), held: Cursor::default(), linger: None }
    }

    /// Reads bytes that have arrived, although the runtime does not know of them yet, so that a connection is not
    /// closed while a request has reached the system.
    fn read_arrived(&self, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = (&*SockRef::from(&self.stream)).read(buffer.initialize_unfilled());
        match read {
            Ok(length) => buffer.advance(length),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
            Err(error) => return Poll::Ready(Err(error)),
        }
        Poll::Ready(Ok(()))
    }

    /// Reads the held bytes, or else bytes that have arrived.
    fn poll_bytes(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.has_held() {
            return Pin::new(&mut self.held).poll_read(context, buffer);
        }
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending() && self.state.is_closing() { self.read_arrived(buffer) } else { read }
    }

    fn has_held(&self) -> bool {
        self.held.position() < self.held.get_ref().len() as u64
    }

    /// Holds these bytes, the last that were read, for later.
    fn hold(&mut self, bytes: &[u8]) {
        if self.held.get_ref().is_empty() {
            self.held = Cursor::new(bytes.to_vec());
        } else if !bytes.is_empty() {
            self.held.set_position(self.held.position() - bytes.len() as u64);
        } else if !self.has_held() {
            self.held = Cursor::default();
        }
    }

    /// Starts the timer when a write has to wait, and stops it when a write succeeds.
    fn timed(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            if self.stall.take().is_some() {
                self.state.set_stalled(false);
            }
            return written;
        }
        let stall = self.stall.get_or_insert_with(|| {
            self.state.set_stalled(true);
            Box::pin(sleep(self.limit))
        });
        ready!(stall.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = self.poll_bytes(context, buffer);
        // hyper reads on once the service has its request.
        if self.lines.needs_length()
            && let Some(length) = self.state.take_body_length()
        {
            self.lines.set_length(length);
        }
        let given = before + self.lines.read(&mut buffer.filled_mut()[before..]);
        self.hold(&buffer.filled()[given..]);
        buffer.set_filled(given);
        read
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.timed(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    // A TCP stream has no buffer to flush, and shuts down without waiting.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, state, linger, .. } = self.get_mut();
        ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        if state.has_unread_body() {
            ready!(linger.get_or_insert_with(Linger::begin).poll(stream, context));
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for WriteTimeout {
    /// Resets the connection of a client that does not read: the system would keep the unread bytes otherwise.
    fn drop(&mut self) {
        if self.stall.is_some() {
            let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
        }
    }
}
