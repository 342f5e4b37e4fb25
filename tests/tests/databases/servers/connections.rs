//! Connections that break, and locks that block.

use std::time::Duration;

use crud_tests::fixtures::category;
use crud_tests::{Api, on_each_sql_server, wait_until};
use serde_json::json;

#[test]
fn terminated_connections_are_replaced() {
    on_each_sql_server(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        category(&api, "Lamps").await;
        database.terminate_connections().await;
        wait_until("the service has new connections", async || {
            let answer = api.get("/categories").await;
            if answer.status() == 200 {
                return true;
            }
            answer.problem("unavailable");
            false
        })
        .await;
        category(&api, "Chairs").await;
        api.stop().await;
    });
}

#[test]
fn lock_wait_ends_with_the_request_timeout() {
    on_each_sql_server(async |database| {
        // The timeout bounds the wait for a lock; MySQL counts whole seconds, so one second.
        let service = shop::open_shop(database.service().await)
            .limits(|limits| limits.request_timeout(Duration::from_millis(1_500)));
        let api = Api::start(database, service.migrate().await.unwrap()).await;
        let id = category(&api, "Lamps").await;
        let mut holder = database.begin_transaction().await;
        holder.execute("SELECT * FROM categories FOR UPDATE").await;
        let answer = api.put(format!("/categories/{id}"), &json!({ "name": "Lights" })).await;
        assert!([503, 504].contains(&answer.status()), "{answer}");
        holder.commit().await;
        api.put(format!("/categories/{id}"), &json!({ "name": "Lights" })).await.ok();
        api.stop().await;
    });
}
