//! References that are unique: their index is one that a foreign key needs.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::support::Directory;

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "customers")]
struct Customer {
    id: i64,
}

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "profiles", soft_delete)]
    pub(crate) struct Profile {
        pub(crate) id: i64,
        #[crud(references(Customer), unique)]
        pub(crate) customer_id: i64,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "profiles", soft_delete)]
    pub(crate) struct Profile {
        pub(crate) id: i64,
        #[crud(references(Customer), unique(active))]
        pub(crate) customer_id: i64,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<Customer>().resource::<v1::Profile>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<Customer>().resource::<v2::Profile>()
}

#[test]
fn unique_reference_becomes_unique_among_active_records_and_back() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&first(database).await).await;
        directory.apply(&first(database).await).await;
        database.execute("INSERT INTO customers (id) VALUES (1)").await;
        let time = database.time_literal("2026-01-31T12:00:00.000000Z");
        database.execute(&format!("INSERT INTO profiles (customer_id, deleted_at) VALUES (1, {time})")).await;
        let again = "INSERT INTO profiles (customer_id) VALUES (1)";
        assert!(!database.try_execute(again).await, "it is unique among all records");

        directory.write_migration(&second(database).await).await;
        directory.apply(&second(database).await).await;
        assert_eq!(second(database).await.migrations().diff().await.expect("a comparison"), []);
        database.execute(again).await;
        assert!(!database.try_execute(again).await, "it is unique among active records");
        assert!(!database.try_execute("DELETE FROM customers").await, "it refers to the customer");

        database.execute("DELETE FROM profiles WHERE deleted_at IS NOT NULL").await;
        directory.revert(&second(database).await).await;
        assert_eq!(first(database).await.migrations().diff().await.expect("a comparison"), []);
        assert!(!database.try_execute(again).await, "it is unique among all records again");
    });
}
