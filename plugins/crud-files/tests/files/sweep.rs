//! Crashes between the steps: the record decides what they leave.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::auth::Principal;
use crud_runtime::axum::http::Method;
use crud_runtime::prelude::TimeDelta;
use crud_tests::{on_each_sql_backend, on_sqlite, within_pauses};
use serde_json::json;
use tokio::time::timeout;

use crate::shop::{Issue, PNG, Place, Shop, auth, bytes, on_shop};

#[test]
fn sweep_of_a_shop_at_rest_changes_nothing() {
    on_shop(async |shop| {
        let (first, second) = (shop.photo().await, shop.photo().await);
        for days in [0, 1, 40] {
            shop.sweep_after(TimeDelta::days(days)).await;
            assert_eq!((bytes(shop, &first).await, bytes(shop, &second).await), (PNG.to_vec(), PNG.to_vec()));
        }
        assert_eq!(shop.place.objects().len(), 2);
    });
}

/// Sets the states of all rows of files, as a crash leaves them.
async fn set_states(database: &crud_tests::Database, state: &str) {
    database.execute(&format!("UPDATE files_object SET state = '{state}'")).await;
}

#[test]
fn crash_between_record_and_row_is_repaired_in_the_records_favour() {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        let path = shop.photo().await;
        set_states(database, "pending").await;
        assert_eq!(bytes(&shop, &path).await, PNG);
        shop.sweep_after(TimeDelta::hours(25)).await;
        assert_eq!(database.texts("SELECT state FROM files_object").await, ["live"]);
        assert_eq!(bytes(&shop, &path).await, PNG);
    });
}

#[test]
fn crash_before_the_record_is_swept_after_a_day() {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        let path = shop.photo().await;
        let key = database.texts("SELECT id FROM files_object").await.remove(0);
        database.execute("UPDATE products SET photo = NULL").await;
        set_states(database, "pending").await;
        if let Place::Directory(directory) = &shop.place {
            fs::write(directory.path().join(&key[..2]).join(format!("{key}#1")), b"half")
                .expect("an interrupted write");
        }
        shop.sweep_after(TimeDelta::hours(23)).await;
        assert!(shop.place.objects().contains(&key));
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert!(shop.place.objects().is_empty(), "{:?}", shop.place.objects());
        assert!(database.texts("SELECT id FROM files_object").await.is_empty());
        shop.as_user("ann").get(&path).await.problem("not_found");
    });
}

#[test]
fn raw_change_of_the_record_ends_its_file() {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        shop.photo().await;
        let kept = shop.photo().await;
        database.execute("DELETE FROM products WHERE id = 1").await;
        shop.sweep_after(TimeDelta::minutes(30)).await;
        assert_eq!(shop.place.objects().len(), 2);
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert_eq!((shop.place.objects().len(), bytes(&shop, &kept).await), (1, PNG.to_vec()));
    });
}

/// A sweep that has read that a record is gone may pause before it ends its files.
#[test]
fn record_that_comes_back_during_a_sweep_keeps_its_new_file() {
    on_sqlite(async |database| {
        let shop = Arc::new(Shop::start(database, |files| files).await);
        let mut pauses = 0;
        loop {
            let paths = [shop.photo().await, shop.photo().await];
            let ids = paths.each_ref().map(|path| path.trim_start_matches("/products/").trim_end_matches("/photo"));
            database.execute(&format!("DELETE FROM products WHERE id IN ({})", ids.join(", "))).await;
            let now = shop.test.app().now();
            shop.test.clock().set(now + TimeDelta::hours(2));
            let mut sweep = Box::pin(shop.files.sweep(shop.test.app()));
            let swept = within_pauses(pauses, &mut sweep).await;
            let mut back = Vec::new();
            for (id, path) in ids.iter().zip(&paths) {
                let record = format!("INSERT INTO products (id, name) VALUES ({id}, 'chair')");
                // A write in progress locks the database.
                if database.try_execute(&format!("PRAGMA busy_timeout = 0; {record}")).await {
                    // In a task without the sweep's transaction. Where the sweep has its turn to write, the upload waits.
                    let (shop, of_upload) = (shop.clone(), path.clone());
                    let upload = tokio::spawn(async move { shop.put(&of_upload, PNG).await.expect(200).status() });
                    if let Ok(stored) = timeout(Duration::from_millis(500), upload).await {
                        stored.expect("an upload");
                        back.push(path);
                    }
                }
            }
            if let Some(swept) = swept {
                break swept.expect("a sweep");
            }
            sweep.await.expect("a sweep");
            for path in back {
                assert_eq!(bytes(&shop, path).await, PNG, "after {pauses} pauses");
            }
            pauses += 1;
        }
    });
}

#[test]
fn files_of_a_service_that_is_sharded_by_tenant_go_with_their_records() {
    on_each_sql_backend(async |database| {
        let place = Place::new();
        let files = place.files();
        let service = database.service().await.shard_by_tenant();
        let service = service.auth(auth().tenant_claim("team").build().expect("the authentication"));
        let service = service.plugin(files.clone()).expect("one plugin").resource::<Issue>();
        let log = service.audit_log();
        let shop = Shop { test: service.test().await.expect("the service"), files, place, log };
        let of_team = shop.test.as_principal(Principal::new("ann")).claim("team", 1);
        let issue = format!("/issues/{}", of_team.post("/issues", json!({})).await.expect(201).json()["id"]);
        let path = format!("{issue}/log");
        of_team.request(Method::PUT, &path).body("application/octet-stream", PNG).await.expect(200);
        assert_eq!(of_team.get(&path).await.expect(200).bytes(), PNG);
        of_team.delete(&issue).await.expect(200);
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert!(shop.place.objects().is_empty(), "{:?}", shop.place.objects());
    });
}
