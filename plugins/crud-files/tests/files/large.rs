//! Large files: memory stays flat, and an upload that is cut goes on.

use std::convert::Infallible;

use bytes::Bytes;
use crud_tests::{Server, amount, on_sqlite};
use futures_util::{StreamExt, stream};
use reqwest::{Body, Client};
use serde_json::json;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::process::start;

const CHUNK: usize = 64 * 1024;

/// The memory in KiB that transfers may take beside that of the process at rest.
const MEMORY: u64 = 128 * 1024;

/// The number of bytes of a large file.
fn size() -> usize {
    amount("files", 16 << 20, 1 << 30)
}

/// A chunk of a large file, of which no two are alike.
fn chunk(number: usize) -> Bytes {
    let mut bytes = vec![0; CHUNK];
    fastrand::Rng::with_seed(number as u64).fill(&mut bytes[..1024]);
    bytes.into()
}

/// The bytes from a chunk on.
fn body(from: usize, to: usize) -> Body {
    Body::wrap_stream(stream::iter(from..to).map(|number| Ok::<_, Infallible>(chunk(number))))
}

fn hash(chunks: usize) -> String {
    use std::fmt::Write as _;
    let mut hash = Sha256::new();
    (0..chunks).for_each(|number| hash.update(chunk(number)));
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

async fn film(server: &Server) -> String {
    let made = server.post("/films", &json!({ "name": "a film" })).await.created();
    format!("{}/films/{}/copy", server.origin(), made["id"])
}

fn client() -> Client {
    Client::builder().no_proxy().build().expect("a client")
}

/// The number of bytes that a download has.
async fn download(client: &Client, path: &str) -> usize {
    let answer = client.get(path).send().await.expect("an answer").error_for_status().expect("a file");
    let sizes = answer.bytes_stream().map(|bytes| bytes.expect("the bytes").len());
    sizes.fold(0, async |sum, size| sum + size).await
}

#[test]
fn transfers_of_large_files_hold_little_memory() {
    on_sqlite(async |database| {
        let directory = TempDir::new().expect("a directory");
        let server = start(database, directory.path()).await;
        let (path, client, chunks) = (film(&server).await, client(), size() / CHUNK);
        let rest = server.resident_memory().unwrap_or_default();
        let stored = client.put(&path).body(body(0, chunks)).send().await.expect("an answer");
        let stored: serde_json::Value = stored.json().await.expect("a record");
        assert_eq!(stored["copy"]["sha256"], hash(chunks));
        let up = server.peak_memory().unwrap_or_default();
        assert_eq!(download(&client, &path).await, size());
        let down = server.peak_memory().unwrap_or_default();
        println!("{} MB: {rest} KiB at rest, {up} KiB up, {down} KiB down", size() >> 20);
        assert!(up.max(down) < rest + MEMORY, "{rest} KiB at rest, {up} KiB up, {down} KiB down");
    });
}

#[test]
fn sixty_four_transfers_at_once_hold_little_memory_and_one_more_waits() {
    on_sqlite(async |database| {
        let directory = TempDir::new().expect("a directory");
        let server = start(database, directory.path()).await;
        let (client, chunks) = (client(), size() / CHUNK / 64);
        let rest = server.resident_memory().unwrap_or_default();
        let mut uploads = Vec::new();
        let (release, held) = tokio::sync::watch::channel(false);
        for _ in 0..64 {
            let (path, client, mut held) = (film(&server).await, client.clone(), held.clone());
            let begin = stream::iter(0..chunks / 2).map(|number| Ok::<_, Infallible>(chunk(number)));
            let pause = stream::once(async move {
                let _ = held.wait_for(|is_released| *is_released).await;
                Ok(Bytes::new())
            });
            let end = stream::iter(chunks / 2..chunks).map(|number| Ok(chunk(number)));
            let bytes = Body::wrap_stream(begin.chain(pause).chain(end));
            uploads.push((path.clone(), tokio::spawn(async move { client.put(path).body(bytes).send().await })));
        }
        let extra = film(&server).await;
        crud_tests::wait_until("a further upload is refused", async || {
            let answer = client.put(&extra).body("x").send().await.expect("an answer");
            let is_busy = answer.status().as_u16() == 503;
            assert!(!is_busy || answer.headers().contains_key("retry-after"));
            is_busy
        })
        .await;
        release.send(true).expect("the uploads wait");
        let mut paths = Vec::new();
        for (path, upload) in uploads {
            assert_eq!(upload.await.expect("an upload").expect("an answer").status(), 200);
            paths.push(path);
        }
        let sizes = stream::iter(paths).map(|path| {
            let client = client.clone();
            async move { download(&client, &path).await }
        });
        let sizes: Vec<usize> = sizes.buffer_unordered(64).collect().await;
        assert!(sizes.iter().all(|size| *size == chunks * CHUNK), "{sizes:?}");
        let peak = server.peak_memory().unwrap_or_default();
        println!("64 transfers of {} KiB: {rest} KiB at rest, {peak} KiB at most", (chunks * CHUNK) >> 10);
        assert!(peak < rest + MEMORY, "{rest} KiB at rest, {peak} KiB at most");
    });
}

#[test]
fn upload_that_is_cut_ten_times_goes_on() {
    on_sqlite(async |database| {
        let directory = TempDir::new().expect("a directory");
        let server = start(database, directory.path()).await;
        let (path, client, chunks) = (film(&server).await, client(), size() / CHUNK);
        let begun =
            client.post(format!("{path}/uploads")).header("upload-length", size()).send().await.expect("an answer");
        let location = begun.headers()["location"].to_str().expect("a path").to_owned();
        let upload = format!("{}{location}", server.origin());
        let (mut cuts, mut lost, mut refused) = (0, 0, None);
        loop {
            let state = client.head(&upload).send().await.expect("an answer");
            let offset: usize = state.headers()["upload-offset"].to_str().expect("a number").parse().expect("a number");
            assert!(refused.is_none_or(|refused| refused < offset), "{offset} is refused, and is the offset");
            if offset == size() {
                break;
            }
            let from = offset / CHUNK;
            let request = client.patch(&upload).header("upload-offset", offset);
            let request = request.header("content-type", "application/offset+octet-stream");
            // A cut is within a chunk: what is left of one begins the next request.
            let rest = chunk(from).slice(offset % CHUNK..);
            let to = if cuts < 10 { (from + chunks / 11 + 1).min(chunks) } else { chunks };
            let begin = stream::once(async move { Ok(rest) });
            let middle = stream::iter(from + 1..to).map(|number| Ok(chunk(number)));
            let is_cut = to < chunks;
            let end = stream::iter(is_cut.then(|| Err(std::io::Error::other("the connection is cut"))));
            let sent = request.body(Body::wrap_stream(begin.chain(middle).chain(end))).send().await;
            if is_cut {
                cuts += 1;
                lost += usize::from(sent.is_err());
            } else {
                // Bytes of the request that was cut may be stored after the answer to HEAD: then the upload is longer.
                match sent.expect("an answer").status().as_u16() {
                    409 => refused = Some(offset),
                    status => assert_eq!(status, 204),
                }
            }
        }
        assert!(cuts == 10 && lost == 10, "{cuts} cuts, {lost} without an answer");
        let answer = client.get(&path).send().await.expect("an answer");
        assert_eq!(answer.headers()["etag"], format!("\"{}\"", hash(chunks)));
        println!("{} MB with {cuts} cuts", size() >> 20);
    });
}
