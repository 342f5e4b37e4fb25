//! [`Resolver`]: the addresses of a host.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use crud_runtime::adapter::BoxFuture;
use tokio::net::lookup_host;

/// Looks up the addresses of a host, once for each attempt. The attempt connects to one of them.
#[derive(Clone)]
pub(crate) struct Resolver(Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>);

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

impl Default for Resolver {
    /// The system's resolver.
    fn default() -> Self {
        Self::new(|host| async move { Ok(lookup_host((host, 0)).await?.map(|found| found.ip()).collect()) })
    }
}

impl Resolver {
    pub(crate) fn new<F, W>(resolve: F) -> Self
    where
        F: Fn(String) -> W + Send + Sync + 'static,
        W: Future<Output = io::Result<Vec<IpAddr>>> + Send + 'static,
    {
        Self(Arc::new(move |host| Box::pin(resolve(host))))
    }

    pub(crate) async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        (self.0)(host.to_owned()).await
    }
}
