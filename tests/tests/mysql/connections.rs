//! Connections that go, sessions that are told nothing, and URLs that lead nowhere.

use std::time::Duration;

use crud_runtime::Service;
use crud_tests::Api;
use crud_tests::fixtures::category;
use serde_json::json;
use sqlx::mysql::MySqlPoolOptions;
use sqlx::{Executor, MySqlConnection};

use crate::support::{on_mysql, run, texts};

#[test]
fn connections_that_were_cut_are_replaced() {
    on_mysql(async |database, pool| {
        let service = shop::shop(database.service().await).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        category(&api, "Lamps").await;
        let others = "SELECT CONCAT('KILL ', ID) FROM information_schema.PROCESSLIST \
            WHERE DB = DATABASE() AND ID <> CONNECTION_ID()";
        for kill in texts(pool, others).await {
            run(pool, &kill).await;
        }
        let mut answers = Vec::new();
        for _ in 0..20 {
            let answer = api.get("/categories").await;
            answers.push(answer.status());
            if answer.status() == 200 {
                break;
            }
            answer.problem("unavailable");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(answers.last(), Some(&200), "{answers:?}");
        category(&api, "Chairs").await;
        api.stop().await;
    });
}

#[test]
fn a_lock_that_others_hold_is_no_hang() {
    on_mysql(async |database, pool| {
        let impatient = MySqlPoolOptions::new().after_connect(|connection: &mut MySqlConnection, _| {
            Box::pin(async move { connection.execute("SET SESSION innodb_lock_wait_timeout = 1").await.map(drop) })
        });
        let impatient = impatient.connect(database.url()).await.unwrap();
        let service = shop::shop(Service::pool(impatient)).migrate().await.unwrap();
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
fn sessions_that_cut_what_does_not_fit_are_refused() {
    on_mysql(async |database, _| {
        let lax = MySqlPoolOptions::new().after_connect(|connection: &mut MySqlConnection, _| {
            Box::pin(async move { connection.execute("SET SESSION sql_mode = ''").await.map(drop) })
        });
        let service = shop::shop(Service::pool(lax.connect(database.url()).await.unwrap()));
        let error = service.migrate().await.unwrap_err().to_string();
        assert!(error.contains("`sql_mode` must have STRICT_TRANS_TABLES"), "{error}");
    });
}

#[tokio::test]
async fn a_url_that_leads_nowhere_is_an_error_without_its_password() {
    for url in
        ["mysql://me:secret@127.0.0.1:1/shop", "mariadb://me:secret@%%%/shop", "mysql:secret", "mysql://me:secret@host"]
    {
        let error = Service::connect(url).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}
