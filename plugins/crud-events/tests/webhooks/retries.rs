//! Attempts that fail.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use chrono::{DateTime, Utc};
use crud_runtime::testing::Test;
use crud_tests::on_each_sql_backend;
use serde_json::{Value, json};

use crate::receiver::Receiver;
use crate::shop::{admin, deliver, delivery, make, shop, try_out, webhook};

fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().expect("a time").parse().expect("a time")
}

/// Goes on to the time of the next attempt of a delivery, which is attempted; the delivery then.
async fn next(test: &Test, made: &Value) -> Value {
    let due = time(&delivery(test, made).await["next_attempt_at"]);
    test.clock().set(due - Duration::from_secs(1));
    assert_eq!(deliver(test).await, 0, "not before its time");
    test.clock().set(due);
    assert_eq!(deliver(test).await, 1);
    delivery(test, made).await
}

#[test]
fn ten_attempts_in_three_days_have_one_id() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let start: DateTime<Utc> = "2026-01-31T12:00:00Z".parse().expect("a time");
        test.clock().set(start);
        let made = make(&test, &receiver.url(), &[]).await;
        receiver.answer(|_| (StatusCode::INTERNAL_SERVER_ERROR, "out of paper"));
        let mut sent = try_out(&test, &made).await;
        assert_eq!((&sent["status"], &sent["response_body"]), (&json!("pending"), &json!("out of paper")));
        assert_eq!(sent["error"], "expected a status of 200 to 299, found 500");
        while sent["status"] == "pending" {
            sent = next(&test, &sent).await;
        }
        assert_eq!((&sent["status"], &sent["attempts"]), (&json!("failed"), &json!(10)));
        let took = test.app().now() - start;
        assert!((71..80).contains(&took.num_hours()), "{took}");
        let received = receiver.received();
        assert!(received.len() == 10 && received.iter().all(|it| it.id == received[0].id));
        assert!(received.windows(2).all(|pair| pair[0].timestamp < pair[1].timestamp));
        assert!(received.iter().all(|it| it.is_signed_by(made["secret"].as_str().expect("a secret"))));
        // A receiver that takes nothing for three days is given up.
        let ended = webhook(&test, &made).await;
        assert_eq!(
            (&ended["active"], &ended["disabled_because"]),
            (&json!(false), &json!("no delivery has succeeded for three days"))
        );
        let path = format!("/webhooks/{}", made["id"]);
        let again = test.patch(&path, json!({ "active": true })).await.expect(200).json();
        assert_eq!((&again["active"], &again["disabled_because"]), (&json!(true), &Value::Null));
    });
}

#[test]
fn later_success_ends_the_attempts() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let made = make(&test, &receiver.url(), &[]).await;
        let mut answers = [503, 302, 204].into_iter();
        receiver.answer(move |_| StatusCode::from_u16(answers.next().unwrap_or(500)).expect("a status"));
        let sent = try_out(&test, &made).await;
        let sent = next(&test, &sent).await;
        assert_eq!((&sent["status"], &sent["error"]), (&json!("pending"), &json!("redirects are not followed")));
        let sent = next(&test, &sent).await;
        assert_eq!(
            (&sent["status"], &sent["attempts"], &sent["error"]),
            (&json!("delivered"), &json!(3), &Value::Null)
        );
        assert_eq!(webhook(&test, &made).await["active"], true);
    });
}

#[test]
fn receiver_that_is_gone_is_sent_no_more() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &[]).await;
        let other = make(&test, &(receiver.url() + "/other"), &[]).await;
        receiver.answer(|_| StatusCode::GONE);
        let sent = try_out(&test, &made).await;
        assert_eq!((&sent["status"], &sent["attempts"]), (&json!("failed"), &json!(1)));
        let ended = webhook(&test, &made).await;
        assert_eq!(
            (&ended["active"], &ended["disabled_because"]),
            (&json!(false), &json!("the receiver has answered with 410"))
        );
        test.post(format!("/webhooks/{}/test", made["id"]), json!({})).await.problem("conflict");
        receiver.answer(|_| StatusCode::OK);
        assert_eq!(try_out(&test, &other).await["status"], "delivered", "others go on");
    });
}

#[test]
fn receiver_states_the_time_of_the_next_attempt() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let start: DateTime<Utc> = "2026-01-31T12:00:00Z".parse().expect("a time");
        test.clock().set(start);
        let made = make(&test, &receiver.url(), &[]).await;
        for (wish, least, most) in
            [("120", 120, 120), ("0", 5, 6), ("Sat, 31 Jan 2026 13:00:00 GMT", 3600, 3600), ("9999999", 86_400, 86_400)]
        {
            receiver.answer(move |_| (StatusCode::TOO_MANY_REQUESTS, [("retry-after", wish)]).into_response());
            let sent = try_out(&test, &made).await;
            let after = (time(&sent["next_attempt_at"]) - start).num_seconds();
            assert!((least..=most).contains(&after), "{wish}: {after} s");
        }
    });
}
