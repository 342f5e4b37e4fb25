//! Files that are applied as they are written: names that are taken, columns that others depend on, values that are there
//! twice.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::schema::DifferenceKind;
use crud_tests::{Backend, Database, on_each_sql_backend};

use crate::support::{Directory, Files, error_text};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "customers")]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 50))]
        pub(crate) name: String,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "orders")]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(references(Customer))]
        pub(crate) customer_id: i64,
        #[crud(length(max = 50))]
        pub(crate) code: String,
        #[crud(filter, range(max = 9))]
        pub(crate) rank: Option<i64>,
    }
}

/// Records have tenants.
mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "customers")]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(tenant, column(backfill = 1))]
        pub(crate) shop_id: i64,
        #[crud(length(max = 50))]
        pub(crate) name: String,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "orders")]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(tenant, column(backfill = 1))]
        pub(crate) shop_id: i64,
        #[crud(references(Customer))]
        pub(crate) customer_id: i64,
        #[crud(references(Customer))]
        pub(crate) payer_id: Option<i64>,
        #[crud(length(max = 50))]
        pub(crate) code: String,
        #[crud(filter, range(max = 9))]
        pub(crate) rank: Option<i64>,
    }
}

/// Codes are unique, and neither the customer nor the rank is there.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "orders")]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(unique, length(max = 50))]
        pub(crate) code: String,
    }
}

/// A part that is found by its code, by an index of code and kind.
mod found {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "parts", index(code, kind))]
    pub(crate) struct Part {
        pub(crate) id: i64,
        #[crud(filter, length(max = 50))]
        pub(crate) code: String,
        pub(crate) kind: i64,
    }
}

/// Its code is unique, by whose index it is found.
mod found_once {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "parts")]
    pub(crate) struct Part {
        pub(crate) id: i64,
        #[crud(filter, unique, length(max = 50))]
        pub(crate) code: String,
        pub(crate) kind: i64,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Customer>().resource::<v1::Order>()
}

async fn second(database: &Database) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
    database.service().await.resource::<v2::Customer>().resource::<v2::Order>().auth(auth)
}

async fn third(database: &Database) -> Service {
    database.service().await.resource::<v3::Order>()
}

/// A database of the first structs with records.
async fn filled(database: &Database) -> Directory {
    let directory = Directory::new();
    directory.write_migration(&first(database).await).await;
    directory.apply(&first(database).await).await;
    let service = first(database).await.migrate().await.expect("the tables");
    let customer =
        service.store::<v1::Customer>().create(v1::NewCustomer { name: "Ada".into() }).await.expect("a customer");
    for code in ["a", "b", "a"] {
        let order = v1::NewOrder { customer_id: customer.id, code: code.into(), rank: Some(7) };
        service.store::<v1::Order>().create(order).await.expect("an order");
    }
    directory
}

#[test]
fn foreign_key_of_tenants_takes_the_place_of_the_one_before() {
    on_each_sql_backend(async |database| {
        let directory = filled(database).await;
        directory.write_migration(&second(database).await).await;
        directory.apply(&second(database).await).await;
        let mut left = second(database).await.migrations().diff().await.expect("a comparison");
        left.retain(|difference| !difference.is_unused());
        assert_eq!(left, [], "{left:?}");
        assert!(
            !database.try_execute("UPDATE orders SET shop_id = 2").await,
            "a record refers to one of another tenant"
        );
        directory.revert(&second(database).await).await;
        let left = first(database).await.migrations().diff().await.expect("a comparison");
        assert_eq!(left, [], "{left:?}");
        assert!(!database.try_execute("UPDATE orders SET customer_id = 99").await, "the foreign key is not restored");
    });
}

#[test]
fn indexes_without_the_tenant_are_named_with_the_statements_that_drop_them() {
    on_each_sql_backend(async |database| {
        let directory = filled(database).await;
        let up = directory.write_migration(&second(database).await).await.up();
        directory.apply(&second(database).await).await;
        let left = second(database).await.migrations().diff().await.expect("a comparison");
        let unused = left.iter().filter_map(|difference| match &difference.what {
            DifferenceKind::IndexUnused { index, columns } => Some((index, columns[0], difference.to_string())),
            _ => None,
        });
        let mut unused: Vec<_> = unused.collect();
        unused.sort_by_key(|(_, column, _)| *column);
        assert_eq!(unused.iter().map(|one| one.1).collect::<Vec<_>>(), ["customer_id", "rank"], "{left:?}");
        let (index, _, line) = &unused[1];
        assert!(line.starts_with(&format!("index `{index}` on `orders` (`rank`")), "{line}");
        assert!(line.ends_with("): serves no list of the structs"), "{line}");
        assert_eq!(second(database).await.migrations().unwritten(directory.path()).await.expect("a comparison"), None);

        let drops =
            up.lines().filter_map(|line| line.strip_prefix("-- ")).filter(|line| line.starts_with("DROP INDEX"));
        let drops: Vec<&str> = drops.collect();
        assert_eq!(drops.len(), 2, "{up}");
        for drop in drops {
            database.execute(drop).await;
        }
        assert_eq!(second(database).await.migrations().diff().await.expect("a comparison"), []);
    });
}

#[test]
fn index_that_a_new_unique_makes_useless_is_proposed_with_it() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let found = database.service().await.resource::<found::Part>();
        directory.write_migration(&found).await;
        directory.apply(&found).await;
        drop(found);
        let unique = database.service().await.resource::<found_once::Part>();
        let up = directory.write_migration(&unique).await.up();
        assert!(up.lines().any(|line| line.starts_with("-- DROP INDEX")), "{up}");
        directory.apply(&unique).await;
        assert_eq!(unique.migrations().unwritten(directory.path()).await.expect("a comparison"), None, "{up}");
    });
}

/// The reviewer's edit: columns are dropped as it is proposed.
fn drop_columns(files: &Files) {
    files.review_up(|text| {
        let mut is_proposed = false;
        let lines = text.lines().map(|line| {
            let was_proposed = is_proposed;
            is_proposed = !line.is_empty() && (is_proposed || line.contains("This drops the column"));
            match line.strip_prefix("-- ") {
                Some(statement) if was_proposed => statement.to_owned() + "\n",
                _ => line.to_owned() + "\n",
            }
        });
        lines.collect()
    });
}

#[test]
fn column_is_dropped_with_what_depends_on_it() {
    on_each_sql_backend(async |database| {
        let directory = filled(database).await;
        database.execute("DELETE FROM orders WHERE id = 3").await;
        let written = directory.write_migration(&third(database).await).await;
        drop_columns(&written);
        directory.apply(&third(database).await).await;
        let left = third(database).await.migrations().diff().await.expect("a comparison");
        assert_eq!(left, [], "{left:?}\n{}", written.up());
    });
}

#[test]
fn failed_unique_index_names_the_values_and_the_query_that_finds_them() {
    on_each_sql_backend(async |database| {
        let directory = filled(database).await;
        directory.write_migration(&third(database).await).await;
        let error = error_text(third(database).await.migrations().apply(directory.path()).await);
        assert!(error.contains("such as `a` (2 records): SELECT "), "{error}");
        let query = error.split(": ").last().expect("a query");
        // The tests quote identifiers as in standard SQL.
        let query = if database.backend() == Backend::MySql { query.replace('`', "\"") } else { query.to_owned() };
        assert!(query.contains("HAVING COUNT(*) > 1") && database.try_execute(&query).await, "{query}");
        database.execute("UPDATE orders SET code = 'c' WHERE id = 3").await;
        directory.apply(&third(database).await).await;
    });
}

mod unique {
    pub(super) mod all {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "labels", soft_delete)]
        pub(in super::super) struct Label {
            pub(in super::super) id: i64,
            #[crud(unique, length(max = 50))]
            pub(in super::super) name: String,
            pub(in super::super) is_deleted: bool,
            pub(in super::super) deleted_at: Option<DateTime<Utc>>,
        }
    }

    pub(super) mod active {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "labels", soft_delete)]
        pub(in super::super) struct Label {
            pub(in super::super) id: i64,
            #[crud(unique(active), length(max = 50))]
            pub(in super::super) name: String,
            pub(in super::super) is_deleted: bool,
            pub(in super::super) deleted_at: Option<DateTime<Utc>>,
        }
    }
}

#[test]
fn unique_index_of_other_records_takes_the_place_of_the_one_before() {
    on_each_sql_backend(async |database| {
        let all = async || database.service().await.resource::<unique::all::Label>();
        let active = async || database.service().await.resource::<unique::active::Label>();
        let directory = Directory::new();
        directory.write_migration(&all().await).await;
        directory.apply(&all().await).await;
        let service = all().await.migrate().await.expect("the tables");
        let store = service.store::<unique::all::Label>();
        let id = store.create(unique::all::NewLabel { name: "new".into() }).await.expect("a label").id;
        store.soft_delete(id).await.expect("it is deleted");
        directory.write_migration(&active().await).await;
        directory.apply(&active().await).await;
        assert_eq!(active().await.migrations().diff().await.expect("a comparison"), []);
        let service = active().await.migrate().await.expect("the tables");
        let store = service.store::<unique::active::Label>();
        let other = store.create(unique::active::NewLabel { name: "new".into() }).await.expect("the name is free").id;
        store.delete_permanently(other).await.expect("it is removed");
        directory.revert(&active().await).await;
        assert_eq!(all().await.migrations().diff().await.expect("a comparison"), []);
    });
}
