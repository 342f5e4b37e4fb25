//! The limit of transfers: slow ones leave other requests alone.

use std::cell::RefCell;
use std::future::IntoFuture;
use std::time::Duration;

use crud_tests::{Server, on_sqlite, wait_until, within};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::process::start;

/// The number of transfers at once.
const TRANSFERS: usize = 64;

/// An upload that has sent some of its bytes, and goes on with none.
async fn slow_upload(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.expect("a connection");
    let head = "PUT /films/1/copy HTTP/1.1\r\nHost: shop\r\nContent-Length: 100000\r\n\r\nthe first bytes";
    stream.write_all(head.as_bytes()).await.expect("the first bytes are sent");
    stream
}

#[test]
fn slow_uploads_take_no_places_of_other_requests() {
    on_sqlite(async |database| {
        let directory = TempDir::new().expect("a directory");
        let server = start(database, directory.path()).await;
        server.post("/films", &json!({ "name": "a film" })).await.created();
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let path = format!("{}/films/1/copy", server.origin());
        let upload = async || client.put(&path).body("a film").send().await.expect("an answer");
        let slow = RefCell::new(Vec::new());
        let hold = async || {
            let upload = slow_upload(&server).await;
            slow.borrow_mut().push(upload);
        };
        for _ in 0..TRANSFERS {
            hold().await;
        }
        // An upload of the test takes a place for a moment, at which a slow one is refused: another one comes for it.
        let is_refused = async || {
            hold().await;
            upload().await.status().as_u16() == 503
        };
        wait_until("all places are taken", is_refused).await;
        assert!(upload().await.headers().contains_key("retry-after"));
        let list =
            within(Duration::from_secs(1), "a list beside slow uploads", server.get("/films").into_future()).await;
        assert_eq!(list.ok()["data"][0]["name"], "a film");
        drop(slow);
        wait_until("the places are free", async || upload().await.status().as_u16() == 200).await;
    });
}
