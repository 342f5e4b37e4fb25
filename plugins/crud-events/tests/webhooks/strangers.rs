//! The rights of webhooks: each is sent what a caller with its roles reads.

use crud_runtime::testing::Test;
use crud_tests::on_each_sql_backend;
use serde_json::{Value, json};

use crate::receiver::Receiver;
use crate::shop::{admin, deliver, make, shop};

/// The messages of what is due.
async fn messages(test: &Test, receiver: &Receiver) -> Vec<Value> {
    deliver(test).await;
    receiver.take().iter().map(crate::receiver::Received::json).collect()
}

#[test]
fn webhook_without_roles_is_told_what_everyone_reads() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        make(&test, &receiver.url(), &[]).await;
        test.post("/memos", json!({ "text": "secret" })).await.expect(201);
        test.patch("/memos/1", json!({ "text": "still secret" })).await.expect(200);
        test.delete("/memos/1").await.expect(200);
        assert!(messages(&test, &receiver).await.is_empty(), "everyone reads no memo");
        assert_eq!(test.get("/webhook-deliveries").await.expect(200).json()["total"], 0, "not even that there is one");
        test.post("/products", json!({ "name": "lamp", "cost": 7 })).await.expect(201);
        let told = messages(&test, &receiver).await;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["data"]["name"], "lamp");
        assert!(!told[0].to_string().contains("cost") && !told[0].to_string().contains("note"), "{}", told[0]);
        // A change of what it does not see alone.
        test.patch("/products/1", json!({ "cost": 8 })).await.expect(200);
        let told = messages(&test, &receiver).await;
        assert!(told.iter().all(|message| !message.to_string().contains("cost")), "{told:?}");
    });
}

#[test]
fn webhook_with_roles_is_told_what_these_read() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &["staff"]).await;
        test.post("/memos", json!({ "text": "secret" })).await.expect(201);
        test.post("/products", json!({ "name": "lamp", "cost": 7 })).await.expect(201);
        let told = messages(&test, &receiver).await;
        assert_eq!(told.len(), 2);
        let of = |resource: &str| told.iter().find(|it| it["resource"] == resource).expect(resource);
        assert_eq!((&of("memos")["data"]["text"], &of("products")["data"]["cost"]), (&json!("secret"), &json!(7)));
        assert!(!of("products").to_string().contains("note"), "hidden fields are in none");
        // Its rights are those of now: what is due is told under them.
        test.patch("/memos/1", json!({ "text": "more" })).await.expect(200);
        receiver.answer(|_| axum::http::StatusCode::BAD_GATEWAY);
        deliver(&test).await;
        receiver.take();
        test.patch(format!("/webhooks/{}", made["id"]), json!({ "roles": [] })).await.expect(200);
        test.clock().set(test.app().now() + chrono::TimeDelta::minutes(5));
        assert!(messages(&test, &receiver).await.is_empty());
        let skipped = test.get("/webhook-deliveries?status=skipped").await.expect(200).json();
        assert_eq!(skipped["total"], 1, "{skipped}");
    });
}

#[test]
fn webhook_of_a_tenant_is_told_of_it_alone() {
    on_each_sql_backend(async |database| {
        let (first, second) = (Receiver::start().await, Receiver::start().await);
        let webhooks = crud_events::Webhooks::new().allow_http_to(first.host()).allow_http_to(second.host());
        let test = crate::shop::with_webhooks(database.service().await, webhooks).test().await.expect("the service");
        let of_shop = |shop: i64| admin(&test).claim("shop", shop);
        make(&of_shop(1), &first.url(), &["staff"]).await;
        make(&of_shop(2), &second.url(), &["staff"]).await;
        // Without a tenant, roles read none of them.
        let third = Receiver::start().await;
        drop(third);
        for (shop, title) in [(1, "screen"), (2, "battery"), (1, "button")] {
            of_shop(shop).post("/tickets", json!({ "title": title })).await.expect(201);
        }
        of_shop(2).patch("/tickets/2", json!({ "title": "cell" })).await.expect(200);
        of_shop(1).delete("/tickets/1").await.expect(200);
        deliver(&test).await;
        let of = |receiver: &Receiver| receiver.take().iter().map(crate::receiver::Received::json).collect::<Vec<_>>();
        let (first, second) = (of(&first), of(&second));
        assert!(!first.is_empty() && first.iter().all(|it| it["record_id"] != 2), "{first:?}");
        assert!(!second.is_empty() && second.iter().all(|it| it["record_id"] == 2), "{second:?}");
    });
}
