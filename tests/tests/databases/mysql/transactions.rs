//! Transactions that the server ends without an error, as a node of a Galera cluster can, and what noticing that costs.

use std::sync::atomic::{AtomicUsize, Ordering};

use crud_runtime::{Result, Service};
use crud_tests::Api;
use crud_tests::kitchen::{NewTag, Parcel, Tag, Team};
use serde_json::json;
use sqlx::Row;
use sqlx::mysql::MySqlPoolOptions;

use crate::mysql::support::{on_mysql, texts};

#[test]
fn work_is_retried_when_a_read_shows_that_its_transaction_is_gone() {
    on_mysql(async |database, pool| {
        if !texts(pool, "SELECT VERSION()").await[0].contains("MariaDB") {
            return;
        }
        let service = database.service().await.resource::<Tag>().migrate().await.unwrap();
        let app = service.app();
        app.store::<Tag>().create(NewTag { slug: "here".into(), label: None }).await.unwrap();
        for read in ["a record", "no record", "a query"] {
            let attempts = AtomicUsize::new(0);
            let made = app.transaction(async |tx| -> Result<()> {
                let slug = format!("made before {read}");
                tx.store::<Tag>().create(NewTag { slug, label: None }).await?;
                if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
                    tx.sql("ROLLBACK").execute().await?;
                }
                match read {
                    "a record" => drop(tx.store::<Tag>().find("here").await?),
                    "no record" => drop(tx.store::<Tag>().find("missing").await?),
                    _ => drop(tx.sql("SELECT COUNT(*) FROM tags").fetch::<(i64,)>().await?),
                }
                Ok(())
            });
            made.await.unwrap();
            assert_eq!(attempts.into_inner(), 2, "attempts with a read of {read}");
            app.store::<Tag>().get(&format!("made before {read}")).await.unwrap();
        }
    });
}

#[test]
fn audited_update_takes_six_statements() {
    on_mysql(async |database, _| {
        let one = MySqlPoolOptions::new().max_connections(1).connect(database.url()).await.unwrap();
        let service = Service::from_pool(one.clone()).resource::<Team>().resource::<Parcel>().migrate().await.unwrap();
        let api = Api::start(database, service).await;
        let created = api.post("/parcels", &json!({ "code": "a", "weight": 0 })).await.created();
        let mut counts = Vec::new();
        for weight in 1..4 {
            api.put(format!("/parcels/{}", created["id"]), &json!({ "weight": weight })).await.ok();
            let count = sqlx::raw_sql("SHOW SESSION STATUS LIKE 'Questions'").fetch_one(&one).await.unwrap();
            counts.push(count.get::<String, _>(1).parse::<usize>().unwrap());
        }
        // Begin, lock, update, read, insert the entry, commit; and the count itself.
        assert_eq!(counts[2] - counts[1], 7);
        api.stop().await;
    });
}
