//! Routes of streams: uploads and downloads that last longer than a request, and are larger than one.

use std::convert::Infallible;
use std::time::Duration;

use crud_runtime::axum::body::{Body, Bytes};
use crud_runtime::axum::http::header;
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::error::{Code, Problem};
use crud_runtime::routing::{get, put};
use crud_tests::{Api, Database, RawConnection, http, pause, wait_until};
use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio::net::TcpStream;

/// Size of the service's other bodies.
const BODY: usize = 16 * 1024;

/// Largest upload.
const UPLOAD: usize = 1024 * 1024;

/// Bytes a second of uploads.
const RATE: u32 = 64 * 1024;

/// Size of the download: more than all memory of requests.
const DOWNLOAD: usize = 64 * 1024 * 1024;

async fn upload(body: Body) -> Result<String, Problem> {
    let (mut chunks, mut size) = (body.into_data_stream(), 0);
    while let Some(chunk) = chunks.next().await {
        size += chunk.map_err(|_| Problem::of(Code::Internal))?.len();
    }
    Ok(size.to_string())
}

async fn download() -> Response {
    let chunk = Bytes::from(vec![b'x'; 64 * 1024]);
    let chunks = stream::repeat(chunk).take(DOWNLOAD / (64 * 1024)).map(Ok::<_, Infallible>);
    ([(header::CONTENT_LENGTH, DOWNLOAD)], Body::from_stream(chunks)).into_response()
}

/// A stream whose first event never comes.
async fn events() -> Response {
    Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()).into_response()
}

async fn streams(database: &Database) -> Api {
    let service = database.service().await.limits(|limits| {
        let limits = limits.body(BODY).batch_body(BODY).request_memory(1024 * 1024).requests_in_flight(1);
        limits.request_timeout(Duration::from_millis(500)).body_timeout(Duration::from_millis(700))
    });
    let service =
        service.route("/upload", put(upload).streams(RATE).body_limit(UPLOAD).body_types(["image/png", "image/jpeg"]));
    let service = service
        .route("/download", get(download).streams(RATE).answer_types(["image/png"]))
        .route("/events", get(events).streams(RATE));
    Api::start(database, service.route("/short", get(async || "short"))).await
}

fn put_head(length: usize, more: &str) -> String {
    format!("PUT /upload HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n{more}\r\n")
}

#[test]
fn upload_is_larger_and_longer_than_other_requests() {
    http::on_each_backend(async |database| {
        let api = streams(database).await;
        let mut upload = RawConnection::connect(api.address()).await;
        upload.send(put_head(UPLOAD, "")).await;
        let chunk = vec![b'x'; UPLOAD / 16];
        for _ in 0..16 {
            upload.send(&chunk).await;
            pause("a client that takes its time", Duration::from_millis(60)).await;
            // It takes no place of a request, of which there is one.
            assert_eq!(api.get("/short").await.text(), "short");
        }
        let answer = upload.answer().await.expect("an answer");
        assert_eq!((answer.status, answer.body), (200, UPLOAD.to_string().into_bytes()));
        api.stop().await;
    });
}

#[test]
fn upload_that_is_too_large_is_refused_before_it_is_sent() {
    http::on_each_backend(async |database| {
        let api = streams(database).await;
        let mut upload = RawConnection::connect(api.address()).await;
        upload.send(put_head(UPLOAD + 1, "expect: 100-continue\r\n")).await;
        assert_eq!(upload.answer().await.expect("an answer").status, 413, "without 100 Continue");
        let mut upload = RawConnection::connect(api.address()).await;
        upload.send(put_head(3, "expect: 100-continue\r\n")).await;
        assert_eq!(upload.answer().await.expect("an answer").status, 100);
        upload.send("abc").await;
        assert_eq!(upload.answer().await.expect("an answer").body, b"3");
        let mut chunked = RawConnection::connect(api.address()).await;
        chunked.send("PUT /upload HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n").await;
        let half = UPLOAD / 2 + 1;
        for _ in 0..2 {
            chunked.send(format!("{half:x}\r\n")).await;
            chunked.send([vec![b'x'; half], b"\r\n".to_vec()].concat()).await;
        }
        chunked.send("0\r\n\r\n").await;
        assert_eq!(chunked.answer().await.expect("an answer").status, 413, "while it is sent");
        api.stop().await;
    });
}

#[test]
fn upload_that_pauses_or_is_slow_ends() {
    http::on_each_backend(async |database| {
        let api = streams(database).await;
        let mut paused = RawConnection::connect(api.address()).await;
        paused.send(put_head(UPLOAD, "")).await;
        paused.send(vec![b'x'; 1_000]).await;
        assert_eq!(paused.answer().await.expect("an answer").status, 408);
        // Each pause is short; all of them together are too long for the rate.
        let mut slow = RawConnection::connect(api.address()).await;
        slow.send(put_head(UPLOAD, "")).await;
        for _ in 0..20 {
            if slow.try_send(vec![b'x'; 500]).await.is_err() {
                break;
            }
            pause("a client that takes its time", Duration::from_millis(60)).await;
        }
        assert_eq!(slow.answer().await.expect("an answer").status, 408);
        api.stop().await;
    });
}

#[test]
fn download_holds_neither_memory_nor_a_place_of_a_request() {
    http::on_each_backend(async |database| {
        let api = streams(database).await;
        let mut slow = Vec::new();
        for _ in 0..16 {
            let mut download = RawConnection::connect(api.address()).await;
            download.send("GET /download HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
            slow.push(download);
        }
        let mut idle = Vec::new();
        for _ in 0..16 {
            let mut events = RawConnection::connect(api.address()).await;
            events.send("GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
            assert_eq!(events.answer().await.expect("a head").status, 200);
            idle.push(events);
        }
        assert_eq!(api.get("/short").await.text(), "short");
        let mut download = slow.pop().expect("a download");
        let answer = download.answer().await.expect("an answer");
        assert_eq!((answer.status, answer.body.len()), (200, DOWNLOAD));
        drop((slow, idle));
        api.stop().await;
    });
}

#[test]
fn stop_of_the_service_waits_for_an_upload() {
    http::on_each_backend(async |database| {
        let api = streams(database).await;
        let address = api.address();
        let mut upload = RawConnection::connect(address).await;
        upload.send(put_head(6, "expect: 100-continue\r\n")).await;
        assert_eq!(upload.answer().await.expect("an answer").status, 100);
        upload.send("abc").await;
        let server = api.begin_stop();
        let is_closed = async || TcpStream::connect(address).await.is_err();
        wait_until("the port is closed", is_closed).await;
        upload.send("def").await;
        assert_eq!(upload.answer().await.expect("an answer").body, b"6");
        server.await.expect("no panic").expect("no failure");
    });
}

#[test]
fn document_has_raw_bodies_of_their_media_types() {
    http::on_each_backend(async |database| {
        let api = streams(database).await;
        let paths = api.get("/openapi.json").await.ok()["paths"].clone();
        let content = json!({ "schema": { "type": "string", "format": "binary" } });
        let taken = json!({ "image/png": content, "image/jpeg": content });
        assert_eq!(paths["/upload"]["put"]["requestBody"]["content"], taken);
        assert_eq!(paths["/download"]["get"]["responses"]["200"]["content"], json!({ "image/png": content }));
        api.stop().await;
    });
}
