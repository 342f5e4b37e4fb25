//! Links for programs that send no token.

use crud_runtime::axum::http::Method;
use crud_runtime::prelude::TimeDelta;
use crud_runtime::testing::Test;
use serde_json::json;

use crate::shop::{PNG, Shop, bytes, on_shop};

/// A user of the service with a letter; its path.
async fn letter(ann: &Test) -> String {
    let made = ann.post("/letters", json!({})).await.expect(201).json();
    let path = format!("/letters/{}/scan", made["id"]);
    ann.request(Method::PUT, &path).body("image/png", PNG).await.expect(200);
    path
}

async fn ann(shop: &Shop) -> Test {
    shop.test.users().create_user("ann", "correct horse").await.expect("a user");
    shop.test.as_user("ann").await.expect("a user")
}

async fn link(user: &Test, path: &str) -> String {
    let made = user.post(format!("{path}/link"), json!({})).await.expect(200).json();
    made["url"].as_str().expect("a URL").to_owned()
}

#[test]
fn link_admits_to_the_file_for_five_minutes() {
    on_shop(async |shop| {
        let ann = ann(shop).await;
        let path = letter(&ann).await;
        let link = link(&ann, &path).await;
        shop.test.get(&path).await.problem("authentication_failed");
        assert_eq!(shop.test.get(&link).await.expect(200).bytes(), PNG);
        assert_eq!(shop.test.get(&link).header("range", "bytes=1-3").await.expect(206).bytes(), b"PNG");
        shop.test.clock().set(shop.test.app().now() + TimeDelta::seconds(301));
        shop.test.get(&link).await.problem("token_expired");
    });
}

#[test]
fn link_is_for_its_bytes_and_its_path_alone() {
    on_shop(async |shop| {
        let ann = ann(shop).await;
        let (path, other) = (letter(&ann).await, letter(&ann).await);
        let link = link(&ann, &path).await;
        let proof = link.split_once("?link=").expect("a proof").1;
        shop.test.get(format!("{other}?link={proof}")).await.problem("not_found");
        let (claim, signature) = proof.split_once('.').expect("a signature");
        for forged in
            [format!("{claim}.{}", "A".repeat(signature.len())), format!("{claim}."), claim.to_owned(), String::new()]
        {
            shop.test.get(format!("{path}?link={forged}")).await.problem("not_found");
        }
        shop.test.request(Method::PUT, &link).body("text/plain", "x").await.problem("authentication_failed");
        ann.request(Method::PUT, &path).body("text/plain", "other").await.expect(200);
        shop.test.get(&link).await.problem("not_found");
    });
}

#[test]
fn link_ends_with_the_users_rights() {
    on_shop(async |shop| {
        let ann = ann(shop).await;
        let path = letter(&ann).await;
        let link = link(&ann, &path).await;
        shop.test.users().disable("ann").await.expect("a change");
        shop.test.get(&link).await.problem("not_found");
        shop.test.users().enable("ann").await.expect("a change");
        assert_eq!(shop.test.get(&link).await.expect(200).bytes(), PNG);
        ann.delete(path.strip_suffix("/scan").expect("a letter")).await.expect(200);
        shop.test.get(&link).await.problem("not_found");
    });
}

#[test]
fn link_to_what_everyone_reads_needs_no_proof() {
    on_shop(async |shop| {
        let path = shop.photo().await;
        let made = shop.test.post(format!("{path}/link"), json!({})).await.expect(200).json();
        assert_eq!(made["url"], json!(path));
        assert_eq!(bytes(shop, &path).await, PNG);
    });
}
