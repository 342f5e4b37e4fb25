//! A server whose clock is a year ahead, and stops.

use axum::http::StatusCode;
use crud_events::Webhooks;
use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_sql_backend, wait_until};
use reqwest::Method;
use serde_json::json;

use crate::receiver::Receiver;
use crate::shop::{admin, deliver, make, shop, with_webhooks};

const PASSWORD: &str = "correct horse battery";

#[test]
fn events_are_sent_though_its_lease_has_not_ended() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let webhooks = Webhooks::new().allow_http_to(receiver.host());
        let service = with_webhooks(database.service().await, webhooks).migrate().await.expect("the tables");
        service.users().create_first("root", PASSWORD, ["admin", "staff"]).await.expect("a user");
        let until = database.time_literal("2099-01-31T12:00:00.000000Z");
        let lease = format!("INSERT INTO events_lease (id, holder, until) VALUES ('deliveries', 'another', {until})");
        database.execute(&lease).await;
        let api = Api::start(database, service).await;
        let login = api.post("/auth/login", &json!({ "username": "root", "password": PASSWORD })).await.ok();
        let bearer = format!("Bearer {}", login["access_token"].as_str().expect("a token"));
        let create = async |path: &str, body: serde_json::Value| {
            api.request(Method::POST, path).header("authorization", &bearer).json(&body).await.created();
        };
        create("/webhooks", json!({ "url": receiver.url(), "types": ["*"] })).await;
        create("/products", json!({ "name": "lamp" })).await;
        wait_until("the event is sent", async || !receiver.received().is_empty()).await;
        api.stop().await;
    });
}

#[test]
fn deliveries_are_due_that_it_has_postponed() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let (here, ahead) = (admin(&shop(database, &receiver).await), admin(&shop(database, &receiver).await));
        ahead.clock().set(here.app().now() + TimeDelta::days(365));
        let made = make(&here, &receiver.url(), &[]).await;
        receiver.answer(|_| StatusCode::BAD_GATEWAY);
        ahead.post(format!("/webhooks/{}/test", made["id"]), json!({})).await.expect(202);
        assert_eq!(deliver(&ahead).await, 1);
        receiver.answer(|_| StatusCode::OK);
        assert_eq!(deliver(&here).await, 1);
        assert_eq!(receiver.received().len(), 2);
    });
}
