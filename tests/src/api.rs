//! [`Api`]: a service that runs in the test's process.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::Service;
use tokio::net::TcpListener;
use tokio::sync::{OnceCell, oneshot};
use tokio::task::JoinHandle;

use crate::backend::{Backend, Database};
use crate::client::Client;
use crate::openapi::OpenApi;
use crate::wait::within;

/// Time limit for the stop of an idle service: connections that wait for their clients have this time.
const STOP_TIME: Duration = Duration::from_secs(2);

/// A running service on a free port, with a client for it.
#[derive(Debug)]
pub struct Api {
    client: Client,
    backend: Backend,
    address: SocketAddr,
    shutdown: oneshot::Sender<()>,
    server: JoinHandle<crud_runtime::Result<()>>,
}

impl Api {
    /// Serves a service.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn start(database: &Database, service: Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let (shutdown, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            // A dropped sender stops the service too.
            service.serve_on(listener, async { drop(stopped.await) }).await
        });
        let client = Client::new(format!("http://{address}"), database.secrets());
        Self { client, backend: database.backend(), address, shutdown, server }
    }

    /// Serves a service by `axum::serve`, with its background work beside it.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn start_on_axum(database: &Database, service: Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let (shutdown, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            let (router, background) = service.into_parts()?;
            let stopping = background.stopping();
            let background = tokio::spawn(background.run(async { drop(stopped.await) }));
            axum::serve(listener, router).with_graceful_shutdown(stopping).await.expect("the server of axum");
            background.await.expect("the background work does not panic")
        });
        let client = Client::new(format!("http://{address}"), database.secrets());
        Self { client, backend: database.backend(), address, shutdown, server }
    }

    /// Checks every later answer against the service's OpenAPI document, which is fetched on first use.
    pub(crate) async fn check_against(&mut self, document: &OnceCell<Arc<OpenApi>>) {
        let fetch = async || Arc::new(OpenApi::new(self.client.get("/openapi.json?version=3.2").await.ok()));
        let document = document.get_or_init(fetch).await.clone();
        self.client.check_against(document);
    }

    /// Checks every later answer against the service's OpenAPI document.
    pub async fn check_against_document(&mut self) {
        self.check_against(&OnceCell::new()).await;
    }

    /// The back end of its database.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts the shutdown without waiting; returns the task whose result is that of `serve_on`.
    pub fn begin_stop(self) -> JoinHandle<crud_runtime::Result<()>> {
        // A failed server has dropped its receiver; the task's result reports the failure.
        self.shutdown.send(()).ok();
        self.server
    }

    /// Stops the service.
    ///
    /// # Panics
    /// When it does not stop within the timeout, or has failed.
    pub async fn stop(self) {
        let server = self.begin_stop();
        let result = within(STOP_TIME, "an idle service stops", server).await;
        result.expect("the server does not panic").expect("the server does not fail");
    }
}

impl Deref for Api {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
