//! Former files: kept for a time, and read by `as_of`; gone with the record.

use std::time::Duration;

use crud_runtime::prelude::{DateTime, TimeDelta, Utc};
use crud_tests::{on_each_backend, on_sqlite};
use serde_json::json;

use crate::shop::{PNG, Shop, bytes, on_shop};

#[test]
fn former_file_is_read_as_of_its_time_until_it_is_removed() {
    on_shop(async |shop| {
        shop.test.clock().set(time("2026-01-31T10:00:00Z"));
        let path = shop.photo().await;
        shop.test.clock().set(time("2026-01-31T12:00:00Z"));
        shop.put(&path, b"newer".to_vec()).await.expect(200);
        let as_of = format!("{path}?as_of=2026-01-31T11:00:00Z");
        assert_eq!(shop.as_user("ann").get(&as_of).await.expect(200).bytes(), PNG);
        assert_eq!(bytes(shop, &path).await, b"newer");
        shop.sweep_after(TimeDelta::days(29)).await;
        assert_eq!(shop.as_user("ann").get(&as_of).await.expect(200).bytes(), PNG);
        shop.sweep_after(TimeDelta::days(2)).await;
        shop.as_user("ann").get(&as_of).await.problem("history_gone");
        assert_eq!(bytes(shop, &path).await, b"newer");
        assert_eq!(shop.place.objects().len(), 1);
    });
}

fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

#[test]
fn file_of_a_purged_record_is_removed_by_the_next_sweep() {
    on_shop(async |shop| {
        let (path, kept) = (shop.photo().await, shop.photo().await);
        let product = path.strip_suffix("/photo").expect("a product");
        let ann = shop.as_user("ann");
        shop.put(&path, b"newer".to_vec()).await.expect(200);
        ann.delete(product).await.expect(200);
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert_eq!(shop.place.objects().len(), 3);
        ann.delete(format!("{product}/permanent")).await.expect(200);
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert_eq!((bytes(shop, &kept).await, shop.place.objects().len()), (PNG.to_vec(), 1));
    });
}

#[test]
fn file_of_a_record_that_went_by_another_road_is_removed() {
    on_shop(async |shop| {
        let (path, other) = (shop.photo().await, shop.photo().await);
        let id = path.trim_start_matches("/products/").trim_end_matches("/photo").parse::<i64>().expect("an id");
        shop.test.app().store::<crate::shop::Product>().delete_permanently(id).await.expect("a removal");
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert_eq!((shop.place.objects().len(), bytes(shop, &other).await), (1, PNG.to_vec()));
    });
}

#[test]
fn restored_record_has_its_file() {
    on_shop(async |shop| {
        let path = shop.photo().await;
        let product = path.strip_suffix("/photo").expect("a product");
        let ann = shop.as_user("ann");
        ann.delete(product).await.expect(200);
        shop.sweep_after(TimeDelta::days(40)).await;
        ann.post(format!("{product}/restore"), json!({})).await;
        assert_eq!(bytes(shop, &path).await, PNG);
    });
}

#[test]
fn former_file_is_kept_as_long_as_the_program_says() {
    on_each_backend(async |database| {
        let shop = Shop::start(database, |files| files.keep(Duration::ZERO)).await;
        let path = shop.photo().await;
        shop.put(&path, b"newer".to_vec()).await.expect(200);
        shop.sweep_after(TimeDelta::seconds(1)).await;
        assert_eq!((shop.place.objects().len(), bytes(&shop, &path).await), (1, b"newer".to_vec()));
    });
}

#[test]
fn former_file_of_an_erased_history_is_removed_by_the_next_sweep() {
    on_shop(async |shop| {
        let path = shop.photo().await;
        shop.put(&path, b"newer".to_vec()).await.expect(200);
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert_eq!(shop.place.objects().len(), 2);
        let id = path.trim_start_matches("/products/").trim_end_matches("/photo").parse::<i64>().expect("an id");
        shop.log.erase("Product", id).await.expect("an erasure");
        shop.sweep_after(TimeDelta::hours(2)).await;
        assert_eq!((shop.place.objects().len(), bytes(shop, &path).await), (1, b"newer".to_vec()));
    });
}

#[test]
fn file_that_is_stored_again_and_again_is_found() {
    on_sqlite(async |database| {
        let shop = Shop::start(database, |files| files).await;
        let path = shop.photo().await;
        for _ in 0..230 {
            shop.put(&path, PNG).await.expect(200);
        }
        // The rows of former files have random keys: one order of them could hide the fault.
        for _ in 0..30 {
            shop.put(&path, PNG).await.expect(200);
            assert_eq!(bytes(&shop, &path).await, PNG);
        }
    });
}
