//! What a service logs when it starts.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use crud_runtime::Service;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// A subscriber that keeps the events with their levels.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line(format!("{} ", event.metadata().level()));
        event.record(&mut line);
        self.0.lock().expect("the log").push(line.0);
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        write!(self.0, "{value:?}").expect("a line");
    }
}

/// The lines of a service's start that contain a text, each after its level.
pub(crate) fn start_log(service: &Service, text: &str) -> Vec<String> {
    let log = Log::default();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    tracing::subscriber::with_default(subscriber, || service.state().expect("the service starts"));
    let lines = log.0.lock().expect("the log");
    lines.iter().filter(|line| line.contains(text)).cloned().collect()
}
