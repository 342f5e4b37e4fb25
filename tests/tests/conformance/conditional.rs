//! `If-None-Match` on `GET`, and `If-Match` on changes, compared and written atomically (RFC 9110).

use crud_tests::fixtures::{id, product};
use crud_tests::{Client, on_shop};
use reqwest::Method;
use serde_json::json;

/// The path and `ETag` of a new product.
async fn tagged_product(shop: &Client) -> (String, String) {
    let path = format!("/products/{}", id(&product(shop, "Lamp").await));
    let etag = shop.get(&path).await.etag();
    (path, etag)
}

#[test]
fn get_with_the_current_etag_is_304() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        for held in [etag.clone(), format!("W/{etag}"), "*".to_owned(), format!("\"other\", {etag}")] {
            let answer = shop.get(&path).header("if-none-match", &held).await.expect(304);
            assert_eq!(answer.etag(), etag, "{held}");
        }
        shop.head(&path).header("if-none-match", &etag).await.expect(304);
    });
}

#[test]
fn get_with_another_etag_is_200() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        shop.get(&path).header("if-none-match", "\"other\"").await.expect(200);
        shop.put(&path, &json!({ "stock": 1 })).await.ok();
        let answer = shop.get(&path).header("if-none-match", &etag).await.expect(200);
        assert_ne!(answer.etag(), etag);
    });
}

#[test]
fn repeated_if_none_match_headers_form_one_list() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        let request = shop.get(&path).header("if-none-match", "\"other\"").header("if-none-match", &etag);
        request.await.expect(304);
    });
}

#[test]
fn update_with_the_current_etag_succeeds() {
    on_shop(async |shop| {
        for (method, stock) in [(Method::PUT, 11), (Method::PATCH, 12)] {
            let path = format!("/products/{}", id(&product(shop, method.as_str()).await));
            let etag = shop.get(&path).await.etag();
            for held in [format!("\"other\", {etag}"), "*".to_owned()] {
                let request = shop.request(method.clone(), &path).json(&json!({ "stock": stock }));
                assert_eq!(request.header("if-match", &held).await.ok()["stock"], stock);
            }
        }
    });
}

#[test]
fn delete_with_the_current_etag_succeeds() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        shop.delete(&path).header("if-match", &etag).await.ok();
        shop.get(&path).await.problem("not_found");
    });
}

#[test]
fn change_with_another_etag_is_412() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        let before = shop.get(&path).await.ok();
        // `If-Match` uses the strong comparison: neither a weak nor a malformed tag matches.
        for held in ["\"other\"".to_owned(), format!("W/{etag}"), "other".to_owned(), etag.replace('"', "")] {
            for method in [Method::PUT, Method::PATCH, Method::DELETE] {
                let request = shop.request(method.clone(), &path).json(&json!({ "stock": 77 }));
                request.header("if-match", &held).await.problem("precondition_failed");
            }
        }
        assert_eq!(shop.get(&path).await.ok(), before);
    });
}

#[test]
fn stale_etag_rejects_even_an_update_without_changes() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        let current = shop.put(&path, &json!({ "stock": 5 })).await.ok();
        let again = shop.put(&path, &json!({ "stock": current["stock"] })).header("if-match", &etag).await;
        again.problem("precondition_failed");
    });
}

#[test]
fn missing_record_is_404_before_412() {
    on_shop(async |shop| {
        shop.put("/products/7", &json!({ "stock": 1 })).header("if-match", "\"x\"").await.problem("not_found");
        shop.delete("/products/7").header("if-match", "\"x\"").await.problem("not_found");
    });
}

#[test]
fn record_in_the_wrong_state_is_refused_before_412() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        let with_tag = |method: Method, target: String| shop.request(method, target).header("if-match", "\"stale\"");
        with_tag(Method::POST, format!("{path}/restore")).await.problem("not_deleted");
        with_tag(Method::DELETE, format!("{path}/permanent")).await.problem("not_deleted");
        shop.delete(&path).await.ok();
        with_tag(Method::DELETE, path.clone()).await.problem("not_found");
        shop.delete(&path).header("if-match", &etag).await.problem("not_found");
        with_tag(Method::DELETE, format!("{path}/permanent")).await.problem("precondition_failed");
    });
}

#[test]
fn invalid_body_is_422_before_412() {
    on_shop(async |shop| {
        let (path, _) = tagged_product(shop).await;
        let request = shop.put(&path, &json!({ "stock": "many" })).header("if-match", "\"other\"");
        request.await.problem("validation_failed");
    });
}

#[test]
fn concurrent_writers_with_one_etag_succeed_once() {
    on_shop(async |shop| {
        let (path, etag) = tagged_product(shop).await;
        let mut writers = tokio::task::JoinSet::new();
        for stock in 100..116 {
            let (client, path, etag) = (Client::clone(shop), path.clone(), etag.clone());
            writers.spawn(async move {
                let answer = client.put(&path, &json!({ "stock": stock })).header("if-match", &etag).await;
                (stock, answer.status())
            });
        }
        let results = writers.join_all().await;
        let winners: Vec<_> = results.iter().filter(|(_, status)| *status == 200).collect();
        let [(winner, _)] = winners.as_slice() else { panic!("one winner: {results:?}") };
        assert!(results.iter().all(|(_, status)| matches!(status, 200 | 412)), "{results:?}");
        assert_eq!(shop.get(&path).await.ok()["stock"], *winner);
    });
}

#[test]
fn guarded_increments_lose_no_update() {
    on_shop(async |shop| {
        let (path, _) = tagged_product(shop).await;
        shop.put(&path, &json!({ "stock": 0 })).await.ok();
        let mut writers = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let (client, path) = (Client::clone(shop), path.clone());
            writers.spawn(async move {
                let mut done = 0;
                while done < 5 {
                    let read = client.get(&path).await.expect(200);
                    let next = read.json()["stock"].as_i64().expect("a stock") + 1;
                    let write = client.put(&path, &json!({ "stock": next })).header("if-match", &read.etag()).await;
                    done += i32::from(write.status() == 200);
                }
            });
        }
        writers.join_all().await;
        assert_eq!(shop.get(&path).await.ok()["stock"], 20);
    });
}
