//! A service under `axum::serve`, with its background work beside it.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use crud_runtime::access::Access;
use crud_runtime::prelude::*;
use crud_runtime::routing::{self, Context, Locked};
use crud_runtime::{BoxError, Job, Result};
use crud_tests::{
    Answer, Api, Client, RawConnection, free_address, holds_for_a_moment, http, log_lines, on_each_backend,
    on_each_sql_backend, on_each_transactional_backend, wait_until, within,
};
use futures_util::{StreamExt, stream};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Its entries are kept for ten days.
#[derive(Debug, Clone, Resource)]
#[crud(audit(keep = "10d"))]
struct Note {
    id: i64,
    text: String,
}

type Ran = Arc<Mutex<Vec<String>>>;

/// A job that notes its payload.
#[derive(Serialize, Deserialize)]
struct Noting(String);

impl Job for Noting {
    const KIND: &str = "note";

    async fn run(self, app: App) -> Result<(), BoxError> {
        app.extension::<Ran>()?.lock().unwrap().push(self.0);
        Ok(())
    }
}

fn noting(text: &str) -> Noting {
    Noting(text.to_owned())
}

#[test]
fn jobs_and_schedules_run_until_the_stop() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let service = database.service().await.resource::<Note>().extension(ran.clone()).job::<Noting>();
        let service = service.schedule("0 3 * * *", noting("nightly")).unwrap().migrate().await.unwrap();
        let app = service.app();
        let api = Api::start_on_axum(database, service).await;
        api.post("/notes", &json!({ "text": "a" })).await.created();
        app.enqueue(noting("enqueued")).await.unwrap();
        wait_until("the job has run", async || ran.lock().unwrap().iter().any(|name| name == "enqueued")).await;
        let past = match database.backend() {
            crud_tests::Backend::Sqlite => "2020-01-01T00:00:00.000000Z",
            _ => "2020-01-01 00:00:00",
        };
        wait_until("the schedule is known", async || {
            let mut tx = app.begin().await.unwrap();
            tx.sql("SELECT COUNT(*) FROM crud_schedules").fetch::<(i64,)>().await.unwrap()[0].0 == 1
        })
        .await;
        database.execute(&format!("UPDATE crud_schedules SET last_run = '{past}'")).await;
        // The worker looks at the schedules when it is woken.
        app.enqueue(noting("wakes")).await.unwrap();
        wait_until("the schedule has run", async || ran.lock().unwrap().iter().any(|name| name == "nightly")).await;
        api.stop().await;
        app.enqueue(noting("late")).await.unwrap();
        holds_for_a_moment("no job runs", async || !ran.lock().unwrap().iter().any(|name| name == "late")).await;
    });
}

#[test]
fn audit_entries_are_removed_when_their_time_is_over() {
    on_each_sql_backend(async |database| {
        let service = async || database.service().await.resource::<Note>().migrate().await.unwrap();
        let api = Api::start_on_axum(database, service().await).await;
        api.post("/notes", &json!({ "text": "old" })).await.created();
        api.stop().await;
        let time = database.time_literal("2020-01-01T00:00:00.000000Z");
        database.execute(&format!("UPDATE \"audit_logs\" SET \"timestamp\" = {time}")).await;
        let api = Api::start_on_axum(database, service().await).await;
        wait_until("the entry is removed", async || api.get("/audit-logs").await.ok()["total"] == 0).await;
        api.stop().await;
    });
}

#[test]
fn metrics_are_on_their_own_address_until_the_stop() {
    http::on_each_backend(async |database| {
        let address = free_address();
        let service = database
            .service()
            .await
            .resource::<Note>()
            .server(|server| server.metrics(address.to_string()))
            .migrate()
            .await
            .unwrap();
        let api = Api::start_on_axum(database, service).await;
        let metrics = Client::of_program(format!("http://{address}"), database.secrets());
        wait_until("the metrics are served", async || metrics.get("/metrics").attempt().await.is_some()).await;
        api.get("/notes").await.ok();
        let text = metrics.get("/metrics").await.expect(200).text();
        assert!(text.contains(r#"http_requests_total{route="/notes",method="GET",status="2xx"} 1"#), "{text}");
        api.stop().await;
        wait_until("the metrics end", async || metrics.get("/metrics").attempt().await.is_none()).await;
    });
}

#[test]
fn address_of_metrics_that_is_taken_is_an_error_at_once() {
    http::on_each_backend(async |database| {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap().to_string();
        let (_, background) = database.service().await.server(|server| server.metrics(&address)).into_parts().unwrap();
        let stopping = background.stopping();
        let error = background.run(std::future::pending()).await.unwrap_err();
        assert!(error.to_string().contains(&address), "{error}");
        within(Duration::from_secs(1), "the server is stopped too", stopping).await;
    });
}

#[test]
fn service_is_not_ready_while_it_drains() {
    on_each_backend(async |database| {
        let drain = Duration::from_millis(500);
        let service = database
            .service()
            .await
            .resource::<Note>()
            .server(|server| server.shutdown_delay(drain))
            .migrate()
            .await
            .unwrap();
        let api = Api::start_on_axum(database, service).await;
        api.get("/ready").await.ok();
        let client = Client::clone(&api);
        let server = api.begin_stop();
        wait_until("the service drains", async || {
            client.get("/ready").attempt().await.is_none_or(|answer| answer.status() == 503)
        })
        .await;
        within(Duration::from_secs(2), "the stop", server).await.unwrap().unwrap();
    });
}

#[test]
fn graceful_stop_finishes_a_request_in_flight() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Note>().migrate().await.unwrap();
        let store = service.store::<Note>();
        let api = Api::start_on_axum(database, service).await;
        let mut connection = RawConnection::connect(api.address()).await;
        let body = r#"{"text":"in flight"}"#;
        let length = body.len();
        connection
            .send(format!(
                "POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
                 Expect: 100-continue\r\n\r\n"
            ))
            .await;
        assert_eq!(connection.answer().await.expect("an answer").status, 100);
        let server = api.begin_stop();
        connection.send(body).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 201);
        server.await.unwrap().unwrap();
        assert_eq!(store.list(Select::all()).await.unwrap()[0].text, "in flight");
    });
}

/// Events that never come, until the service stops.
async fn events(ctx: Context) -> Result<Response> {
    let events = stream::pending::<std::result::Result<Event, Infallible>>();
    Ok(Sse::new(events.take_until(Box::pin(ctx.stopping()))).into_response())
}

#[test]
fn stream_of_events_ends_at_the_stop() {
    http::on_each_backend(async |database| {
        let service = database.service().await.resource::<Note>();
        let service = service.route("/events", routing::get(events).access(Access::Public));
        let api = Api::start_on_axum(database, service.migrate().await.unwrap()).await;
        let stream = api.stream("/events").await;
        assert_eq!(stream.status(), 200);
        api.stop().await;
        assert_eq!(stream.text().await.unwrap(), "");
    });
}

/// Bytes that never come, until the service stops.
async fn download(ctx: Context) -> Response {
    let bytes = stream::pending::<std::result::Result<Vec<u8>, Infallible>>();
    Body::from_stream(bytes.take_until(Box::pin(ctx.stopping()))).into_response()
}

/// Number of handlers that have begun.
type Begun = Arc<AtomicUsize>;

/// Panics when the service stops, with a record that it has changed.
async fn panic_at_the_stop(ctx: Context, State(begun): State<Begun>, note: Locked<Note>) -> Result<()> {
    ctx.store::<Note>().update(note.id, NotePatch::default().text("changed")).await?;
    begun.fetch_add(1, Ordering::Relaxed);
    ctx.stopping().await;
    panic!("at the stop")
}

async fn hang(State(begun): State<Begun>) {
    begun.fetch_add(1, Ordering::Relaxed);
    std::future::pending::<()>().await;
}

/// Sends a request beside others.
fn send(client: &Client, method: Method, path: &str) -> JoinHandle<Answer> {
    let (client, path) = (client.clone(), path.to_owned());
    tokio::spawn(async move { client.request(method, path).await })
}

#[test]
fn handler_that_panics_at_the_stop_is_answered_and_rolled_back() {
    on_each_transactional_backend(async |database| {
        let begun = Begun::default();
        let service = database
            .service()
            .await
            .resource::<Note>()
            .limits(|limits| limits.transaction_timeout(Duration::from_secs(30)));
        let service = service.route("/notes/{id}/panic", routing::post(panic_at_the_stop).with_state(begun.clone()));
        let service = service.migrate().await.unwrap();
        let store = service.store::<Note>();
        let api = Api::start_on_axum(database, service).await;
        let note = store.create(NewNote::new("a")).await.unwrap();
        let panics = send(&api, Method::POST, &format!("/notes/{}/panic", note.id));
        wait_until("the handler runs", async || begun.load(Ordering::Relaxed) == 1).await;
        api.stop().await;
        panics.await.unwrap().problem("internal");
        assert_eq!(store.get(note.id).await.unwrap().text, "a");
    });
}

#[test]
fn handler_that_hangs_delays_the_stop_up_to_the_request_timeout() {
    http::on_each_backend(async |database| {
        let (begun, limit) = (Begun::default(), Duration::from_millis(500));
        let hang = routing::get(hang).access(Access::Public).with_state(begun.clone());
        let service = database
            .service()
            .await
            .resource::<Note>()
            .limits(|limits| limits.request_timeout(limit))
            .route("/hang", hang);
        let api = Api::start_on_axum(database, service.migrate().await.unwrap()).await;
        let hangs = send(&api, Method::GET, "/hang");
        wait_until("the handler runs", async || begun.load(Ordering::Relaxed) == 1).await;
        within(limit, "the stop", api.begin_stop()).await.unwrap().unwrap();
        hangs.await.unwrap().problem("timeout");
    });
}

#[test]
fn stream_of_bytes_ends_at_the_stop() {
    http::on_each_backend(async |database| {
        let download = routing::get(download).access(Access::Public);
        let service = database.service().await.resource::<Note>().route("/download", download);
        let api = Api::start_on_axum(database, service.migrate().await.unwrap()).await;
        let stream = api.stream("/download").await;
        api.stop().await;
        assert_eq!(stream.bytes().await.unwrap(), "");
    });
}

#[test]
fn stop_beside_a_server_is_bounded_by_its_grace() {
    http::on_each_backend(async |database| {
        let service = database.service().await.resource::<Note>().migrate().await.unwrap();
        let (router, background) = service.into_parts().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let grace = Duration::from_millis(300);
        let server = axum::serve(listener, router).with_graceful_shutdown(background.stopping());
        let run = tokio::spawn(background.run_beside(server, grace, async { drop(stopped.await) }));
        let client = Client::of_program(format!("http://{address}"), database.secrets());
        client.post("/notes", &json!({ "text": "a" })).await.created();
        // axum waits for this request as long as its client likes.
        let mut unended = RawConnection::connect(address).await;
        unended.send("GET /notes HTTP/1.1\r\nHost: x\r\n").await;
        drop(stop);
        within(grace, "the stop", run).await.unwrap().unwrap();
    });
}

#[test]
fn failure_of_a_server_ends_the_work_beside_it() {
    http::on_each_backend(async |database| {
        let service = database.service().await.resource::<Note>().migrate().await.unwrap();
        let (_, background) = service.into_parts().unwrap();
        let server = async { Err(std::io::Error::other("no more descriptors")) };
        let error = background.run_beside(server, Duration::ZERO, std::future::pending()).await.unwrap_err();
        assert_eq!(error.to_string(), "the server has failed: no more descriptors");
    });
}

#[test]
fn server_does_not_run_beside_work_that_cannot_start() {
    http::on_each_backend(async |database| {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap().to_string();
        let (_, background) = database.service().await.server(|server| server.metrics(&address)).into_parts().unwrap();
        let begun = Begun::default();
        let server = async {
            begun.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let error = background.run_beside(server, Duration::ZERO, std::future::pending()).await.unwrap_err();
        assert!(error.to_string().contains(&address), "{error}");
        assert_eq!(begun.load(Ordering::Relaxed), 0, "the server ran");
    });
}

#[test]
fn router_alone_reports_the_work_that_it_leaves() {
    http::on_each_backend(async |database| {
        let note = database.service().await.resource::<Note>();
        let plain = shop::open_shop(database.service().await);
        let lines = log_lines(|| drop(note.into_router().unwrap()));
        assert!(lines.iter().any(|line| line.contains("into_parts")), "{lines:?}");
        let lines = log_lines(|| drop(plain.into_router().unwrap()));
        assert!(!lines.iter().any(|line| line.contains("into_parts")), "{lines:?}");
    });
}

#[test]
fn router_merges_with_an_application_that_has_a_fallback() {
    http::on_each_backend(async |database| {
        let service = async || database.service().await.resource::<Note>().migrate().await.unwrap();
        let (router, _) = service().await.server(crud_runtime::ServerOptions::without_fallback).into_parts().unwrap();
        let own = Router::new().route("/own", get(async || "own")).fallback(async || "a page of the application");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let program = own.merge(router);
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            axum::serve(listener, program).with_graceful_shutdown(async { drop(stopped.await) }).await
        });
        let client = Client::of_program(format!("http://{address}"), database.secrets());
        client.post("/notes", &json!({ "text": "a" })).await.created();
        assert_eq!(client.get("/own").await.expect(200).text(), "own");
        let page = client.get("/no/such/path").await.expect(200);
        assert_eq!(page.text(), "a page of the application");
        assert_eq!(page.header("x-request-id"), None, "the application's routes are its own");
        client.get("/notes/9").await.problem("not_found");
        client.delete("/notes").await.problem("method_not_allowed");
        drop(stop);
        server.await.unwrap().unwrap();
        // Without an application, what is missing is axum's own 404.
        let api = Api::start_on_axum(database, service().await).await;
        api.get("/no/such/path").await.problem("route_not_found");
        api.stop().await;
    });
}
