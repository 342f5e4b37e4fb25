//! [`RawConnection`]: a TCP connection for bytes that an HTTP client would not send.

use std::net::{IpAddr, SocketAddr};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::wait::event;

/// A connection to a service.
#[derive(Debug)]
pub struct RawConnection {
    stream: TcpStream,
    read: Vec<u8>,
}

/// A response as read: HTTP/1.1 with a `Content-Length`, or without a body.
#[derive(Debug)]
pub struct RawAnswer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl RawConnection {
    /// Connects.
    ///
    /// # Panics
    /// When the service does not accept the connection.
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the service accepts");
        Self { stream, read: Vec::new() }
    }

    /// Connects from another address of this machine, such as `127.0.0.2`.
    ///
    /// # Panics
    /// When the machine does not have the address, or the service does not accept the connection.
    pub async fn connect_from(source: IpAddr, address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::new(source, 0)).expect("an address of this machine");
        let stream = socket.connect(address).await.expect("the service accepts");
        Self { stream, read: Vec::new() }
    }

    /// Sends bytes.
    ///
    /// # Panics
    /// When the service has closed the connection.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).await.expect("the connection is open");
    }

    /// Sends bytes, unless the service has closed the connection.
    ///
    /// # Errors
    /// When the service has closed the connection.
    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        self.stream.write_all(bytes.as_ref()).await?;
        self.stream.flush().await
    }

    /// Ends what is sent; the service may still answer.
    ///
    /// # Panics
    /// When the service has closed the connection.
    pub async fn end(&mut self) {
        self.stream.shutdown().await.expect("the connection is open");
    }

    /// The next response; `None` when the service closes the connection instead.
    ///
    /// # Panics
    /// When neither happens in time, or the response is not HTTP.
    pub async fn answer(&mut self) -> Option<RawAnswer> {
        let head_end = loop {
            if let Some(end) = find(&self.read, b"\r\n\r\n") {
                break end;
            }
            if !self.read_more().await {
                assert!(
                    self.read.is_empty(),
                    "closed in the middle of a head: {:?}",
                    String::from_utf8_lossy(&self.read)
                );
                return None;
            }
        };
        let head = String::from_utf8(self.read[..head_end].to_vec()).expect("a head in ASCII");
        self.read.drain(..head_end + 4);
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let headers: HeaderMap = lines.map(header).collect();
        let length =
            headers.get("content-length").and_then(|v| v.to_str().ok()).map_or(0, |v| v.parse().expect("a length"));
        while self.read.len() < length {
            assert!(self.read_more().await, "closed in the middle of a body");
        }
        let body = self.read.drain(..length).collect();
        Some(RawAnswer { status: status.expect("a status"), headers, body })
    }

    /// Waits until the service closes the connection; what it sends before is kept.
    ///
    /// # Panics
    /// When it does not close in time.
    pub async fn closed(&mut self) {
        while self.read_more().await {}
    }

    /// Whether the service has not reset the connection. Reads nothing.
    ///
    /// # Panics
    /// When the connection has another error.
    pub fn is_open(&self) -> bool {
        match self.stream.take_error() {
            Ok(None) => true,
            Ok(Some(error)) if error.kind() == std::io::ErrorKind::ConnectionReset => false,
            other => panic!("the connection fails: {other:?}"),
        }
    }

    /// Reads one byte, unless the service has closed the connection.
    ///
    /// # Panics
    /// When there is none in time.
    pub async fn read_byte(&mut self) -> Option<u8> {
        event("the service sends or closes", self.stream.read_u8()).await.ok()
    }

    /// The bytes read that were not part of a returned response.
    pub fn unread(&self) -> &[u8] {
        &self.read
    }

    async fn read_more(&mut self) -> bool {
        let mut buffer = vec![0; 16 * 1024];
        let read = event("the service answers or closes", self.stream.read(&mut buffer)).await;
        // A reset ends the connection too.
        let read = read.unwrap_or(0);
        self.read.extend_from_slice(&buffer[..read]);
        read > 0
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

fn header(line: &str) -> (HeaderName, HeaderValue) {
    let (name, value) = line.split_once(':').expect("a header line");
    (name.parse().expect("a header's name"), value.trim().parse().expect("a header's value"))
}
