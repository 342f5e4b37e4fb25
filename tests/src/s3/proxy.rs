//! [`S3Proxy`]: the way to a server that speaks S3, which fails where a test says.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request of S3's API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An object is put by one request.
    Put,
    /// A multipart upload begins.
    StartUpload,
    /// A part of a multipart upload is sent.
    UploadPart,
    /// A multipart upload is completed.
    Complete,
    /// A multipart upload is dropped.
    Abort,
    /// An object, or a range of it, is read.
    Get,
    /// The size and the tag of an object are read.
    Head,
    /// One object is removed, or several.
    Delete,
    /// Objects are listed.
    List,
}

impl Step {
    /// The step of a request line such as `PUT /bucket/key?partNumber=1&uploadId=x HTTP/1.1`.
    fn of(line: &str) -> Option<Self> {
        let (method, rest) = line.split_once(' ')?;
        let (path, query) = rest.split_once(' ')?.0.split_once('?').unwrap_or((rest.split_once(' ')?.0, ""));
        let has = |name: &str| query.split('&').any(|pair| pair.split('=').next() == Some(name));
        let is_bucket = !path.trim_matches('/').contains('/');
        Some(match method {
            "PUT" if has("partNumber") => Self::UploadPart,
            "PUT" => Self::Put,
            "POST" if has("uploads") => Self::StartUpload,
            "POST" if has("uploadId") => Self::Complete,
            "POST" if has("delete") => Self::Delete,
            "DELETE" if has("uploadId") => Self::Abort,
            "DELETE" => Self::Delete,
            "HEAD" => Self::Head,
            "GET" if is_bucket => Self::List,
            "GET" => Self::Get,
            _ => return None,
        })
    }
}

/// A fault of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends after so many bytes of the request's body; the server gets those.
    CutRequest(u64),
    /// The connection ends after so many bytes of the answer, its head included.
    CutAnswer(u64),
    /// The server does what it is asked, and its answer is lost.
    LoseAnswer,
    /// The server is not asked, and this status is the answer, such as 503.
    Answer(u16),
}

/// Faults, each of which a number of requests of a step have.
type Faults = Arc<Mutex<Vec<(Step, Fault, u32)>>>;

/// A proxy on another address, for as long as it is not dropped.
#[derive(Debug)]
pub struct S3Proxy {
    address: SocketAddr,
    faults: Faults,
    requests: Arc<Mutex<Vec<Step>>>,
    task: JoinHandle<()>,
}

impl Drop for S3Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl S3Proxy {
    /// Starts a proxy in front of an endpoint, such as `http://127.0.0.1:9000`.
    ///
    /// # Panics
    /// When no address is free, and when the endpoint is not one of plain HTTP.
    pub async fn start(endpoint: &str) -> Self {
        let server = endpoint.strip_prefix("http://").expect("an endpoint of plain HTTP").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free address");
        let address = listener.local_addr().expect("its address");
        let (faults, requests) = (Faults::default(), Arc::<Mutex<Vec<Step>>>::default());
        let route = Route { server: server.into(), faults: Arc::clone(&faults), requests: Arc::clone(&requests) };
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                // A connection that fails is what the proxy is for.
                let route = route.clone();
                tokio::spawn(async move { route.serve(client).await.ok() });
            }
        });
        Self { address, faults, requests, task }
    }

    /// The endpoint of the proxy.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets the next requests of a step fail, as many as `times`.
    ///
    /// # Panics
    /// When a connection has panicked.
    pub fn fail(&self, step: Step, fault: Fault, times: u32) {
        self.faults.lock().expect("the faults").push((step, fault, times));
    }

    /// The number of requests of a step so far.
    ///
    /// # Panics
    /// When a connection has panicked.
    pub fn requests(&self, step: Step) -> usize {
        self.requests.lock().expect("the requests").iter().filter(|other| **other == step).count()
    }
}

/// The way of a connection.
#[derive(Clone)]
struct Route {
    server: Arc<str>,
    faults: Faults,
    requests: Arc<Mutex<Vec<Step>>>,
}

impl Route {
    /// Serves one request of a connection, and ends it.
    async fn serve(&self, mut client: TcpStream) -> io::Result<()> {
        let (head, begin) = read_head(&mut client).await?;
        let fault = self.fault(&head);
        if let Some(Fault::Answer(status)) = fault {
            return refuse(&mut client, &head, begin.len(), status).await;
        }
        let mut server = TcpStream::connect(&*self.server).await?;
        server.write_all(closing(&head).as_bytes()).await?;
        let length = content_length(&head);
        let sent = if let Some(Fault::CutRequest(bytes)) = fault { bytes.min(length) } else { length };
        let first = usize::try_from(sent).map_or(begin.len(), |sent| sent.min(begin.len()));
        server.write_all(&begin[..first]).await?;
        // A server that refuses before it has read everything has answered all the same.
        copy(&mut (&mut client).take(sent - first as u64), &mut server).await.ok();
        match fault {
            Some(Fault::CutRequest(_)) => Ok(()),
            // The server has done it when its answer ends.
            Some(Fault::LoseAnswer) => copy(&mut server, &mut tokio::io::sink()).await.map(drop),
            Some(Fault::CutAnswer(bytes)) => copy(&mut server.take(bytes), &mut client).await.map(drop),
            _ => copy(&mut server, &mut client).await.map(drop),
        }
    }

    /// Takes the fault of a request, if it has one.
    fn fault(&self, head: &str) -> Option<Fault> {
        let step = Step::of(head.lines().next()?)?;
        self.requests.lock().ok()?.push(step);
        let mut faults = self.faults.lock().ok()?;
        let (_, fault, times) = faults.iter_mut().find(|(of, _, times)| *of == step && *times > 0)?;
        *times -= 1;
        Some(*fault)
    }
}

/// Reads a request's head; returns it with the bytes of the body that came with it.
async fn read_head(client: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut read = Vec::new();
    loop {
        if client.read_buf(&mut read).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let body = read.split_off(end + 4);
            return Ok((String::from_utf8_lossy(&read).into_owned(), body));
        }
    }
}

/// The head whose connection is for one request.
fn closing(head: &str) -> String {
    let lines = head.split_inclusive("\r\n").filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let mut closing: String = lines.collect();
    closing.truncate(closing.len() - 2);
    closing + "connection: close\r\n\r\n"
}

fn content_length(head: &str) -> u64 {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.and_then(|(_, length)| length.trim().parse().ok()).unwrap_or_default()
}

/// Answers with a status, once the request has been read: a client that still sends would see a reset.
async fn refuse(client: &mut TcpStream, head: &str, begun: usize, status: u16) -> io::Result<()> {
    let rest = content_length(head).saturating_sub(begun as u64);
    copy(&mut (&mut *client).take(rest), &mut tokio::io::sink()).await?;
    let text = "<Error><Code>InternalError</Code><Message>a fault of the tests</Message></Error>";
    let length = text.len();
    let head = format!("HTTP/1.1 {status} Fault\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    client.write_all((head + text).as_bytes()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_apart_by_method_and_query() {
        let step = |line: &str| Step::of(&format!("{line} HTTP/1.1"));
        assert_eq!(step("PUT /b/k"), Some(Step::Put));
        assert_eq!(step("PUT /b/k?partNumber=1&uploadId=x"), Some(Step::UploadPart));
        assert_eq!(step("POST /b/k?uploads="), Some(Step::StartUpload));
        assert_eq!(step("POST /b/k?uploadId=x"), Some(Step::Complete));
        assert_eq!(step("GET /b?list-type=2"), Some(Step::List));
        assert_eq!(step("GET /b/k"), Some(Step::Get));
        assert_eq!(step("OPTIONS /b"), None);
    }

    #[test]
    fn head_asks_for_the_end_of_the_connection() {
        let head = "GET / HTTP/1.1\r\nhost: x\r\nConnection: keep-alive\r\n\r\n";
        assert_eq!(closing(head), "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    }

    /// Requests without a key, which the server refuses: the proxy's part is the same.
    #[tokio::test]
    async fn proxy_passes_requests_on_and_fails_where_it_is_told() {
        let Some(server) = crate::s3::S3::get() else { return };
        let bucket = server.bucket();
        let proxy = S3Proxy::start(&bucket.endpoint).await;
        let url = format!("{}/{}/key", proxy.endpoint(), bucket.name);
        let put = || reqwest::Client::new().put(&url).body(vec![7; 300]).send();
        assert_eq!(put().await.expect("the server's answer").status(), 403);
        proxy.fail(Step::Put, Fault::Answer(503), 2);
        assert_eq!(put().await.expect("a fault").status(), 503);
        proxy.fail(Step::Get, Fault::LoseAnswer, 1);
        assert_eq!(put().await.expect("a fault").status(), 503);
        assert!(reqwest::get(&url).await.is_err(), "the answer is lost");
        proxy.fail(Step::Get, Fault::CutAnswer(20), 1);
        assert!(reqwest::get(&url).await.is_err(), "the head is cut");
        proxy.fail(Step::Put, Fault::CutRequest(100), 1);
        assert!(put().await.is_err(), "the connection ends within the body");
        assert_eq!(put().await.expect("the server's answer").status(), 403);
        assert_eq!((proxy.requests(Step::Put), proxy.requests(Step::Get)), (5, 2));
    }
}
