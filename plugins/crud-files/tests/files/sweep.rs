//! Crashes between the steps: the record decides what they leave.

use std::fs;

use crud_runtime::prelude::TimeDelta;
use crud_tests::on_each_sql_backend;

use crate::shop::{PNG, Place, Shop, bytes, on_shop};

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
