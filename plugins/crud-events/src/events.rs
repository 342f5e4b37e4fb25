//! [`Events`]: the plugin.

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::axum::http::{HeaderName, HeaderValue};
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::Routes;
use crud_runtime::{BoxError, Error, Model, Plugin, PluginSettings, Result, ServiceState, ViewConditions};

use crate::core::Core;
use crate::event::Event;
use crate::log::table::{BatchRecord, HeadRecord, SubscriberRecord};
use crate::stream;
use crate::stream::ticket::Ticket;
use crate::subscriber::Subscriber;
#[cfg(feature = "webhooks")]
use crate::webhooks::Webhooks;

/// Time for which events are kept, if the program states none.
const KEEP: TimeDelta = TimeDelta::days(7);

/// Header in the answers of lists: the number after which a stream continues the list.
const EVENTS_AFTER: HeaderName = HeaderName::from_static("events-after");
const ABOUT_AFTER: &str = "The id after which the events continue the list: `after=4711` of its route of events.";

/// Live events of the records of a service.
///
/// ```
/// use crud_events::Events;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(audit)]
/// struct Card { id: i64, title: String }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.plugin(Events::new().resource::<Card>())?.resource::<Card>();
/// # let _ = service; Ok(()) }
/// ```
///
/// In `[events]` of `crud.toml`: `keep = "7d"`.
#[derive(Debug, Clone)]
#[must_use = "a plugin does nothing until `Service::plugin` adds it"]
pub struct Events {
    pub(crate) core: Core,
    named: Vec<&'static Descriptor>,
    every: bool,
    keep: TimeDelta,
    path: String,
    subscribers: Vec<Subscriber>,
    #[cfg(feature = "webhooks")]
    webhooks: Option<Webhooks>,
}

impl Default for Events {
    fn default() -> Self {
        let (core, named, subscribers) = (Core::default(), Vec::new(), Vec::new());
        Self {
            core,
            named,
            every: false,
            keep: KEEP,
            path: "/events".to_owned(),
            subscribers,
            #[cfg(feature = "webhooks")]
            webhooks: None,
        }
    }
}

impl Events {
    /// Events of the resources that [`resource`](Self::resource) names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds events of a resource. It must have an audit log.
    pub fn resource<R: Resource>(mut self) -> Self {
        self.named.push(R::DESCRIPTOR);
        self
    }

    /// Adds events of every resource with an audit log.
    pub fn every_audited_resource(self) -> Self {
        Self { every: true, ..self }
    }

    /// Sets the time for which events are kept; 7 days if never called. A client that was away for longer lists the
    /// records again. Events are not kept longer than the entries of the audit log.
    pub fn keep(self, time: Duration) -> Self {
        Self { keep: TimeDelta::from_std(time).unwrap_or(KEEP), ..self }
    }

    /// Calls a function of the program with each event of every audited resource, with all fields of the record. Events
    /// come in order, one after another, on one server at a time; a failed call is retried until it succeeds. The
    /// database stores the function's place in the log under `name`. So an event may come again after a crash, and none
    /// is left out that the audit log keeps. Where a call fails for four times as long as [`keep`](Self::keep), the
    /// function may miss events, which the service logs as an error.
    ///
    /// ```
    /// use crud_events::{Event, Events};
    /// use crud_runtime::prelude::*;
    ///
    /// let events = Events::new().on_event("search-index", async |event: Event, app: App| {
    ///     println!("{} of {} at {}", event.kind, event.record_id, app.now());
    ///     Ok(())
    /// });
    /// ```
    pub fn on_event<F, W>(mut self, name: impl Into<String>, call: F) -> Self
    where
        F: Fn(Event, App) -> W + Send + Sync + 'static,
        W: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        let call = Arc::new(move |event, app| Box::pin(call(event, app)) as BoxFuture<'static, _>);
        self.subscribers.push(Subscriber::new(name.into(), call));
        self
    }

    /// Calls the functions of [`on_event`](Self::on_event) for all new events. For tests: a served program does it by
    /// itself.
    ///
    /// # Errors
    /// The error of the first function that fails; errors of the database.
    pub async fn catch_up(&self) -> Result<(), BoxError> {
        self.core.log.refresh().await?;
        for subscriber in &self.subscribers {
            subscriber.catch_up(&self.core).await?;
        }
        Ok(())
    }

    /// Sets the limit of streams of a process; 2,000 if never called. Each stream is a connection. Beyond the limit,
    /// the answer is 503.
    pub fn streams(self, streams: usize) -> Self {
        self.core.streams.limits.set_all(streams);
        self
    }

    /// Sets the limit of streams of one principal, or of one address for requests without a token; 5 if never called.
    /// Beyond the limit, the answer is 429. A public service needs more: an office shares one address.
    pub fn streams_of_one(self, streams: usize) -> Self {
        self.core.streams.limits.set_of_one(streams);
        self
    }

    /// Sets the path of the routes for several resources; `/events` if never called. Change it where a resource has
    /// that path.
    pub fn path(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// Sends the events to other services too: see [`Webhooks`].
    #[cfg(feature = "webhooks")]
    pub fn webhooks(self, webhooks: Webhooks) -> Self {
        Self { webhooks: Some(webhooks), ..self }
    }

    #[cfg(feature = "webhooks")]
    fn install_webhooks(&self, service: Service) -> Result<Service> {
        match &self.webhooks {
            Some(webhooks) => webhooks.install(&self.core, service),
            None => Ok(service),
        }
    }

    #[cfg(feature = "webhooks")]
    fn webhook_routes(&self, model: &Model) -> Routes {
        self.webhooks.as_ref().map_or_else(Routes::new, |_| Webhooks::routes(model))
    }

    #[cfg(feature = "webhooks")]
    fn open_webhooks(&self, state: &ServiceState) -> Result<()> {
        match &self.webhooks {
            Some(_) => Webhooks::open(state.app(), self.resources(state.model())?),
            None => Ok(()),
        }
    }

    /// The time for which events are kept: at most as long as the audit log keeps entries of any resource.
    fn kept(&self, model: &Model) -> TimeDelta {
        let of_log = model.resources().filter_map(|resource| resource.descriptor().audit?.keep);
        of_log.filter_map(|keep| TimeDelta::from_std(keep).ok()).fold(self.keep, TimeDelta::min)
    }

    /// Checks that a service can have events of a resource.
    fn check(state: &ServiceState, resource: &'static Descriptor) -> Result<()> {
        let name = resource.name;
        if resource.audit.is_some_and(|audit| !audit.track_changes) {
            return Err(Error::Setup(format!(
                "events of {name} need the values of changes in its audit log: write `audit` in place of `audit(without(changes))`"
            )));
        }
        // Denied access is fine here: only `UnsupportedHere` means that the service cannot evaluate views of the
        // resource.
        match state.view(resource, None, ViewConditions::None) {
            Err(problem) if problem.code() == Code::UnsupportedHere => {
                let detail = problem.detail();
                Err(Error::Setup(format!("the service cannot have events of {name}: {detail}")))
            }
            _ => check_scopes(state.model(), resource),
        }
    }

    /// The resources that have events.
    ///
    /// # Errors
    /// [`Error::Setup`] for a named resource that the service does not have, or that has no audit log.
    pub(crate) fn resources(&self, model: &Model) -> Result<Vec<&'static Descriptor>> {
        for named in &self.named {
            if model.resource(named).is_none() {
                let name = named.name;
                return Err(Error::Setup(format!(
                    "events of {name}: the service has no such resource; add `.resource::<{name}>()`"
                )));
            }
            if named.audit.is_none() {
                let name = named.name;
                return Err(Error::Setup(format!(
                    "events of {name} need its audit log: add `audit` to its `#[crud(…)]`"
                )));
            }
        }
        Ok(model
            .resources()
            .map(|resource| resource.descriptor())
            .filter(|resource| self.has_events(resource))
            .collect())
    }

    fn has_events(&self, resource: &'static Descriptor) -> bool {
        let is_named = || self.named.iter().any(|named| std::ptr::eq(*named, resource));
        resource.audit.is_some() && (self.every || is_named())
    }
}

/// Checks that the records that decide which ones a principal sees have an audit log too.
fn check_scopes(model: &Model, resource: &'static Descriptor) -> Result<()> {
    for scope in resource.scopes {
        let Ok((steps, _)) = scope.steps(resource) else { continue };
        for of in steps.into_iter().map(|step| step.resource) {
            let is_known = model.resource(of).is_some_and(|served| served.descriptor().audit.is_some());
            if !is_known {
                let (name, other) = (resource.name, of.name);
                return Err(Error::Setup(format!(
                    "events of {name}: which records a principal sees depends on {other}, whose changes are not in the audit \
                     log; add `audit` to the `#[crud(…)]` of {other}"
                )));
            }
        }
    }
    Ok(())
}

impl Plugin for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn configure(&mut self, settings: &mut PluginSettings) -> Result<()> {
        if let Some(keep) = settings.time("keep")? {
            self.keep = TimeDelta::from_std(keep).unwrap_or(self.keep);
        }
        Ok(())
    }

    fn install(&self, service: Service) -> Result<Service> {
        Subscriber::check_names(&self.subscribers)?;
        if service.app().capabilities().keys_by_shards {
            return Err(Error::Setup(
                "the service cannot have events: they follow the ascending keys of the log, and the servers of its shards assign \
                 keys by themselves; remove the plugin, or set `auto-increment-increment` to 1 in each shard, which leaves keys to \
                 sequences"
                    .to_owned(),
            ));
        }
        let service =
            service.table::<HeadRecord>().table::<BatchRecord>().table::<Ticket>().table::<SubscriberRecord>();
        #[cfg(feature = "webhooks")]
        let service = self.install_webhooks(service)?;
        let (events, of_lists) = (self.clone(), self.clone());
        let core = self.core.clone();
        let is_of = move |resource| of_lists.has_events(resource);
        let service = service
            .extend(|options| options.list_header(EVENTS_AFTER, ABOUT_AFTER, is_of, move |age| mark(&core, age)));
        Ok(service.beside(move |state| {
            events.core.open(&state, events.kept(state.model()));
            let (core, subscribers) = (events.core.clone(), events.subscribers.clone());
            async move { core.run(&subscribers).await }
        }))
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        let routes = stream::routes(&self.core, model, &self.resources(model)?, &self.path);
        #[cfg(feature = "webhooks")]
        let routes = routes.merge(self.webhook_routes(model));
        Ok(routes)
    }

    fn ready<'a>(&'a self, state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if !state.app().capabilities().interactive {
                return Err(Error::Setup(
                    "the service cannot have events: they need transactions of several calls, which this database does not \
                     have; use SQLite, PostgreSQL, MySQL or MariaDB"
                        .to_owned(),
                ));
            }
            for resource in self.resources(state.model())? {
                Self::check(state, resource)?;
            }
            self.core.log.refresh().await?;
            #[cfg(feature = "webhooks")]
            self.open_webhooks(state)?;
            Ok(())
        })
    }
}

/// The number up to which a list has every change, if its records are at most `age` old.
fn mark(core: &Core, age: Duration) -> Option<HeaderValue> {
    HeaderValue::try_from(core.log.mark_before(age)?.to_string()).ok()
}
