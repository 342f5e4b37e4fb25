//! Access: that of the record and of its field.

use std::future::IntoFuture;
use std::sync::Arc;

use crud_files::{File, Verdict};
use crud_runtime::auth::Principal;
use crud_runtime::axum::http::Method;
use crud_runtime::prelude::Resource;
use crud_runtime::testing::Test;
use crud_tests::on_each_backend;
use serde_json::json;
use tokio::sync::Notify;

use crate::shop::{Candidate, PNG, Shop, on_shop};

/// Each request of a file by a user, which must fail alike.
async fn refused(user: &Test, path: &str, code: &str) {
    user.get(path).await.problem(code);
    user.get(path).header("range", "bytes=0-1").await.problem(code);
    user.get(path).header("if-none-match", "*").await.problem(code);
    user.request(Method::HEAD, path).await.expect(if code == "not_found" { 404 } else { 401 });
    user.request(Method::PUT, path).body("image/png", PNG).await.problem(code);
    user.delete(path).await.problem(code);
    user.post(format!("{path}/link"), json!({})).await.problem(code);
    user.post(format!("{path}/uploads"), json!({})).header("upload-length", "3").await.problem(code);
}

#[test]
fn stranger_finds_neither_record_nor_file() {
    on_shop(async |shop| {
        let path = format!("{}/scan", shop.create("/letters", json!({})).await);
        shop.put(&path, PNG).await.expect(200);
        refused(&shop.as_user("bob"), &path, "not_found").await;
        refused(&shop.test, &path, "authentication_failed").await;
        let answer = shop.as_user("ann").get(&path).await.expect(200);
        assert_eq!(answer.header("cache-control"), Some("private, no-cache, no-transform"));
    });
}

#[test]
fn other_tenant_finds_neither_record_nor_file() {
    on_shop(async |shop| {
        let of_team = |team: i64| shop.test.as_principal(Principal::new("ann").with_claim("team", team));
        let made = of_team(1).post("/issues", json!({})).await.expect(201).json();
        let path = format!("/issues/{}/log", made["id"]);
        of_team(1).request(Method::PUT, &path).body("text/plain", "a line").await.expect(200);
        refused(&of_team(2), &path, "not_found").await;
        assert_eq!(of_team(1).get(&path).await.expect(200).bytes(), b"a line");
    });
}

#[test]
fn file_of_a_hidden_field_is_for_those_who_see_the_field() {
    on_shop(async |shop| {
        let path = format!("{}/report", shop.create("/candidates", json!({ "name": "Bo" })).await);
        let staff = shop.test.as_principal(Principal::new("sue").with_roles(["staff"]));
        staff.request(Method::PUT, &path).body("text/plain", "good").await.expect(200);
        refused(&shop.as_user("ann"), &path, "not_found").await;
        assert_eq!(staff.get(&path).await.expect(200).bytes(), b"good");
    });
}

#[test]
fn file_of_a_soft_deleted_record_is_where_the_record_is() {
    on_shop(async |shop| {
        let path = shop.photo().await;
        let product = path.strip_suffix("/photo").expect("a product");
        let ann = shop.as_user("ann");
        ann.delete(product).await.expect(200);
        ann.get(&path).await.problem("not_found");
        shop.put(&path, b"other".to_vec()).await.problem("not_found");
        assert_eq!(ann.get(format!("{path}?include_deleted=true")).await.expect(200).bytes(), PNG);
        ann.post(format!("{product}/restore"), json!({})).await;
        assert_eq!(ann.get(&path).await.expect(200).bytes(), PNG);
    });
}

#[test]
fn held_file_waits_for_its_release() {
    on_shop(async |shop: &Shop| {
        let candidate = shop.create("/candidates", json!({ "name": "Bo" })).await;
        let path = format!("{candidate}/papers");
        shop.put(&path, PNG).await.expect(200);
        shop.as_user("ann").get(&path).await.problem("conflict");
        let id = candidate.rsplit('/').next().expect("an id");
        let release = || shop.files.release(shop.test.app(), Candidate::DESCRIPTOR, "papers", id);
        assert!(release().await.expect("a release"));
        assert!(!release().await.expect("no release"));
        assert_eq!(shop.as_user("ann").get(&path).await.expect(200).bytes(), PNG);
        shop.put(&path, b"other".to_vec()).await.expect(200);
        shop.as_user("ann").get(&path).await.problem("conflict");
    });
}

#[test]
fn release_of_a_file_is_for_no_other_one() {
    on_shop(async |shop: &Shop| {
        let candidate = shop.create("/candidates", json!({ "name": "Bo" })).await;
        let (path, id) = (format!("{candidate}/papers"), candidate.rsplit('/').next().expect("an id"));
        let candidates = shop.test.app().store::<Candidate>();
        let papers = async || {
            let stored = candidates.get(id.parse::<i64>().expect("a number")).await.expect("a candidate");
            stored.papers.expect("papers")
        };
        let release = async |papers: &File| {
            let release = shop.files.release_file(shop.test.app(), Candidate::DESCRIPTOR, "papers", id, papers);
            release.await.expect("an answer")
        };
        shop.put(&path, PNG).await.expect(200);
        let checked = papers().await;
        shop.put(&path, b"other".to_vec()).await.expect(200);
        assert!(!release(&checked).await);
        shop.as_user("ann").get(&path).await.problem("conflict");
        assert!(release(&papers().await).await);
        assert_eq!(shop.as_user("ann").get(&path).await.expect(200).bytes(), b"other");
    });
}

#[test]
fn release_is_for_the_file_that_the_record_has() {
    on_each_backend(async |database| {
        let (stored, inspected) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (is_stored, is_inspected) = (stored.clone(), inspected.clone());
        let shop = Shop::start(database, |files| {
            let (stored, inspected) = (is_stored.clone(), is_inspected.clone());
            files.inspect(move |file| {
                let (stored, inspected) = (stored.clone(), inspected.clone());
                async move {
                    if file.file().size() == 5 {
                        stored.notify_one();
                        inspected.notified().await;
                    }
                    Ok(Verdict::Accept)
                }
            })
        });
        let shop = shop.await;
        let candidate = shop.create("/candidates", json!({ "name": "Bo" })).await;
        let path = format!("{candidate}/papers");
        let id = candidate.rsplit('/').next().expect("an id");
        shop.put(&path, PNG).await.expect(200);
        let next = tokio::spawn(shop.put(&path, b"other".to_vec()).into_future());
        stored.notified().await;
        let release = || shop.files.release(shop.test.app(), Candidate::DESCRIPTOR, "papers", id);
        assert!(release().await.expect("a release"));
        assert_eq!(shop.as_user("ann").get(&path).await.expect(200).bytes(), PNG);
        inspected.notify_one();
        next.await.expect("an answer").expect(200);
        shop.as_user("ann").get(&path).await.problem("conflict");
    });
}
