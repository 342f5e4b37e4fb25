//! Changes of columns and constraints that existing records may violate.

use crud_runtime::prelude::*;
use crud_runtime::schema::Difference;
use crud_tests::{Backend, Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::{Directory, error_text, has_transactional_ddl};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "shops")]
    pub(crate) struct Shop {
        pub(crate) id: i64,
        pub(crate) name: String,
    }

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    pub(crate) enum State {
        New,
        Sold,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "goods", filter(name))]
    pub(crate) struct Good {
        pub(crate) id: i64,
        #[crud(length(max = 50))]
        pub(crate) name: String,
        pub(crate) note: String,
        pub(crate) remark: Option<String>,
        pub(crate) state: State,
        pub(crate) legacy: String,
        pub(crate) shop_id: i64,
        #[crud(unique, length(max = 255))]
        pub(crate) price: String,
        #[crud(references(Shop))]
        pub(crate) other_id: Option<i64>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "labels")]
    pub(crate) struct Label {
        pub(crate) id: i64,
        #[crud(references(Good, on_delete(cascade)))]
        pub(crate) good_id: i64,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    pub(crate) enum State {
        New,
        Sold,
        Lost,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "goods", filter(name))]
    pub(crate) struct Good {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) name: String,
        pub(crate) note: Option<String>,
        pub(crate) remark: String,
        pub(crate) state: State,
        #[crud(references(super::v1::Shop))]
        pub(crate) shop_id: i64,
        /// No longer unique; `other_id` no longer refers to a shop.
        #[crud(length(max = 255))]
        pub(crate) price: String,
        pub(crate) other_id: Option<i64>,
        #[crud(range(min = 0))]
        pub(crate) stock: i32,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "labels")]
    pub(crate) struct Label {
        pub(crate) id: i64,
        #[crud(references(Good, on_delete(cascade)))]
        pub(crate) good_id: i64,
    }
}

/// A column changes its type, for which a reviewer must write the conversion.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "labels")]
    pub(crate) struct Label {
        pub(crate) id: i64,
        pub(crate) good_id: f64,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Shop>().resource::<v1::Good>().resource::<v1::Label>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v1::Shop>().resource::<v2::Good>().resource::<v2::Label>()
}

fn good(name: &str) -> v1::NewGood {
    v1::NewGood {
        name: name.to_owned(),
        note: "a note".to_owned(),
        remark: Some("a remark".to_owned()),
        state: v1::State::Sold,
        legacy: "old".to_owned(),
        shop_id: 1,
        price: name.to_owned(),
        other_id: None,
    }
}

/// The reviewer's edit: values for existing records that lack them.
fn fill_in(line: &str) -> String {
    // Columns are filled by statements.
    let update =
        line.strip_prefix("-- ").filter(|statement| statement.starts_with("UPDATE") && statement.contains('…'));
    match update {
        Some(statement) if statement.contains("stock") => statement.replace('…', "7"),
        Some(statement) => statement.replace('…', "'filled in'"),
        // SQLite's new table is filled by a query.
        None => line
            .replace("NULL AS `stock`", "7 AS `stock`")
            .replace("`note`, `remark`", "COALESCE(`note`, 'filled in'), COALESCE(`remark`, 'filled in')"),
    }
}

/// The column list of an `INSERT` stays.
fn review(line: &str) -> String {
    if line.starts_with("INSERT INTO") { line.to_owned() } else { fill_in(line) }
}

#[test]
fn columns_and_constraints_change_and_records_stay() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the first program starts");
        service.store::<v1::Shop>().create(v1::NewShop { name: "corner".into() }).await.expect("a shop");
        let book = service.store::<v1::Good>().create(good("book")).await.expect("a good");
        let lamp = service
            .store::<v1::Good>()
            .create(v1::NewGood { remark: None, ..good("lamp") })
            .await
            .expect("another good");
        service.store::<v1::Label>().create(v1::NewLabel { good_id: book.id }).await.expect("a label");
        drop(service);

        let service = second(database).await;
        let written = directory.write_migration(&service).await;
        compare(database.backend(), "constraints.up", &written.up());
        compare(database.backend(), "constraints.down", &written.down());
        if has_transactional_ddl(database.backend()) {
            let error = error_text(service.migrations().apply(directory.path()).await);
            assert!(error.starts_with('`') && error.contains("_goods.up.sql` failed: "), "{error}");
            let status = service.migrations().status(directory.path()).await.expect("a status").to_string();
            assert!(status.contains("pending  "), "the failed migration is pending: {status}");
            // The first files of a change of several are applied.
            if database.backend() == Backend::Postgres {
                directory.revert(&service).await;
            }
        }

        written.review(review);
        assert_eq!(directory.apply(&service).await, 1);
        let service = service.migrations_from(directory.path()).migrate().await.expect("the second program starts");
        let left: Vec<String> =
            service.migrations().diff().await.expect("a comparison").iter().map(Difference::to_string).collect();
        let expected = [
            "table `goods`, column `price`: is UNIQUE, and no field asks for it",
            "table `goods`, column `other_id`: has a foreign key to `shops`, and no field",
            "table `goods`, column `legacy`: is in no field",
        ];
        assert_eq!(left, expected, "nothing was dropped");
        let store = service.store::<v2::Good>();
        let kept = store.get(lamp.id).await.expect("the lamp");
        assert_eq!((kept.remark.as_str(), kept.stock, kept.shop_id), ("filled in", 7, 1));
        assert_eq!(
            service.store::<v2::Label>().list(Select::all()).await.expect("labels").len(),
            1,
            "a label was deleted"
        );
        let new = |shop_id: i64| v2::NewGood {
            name: "x".repeat(80),
            note: None,
            remark: "r".to_owned(),
            state: v2::State::Lost,
            shop_id,
            price: format!("{shop_id}"),
            other_id: None,
            stock: 0,
        };
        let cup = store.create(new(1)).await.expect("a record of the new struct");
        assert_eq!(cup.id, lamp.id + 1);
        let error = error_text(store.create(new(99)).await);
        assert!(error.contains("shop_id"), "{error}");

        // A record of the new structs violates the old constraints.
        if has_transactional_ddl(database.backend()) {
            let mut reverted = service.migrations().revert(directory.path()).await;
            // The last files of a change of several can be reverted.
            while database.backend() == Backend::Postgres && reverted.is_ok() {
                reverted = service.migrations().revert(directory.path()).await;
            }
            let error = error_text(reverted);
            assert!(error.contains("_goods.down.sql` failed: "), "{error}");
        }
        store.delete_one(cup.id).await.expect("the cup is deleted");
        directory.revert(&service).await;
        let service = first(database).await.migrate().await.expect("the first program starts again");
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        assert_eq!(service.store::<v1::Good>().get(book.id).await.expect("the book"), book);
        let next = service.store::<v1::Good>().create(good("vase")).await.expect("a good");
        assert!(next.id > cup.id, "a key was assigned twice");
    });
}

#[test]
fn lossy_change_is_written_as_a_comment() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await.migrate().await.expect("the tables");
        drop(service);
        let service = database.service().await.resource::<v3::Label>();
        let written = directory.write_migration(&service).await;
        compare(database.backend(), "type.up", &written.up());
        compare(database.backend(), "type.down", &written.down());
        directory.apply(&service).await;
        let error = error_text(service.migrate().await);
        assert!(error.contains("table `labels`, column `good_id`: is "), "{error}");
    });
}
