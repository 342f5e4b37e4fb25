//! The lines of the service's own log: each warning and error of a request has the request's id.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{DefaultFields, FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

use crate::http::layer::request_id;

thread_local! {
    /// The id at the end of the line that this thread writes.
    static ID: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Lines of text with the id of the request: ` request_id=…`.
pub(super) struct TextWithId<F>(pub(super) F);

/// The fields of lines of text, with the id of the request last.
pub(super) struct FieldsWithId(DefaultFields);

/// Lines of JSON with the id of the request: `"request_id":"…"`.
pub(super) struct JsonWithId<F>(pub(super) F);

impl FieldsWithId {
    pub(super) fn new() -> Self {
        Self(DefaultFields::new())
    }
}

impl<S, N, F> FormatEvent<S, N> for TextWithId<F>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        ID.set(id_for(event));
        let written = self.0.format_event(context, writer, event);
        ID.take();
        written
    }
}

impl<'w> FormatFields<'w> for FieldsWithId {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        self.0.format_fields(writer.by_ref(), fields)?;
        match ID.take() {
            Some(id) => write!(writer, " request_id={id}"),
            None => Ok(()),
        }
    }
}

impl<S, N, F> FormatEvent<S, N> for JsonWithId<F>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let Some(id) = id_for(event) else { return self.0.format_event(context, writer, event) };
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        match line.trim_end().strip_suffix('}') {
            // Ids have no character that JSON would escape.
            Some(members) => writeln!(writer, "{members},\"request_id\":\"{id}\"}}"),
            None => writer.write_str(&line),
        }
    }
}

/// The id of the request in which a warning or an error happens, unless the event states an id.
fn id_for(event: &Event<'_>) -> Option<Arc<str>> {
    let metadata = event.metadata();
    if *metadata.level() > Level::WARN || metadata.fields().field("request_id").is_some() {
        return None;
    }
    request_id::current()
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Mutex, PoisonError};

    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    /// The lines that are written.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Lines {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    fn lines(json: bool) -> String {
        let lines = Lines::default();
        let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(lines.clone());
        let text = (!json).then(|| layer.map_event_format(TextWithId).fmt_fields(FieldsWithId::new()));
        let layer = tracing_subscriber::fmt::layer().with_writer(lines.clone());
        let json = json.then(|| layer.json().flatten_event(true).map_event_format(JsonWithId));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(text).with(json), || {
            let work = request_id::scope(Arc::from("one"), async {
                tracing::warn!(count = 2, "a warning");
                tracing::info!("a word");
                tracing::error!(request_id = "own", "an error");
            });
            futures_util::FutureExt::now_or_never(work).unwrap();
            tracing::warn!("beside requests");
        });
        let written = lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn warnings_and_errors_of_a_request_have_its_id() {
        let text = lines(false);
        let ends: Vec<&str> = text.lines().map(|line| line.split_once(": ").unwrap().1).collect();
        let module = "crud_runtime::http::server::log_format::tests: ";
        let ends: Vec<&str> = ends.iter().map(|line| line.strip_prefix(module).unwrap_or(line)).collect();
        assert_eq!(
            ends,
            ["a warning count=2 request_id=one", "a word", "an error request_id=\"own\"", "beside requests"]
        );
    }

    #[test]
    fn lines_of_json_have_the_id_as_a_member() {
        let text = lines(true);
        let ids: Vec<_> = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["request_id"].clone())
            .collect();
        assert_eq!(ids, [serde_json::json!("one"), serde_json::Value::Null, "own".into(), serde_json::Value::Null]);
    }
}
