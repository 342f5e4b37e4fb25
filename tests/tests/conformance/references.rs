//! A reference names an existing record; deletion of that record is refused, cascades or clears the reference.

use std::future::IntoFuture;

use crud_tests::fixtures::{category, id, product, product_body};
use crud_tests::{on_kitchen, on_shop};
use serde_json::{Value, json};

#[test]
fn create_with_a_missing_reference_is_rejected() {
    on_shop(async |shop| {
        let problem = shop.post("/products", &product_body(7, "Lamp")).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/category_id"]);
        assert_eq!(shop.get("/products").await.ok()["total"], 0);
    });
}

#[test]
fn update_to_a_missing_reference_is_rejected() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        let problem = shop.put(&path, &json!({ "category_id": 77 })).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/category_id"]);
        assert_eq!(shop.get(&path).await.ok(), created);
    });
}

#[test]
fn reference_may_be_a_text_key() {
    on_kitchen(async |kitchen| {
        let post = id(&kitchen.post("/posts", &json!({ "title": "x" })).await.created());
        kitchen.post("/tags", &json!({ "slug": "a" })).await.created();
        kitchen.post("/comments", &json!({ "post_id": post, "tag": "a" })).await.created();
        kitchen.post("/comments", &json!({ "post_id": post, "tag": null })).await.created();
        let body = json!({ "post_id": post, "tag": "b" });
        assert_eq!(kitchen.post("/comments", &body).await.problem("reference_not_found").pointers(), ["/tag"]);
    });
}

#[test]
fn referenced_record_is_not_deleted() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/categories/{}", created["category_id"]);
        let problem = shop.delete(&path).await.problem("referenced");
        assert!(problem.errors.is_empty(), "{problem}");
        shop.get(&path).await.ok();
        shop.delete(format!("/products/{}", id(&created))).await.ok();
        shop.delete(&path).await.problem("referenced");
        shop.delete(format!("/products/{}/permanent", id(&created))).await.ok();
        shop.delete(&path).await.ok();
    });
}

#[test]
fn restrict_is_the_default() {
    on_kitchen(async |kitchen| {
        let post = id(&kitchen.post("/posts", &json!({ "title": "x" })).await.created());
        kitchen.post("/comments", &json!({ "post_id": post })).await.created();
        kitchen.delete(format!("/posts/{post}")).await.problem("referenced");
        let answer = id(&kitchen.post("/posts", &json!({ "title": "y", "parent_id": post })).await.created());
        kitchen.delete(format!("/posts/{answer}")).await.ok();
    });
}

#[test]
fn cascade_deletes_referring_records() {
    on_kitchen(async |kitchen| {
        let post = id(&kitchen.post("/posts", &json!({ "title": "x" })).await.created());
        let other = id(&kitchen.post("/posts", &json!({ "title": "y" })).await.created());
        for owner in [post, post, other] {
            kitchen.post("/attachments", &json!({ "post_id": owner })).await.created();
        }
        kitchen.delete(format!("/posts/{post}")).await.ok();
        let left = kitchen.get("/attachments").await.ok();
        assert_eq!((&left["total"], &left["data"][0]["post_id"]), (&json!(1), &json!(other)));
    });
}

#[test]
fn set_null_clears_references() {
    on_kitchen(async |kitchen| {
        let post = id(&kitchen.post("/posts", &json!({ "title": "x" })).await.created());
        let reader = id(&kitchen.post("/readers", &json!({ "post_id": post })).await.created());
        kitchen.delete(format!("/posts/{post}")).await.ok();
        assert_eq!(kitchen.get(format!("/readers/{reader}")).await.ok()["post_id"], Value::Null);
    });
}

#[test]
fn record_may_refer_to_its_own_resource() {
    on_kitchen(async |kitchen| {
        let parent = id(&kitchen.post("/posts", &json!({ "title": "x" })).await.created());
        let child = id(&kitchen.post("/posts", &json!({ "title": "y", "parent_id": parent })).await.created());
        kitchen.delete(format!("/posts/{parent}")).await.problem("referenced");
        kitchen.put(format!("/posts/{parent}"), &json!({ "parent_id": child })).await.ok();
        kitchen.delete(format!("/posts/{child}")).await.problem("referenced");
        kitchen.put(format!("/posts/{child}"), &json!({ "parent_id": null })).await.ok();
        kitchen.delete(format!("/posts/{parent}")).await.ok();
        kitchen.delete(format!("/posts/{child}")).await.ok();
    });
}

#[test]
fn concurrent_create_and_delete_keep_references_valid() {
    on_shop(async |shop| {
        for round in 0..10 {
            let category = category(shop, &format!("Round {round}")).await;
            let (path, body) = (format!("/categories/{category}"), product_body(category, "Lamp"));
            let (create, delete) =
                tokio::join!(shop.post("/products", &body).into_future(), shop.delete(&path).into_future());
            match (create.status(), delete.status()) {
                (201, 409) => drop(shop.get(&path).await.ok()),
                (409, 200) => drop(shop.get(&path).await.problem("not_found")),
                other => panic!("both or neither succeeded: {other:?}"),
            }
        }
    });
}
