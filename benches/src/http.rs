//! A keep-alive connection with little overhead: one write and usually one read for each request.

use anyhow::{Context, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A client's connection to a server.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

struct Head {
    status: u16,
    length: usize,
    body_length: usize,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024) })
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// When the connection ends, or the response is not HTTP/1.1 with a `Content-Length`.
    pub(crate) async fn send(&mut self, request: &[u8]) -> anyhow::Result<Response<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            self.read_some().await?;
            if let Some(head) = parse_head(&self.buffer)? {
                break head;
            }
        };
        let end = head.length + head.body_length;
        while self.buffer.len() < end {
            self.read_some().await?;
        }
        ensure!(self.buffer.len() == end, "the server sent more than its response");
        Ok(Response { status: head.status, body: &self.buffer[head.length..end] })
    }

    async fn read_some(&mut self) -> anyhow::Result<()> {
        let read = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(read > 0, "the server closed the connection in the middle of a response");
        Ok(())
    }
}

fn parse_head(bytes: &[u8]) -> anyhow::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = response.parse(bytes)? else { return Ok(None) };
    let status = response.code.context("the response has no status")?;
    let content_length = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let body_length = match content_length {
        Some(header) => std::str::from_utf8(header.value)?.parse()?,
        None if status == 204 || status == 304 => 0,
        None => bail!("the response has no Content-Length"),
    };
    Ok(Some(Head { status, length, body_length }))
}
