//! [`Mcp`]: the plugin.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crud_runtime::access::Access;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::axum::Json;
use crud_runtime::axum::body::Bytes;
use crud_runtime::axum::middleware::from_fn;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, RateLimit, Routes, Undescribed, get, post};
use crud_runtime::{Error, Model, Plugin, PluginSettings, Result, ServiceState};

use crate::endpoint::{self, Endpoint};
use crate::protection::{self, Protection};

/// Largest body of a request, in bytes.
const BODY_LIMIT: usize = 1 << 20;

/// The records of a service for agents, at `/mcp`, by the Model Context Protocol.
///
/// ```
/// use crud_mcp::Mcp;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter(title), sort(title), pagination)]
/// struct Book { id: i64, title: String }
///
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).plugin(Mcp::new())?.resource::<Book>();
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use = "agents are served by `Service::plugin`"]
pub struct Mcp {
    path: String,
    writes: bool,
    is_public: bool,
    origins: Vec<String>,
    hidden: Vec<String>,
    authorization_servers: Vec<String>,
    answer_bytes: usize,
    calls: RateLimit,
    /// The URL of the service, which is known once it is built.
    public_url: Arc<OnceLock<String>>,
}

impl Default for Mcp {
    fn default() -> Self {
        Self::new()
    }
}

impl Mcp {
    /// A read-only endpoint for users, at `/mcp`.
    pub fn new() -> Self {
        Self {
            path: "/mcp".to_owned(),
            writes: false,
            is_public: false,
            origins: Vec::new(),
            hidden: Vec::new(),
            authorization_servers: Vec::new(),
            answer_bytes: 32 * 1024,
            calls: RateLimit::new(300, Duration::from_mins(1)),
            public_url: Arc::default(),
        }
    }

    /// Adds the tools that change records: `create`, `update` and `act`. Each change needs the access that the user needs for it.
    pub fn writes(self) -> Self {
        Self { writes: true, ..self }
    }

    /// Admits requests without a token, with the access that such requests have elsewhere. If never called, a service
    /// with authentication asks for a token first.
    pub fn public(self) -> Self {
        Self { is_public: true, ..self }
    }

    /// Sets the path; `/mcp` if never called.
    pub fn path(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// Hides a resource from agents, by its path such as `/salaries`.
    ///
    /// A path that no resource has is an error at start.
    pub fn without(mut self, resource: impl Into<String>) -> Self {
        self.hidden.push(resource.into());
        self
    }

    /// Admits web pages of an origin, such as `https://inspector.example`. Pages of the user's own machine are always
    /// admitted. Others are not by default, as agents are not web pages.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Names an issuer of tokens, such as `https://login.example/realms/shop`. Clients find it in the service's
    /// metadata (RFC 9728), and log their user in there. `Auth::trust` verifies its tokens.
    pub fn authorization_server(mut self, issuer: impl Into<String>) -> Self {
        self.authorization_servers.push(issuer.into());
        self
    }

    /// Sets the limit of an answer, in bytes; 32 KiB if never called. Above it, texts are cut and records left out.
    pub fn answer_limit(self, bytes: usize) -> Self {
        Self { answer_bytes: bytes, ..self }
    }

    /// Sets the limit of calls of one caller; 300 a minute if never called. Rate limits of resources do not count these
    /// calls.
    pub fn rate_limit(self, calls: RateLimit) -> Self {
        Self { calls, ..self }
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint {
            writes: self.writes,
            hidden: self.hidden.clone(),
            origins: self.origins.clone(),
            answer_bytes: self.answer_bytes,
        }
    }

    fn protection(&self) -> Protection {
        Protection {
            path: self.path.clone(),
            servers: self.authorization_servers.clone(),
            public_url: self.public_url.clone(),
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        if let Some(unknown) = self.hidden.iter().find(|path| !model.resources().any(|it| it.prefix() == *path)) {
            return Err(Error::Setup(format!(
                "`Mcp::without(\"{unknown}\")` names no resource: expected the path of one, such as `/products`"
            )));
        }
        let issuers = self.authorization_servers.iter().map(|url| ("authorization_server", url));
        let origins = self.origins.iter().map(|url| ("origin", url));
        match issuers.chain(origins).find(|(_, url)| !url.starts_with("https://") && !url.starts_with("http://")) {
            Some((method, url)) => Err(Error::Setup(format!(
                "`Mcp::{method}(\"{url}\")` is not a URL: expected one such as `https://login.example`"
            ))),
            None => Ok(()),
        }
    }
}

impl Plugin for Mcp {
    fn name(&self) -> &'static str {
        "mcp"
    }

    /// Reads `path` and `writes` from `[mcp]` in `crud.toml`. They override the program's.
    fn configure(&mut self, settings: &mut PluginSettings) -> Result<()> {
        let Self { path, writes, .. } = self;
        *path = settings.text("path")?.unwrap_or_else(|| std::mem::take(path));
        *writes = settings.flag("writes")?.unwrap_or(*writes);
        Ok(())
    }

    /// Adds the URL of the metadata to refusals, so that clients find where to log in.
    fn install(&self, service: Service) -> Result<Service> {
        let protection = Arc::new(self.protection());
        Ok(service.layer(from_fn(move |request, next| protection::challenge(protection.clone(), request, next))))
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        self.check(model)?;
        let is_open = self.is_public || !model.has_principals();
        let access = if is_open { Access::Public } else { Access::Authenticated };
        let endpoint = Arc::new(self.endpoint());
        let serve = post(move |ctx: Context, body: Bytes| {
            let endpoint = endpoint.clone();
            async move { Undescribed(endpoint::serve(&endpoint, &ctx, &body).await) }
        });
        let serve = serve.access(access).body_limit(BODY_LIMIT).rate_limit(self.calls).no_store().undocumented();
        let routes = Routes::new().route(&self.path, serve);
        if is_open {
            return Ok(routes);
        }
        let protection = self.protection();
        let metadata =
            get(move |ctx: Context| std::future::ready(Undescribed(Json(protection.metadata(ctx.headers())))));
        let metadata = metadata.access(Access::Public).no_store().undocumented();
        Ok(routes.route(protection::metadata_path(&self.path), metadata))
    }

    fn ready<'a>(&'a self, state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        if let Some(url) = state.public_url() {
            self.public_url.get_or_init(|| url.to_owned());
        }
        Box::pin(std::future::ready(Ok(())))
    }
}
