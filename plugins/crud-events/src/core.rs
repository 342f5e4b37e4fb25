//! [`Core`]: the parts of the plugin that its routes, tasks and webhooks share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crud_runtime::ServiceState;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use tokio::task::JoinSet;

use crate::log::Log;
use crate::stream::Streams;
use crate::subscriber::Subscriber;
use crate::view::Views;

/// Time for which background work that a stream started goes on after the last stream.
const LINGER: Duration = Duration::from_secs(2);

/// The log with its numbers, the views of subscribers, and the streams. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    pub(crate) log: Arc<Log>,
    pub(crate) views: Arc<Views>,
    pub(crate) streams: Arc<Streams>,
    is_running: Arc<AtomicBool>,
}

impl Default for Core {
    fn default() -> Self {
        let log = Arc::<Log>::default();
        let views = Arc::new(Views::new(log.clone()));
        Self { log, views, streams: Arc::default(), is_running: Arc::default() }
    }
}

/// Sets `is_running` back when the background work ends.
struct Running<'r>(&'r AtomicBool);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Core {
    /// Opens the log and the views with the finished service.
    pub(crate) fn open(&self, state: &ServiceState, keep: TimeDelta) {
        let audited = |resource: &&'static Descriptor| resource.audit.is_some();
        let resources = state.model().resources().map(|resource| resource.descriptor()).filter(audited);
        self.log.open(state.app(), resources, keep);
        self.views.open(state);
    }

    /// Runs the background work, until it is dropped. A second call waits until the first has ended.
    pub(crate) async fn run(&self, subscribers: &[Subscriber]) {
        while self.is_running.swap(true, Ordering::AcqRel) {
            tokio::time::sleep(LINGER).await;
        }
        let _running = Running(&self.is_running);
        let mut parts = self.start();
        for subscriber in subscribers {
            let (core, subscriber) = (self.clone(), subscriber.clone());
            parts.spawn(async move { subscriber.run(&core).await });
        }
        while let Some(ended) = parts.join_next().await {
            if let Err(error) = ended
                && error.is_panic()
            {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    }

    /// Starts the background work that streams need, until the set is dropped. Each part is its own task: while one has
    /// a transaction open, stores refuse other work of the same task.
    fn start(&self) -> JoinSet<()> {
        let mut parts = JoinSet::new();
        let core = self.clone();
        parts.spawn(async move { core.log.run().await });
        let core = self.clone();
        parts.spawn(async move { core.streams.hub.run(&core.views).await });
        parts
    }

    /// Starts the background work for a stream if it does not run: in a test, or with only a router. It ends after the
    /// last stream.
    pub(crate) fn run_for_streams(&self) {
        if self.is_running.load(Ordering::Acquire) {
            return;
        }
        let core = self.clone();
        tokio::spawn(async move {
            if core.is_running.swap(true, Ordering::AcqRel) {
                return;
            }
            let _running = Running(&core.is_running);
            let _parts = core.start();
            loop {
                tokio::time::sleep(LINGER).await;
                if !core.log.is_followed() {
                    return;
                }
            }
        });
    }
}
