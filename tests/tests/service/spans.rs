//! Spans: a request, its calls of storage, and their statements.

use std::collections::HashMap;
use std::fmt::Debug;
use std::future::ready;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, mpsc};
use std::time::Duration;

use crud_runtime::auth::Principal;
use crud_runtime::axum::http::HeaderValue;
use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, on_each_backend, on_each_sql_backend};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// Reports of the process: the spans by their ids in the registry, and the statements.
#[derive(Debug, Default)]
struct Recorded {
    spans: Vec<Recording>,
    statements: Vec<Recording>,
    /// The lines of the log at `WARN` and above.
    lines: Vec<Recording>,
    /// The lines with the target of requests.
    requests: Vec<Recording>,
}

/// A span, or a statement.
#[derive(Debug, Clone)]
struct Recording {
    name: &'static str,
    /// The span that it is in, by its position.
    parent: Option<usize>,
    fields: HashMap<&'static str, String>,
}

impl Visit for Recording {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

/// The position of a span among the recorded ones.
struct Position(usize);

/// A layer that keeps what it sees.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Recorded>>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).expect("a span");
        let parent = span.parent().and_then(|parent| Some(parent.extensions().get::<Position>()?.0));
        let mut recording = Recording { name: attributes.metadata().name(), parent, fields: HashMap::new() };
        attributes.record(&mut recording);
        let mut recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        span.extensions_mut().insert(Position(recorded.spans.len()));
        recorded.spans.push(recording);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if *event.metadata().level() <= tracing::Level::WARN {
            let mut line = Recording { name: "line", parent: None, fields: HashMap::new() };
            event.record(&mut line);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).lines.push(line);
        }
        if event.metadata().target() == "crud_runtime::request" {
            let mut line = Recording { name: "line", parent: None, fields: HashMap::new() };
            event.record(&mut line);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).requests.push(line);
        }
        if event.metadata().target() != "crud_runtime::statement" {
            return;
        }
        let parent = context.event_span(event).and_then(|span| Some(span.extensions().get::<Position>()?.0));
        let mut recording = Recording { name: "statement", parent, fields: HashMap::new() };
        event.record(&mut recording);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).statements.push(recording);
    }
}

/// The process's subscriber: statements run on threads that have no other.
static RECORDER: LazyLock<Recorder> = LazyLock::new(|| {
    let recorder = Recorder::default();
    let layer = recorder.clone().with_filter(LevelFilter::DEBUG);
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer)).expect("the only subscriber");
    recorder
});

/// The calls of storage in the span of a request, with the resource of each and its statements.
fn calls(request: &str) -> Vec<(String, String, Vec<String>)> {
    let recorded = RECORDER.0.lock().unwrap_or_else(PoisonError::into_inner);
    let named = |span: &Recording| span.name == "request" && span.fields["id"] == request;
    let root = recorded.spans.iter().position(named).expect("the span of the request");
    assert_eq!(recorded.spans[root].parent, None);
    let calls =
        recorded.spans.iter().enumerate().filter(|(_, span)| span.name == "storage" && span.parent == Some(root));
    let of_call = |(position, span): (usize, &Recording)| {
        let statements = recorded.statements.iter().filter(|statement| statement.parent == Some(position));
        let texts = statements.map(|statement| statement.fields["text"].clone()).collect();
        (span.fields["call"].clone(), span.fields.get("resource").cloned().unwrap_or_default(), texts)
    };
    calls.map(of_call).collect()
}

#[test]
fn a_request_has_its_calls_of_storage_and_their_statements() {
    LazyLock::force(&RECORDER);
    on_each_backend(async |database| {
        let (sender, hooked) = mpsc::channel();
        let service = shop::open_shop(database.service().await).server(|server| {
            server.request_span(move |span, headers| {
                let name = span.metadata().map(tracing::Metadata::name);
                drop(sender.send((name, headers.get("traceparent").cloned())));
            })
        });
        let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let id = |what: &str| format!("{what}-{:?}", database.backend());
        let (create, list) = (id("create"), id("list"));
        shop.post("/categories", &json!({ "name": "secret-value" })).header("x-request-id", &create).await.created();
        assert_eq!(hooked.recv().expect("a call"), (Some("request"), None));
        shop.get("/categories?name=secret-value")
            .header("x-request-id", &list)
            .header("traceparent", "any text")
            .await
            .ok();
        assert_eq!(hooked.recv().expect("a call"), (Some("request"), Some(HeaderValue::from_static("any text"))));

        let (insert, select) = match database.backend() {
            Backend::MongoDb => ("categories.insertOne(", "categories.find("),
            _ => ("INSERT", "SELECT"),
        };
        let (of_create, of_list) = (calls(&create), calls(&list));
        assert_eq!(of_list.len(), 1, "{of_list:?}");
        for (found, call, verb) in [(&of_create, "write", insert), (&of_list, "page", select)] {
            let (_, resource, statements) = found.iter().find(|(name, ..)| name == call).expect(call);
            assert_eq!(resource, "Category");
            let own = |text: &String| text.starts_with(verb) && text.contains("categories");
            let has_statements = database.backend() != Backend::Memory;
            assert_eq!(statements.iter().any(own), has_statements, "{call}: {statements:?}");
            // A table without triggers is neither read for its facts nor read again.
            let returns = matches!(database.backend(), Backend::Sqlite | Backend::Postgres);
            let reads = statements.iter().any(|text| text.contains("SELECT"));
            assert!(!(returns && verb == "INSERT" && reads), "{statements:?}");
            assert!(!format!("{found:?}").contains("secret-value"), "{found:?}");
        }
        shop.stop().await;
    });
}

/// A record whose hooks read, and write where its name says so.
#[derive(Debug, Clone, Resource)]
#[crud(audit, hooks(before(look), after(touch)))]
struct Watched {
    id: i64,
    name: String,
    #[crud(default = 0)]
    touched: i64,
}

async fn look(_: &mut Changeset<'_, Watched>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    ctx.as_program().store::<Plain>().count(Select::all()).await?;
    Ok(())
}

async fn touch(change: &Changed<'_, Watched>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let Watched { id, name, touched } = change.record();
    if name == "touch" && *touched == 0 {
        let patch = WatchedPatch::default().touched(1);
        ctx.as_program().store::<Watched>().update(*id, patch).await?;
    }
    Ok(())
}

/// A record with others in its body, none of which has hooks or triggers.
#[derive(Debug, Clone, Resource)]
#[crud(audit, has_many(parts(PlainPart::plain_id, nested)))]
struct Plain {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
struct PlainPart {
    id: i64,
    #[crud(references(Plain))]
    plain_id: i64,
    name: String,
}

#[test]
fn a_record_is_read_again_only_where_a_hook_has_written() {
    LazyLock::force(&RECORDER);
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Watched>().resource::<Plain>().resource::<PlainPart>();
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let names = |request: &str, resource: &str| {
            let calls = calls(request).into_iter().filter(|(_, of, _)| of.is_empty() || of == resource);
            calls.map(|(call, ..)| call).collect::<Vec<String>>()
        };
        let id = |what: &str| format!("{what}-again-{:?}", database.backend());
        let (create, update, touch, nested) = (id("create"), id("update"), id("touch"), id("nested"));
        let watched = api.post("/watcheds", &json!({ "name": "a" })).header("x-request-id", &create).await.created();
        assert_eq!(names(&create, "Watched"), ["begin", "write", "commit"]);
        let path = format!("/watcheds/{}", watched["id"]);
        api.put(&path, &json!({ "name": "b" })).header("x-request-id", &update).await.ok();
        assert_eq!(names(&update, "Watched"), ["begin", "get", "write", "commit"]);
        let touched = json!({ "name": "touch" });
        let touched = api.put(&path, &touched).header("x-request-id", &touch).await.ok();
        assert_eq!(touched["touched"], 1);
        let lists = names(&touch, "Watched").into_iter().filter(|call| call == "list").count();
        assert_eq!(lists, 1, "the record is read again once");
        let body = json!({ "name": "a", "parts": [{ "name": "b" }] });
        api.post("/plains", &body).header("x-request-id", &nested).await.created();
        assert_eq!(names(&nested, "Plain"), ["begin", "write", "commit"]);
        api.stop().await;
    });
}

#[test]
fn every_line_with_the_target_of_requests_is_that_of_one() {
    LazyLock::force(&RECORDER);
    on_each_sql_backend(async |database| {
        let (service, pool) = database.service_with_one_connection().await;
        let shop = Api::start(database, shop::open_shop(service).migrate().await.expect("the shop's tables")).await;
        let id = |what: &str| format!("{what}-line-{}", database.backend() as usize);
        shop.get("/products").header("x-request-id", &id("good")).await.ok();
        pool.close().await;
        shop.get("/products").header("x-request-id", &id("failed")).await.problem("unavailable");
        let (recorded, warnings) = {
            let recorded = RECORDER.0.lock().unwrap_or_else(PoisonError::into_inner);
            (recorded.requests.clone(), recorded.lines.clone())
        };
        assert!(recorded.iter().all(|line| line.fields["message"] == "request"), "{recorded:?}");
        for (id, status) in [(id("good"), "200"), (id("failed"), "503")] {
            let of_request: Vec<_> = recorded.iter().filter(|line| line.fields["id"] == id).collect();
            assert_eq!(of_request.len(), 1, "{id}: {recorded:?}");
            assert_eq!((&*of_request[0].fields["status"], &*of_request[0].fields["route"]), (status, "/products"));
            let is_warning = warnings.iter().any(|line| line.fields.get("id") == Some(&id));
            assert_eq!(is_warning, status == "503", "{id}: {warnings:?}");
        }
        shop.stop().await;
    });
}

#[test]
fn line_of_a_request_has_its_principal_and_its_address() {
    LazyLock::force(&RECORDER);
    on_each_sql_backend(async |database| {
        let service = shop::shop(database.service().await);
        let service = service.access(|access| access.authenticate_with(|_| ready(Ok(Some(Principal::new("ada"))))));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let id = format!("principal-line-{}", database.backend() as usize);
        api.get("/products").header("x-request-id", &id).await.ok();
        let recorded = RECORDER.0.lock().unwrap_or_else(PoisonError::into_inner).requests.clone();
        let line = recorded.iter().find(|line| line.fields["id"] == id).expect("its line");
        assert_eq!((&*line.fields["principal"], &*line.fields["address"]), ("ada", "127.0.0.1"));
        api.stop().await;
    });
}

#[test]
fn log_line_of_a_failed_request_has_its_id() {
    LazyLock::force(&RECORDER);
    on_each_sql_backend(async |database| {
        let (service, pool) = database.service_with_one_connection().await;
        let api = Api::start(database, shop::open_shop(service).migrate().await.expect("the shop's tables")).await;
        pool.close().await;
        for (path, message) in [("/products", "request failed"), ("/ready", "not ready")] {
            let id = format!("{message} {}", database.backend() as usize).replace(' ', "-");
            api.get(path).header("x-request-id", &id).await.problem("unavailable");
            let recorded = RECORDER.0.lock().unwrap_or_else(PoisonError::into_inner);
            let is_of_request = |line: &&Recording| line.fields.get("request_id") == Some(&id);
            let line = recorded.lines.iter().find(is_of_request).unwrap_or_else(|| panic!("a line of {path}"));
            assert_eq!(line.fields["message"], message);
            assert!(!line.fields["error"].is_empty(), "{line:?}");
        }
        api.stop().await;
    });
}

#[test]
fn slow_list_is_logged_with_its_plan_and_the_index_that_would_help() {
    LazyLock::force(&RECORDER);
    on_each_sql_backend(async |database| {
        // The lines of all back ends are in one log.
        let (operator, written) = match database.backend() {
            Backend::Sqlite => ("gt", ">"),
            Backend::Postgres => ("gte", ">="),
            _ => ("lt", "<"),
        };
        let service = shop::open_shop(database.service().await).server(|server| server.slow_statement(Duration::ZERO));
        let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        for _ in 0..2 {
            shop.get(format!("/products?category_id=7&price__{operator}=5.5&sort=-price&limit=20")).await.ok();
        }
        check_slow_list(database.backend(), written);
        shop.stop().await;
    });
}

/// Checks the line of the list whose condition has this operator.
fn check_slow_list(backend: Backend, written: &str) {
    let filter = format!("category_id = ? and price {written} ?");
    let recorded = RECORDER.0.lock().unwrap_or_else(PoisonError::into_inner);
    let is_of_list = |line: &&Recording| {
        line.fields.get("sort").is_some_and(|sort| sort == "-price") && line.fields["filter"].contains(&filter)
    };
    let lines: Vec<&Recording> = recorded.lines.iter().filter(is_of_list).collect();
    let [line] = lines.as_slice() else { panic!("one line a minute: {lines:?}") };
    assert_eq!((&*line.fields["message"], &*line.fields["resource"]), ("slow statement", "Product"));
    let (plan, index) = (&*line.fields["plan"], &*line.fields["index"]);
    // MariaDB reads an empty table in the order of the prices.
    if backend == Backend::MySql && plan == "along an index" {
        assert_eq!(index, "", "{line:?}");
    } else {
        assert!(plan.contains("sorts"), "{line:?}");
        assert_eq!(index, "index(category_id, price)", "{line:?}");
    }
    assert!(!format!("{line:?}").contains("5.5"), "no line has values");
}
