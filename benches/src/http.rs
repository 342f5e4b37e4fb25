//! A keep-alive connection with little overhead: one write and usually one read for each request.

use anyhow::{Context, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A client's connection to a server.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// The body of a response in chunks.
    joined: Vec<u8>,
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
    /// `None`: in chunks.
    body_length: Option<usize>,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024), joined: Vec::new() })
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// When the connection ends, or the response is not HTTP/1.1 with a `Content-Length` or in chunks.
    pub(crate) async fn send(&mut self, request: &[u8]) -> anyhow::Result<Response<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            self.read_some().await?;
            if let Some(head) = parse_head(&self.buffer)? {
                break head;
            }
        };
        let Some(body_length) = head.body_length else {
            self.read_chunks(head.length).await?;
            return Ok(Response { status: head.status, body: &self.joined });
        };
        let end = head.length + body_length;
        while self.buffer.len() < end {
            self.read_some().await?;
        }
        ensure!(self.buffer.len() == end, "the server sent more than its response");
        Ok(Response { status: head.status, body: &self.buffer[head.length..end] })
    }

    /// Reads the chunks that begin at a place in the buffer, up to the last one.
    async fn read_chunks(&mut self, mut start: usize) -> anyhow::Result<()> {
        self.joined.clear();
        loop {
            let line = loop {
                let rest = &self.buffer[start..];
                if let Some(length) = rest.iter().position(|byte| *byte == b'\n') {
                    break start + length;
                }
                self.read_some().await?;
            };
            let size = std::str::from_utf8(&self.buffer[start..line])?.trim_end();
            let (data, size) = (line + 1, usize::from_str_radix(size, 16).context("the size of a chunk")?);
            start = data + size + 2;
            while self.buffer.len() < start {
                self.read_some().await?;
            }
            self.joined.extend_from_slice(&self.buffer[data..data + size]);
            if size == 0 {
                ensure!(self.buffer.len() == start, "the server sent more than its response");
                return Ok(());
            }
        }
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
    let header = |name: &str| response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    let body_length = match header("content-length") {
        Some(header) => Some(std::str::from_utf8(header.value)?.parse()?),
        None if status == 204 || status == 304 => Some(0),
        None if header("transfer-encoding").is_some_and(|coding| coding.value.eq_ignore_ascii_case(b"chunked")) => None,
        None => bail!("the response has no Content-Length"),
    };
    Ok(Some(Head { status, length, body_length }))
}
