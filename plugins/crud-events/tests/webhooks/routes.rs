//! The routes of webhooks.

use crud_runtime::auth::Principal;
use crud_tests::on_each_sql_backend;
use serde_json::{Value, json};

use crate::receiver::Receiver;
use crate::shop::{admin, deliver, delivery, make, shop, try_out, webhook};

#[test]
fn webhooks_are_for_administrators() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = shop(database, &receiver).await;
        let body = json!({ "url": receiver.url(), "types": ["*"] });
        test.post("/webhooks", body.clone()).await.problem("authentication_failed");
        let staff = test.as_role("staff");
        staff.post("/webhooks", body.clone()).await.problem("permission_denied");
        let made = admin(&test).post("/webhooks", body).await.expect(201).json();
        for path in ["/webhooks".to_owned(), format!("/webhooks/{}", made["id"]), "/webhook-deliveries".to_owned()] {
            staff.get(&path).await.problem("permission_denied");
        }
        for action in ["rotate", "test"] {
            staff.post(format!("/webhooks/{}/{action}", made["id"]), json!({})).await.problem("permission_denied");
        }
        let sent = try_out(&admin(&test), &made).await;
        let path = format!("/webhook-deliveries/{}", sent["id"]);
        staff.get(&path).await.problem("permission_denied");
        staff.post(format!("{path}/retry"), json!({})).await.problem("permission_denied");
    });
}

#[test]
fn secret_is_in_the_answer_of_the_create_alone() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &[]).await;
        let secret = made["secret"].as_str().expect("a secret").to_owned();
        assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
        assert_ne!(make(&test, &receiver.url(), &[]).await["secret"], secret, "each has its own");
        assert_eq!(webhook(&test, &made).await["secret"], Value::Null);
        let listed = test.get("/webhooks").await.expect(200);
        assert!(!listed.text().contains("whsec_") && !listed.text().contains("salt"), "{}", listed.text());
        let changed = test.patch(format!("/webhooks/{}", made["id"]), json!({ "types": ["a.*"] })).await.expect(200);
        assert_eq!(changed.json()["secret"], Value::Null);
        // Neither has the database.
        let rows = database.texts("SELECT salt FROM events_webhook").await;
        assert!(rows.len() == 2 && rows.iter().all(|salt| salt.len() == 36 && !secret.contains(salt)), "{rows:?}");
        let mut minimal = test.post("/webhooks", json!({ "url": receiver.url(), "types": ["*"] }));
        minimal = minimal.header("prefer", "return=minimal");
        assert!(minimal.await.expect(201).header("location").is_some_and(|it| it.starts_with("/webhooks/")));
    });
}

#[test]
fn urls_types_and_roles_are_checked() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let url = receiver.url();
        for (body, field) in [
            (json!({ "url": "http://example.com", "types": ["*"] }), "/url"),
            (json!({ "url": "https://user@example.com", "types": ["*"] }), "/url"),
            (json!({ "url": "https://169.254.169.254/", "types": ["*"] }), "/url"),
            (json!({ "url": "https://[::ffff:127.0.0.1]/", "types": ["*"] }), "/url"),
            (json!({ "url": "https://example.com:22/", "types": ["*"] }), "/url"),
            (json!({ "url": url, "types": [] }), "/types"),
            (json!({ "url": url, "types": ["a b"] }), "/types"),
            (json!({ "url": url, "types": ["*.*"] }), "/types"),
            (json!({ "url": url, "types": ["*"], "roles": ["root"] }), "/roles"),
        ] {
            let problem = test.post("/webhooks", body.clone()).await.problem("validation_failed");
            assert_eq!(problem["errors"][0]["pointer"], field, "{body}: {problem}");
        }
        let made = make(&test, &url, &[]).await;
        let path = format!("/webhooks/{}", made["id"]);
        test.patch(&path, json!({ "url": "https://10.0.0.1/" })).await.problem("validation_failed");
        test.patch(&path, json!({ "roles": ["root"] })).await.problem("validation_failed");
        for field in ["disabled_because", "secret", "rotating_until"] {
            test.patch(&path, json!({ field: "2100-01-01T00:00:00Z" })).await.expect(200);
        }
        let kept = webhook(&test, &made).await;
        assert!(kept["disabled_because"].is_null() && kept["secret"].is_null() && kept["rotating_until"].is_null());
        test.patch(&path, json!({ "salt": "a" })).await.problem("validation_failed");
    });
}

#[test]
fn webhook_is_changed_by_those_who_have_its_roles() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = shop(database, &receiver).await;
        let made = make(&admin(&test), &receiver.url(), &["staff"]).await;
        let other = test.as_principal(Principal::new("2").with_roles(["admin"]));
        let path = format!("/webhooks/{}", made["id"]);
        // By the URL, the other one would read what staff reads.
        other.patch(&path, json!({ "url": receiver.url() + "/mine" })).await.problem("permission_denied");
        other.post(format!("{path}/rotate"), json!({})).await.problem("permission_denied");
        other.patch(&path, json!({ "roles": [] })).await.expect(200);
        other.patch(&path, json!({ "url": receiver.url() + "/mine" })).await.expect(200);
        other.delete(&path).await.expect(200);
    });
}

#[test]
fn delivery_has_the_outcome_and_is_sent_again_on_demand() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &[]).await;
        receiver.answer(|_| "thanks");
        let sent = try_out(&test, &made).await;
        assert_eq!((&sent["status"], &sent["attempts"]), (&json!("delivered"), &json!(1)), "{sent}");
        assert_eq!((&sent["response_status"], &sent["response_body"]), (&json!(200), &json!("thanks")));
        assert_eq!((&sent["type"], &sent["next_attempt_at"]), (&json!("webhook.test"), &Value::Null));
        let of_webhook = test.get(format!("/webhook-deliveries?webhook_id={}", made["id"])).await.expect(200).json();
        assert_eq!(of_webhook["data"], json!([sent]));
        let path = format!("/webhooks/{}/deliveries", made["id"]);
        assert_eq!(test.get(&path).await.expect(200).json()["data"], json!([sent]));
        assert_eq!(test.get(path + "?status=failed").await.expect(200).json()["total"], 0);
        let expanded = test.get(format!("/webhooks/{}?expand=deliveries", made["id"])).await.expect(200).json();
        assert_eq!(expanded["deliveries"]["data"][0]["id"], sent["id"], "{expanded}");
        let again = test.post(format!("/webhook-deliveries/{}/retry", sent["id"]), json!({})).await.expect(200).json();
        assert_eq!((&again["status"], &again["attempts"]), (&json!("pending"), &json!(0)));
        test.post(format!("/webhook-deliveries/{}/retry", sent["id"]), json!({})).await.problem("conflict");
        assert_eq!(deliver(&test).await, 1);
        assert_eq!(delivery(&test, &sent).await["status"], "delivered");
        let received = receiver.received();
        assert_eq!(received.len(), 2);
        assert_eq!(received[0].id, received[1].id, "the id is the same");
        assert_eq!(
            (received[0].kind(), &received[0].json()["id"]),
            ("webhook.test".to_owned(), &json!(received[1].id))
        );
        assert!(received.iter().all(|it| it.is_signed_by(made["secret"].as_str().expect("a secret"))));
    });
}

#[test]
fn removed_webhook_is_sent_nothing() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &[]).await;
        let path = format!("/webhooks/{}", made["id"]);
        test.post(format!("{path}/test"), json!({})).await.expect(202);
        test.patch(&path, json!({ "active": false })).await.expect(200);
        assert_eq!(deliver(&test).await, 0, "it is not active");
        test.post(format!("{path}/test"), json!({})).await.problem("conflict");
        test.patch(&path, json!({ "active": true })).await.expect(200);
        assert_eq!(deliver(&test).await, 1);
        test.post(format!("{path}/test"), json!({})).await.expect(202);
        test.delete(&path).await.expect(200);
        assert_eq!(deliver(&test).await, 0);
        assert_eq!(test.get("/webhook-deliveries").await.expect(200).json()["total"], 0);
        assert!(database.texts("SELECT id FROM events_progress").await.is_empty());
    });
}

#[test]
fn tenants_have_their_own_webhooks() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = shop(database, &receiver).await;
        let of_shop = |shop: i64| admin(&test).claim("shop", shop);
        let made = make(&of_shop(1), &receiver.url(), &[]).await;
        let sent = try_out(&of_shop(1), &made).await;
        for other in [of_shop(2), admin(&test)] {
            other.get(format!("/webhooks/{}", made["id"])).await.problem("not_found");
            other.patch(format!("/webhooks/{}", made["id"]), json!({ "active": false })).await.problem("not_found");
            other.delete(format!("/webhooks/{}", made["id"])).await.problem("not_found");
            other.get(format!("/webhook-deliveries/{}", sent["id"])).await.problem("not_found");
            other.get(format!("/webhooks/{}/deliveries", made["id"])).await.problem("not_found");
            for action in ["rotate", "test"] {
                other.post(format!("/webhooks/{}/{action}", made["id"]), json!({})).await.problem("not_found");
            }
            other.post(format!("/webhook-deliveries/{}/retry", sent["id"]), json!({})).await.problem("not_found");
            assert_eq!(other.get("/webhooks").await.expect(200).json()["total"], 0);
            assert_eq!(other.get("/webhook-deliveries").await.expect(200).json()["total"], 0);
        }
        assert_eq!(of_shop(1).get("/webhooks").await.expect(200).json()["total"], 1);
    });
}
