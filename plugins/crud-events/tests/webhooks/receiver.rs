//! A receiver of webhooks, whose answers a test sets.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A message that a receiver has got.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) id: String,
    pub(crate) timestamp: i64,
    signatures: Vec<String>,
    body: Bytes,
}

impl Received {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn kind(&self) -> String {
        self.json()["type"].as_str().expect("a type").to_owned()
    }

    /// Number of its signatures.
    pub(crate) fn signatures(&self) -> usize {
        self.signatures.len()
    }

    /// Whether one of the signatures is by this secret, as Standard Webhooks 1.0 has it.
    pub(crate) fn is_signed_by(&self, secret: &str) -> bool {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("Base64");
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&key).expect("a key");
        mac.update(format!("{}.{}.", self.id, self.timestamp).as_bytes());
        mac.update(&self.body);
        self.signatures.contains(&format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    }
}

/// Answers a message.
type Script = Box<dyn FnMut(&Received) -> Response + Send>;

/// A receiver on loopback.
pub(crate) struct Receiver {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    server: JoinHandle<std::io::Result<()>>,
}

struct Shared {
    received: Vec<Received>,
    script: Script,
}

impl Receiver {
    /// A receiver that takes every message.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let script: Script = Box::new(|_| StatusCode::NO_CONTENT.into_response());
        let shared = Arc::new(Mutex::new(Shared { received: Vec::new(), script }));
        let program = Router::new().fallback(take).with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, program).await });
        Self { address, shared, server }
    }

    /// Its host and port.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Sets its answers from now on.
    pub(crate) fn answer<R: IntoResponse>(&self, mut script: impl FnMut(&Received) -> R + Send + 'static) {
        self.shared.lock().expect("the receiver").script = Box::new(move |received| script(received).into_response());
    }

    /// The messages until now.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.lock().expect("the receiver").received.clone()
    }

    /// The messages until now, which are forgotten.
    pub(crate) fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.shared.lock().expect("the receiver").received)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn take(State(shared): State<Arc<Mutex<Shared>>>, headers: HeaderMap, body: Bytes) -> Response {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let received = Received {
        id: text("webhook-id"),
        timestamp: text("webhook-timestamp").parse().expect("a timestamp"),
        signatures: text("webhook-signature").split(' ').map(str::to_owned).collect(),
        body,
    };
    assert_eq!(text("content-type"), "application/json");
    let mut shared = shared.lock().expect("the receiver");
    let answer = (shared.script)(&received);
    shared.received.push(received);
    answer
}

/// A server on loopback that writes these bytes when a request begins, and then does what the function does.
pub(crate) struct RawReceiver {
    address: SocketAddr,
    connections: Arc<Mutex<usize>>,
    server: JoinHandle<()>,
}

impl RawReceiver {
    pub(crate) async fn start<F, W>(head: &'static str, rest: F) -> Self
    where
        F: Fn(TcpStream) -> W + Send + Sync + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let connections = Arc::<Mutex<usize>>::default();
        let counted = connections.clone();
        let server = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                *counted.lock().expect("a number") += 1;
                let mut request = [0; 4096];
                let read = stream.read(&mut request).await;
                if read.is_ok() && stream.write_all(head.as_bytes()).await.is_ok() {
                    tokio::spawn(rest(stream));
                }
            }
        });
        Self { address, connections, server }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Number of connections until now.
    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().expect("a number")
    }
}

impl Drop for RawReceiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}
