//! Numbers that become decimals: SQLite stores those in units, such as cents.

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, Database, on_each_sql_backend};
use serde_json::json;

use crate::support::{Directory, error_text};

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
        #[crud(decimal(12, 2))]
        pub(crate) price: Decimal,
        #[crud(decimal(12, 2))]
        pub(crate) fee: Decimal,
    }
}

/// More digits of one, fewer of the other.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "offers")]
    pub(crate) struct Offer {
        pub(crate) id: i64,
        #[crud(decimal(14, 4))]
        pub(crate) price: Decimal,
        #[crud(decimal(12, 1))]
        pub(crate) fee: Decimal,
    }
}

/// Another scale, and the same number of digits: the database's range of whole numbers stays.
mod rescaled {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "offers")]
    pub(crate) struct Offer {
        pub(crate) id: i64,
        #[crud(decimal(12, 3))]
        pub(crate) price: Decimal,
        #[crud(decimal(12, 2))]
        pub(crate) fee: Decimal,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Offer>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v2::Offer>()
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
        written.take_conversions();
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
fn decimals_that_become_numbers_keep_their_values() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&second(database).await).await;
        directory.apply(&second(database).await).await;
        let before = offers(database, &[("15.25", "15.00"), ("-0.29", "-3.00")]).await;

        // It is left to the reader.
        let written = directory.write_migration(&first(database).await).await;
        directory.apply(&first(database).await).await;
        assert_eq!(offers(database, &[]).await, before);
        directory.revert(&first(database).await).await;
        written.take_conversions();
        directory.apply(&first(database).await).await;
        let api = Api::start(database, first(database).await.migrate().await.expect("the tables")).await;
        let after = api.get("/offers").await.ok();
        for (index, price, fee) in [(0, 15.25, 15), (1, -0.29, -3)] {
            assert_eq!((&after[index]["price"], &after[index]["fee"]), (&json!(price), &json!(fee)), "{after}");
        }
        api.stop().await;

        directory.revert(&first(database).await).await;
        assert_eq!(offers(database, &[]).await, before);
    });
}

/// The second program's offers, by its routes.
async fn offers(database: &Database, bodies: &[(&str, &str)]) -> serde_json::Value {
    let api = Api::start(database, second(database).await.migrate().await.expect("the tables")).await;
    for (price, fee) in bodies {
        api.post("/offers", &json!({ "price": price, "fee": fee })).await.created();
    }
    let offers = api.get("/offers").await.ok();
    api.stop().await;
    offers
}

#[test]
fn values_of_decimals_stay_when_their_scale_changes_and_is_reverted() {
    on_each_sql_backend(async |database| {
        let third = async || database.service().await.resource::<v3::Offer>();
        let directory = Directory::new();
        directory.write_migration(&second(database).await).await;
        directory.apply(&second(database).await).await;
        let before = offers(database, &[("12.34", "5.50"), ("-0.01", "-7.00")]).await;

        let written = directory.write_migration(&third().await).await;
        written.take_conversions();
        directory.apply(&third().await).await;
        assert_eq!(third().await.migrations().diff().await.expect("a comparison"), []);
        let api = Api::start(database, third().await.migrate().await.expect("the third program starts")).await;
        let after = api.get("/offers").await.ok();
        for (index, price, fee) in [(0, "12.3400", "5.5"), (1, "-0.0100", "-7.0")] {
            assert_eq!((&after[index]["price"], &after[index]["fee"]), (&json!(price), &json!(fee)), "{after}");
        }
        api.stop().await;

        directory.revert(&third().await).await;
        assert_eq!(offers(database, &[]).await, before);
    });
}

#[tokio::test]
async fn value_with_more_digits_than_the_new_scale_refuses_the_file_and_stays() {
    let database = Backend::Sqlite.fresh();
    let third = async || database.service().await.resource::<v3::Offer>();
    let directory = Directory::new();
    directory.write_migration(&second(&database).await).await;
    directory.apply(&second(&database).await).await;
    let before = offers(&database, &[("12.34", "5.55")]).await;
    let up = directory.write_migration(&third().await).await.up();
    assert!(up.contains("must be INTEGER (a decimal in units of 1/10^1); fails where a value has more digits"), "{up}");
    let error = error_text(third().await.migrations().apply(directory.path()).await);
    assert!(error.contains("cannot store TEXT value in INTEGER column offers_new.fee"), "{error}");
    assert_eq!(offers(&database, &[]).await, before);
}

#[test]
fn start_refuses_decimals_of_another_scale() {
    on_each_sql_backend(async |database| {
        second(database).await.migrate().await.map(drop).expect("the tables");
        let other = database.service().await.resource::<rescaled::Offer>();
        let (is, must_be) = match database.backend() {
            Backend::Sqlite => ("INTEGER (a decimal in units of 1/10^2)", "INTEGER (a decimal in units of 1/10^3)"),
            Backend::Postgres => ("numeric(12,2)", "numeric(12,3)"),
            _ => ("decimal(12,2)", "DECIMAL(12,3)"),
        };
        let error = error_text(other.migrate().await).replace(", 3)", ",3)");
        let expected = format!("table `offers`, column `price`: is {is}, must be {must_be}");
        assert!(error.contains(&expected), "{error}");
    });
}

#[tokio::test]
async fn table_of_sqlite_without_scales_fits() {
    let database = Backend::Sqlite.fresh();
    let service = second(&database).await;
    for statement in service.plan().await.expect("the statements") {
        database.execute(&statement.replace(" /* units of 1/10^2 */", "")).await;
    }
    assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
    service.migrate().await.map(drop).expect("the program starts");
}
