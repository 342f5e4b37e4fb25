//! Copies: a storage is of one database.

use std::sync::Arc;

use crud_files::Files;
use crud_runtime::testing::Test;
use crud_tests::{Database, on_each_backend, on_each_sql_backend};

use crate::failing_store::FailingStore;
use crate::shop::{PNG, Place, Shop, bytes, service};

/// The words of a refused start.
async fn refusal(database: &Database, place: &Place) -> String {
    let started: crud_runtime::Result<Test> = service(database, place.files()).await.test().await;
    started.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn storage_of_another_database_is_refused_until_it_is_adopted() {
    on_each_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        shop.photo().await;
        let other = database.backend().fresh();
        let words = refusal(&other, &shop.place).await;
        assert!(words.contains("another database's") && words.contains("crud files adopt"), "{words}");
        shop.files.adopt(shop.test.app()).await.expect("an adoption");
        assert_eq!(refusal(database, &shop.place).await, "");
    });
}

#[test]
fn empty_storage_of_a_database_with_files_is_refused() {
    on_each_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        let unmounted = Place::new();
        shop.photo().await;
        let words = refusal(database, &unmounted).await;
        assert!(words.contains("is the directory mounted"), "{words}");
    });
}

#[test]
fn database_that_is_older_than_its_storage_is_refused_until_it_adopts_that() {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        let path = shop.photo().await;
        let names = "claims, claim, former_claim";
        database.execute(&format!("CREATE TABLE backup_row AS SELECT {names} FROM files_directory")).await;
        for _ in 0..2 {
            assert_eq!(refusal(database, &shop.place).await, "");
        }
        let restore = "UPDATE files_directory SET claims = (SELECT claims FROM backup_row), \
                       claim = (SELECT claim FROM backup_row), former_claim = (SELECT former_claim FROM backup_row)";
        database.execute(restore).await;
        database.execute("DROP TABLE backup_row").await;
        let words = refusal(database, &shop.place).await;
        assert!(words.contains("older copy than the storage") && words.contains("crud files adopt"), "{words}");
        shop.files.adopt(shop.test.app()).await.expect("an adoption");
        assert_eq!(refusal(database, &shop.place).await, "");
        assert_eq!(bytes(&shop, &path).await, PNG);
    });
}

#[test]
fn storage_that_is_older_than_its_database_is_refused() {
    on_each_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        shop.photo().await;
        let Place::Directory(directory) = &shop.place else { return };
        let marker = directory.path().join("crud-files.json");
        let older = std::fs::read(&marker).expect("a marker");
        for _ in 0..2 {
            assert_eq!(refusal(database, &shop.place).await, "");
        }
        std::fs::write(&marker, older).expect("a restored marker");
        let words = refusal(database, &shop.place).await;
        assert!(words.contains("older copy than the database") && words.contains("files check"), "{words}");
    });
}

#[test]
fn crash_between_the_database_and_the_marker_is_no_copy() {
    on_each_backend(async |database| {
        let shop = Shop::start(database, |files| files).await;
        shop.photo().await;
        let Place::Directory(directory) = &shop.place else { return };
        let marker = directory.path().join("crud-files.json");
        let former = std::fs::read(&marker).expect("a marker");
        assert_eq!(refusal(database, &shop.place).await, "");
        std::fs::write(&marker, former).expect("the marker of a crash");
        assert_eq!(refusal(database, &shop.place).await, "");
    });
}

#[test]
fn storage_that_could_not_be_written_at_some_starts_is_no_copy() {
    on_each_backend(async |database| {
        let store = FailingStore::default();
        let start = async || service(database, Files::store(Arc::new(store.clone()))).await.test().await;
        start().await.expect("a start");
        store.fail(true);
        for _ in 0..3 {
            let words = start().await.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(words.contains("storage of files does not work now"), "{words}");
        }
        store.fail(false);
        start().await.expect("a start");
    });
}
