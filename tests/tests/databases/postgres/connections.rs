//! Connections, statement timeouts and unreachable URLs.

use std::time::Duration;

use crud_runtime::Service;
use crud_tests::fixtures::{batch, category};
use crud_tests::{Api, kitchen, wait_until};
use serde_json::json;

use crate::postgres::support::{execute, on_postgres, texts};

#[test]
fn lock_timeout_answers_503() {
    on_postgres(async |database, pool| {
        let url = format!("{}&options=-c%20lock_timeout%3D100ms", database.url());
        let service = shop::open_shop(Service::connect(&url).await.unwrap()).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        let id = category(&api, "Lamps").await;
        let mut holder = pool.begin().await.unwrap();
        sqlx::query("SELECT * FROM categories FOR UPDATE").execute(&mut *holder).await.unwrap();
        api.put(format!("/categories/{id}"), &json!({ "name": "Lights" })).await.problem("unavailable");
        holder.rollback().await.unwrap();
        api.put(format!("/categories/{id}"), &json!({ "name": "Lights" })).await.ok();
        api.stop().await;
    });
}

#[test]
fn rejected_change_leaves_no_transaction_open() {
    const OPEN: &str = "SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() \
        AND state LIKE 'idle in transaction%'";
    on_postgres(async |database, pool| {
        let service = kitchen::kitchen(database.service().await).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        let parcel = |code: &str| json!({ "code": code, "weight": 1 });
        api.post("/parcels", &parcel("a")).await.created();
        for _ in 0..5 {
            api.post("/parcels", &parcel("a")).await.problem("conflict");
            api.post("/parcels/batch", &batch([parcel("b"), parcel("a")])).await.problem("conflict");
        }
        wait_until("no transaction is open", async || texts(pool, OPEN).await.is_empty()).await;
        api.stop().await;
    });
}

#[tokio::test]
async fn unreachable_url_is_an_error_without_its_password() {
    for url in ["postgres://me:secret@127.0.0.1:1/shop", "postgresql://me:secret@%%%/shop", "postgres:secret"] {
        let error = Service::connect(url).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}

#[test]
fn request_timeout_ends_the_statement_on_the_server() {
    on_postgres(async |database, pool| {
        let service = shop::open_shop(database.service().await)
            .limits(|limits| limits.request_timeout(Duration::from_millis(300)));
        let api = Api::start(database, service.migrate().await.unwrap()).await;
        execute(
            pool,
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$; \
             CREATE TRIGGER slow BEFORE INSERT ON categories FOR EACH ROW EXECUTE FUNCTION slow()",
        )
        .await;
        api.post("/categories", &json!({ "name": "Lamps" })).await.problem("timeout");
        let at_work = "SELECT query FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'";
        wait_until("the statement has ended", async || texts(pool, at_work).await.is_empty()).await;
        api.stop().await;
    });
}
