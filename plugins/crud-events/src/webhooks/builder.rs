//! [`Webhooks`]: the options of webhooks.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::IpAddr;

use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use crud_runtime::routing::Routes;
use crud_runtime::{Error, ExtensionOptions, Model, Result};

use super::queue::run::{deliver, run};
use super::queue::sweep::sweep;
use super::routes;
use super::sender::Sender;
use super::sending::client::Client;
use super::sending::destination::{Destinations, InnerHost};
use super::sending::resolver::Resolver;
use super::table::delivery::Delivery;
use super::table::lease::Lease;
use super::table::progress::Progress;
use super::table::webhook::Webhook;
use crate::core::Core;

/// Webhooks: events that a service sends to the URLs of other services, by [Standard Webhooks](https://www.standardwebhooks.com)
/// 1.0.
///
/// ```
/// use crud_events::{Events, Webhooks};
/// use crud_runtime::auth::Auth;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(audit, access(read(public), write(role("admin"))))]
/// struct Card { id: i64, title: String }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:")
///     .await?
///     .auth(Auth::from_env()?)
///     .plugin(Events::new().resource::<Card>().webhooks(Webhooks::new()))?
///     .resource::<Card>();
/// # let _ = service; Ok(()) }
/// ```
#[derive(Clone, Default)]
#[must_use = "webhooks are sent where `Events::webhooks` has them"]
pub struct Webhooks {
    destinations: Destinations,
    inner: Vec<String>,
    root_certificates: Vec<String>,
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl Webhooks {
    /// Webhooks to `https` URLs on port 443 of the internet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets webhooks send to this host by `http` and `https`, whatever its address: for receivers in the program's own
    /// network, and for tests. Without a port, as in `relay.internal`, the scheme's default port is allowed;
    /// `relay.internal:8080` allows port 8080.
    pub fn allow_http_to(mut self, host: impl Into<String>) -> Self {
        self.inner.push(host.into());
        self
    }

    /// Allows a further port for `https` URLs, besides 443.
    pub fn allow_port(mut self, port: u16) -> Self {
        self.destinations.ports.push(port);
        self
    }

    /// Adds a trusted certificate authority, in PEM, to those of Mozilla's list.
    pub fn root_certificate(mut self, pem: impl Into<String>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// Looks up the addresses of hosts by this function, in place of the system's resolver. Each attempt calls the
    /// function once, and connects to a public address of its answer.
    ///
    /// ```
    /// use crud_events::Webhooks;
    ///
    /// let webhooks = Webhooks::new().resolve(async |host| match host.as_str() {
    ///     "partner.example" => Ok(vec!["8.8.8.8".parse().expect("an address")]),
    ///     _ => Err(std::io::ErrorKind::NotFound.into()),
    /// });
    /// # let _ = webhooks;
    /// ```
    pub fn resolve<F, W>(mut self, resolve: F) -> Self
    where
        F: Fn(String) -> W + Send + Sync + 'static,
        W: Future<Output = io::Result<Vec<IpAddr>>> + Send + 'static,
    {
        self.destinations.resolver = Resolver::new(resolve);
        self
    }

    /// Creates the deliveries of new events, attempts those that are due, and returns the number of attempts. For
    /// tests, in which no background task runs: a serving program does it by itself.
    ///
    /// # Errors
    /// Errors of the database; `internal` if the service has no webhooks.
    pub async fn deliver(app: &App) -> Result<usize> {
        let app = app.unscoped();
        let sender = app.extension::<Sender>()?;
        deliver(sender, &app).await
    }

    /// Removes deliveries that are older than they are kept, and returns their number. A serving program does it each
    /// hour.
    ///
    /// # Errors
    /// Errors of the database; `internal` if the service has no webhooks.
    pub async fn sweep(app: &App) -> Result<u64> {
        let app = app.unscoped();
        sweep(app.extension::<Sender>()?, &app).await
    }

    /// Adds the resources, tables, routes and background task of webhooks to a service.
    pub(crate) fn install(&self, core: &Core, service: Service) -> Result<Service> {
        let mut destinations = self.destinations.clone();
        for host in &self.inner {
            let refuse = || Error::Setup(format!("`allow_http_to({host:?})`: expected a host, such as `relay:8080`"));
            destinations.inner.push(InnerHost::parse(host).ok_or_else(refuse)?);
        }
        let sender = Sender::new(core.clone(), Client::new(destinations, &self.root_certificates)?);
        let task = sender.clone();
        let service = service
            .extension(sender)
            .extend(ExtensionOptions::secret_keys)
            .resource::<Webhook>()
            .resource::<Delivery>();
        let service = service.table::<Progress>().table::<Lease>();
        let service = service.replace::<Webhook>(Operation::Create, routes::create());
        Ok(service.beside(move |state| run(task.clone(), state)))
    }

    /// Sets the resources that have events.
    pub(crate) fn open(app: &App, resources: Vec<&'static Descriptor>) -> Result<()> {
        app.extension::<Sender>()?.open(resources);
        Ok(())
    }

    /// The routes besides those of the resources.
    pub(crate) fn routes(model: &Model) -> Routes {
        let prefix = |resource| model.resource(resource).map(|resource| resource.prefix().to_owned());
        match (prefix(Webhook::DESCRIPTOR), prefix(Delivery::DESCRIPTOR)) {
            (Some(webhooks), Some(deliveries)) => routes::all(&webhooks, &deliveries),
            _ => Routes::new(),
        }
    }
}
