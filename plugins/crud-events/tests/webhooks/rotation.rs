//! Rotation of secrets.

use std::time::Duration;

use crud_tests::on_each_sql_backend;
use serde_json::{Value, json};

use crate::receiver::Receiver;
use crate::shop::{admin, make, shop, try_out, webhook};

#[test]
fn both_secrets_sign_for_a_day() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let made = make(&test, &receiver.url(), &[]).await;
        let rotate = async || {
            let rotated = test.post(format!("/webhooks/{}/rotate", made["id"]), json!({})).await.expect(200);
            assert_eq!(rotated.header("cache-control"), Some("no-store"));
            rotated.json()
        };
        let text = |webhook: &Value| webhook["secret"].as_str().expect("a secret").to_owned();
        let (first, rotated) = (text(&made), rotate().await);
        let second = text(&rotated);
        assert_eq!(webhook(&test, &made).await["rotating_until"], "2026-02-01T12:00:00.000000Z");
        assert_eq!(webhook(&test, &made).await["secret"], Value::Null);
        let signed = async |secrets: &[&str], others: &[&str]| {
            try_out(&test, &made).await;
            let received = receiver.take().pop().expect("a message");
            assert_eq!(received.signatures(), secrets.len());
            assert!(secrets.iter().all(|secret| received.is_signed_by(secret)));
            assert!(!others.iter().any(|secret| received.is_signed_by(secret)));
        };
        signed(&[&second, &first], &[]).await;
        test.clock().advance(Duration::from_secs(24 * 3600 - 1));
        signed(&[&second, &first], &[]).await;
        test.clock().advance(Duration::from_secs(1));
        signed(&[&second], &[&first]).await;
        // Rotated twice, as after a leak: the first of them is over at once.
        let third = text(&rotate().await);
        let fourth = text(&rotate().await);
        signed(&[&fourth, &third], &[&second, &first]).await;
    });
}
