//! Receivers that mean ill.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use crud_events::Webhooks;
use crud_tests::{on_each_sql_backend, on_sqlite, pause, within};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::receiver::{RawReceiver, Receiver};
use crate::shop::{admin, make, shop, try_out, with_webhooks};

/// Writes for ever, as fast as the other side reads.
async fn flood(mut stream: TcpStream) {
    let bytes = [b'x'; 16 * 1024];
    while stream.write_all(&bytes).await.is_ok() {}
}

/// Writes a byte now and then, for ever.
async fn drip(mut stream: TcpStream) {
    while stream.write_all(b"x").await.is_ok() {
        pause("a receiver that drips", Duration::from_millis(100)).await;
    }
}

/// Reads, and writes nothing more.
async fn silence(mut stream: TcpStream) {
    let mut bytes = [0; 1024];
    while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
}

/// The delivery to a receiver, within the promised time.
async fn sent_to(database: &crud_tests::Database, receiver: &RawReceiver, limit: u64) -> serde_json::Value {
    let webhooks = Webhooks::new().allow_http_to(receiver.address().to_string());
    let test = admin(&with_webhooks(database.service().await, webhooks).test().await.expect("the service"));
    let made = make(&test, &format!("http://{}/", receiver.address()), &[]).await;
    within(Duration::from_secs(limit), "an attempt", try_out(&test, &made)).await
}

#[test]
fn body_that_does_not_end_is_cut() {
    on_sqlite(async |database| {
        let endless = RawReceiver::start("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n", flood).await;
        let sent = sent_to(database, &endless, 3).await;
        assert_eq!((&sent["status"], sent["response_body"].as_str().map(str::len)), (&json!("delivered"), Some(512)));
        let chunked = "HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\nffffff\r\n";
        let sent = sent_to(database, &RawReceiver::start(chunked, flood).await, 3).await;
        assert_eq!((&sent["status"], sent["response_body"].as_str().map(str::len)), (&json!("pending"), Some(512)));
    });
}

#[test]
fn body_that_drips_holds_an_attempt_for_a_second() {
    on_sqlite(async |database| {
        let dripping = RawReceiver::start("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n", drip).await;
        let sent = sent_to(database, &dripping, 3).await;
        assert_eq!(sent["status"], "delivered");
        assert!(sent["response_body"].as_str().is_some_and(|body| !body.is_empty() && body.len() < 100), "{sent}");
    });
}

#[test]
fn head_that_is_too_large_is_refused() {
    on_sqlite(async |database| {
        for head in ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 ", ""] {
            let sent = sent_to(database, &RawReceiver::start(head, flood).await, 5).await;
            assert_eq!((&sent["status"], &sent["response_status"]), (&json!("pending"), &serde_json::Value::Null));
            assert!(sent["error"].as_str().is_some_and(|error| error.starts_with("no answer: ")), "{sent}");
        }
    });
}

#[test]
fn silent_receiver_holds_an_attempt_for_fifteen_seconds() {
    on_sqlite(async |database| {
        let sent = sent_to(database, &RawReceiver::start("", silence).await, 17).await;
        assert_eq!((&sent["status"], &sent["error"]), (&json!("pending"), &json!("no answer within 15 s")));
    });
}

#[test]
fn many_silent_receivers_hold_up_none_that_answers() {
    on_sqlite(async |database| {
        let (silent, alive) = (RawReceiver::start("", silence).await, Receiver::start().await);
        let webhooks = Webhooks::new().allow_http_to(silent.address().to_string()).allow_http_to(alive.host());
        let service = with_webhooks(database.service().await, webhooks);
        let test = admin(&service.test().await.expect("the service"));
        for _ in 0..70 {
            let made = make(&test, &format!("http://{}/", silent.address()), &[]).await;
            test.post(format!("/webhooks/{}/test", made["id"]), json!({})).await.expect(202);
        }
        // Their attempts have failed before.
        database.execute("UPDATE events_progress SET failing_since = CURRENT_TIMESTAMP").await;
        let made = make(&test, &alive.url(), &[]).await;
        test.post(format!("/webhooks/{}/test", made["id"]), json!({})).await.expect(202);
        let sent = async {
            tokio::select! {
                _ = crate::shop::deliver(&test) => {}
                () = crud_tests::wait_until("the message", async || !alive.received().is_empty()) => {}
            }
        };
        within(Duration::from_secs(1), "a message to the receiver that answers", sent).await;
        assert_eq!(alive.received().len(), 1);
    });
}

#[test]
fn head_that_drips_holds_an_attempt_for_fifteen_seconds() {
    on_sqlite(async |database| {
        let sent = sent_to(database, &RawReceiver::start("HTTP/1.1 200 OK\r\nx: ", drip).await, 17).await;
        assert_eq!((&sent["status"], &sent["error"]), (&json!("pending"), &json!("no answer within 15 s")));
    });
}

#[test]
fn redirects_are_not_followed() {
    on_each_sql_backend(async |database| {
        let (receiver, target) =
            (Receiver::start().await, RawReceiver::start("HTTP/1.1 200 OK\r\n\r\n", silence).await);
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &[]).await;
        let places = ["http://169.254.169.254/latest/meta-data/".to_owned(), format!("http://{}/", target.address())];
        for (place, status) in places.into_iter().zip([302, 307]) {
            receiver.answer(move |_| {
                (StatusCode::from_u16(status).expect("a status"), [("location", place.clone())]).into_response()
            });
            let sent = try_out(&test, &made).await;
            assert_eq!((&sent["status"], &sent["response_status"]), (&json!("pending"), &json!(status)));
        }
        assert_eq!(target.connections(), 0);
    });
}

#[test]
fn answer_that_is_no_text_is_stored_as_one() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &[]).await;
        receiver.answer(|_| b"\0\xff\xfe'; DROP TABLE x; \xe2\x82".to_vec());
        let sent = try_out(&test, &made).await;
        assert_eq!(sent["status"], "delivered");
        assert_eq!(sent["response_body"], "\u{fffd}\u{fffd}\u{fffd}'; DROP TABLE x; \u{fffd}");
        receiver.answer(|_| "\u{1F600}".repeat(1_000));
        assert_eq!(try_out(&test, &made).await["status"], "delivered");
        receiver.answer(|_| vec![0xff; 5_000]);
        assert_eq!(try_out(&test, &made).await["status"], "delivered");
    });
}
