//! Numbers that become decimals: SQLite stores those in units, such as cents.

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, Database, on_each_sql_backend};
use serde_json::json;

use crate::support::{Directory, Files};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "offers")]
    pub(crate) struct Offer {
        pub(crate) id: i64,
        pub(crate) price: f64,
        pub(crate) fee: i64,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "offers")]
    pub(crate) struct Offer {
        pub(crate) id: i64,
        #[crud(precision = 12, scale = 2)]
        pub(crate) price: Decimal,
        #[crud(precision = 12, scale = 2)]
        pub(crate) fee: Decimal,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Offer>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v2::Offer>()
}

/// The reviewer's edit: the statements that are left to the reader are taken as they stand.
fn uncomment(files: &Files) {
    let edit = |text: &str| {
        let mut is_proposed = false;
        let lines = text.lines().map(|line| {
            let was_proposed = is_proposed;
            is_proposed = match line {
                "" => false,
                line => is_proposed || line.contains("left to you") || line.contains("was changed:"),
            };
            match line.strip_prefix("-- ") {
                Some(statement) if was_proposed => statement.to_owned() + "\n",
                _ => line.to_owned() + "\n",
            }
        });
        lines.collect::<String>()
    };
    files.review_up(edit);
    files.review_down(|text| {
        let lines = text.split_inclusive('\n').filter(|line| !line.contains("For an up file"));
        edit(&lines.collect::<String>())
    });
}

#[test]
fn numbers_that_become_decimals_keep_their_values() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&first(database).await).await;
        directory.apply(&first(database).await).await;
        let api = Api::start(database, first(database).await.migrate().await.expect("the tables")).await;
        api.post("/offers", &json!({ "price": 15.0, "fee": 15 })).await.created();
        api.post("/offers", &json!({ "price": 0.29, "fee": -3 })).await.created();
        let before = api.get("/offers").await.ok();
        api.stop().await;

        let written = directory.write_migration(&second(database).await).await;
        uncomment(&written);
        directory.apply(&second(database).await).await;
        let api = Api::start(database, second(database).await.migrate().await.expect("the tables")).await;
        let after = api.get("/offers").await.ok();
        for (index, field, value) in
            [(0, "price", "15.00"), (0, "fee", "15.00"), (1, "price", "0.29"), (1, "fee", "-3.00")]
        {
            assert_eq!(after[index][field], value, "{after}");
        }
        api.stop().await;

        directory.revert(&second(database).await).await;
        let api = Api::start(database, first(database).await.migrate().await.expect("the tables")).await;
        assert_eq!(api.get("/offers").await.ok(), before);
        api.stop().await;
    });
}

#[test]
fn decimal_that_becomes_a_number_is_not_proposed_with_wrong_values() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&second(database).await).await;
        directory.apply(&second(database).await).await;
        let written = directory.write_migration(&first(database).await).await;
        let up = written.up();
        let is_written = up.lines().any(|line| !line.starts_with("--") && line.contains("INSERT INTO `offers_new`"));
        assert!(!is_written, "{up}");
        if database.backend() == Backend::Sqlite {
            // The table does not have the scale.
            assert!(up.contains("… AS `price`, … AS `fee`"), "{up}");
        }
    });
}
