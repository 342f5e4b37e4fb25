//! Resumable uploads.

use crud_runtime::axum::http::Method;
use crud_runtime::prelude::TimeDelta;
use crud_runtime::testing::{TestAnswer, TestRequest};
use crud_tests::on_each_sql_backend;
use serde_json::json;

use crate::shop::{PNG, Shop, bytes, on_shop};

const BYTES: &str = "application/offset+octet-stream";

/// Begins an upload of a number of bytes; its path.
async fn begin(shop: &Shop, path: &str, length: usize) -> String {
    let request = shop.as_user("ann").request(Method::POST, format!("{path}/uploads"));
    let request = request.header("tus-resumable", "1.0.0").header("upload-length", length.to_string());
    let begun = request.header("upload-metadata", "filename YS5wbmc=,filetype aW1hZ2UvcG5n").await.expect(201);
    assert_eq!((begun.header("tus-resumable"), begun.header("upload-offset")), (Some("1.0.0"), Some("0")));
    begun.header("location").expect("a path").to_owned()
}

fn append(shop: &Shop, upload: &str, offset: usize, bytes: &[u8]) -> TestRequest {
    let request = shop.as_user("ann").request(Method::PATCH, upload).body(BYTES, bytes.to_vec());
    request.header("upload-offset", offset.to_string())
}

async fn head(shop: &Shop, upload: &str) -> TestAnswer {
    shop.as_user("ann").request(Method::HEAD, upload).await.expect(200)
}

#[test]
fn upload_in_parts_becomes_the_records_file() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let upload = begin(shop, &path, PNG.len()).await;
        let first = append(shop, &upload, 0, &PNG[..10]).await.expect(204);
        assert_eq!(first.header("upload-offset"), Some("10"));
        shop.as_user("ann").get(&path).await.problem("not_found");
        let state = head(shop, &upload).await;
        let length = PNG.len().to_string();
        assert_eq!((state.header("upload-offset"), state.header("upload-length")), (Some("10"), Some(length.as_str())));
        append(shop, &upload, 10, &PNG[10..20]).await.expect(204);
        append(shop, &upload, 20, &PNG[20..]).await.expect(204);
        let record = shop.test.get(path.strip_suffix("/photo").expect("a product")).await.expect(200).json();
        assert_eq!((&record["photo"]["name"], &record["photo"]["type"]), (&json!("a.png"), &json!("image/png")));
        assert_eq!(bytes(shop, &path).await, PNG);
        assert_eq!(head(shop, &upload).await.header("upload-offset"), Some(length.as_str()));
        shop.sweep_after(TimeDelta::hours(25)).await;
        assert_eq!(shop.place.objects().len(), 1);
        shop.as_user("ann").get(&upload).await.problem("not_found");
    });
}

#[test]
fn bytes_at_another_offset_are_refused() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let upload = begin(shop, &path, PNG.len()).await;
        append(shop, &upload, 0, &PNG[..10]).await.expect(204);
        append(shop, &upload, 0, &PNG[..10]).await.problem("conflict");
        append(shop, &upload, 20, &PNG[20..]).await.problem("conflict");
        append(shop, &upload, 10, &[PNG, PNG].concat()).await.problem("body_too_large");
        append(shop, &upload, 10, &PNG[10..]).await.expect(204);
        assert_eq!(bytes(shop, &path).await, PNG);
    });
}

#[test]
fn upload_is_of_the_user_that_began_it() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let upload = begin(shop, &path, PNG.len()).await;
        let bob = shop.as_user("bob");
        bob.get(&upload).await.problem("not_found");
        let request = bob.request(Method::PATCH, &upload).body(BYTES, PNG).header("upload-offset", "0");
        request.await.problem("not_found");
        bob.delete(&upload).await.problem("not_found");
        let other = format!("{}/photo", shop.product().await);
        let elsewhere = upload.replace(&path, &other);
        shop.as_user("ann").get(&elsewhere).await.problem("not_found");
    });
}

#[test]
fn upload_has_the_limits_of_the_field() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let ann = shop.as_user("ann");
        let uploads = format!("{path}/uploads");
        ann.request(Method::POST, &uploads).header("upload-length", "100001").await.problem("body_too_large");
        ann.request(Method::POST, &uploads).await.problem("validation_failed");
        let zip = [&b"PK\x03\x04\x14\0\0\0\x08\0"[..], &vec![7; 20_000]].concat();
        let upload = begin(shop, &path, zip.len()).await;
        append(shop, &upload, 0, &zip).await.problem("unsupported_media_type");
        shop.as_user("ann").get(&path).await.problem("not_found");
    });
}

#[test]
fn upload_without_an_end_is_removed() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let (left, ended) = (begin(shop, &path, PNG.len()).await, begin(shop, &path, PNG.len()).await);
        for upload in [&left, &ended] {
            append(shop, upload, 0, &PNG[..10]).await.expect(204);
        }
        shop.as_user("ann").delete(&ended).await.expect(204);
        shop.as_user("ann").get(&ended).await.problem("not_found");
        shop.sweep_after(TimeDelta::seconds(1)).await;
        assert_eq!(shop.place.objects().len(), 1);
        shop.sweep_after(TimeDelta::hours(25)).await;
        assert!(shop.place.objects().is_empty());
        shop.as_user("ann").get(&left).await.problem("not_found");
    });
}

#[test]
fn upload_of_no_bytes_is_complete_at_once() {
    on_shop(async |shop| {
        let path = format!("{}/scan", shop.create("/letters", json!({})).await);
        begin(shop, &path, 0).await;
        assert_eq!(bytes(shop, &path).await, b"");
    });
}

#[test]
fn upload_whose_bytes_are_gone_is_not_the_records_file() {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        let path = format!("{}/scan", shop.create("/letters", json!({})).await);
        let upload = begin(&shop, &path, PNG.len()).await;
        append(&shop, &upload, 0, PNG).await.expect(204);
        // The end of an upload removes its segments first: a crash leaves an upload without them.
        database.execute("UPDATE files_upload SET is_done = FALSE").await;
        shop.sweep_after(TimeDelta::seconds(1)).await;
        shop.as_user("ann").get(&upload).await.problem("not_found");
        assert_eq!(bytes(&shop, &path).await, PNG);
    });
}
