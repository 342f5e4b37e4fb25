//! Upload, download, removal.

use crud_runtime::axum::http::Method;
use serde_json::{Value, json};

use crate::shop::{PNG, bytes, on_shop};

/// The SHA-256 of [`PNG`], which `sha256sum` says.
fn hash(shop: &Value) -> &str {
    shop["photo"]["sha256"].as_str().expect("a hash")
}

#[test]
fn upload_gives_the_record_a_file_that_its_url_returns() {
    on_shop(async |shop| {
        let product = shop.product().await;
        assert_eq!(shop.test.get(&product).await.expect(200).json()["photo"], Value::Null);
        let path = format!("{product}/photo");
        shop.as_user("ann").get(&path).await.problem("not_found");
        let request = shop.put(&path, PNG).header("content-disposition", "attachment; filename=\"chair.png\"");
        let answer = request.await.expect(200);
        let record = answer.json();
        assert!(answer.header("etag").is_some());
        let photo = json!({
            "url": path, "name": "chair.png", "type": "image/png", "size": PNG.len(), "sha256": hash(&record)
        });
        assert_eq!(record["photo"], photo);
        assert_eq!(hash(&record).len(), 64);
        assert_eq!(shop.test.get(&product).await.expect(200).json()["photo"], photo);
        assert_eq!(shop.test.get("/products").await.expect(200).json()["data"][0]["photo"], photo);
        let download = shop.test.get(&path).await.expect(200);
        assert_eq!(download.bytes(), PNG);
        assert_eq!(download.header("etag"), Some(format!("\"{}\"", hash(&record)).as_str()));
    });
}

#[test]
fn bodies_cannot_set_a_file() {
    on_shop(async |shop| {
        let forged = json!({ "url": "x", "name": "a", "type": "image/png", "size": 1, "sha256": "0".repeat(64) });
        let made = shop.as_user("ann").post("/products", json!({ "name": "chair", "photo": forged })).await;
        let made = made.expect(201).json();
        assert_eq!(made["photo"], Value::Null);
        let path = format!("/products/{}", made["id"]);
        shop.put(&format!("{path}/photo"), PNG).await.expect(200);
        let ann = shop.as_user("ann");
        let changed = ann.patch(&path, json!({ "photo": null, "name": "table" })).await.expect(200).json();
        assert_eq!((&changed["name"], &changed["photo"]["type"]), (&json!("table"), &json!("image/png")));
    });
}

#[test]
fn removal_takes_the_file_from_the_record() {
    on_shop(async |shop| {
        let path = shop.photo().await;
        let ann = shop.as_user("ann");
        ann.delete(&path).await.expect(204);
        ann.get(&path).await.problem("not_found");
        ann.delete(&path).await.problem("not_found");
        shop.put(&path, PNG).await.expect(200);
        assert_eq!(bytes(shop, &path).await, PNG);
    });
}

#[test]
fn change_of_a_file_needs_the_version_that_it_names() {
    on_shop(async |shop| {
        let product = shop.product().await;
        let path = format!("{product}/photo");
        let version = shop.test.get(&product).await.expect(200).header("etag").expect("a version").to_owned();
        let first = shop.put(&path, PNG).header("if-match", &version).await.expect(200);
        shop.put(&path, b"other".to_vec()).header("if-match", &version).await.problem("precondition_failed");
        let ann = shop.as_user("ann");
        ann.delete(&path).header("if-match", &version).await.problem("precondition_failed");
        ann.delete(&path).header("if-match", "\"caf\u{e9}\"").await.problem("precondition_failed");
        assert_eq!(bytes(shop, &path).await, PNG);
        let versions = format!("\"another\", {}", first.header("etag").expect("a version"));
        shop.put(&path, PNG).header("if-match", &versions).await.expect(200);
        ann.delete(&path).header("if-match", "*").await.expect(204);
    });
}

#[test]
fn audit_entries_have_the_file_before_and_after() {
    on_shop(async |shop| {
        let path = shop.photo().await;
        let product = path.strip_suffix("/photo").expect("a product");
        let history = shop.as_user("ann").get(format!("{product}/history")).await.expect(200).json();
        let entry = &history["data"][1];
        assert_eq!(entry["action"], "update", "{history}");
        assert!(history.to_string().contains("\"sha256\""), "{history}");
        assert!(!entry.to_string().contains("\"url\""), "{entry}");
    });
}

#[test]
fn file_without_bytes_is_a_file() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let record = shop.put(&path, Vec::new()).await.expect(200).json();
        assert_eq!((&record["photo"]["size"], &record["photo"]["type"]), (&json!(0), &json!("text/plain")));
        let answer = shop.test.get(&path).await.expect(200);
        assert_eq!((answer.bytes(), answer.header("content-length")), (&b""[..], Some("0")));
        let range = shop.test.get(&path).header("range", "bytes=0-").await.expect(416);
        assert_eq!(range.header("content-range"), Some("bytes */0"));
    });
}

#[test]
fn name_is_without_directories_and_reaches_no_header() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let named = async |name: &str| {
            let request = shop.put(&path, PNG).header("content-disposition", name);
            let stored = request.await.expect(200).json()["photo"]["name"].as_str().expect("a name").to_owned();
            let answer = shop.test.get(&path).await.expect(200);
            (stored, answer.header("content-disposition").expect("a name").to_owned())
        };
        let traversal = named("attachment; filename=\"../../etc/passwd\"").await;
        assert_eq!(traversal, ("passwd".to_owned(), "inline; filename=\"passwd\"".to_owned()));
        let lines = named("attachment; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1.png").await;
        assert_eq!(lines.0, "aSet-Cookie: x=1.png");
        let quotes = named("attachment; filename=\"a\\\"b.png\"").await;
        assert_eq!(quotes.1, "inline; filename=\"a_b.png\"; filename*=UTF-8''a%22b.png");
        let other = named("attachment; filename*=UTF-8''caf%C3%A9.png").await;
        assert_eq!(
            other,
            ("café.png".to_owned(), "inline; filename=\"caf_.png\"; filename*=UTF-8''caf%C3%A9.png".to_owned())
        );
        assert_eq!(named("attachment").await.0, "photo.png");
    });
}

#[test]
fn file_that_is_too_large_is_refused() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        shop.put(&path, vec![b'a'; 100_001]).await.problem("body_too_large");
        let chunked = shop.as_user("ann").request(Method::PUT, &path).body("text/plain", vec![b'a'; 100_001]);
        chunked.header("transfer-encoding", "chunked").await.problem("body_too_large");
        shop.put(&path, vec![b'a'; 100_000]).await.expect(200);
        assert_eq!(shop.place.objects().len(), 1);
    });
}
