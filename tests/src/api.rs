//! [`Api`]: a running service.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::Service;
use tokio::net::TcpListener;
use tokio::sync::{OnceCell, oneshot};
use tokio::task::JoinHandle;

use crate::backend::Database;
use crate::client::Client;
use crate::documented::Documented;

/// How long a service that has nothing to do may take to stop.
const STOP: Duration = Duration::from_secs(5);

/// A service that runs in this process, on a port of its own, and a client of it.
#[derive(Debug)]
pub struct Api {
    client: Client,
    address: SocketAddr,
    shutdown: oneshot::Sender<()>,
    server: JoinHandle<crud_runtime::Result<()>>,
}

impl Api {
    /// Serves a service.
    ///
    /// # Panics
    /// When there is no port to serve on.
    pub async fn start(database: &Database, service: Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let (shutdown, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            // A sender that is dropped stops the service too.
            service.serve_on(listener, async { drop(stopped.await) }).await
        });
        let client = Client::new(format!("http://{address}"), database.secrets());
        Self { client, address, shutdown, server }
    }

    /// Holds every answer from now on against the service's document too; fetches it where it is not at hand.
    pub(crate) async fn hold_against(&mut self, document: &OnceCell<Arc<Documented>>) {
        let fetch = async || Arc::new(Documented::new(self.client.get("/openapi.json").await.ok()));
        let document = document.get_or_init(fetch).await.clone();
        self.client.hold_against(document);
    }

    /// Holds every answer from now on against the service's document, too.
    pub async fn hold_against_its_document(&mut self) {
        self.hold_against(&OnceCell::new()).await;
    }

    /// The address it is served on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Asks it to stop, without waiting for that; gives what `serve_on` will give.
    pub fn begin_stop(self) -> JoinHandle<crud_runtime::Result<()>> {
        // A server that has failed has dropped its end; its result tells.
        self.shutdown.send(()).ok();
        self.server
    }

    /// Stops it.
    ///
    /// # Panics
    /// When it does not stop, or has failed.
    pub async fn stop(self) {
        let server = self.begin_stop();
        let result = tokio::time::timeout(STOP, server).await.expect("an idle service stops at once");
        result.expect("the server does not panic").expect("the server does not fail");
    }
}

impl Deref for Api {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
