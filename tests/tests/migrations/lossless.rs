//! Changes without loss: the migration has statements in both directions.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::Directory;

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "shelves")]
    pub(crate) struct Shelf {
        pub(crate) id: i64,
        pub(crate) name: String,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "items", soft_delete)]
    pub(crate) struct Item {
        pub(crate) id: i64,
        #[crud(length(max = 50))]
        pub(crate) label: Option<String>,
        #[crud(length(max = 20))]
        pub(crate) note: String,
        pub(crate) count: i32,
        #[crud(references(Shelf, on_delete(set_null)))]
        pub(crate) shelf_id: Option<i64>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "items", soft_delete)]
    pub(crate) struct Item {
        pub(crate) id: i64,
        #[crud(length(max = 50), unique(active))]
        pub(crate) label: Option<String>,
        #[crud(length(max = 200))]
        pub(crate) note: String,
        pub(crate) count: i64,
        #[crud(references(super::v1::Shelf, on_delete(cascade)))]
        pub(crate) shelf_id: Option<i64>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Shelf>().resource::<v1::Item>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v1::Shelf>().resource::<v2::Item>()
}

#[test]
fn lossless_changes_are_statements() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await.migrate().await.expect("the tables");
        let shelf = service.store::<v1::Shelf>().create(v1::NewShelf { name: "A".into() }).await.expect("a shelf");
        let new = |label: &str| v1::NewItem {
            label: Some(label.to_owned()),
            note: "n".repeat(20),
            count: i32::MAX,
            shelf_id: Some(shelf.id),
        };
        let store = service.store::<v1::Item>();
        let kept = store.create(new("kept")).await.expect("an item");
        let deleted = store.create(new("kept")).await.expect("another");
        store.delete_one(deleted.id).await.expect("it is deleted");
        drop((store, service));

        let service = second(database).await;
        let written = directory.write_migration(&service).await;
        compare(database.backend(), "wider.up", &written.up());
        compare(database.backend(), "wider.down", &written.down());
        directory.apply(&service).await;
        let service = service.migrations_from(directory.path()).migrate().await.expect("the second program starts");
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        let store = service.store::<v2::Item>();
        let patch = v2::ItemPatch::default().count(i64::MAX).note("n".repeat(200));
        assert_eq!(store.update(kept.id, patch).await.expect("a larger value").count, i64::MAX);
        let twin = v2::NewItem { label: Some("kept".to_owned()), note: "n".into(), count: 1, shelf_id: None };
        assert!(store.create(twin).await.expect_err("a duplicate").to_string().contains("label"));
        let patch = v2::ItemPatch::default().count(1).note("n".to_owned());
        store.update(kept.id, patch).await.expect("a value of the old struct");
        drop((store, service));

        directory.revert(&first(database).await).await;
        let service = first(database).await.migrate().await.expect("the first program starts again");
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
    });
}
