//! The lines that a call writes to the log.

use std::fmt::{Debug, Write};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tracing::dispatcher::{self, Dispatch};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// A subscriber of no thread. While a process has one subscriber alone, `tracing` asks the thread that first passes a
/// line whether that line is ever wanted: a thread of another test would say no for all.
static UNUSED: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Registry::default()));

#[derive(Debug, Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() <= Level::INFO {
            let mut line = Line(event.metadata().level().to_string());
            event.record(&mut line);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.0);
        }
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("a text grows");
    }
}

/// The lines from `INFO` on that a call writes on this thread, each as `LEVEL message=… field=…`.
pub fn log_lines(call: impl FnOnce()) -> Vec<String> {
    LazyLock::force(&UNUSED);
    let lines = Lines::default();
    let subscriber = Dispatch::new(tracing_subscriber::registry().with(lines.clone()));
    dispatcher::with_default(&subscriber, call);
    let lines = lines.0.lock().unwrap_or_else(PoisonError::into_inner);
    lines.clone()
}
