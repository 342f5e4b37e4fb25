//! A struct that was renamed keeps its table, until a migration renames that too.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::{Directory, error_text};

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "customers")]
struct Customer {
    id: i64,
}

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(audit, filter(total, customer_id), sort(total), search(note), soft_delete)]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(unique, length(max = 40))]
        pub(crate) number: String,
        #[crud(range(min = 1))]
        pub(crate) total: i32,
        #[crud(references(super::Customer))]
        pub(crate) customer_id: i64,
        pub(crate) note: String,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "lines")]
    pub(crate) struct Line {
        pub(crate) id: i64,
        #[crud(references(Order, on_delete(cascade)))]
        pub(crate) order_id: i64,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "large", view("SELECT id, total FROM orders WHERE total > 100", reads(Order)))]
    pub(crate) struct Large {
        pub(crate) id: i64,
        pub(crate) total: i32,
    }
}

/// The struct has another name, and its table the former one.
mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(renamed_from = "Order", audit, filter(total, customer_id), sort(total), search(note), soft_delete)]
    pub(crate) struct Purchase {
        pub(crate) id: i64,
        #[crud(unique, length(max = 40))]
        pub(crate) number: String,
        #[crud(range(min = 1))]
        pub(crate) total: i32,
        #[crud(references(super::Customer))]
        pub(crate) customer_id: i64,
        pub(crate) note: String,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "lines")]
    pub(crate) struct Line {
        pub(crate) id: i64,
        #[crud(references(Purchase, on_delete(cascade)))]
        pub(crate) order_id: i64,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "large", view("SELECT id, total FROM orders WHERE total > 100", reads(Purchase)))]
    pub(crate) struct Large {
        pub(crate) id: i64,
        pub(crate) total: i32,
    }
}

/// The table is renamed too, and has another column.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "purchases", renamed_from = "Order")]
    #[crud(audit, filter(total, customer_id), sort(total), search(note), soft_delete)]
    pub(crate) struct Purchase {
        pub(crate) id: i64,
        #[crud(unique, length(max = 40))]
        pub(crate) number: String,
        #[crud(range(min = 1))]
        pub(crate) total: i32,
        #[crud(references(super::Customer))]
        pub(crate) customer_id: i64,
        pub(crate) note: String,
        pub(crate) channel: Option<String>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "lines")]
    pub(crate) struct Line {
        pub(crate) id: i64,
        #[crud(references(Purchase, on_delete(cascade)))]
        pub(crate) order_id: i64,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "large", view("SELECT id, total FROM purchases WHERE total > 100", reads(Purchase)))]
    pub(crate) struct Large {
        pub(crate) id: i64,
        pub(crate) total: i32,
    }
}

async fn first(database: &Database) -> Service {
    let service = database.service().await.resource::<Customer>().resource::<v1::Order>();
    service.resource::<v1::Line>().resource::<v1::Large>()
}

async fn second(database: &Database) -> Service {
    let service = database.service().await.resource::<Customer>().resource::<v2::Purchase>();
    service.resource::<v2::Line>().resource::<v2::Large>()
}

async fn third(database: &Database) -> Service {
    let service = database.service().await.resource::<Customer>().resource::<v3::Purchase>();
    service.resource::<v3::Line>().resource::<v3::Large>()
}

fn order(number: &str, total: i32) -> v1::NewOrder {
    v1::NewOrder { number: number.to_owned(), total, customer_id: 1, note: format!("note on {number}") }
}

async fn fill(service: &Service) -> Vec<v1::Order> {
    service.store::<Customer>().create(NewCustomer {}).await.expect("a customer");
    for (number, total) in [("a", 5), ("b", 500), ("c", 7)] {
        let id = service.store::<v1::Order>().create(order(number, total)).await.expect("an order").id;
        service.store::<v1::Line>().create(v1::NewLine { order_id: id }).await.expect("a line");
    }
    service.store::<v1::Order>().list(Select::all()).await.expect("the orders")
}

#[test]
fn renamed_struct_keeps_its_table_and_records() {
    on_each_sql_backend(async |database| {
        let service = first(database).await.migrate().await.expect("the first program starts");
        let orders = fill(&service).await;
        let renamed = second(database).await;
        assert_eq!(renamed.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!(renamed.migrations().diff().await.expect("a comparison"), []);
        let renamed = renamed.migrate().await.expect("the second program starts beside the first");
        let purchases = renamed.store::<v2::Purchase>().list(Select::all()).await.expect("the purchases");
        assert_eq!(
            purchases.iter().map(|one| (one.id, &one.number)).collect::<Vec<_>>(),
            orders.iter().map(|one| (one.id, &one.number)).collect::<Vec<_>>()
        );
        assert_eq!(renamed.unused_tables().await.expect("the names of tables"), []);
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new(), "the first one starts again too");
    });
}

#[test]
fn table_is_renamed_by_a_migration_of_its_own() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the first program starts");
        let orders = fill(&service).await;
        drop(service);

        let error = error_text(third(database).await.migrate().await);
        let line = "\n  table `purchases`: is still called `orders`: `migrate diff` writes the rename";
        assert_eq!(error, format!("the database does not fit the resources:{line}"));
        let service = third(database).await;
        let written = directory.write_migration(&service).await;
        assert!(!written.up().contains("channel"), "{}", written.up());
        directory.apply(&service).await;
        let added = directory.write_migration(&service).await;
        assert!(added.up().contains("channel") && !added.up().contains("RENAME"), "{}", added.up());
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), [], "everything follows");

        let service = service.migrations_from(directory.path()).migrate().await.expect("the third program starts");
        assert_eq!(service.unused_tables().await.expect("the names of tables"), []);
        let store = service.store::<v3::Purchase>();
        for order in &orders {
            let expected = v3::Purchase {
                id: order.id,
                number: order.number.clone(),
                total: order.total,
                customer_id: order.customer_id,
                note: order.note.clone(),
                channel: None,
                deleted_at: None,
            };
            assert_eq!(store.get(order.id).await.expect("the purchase"), expected);
        }
        let purchase = |number: &str, customer_id| v3::NewPurchase {
            number: number.to_owned(),
            total: 8,
            customer_id,
            note: "late".to_owned(),
            channel: None,
        };
        for (refused, field) in [(purchase("a", 1), "number"), (purchase("d", 9), "customer_id")] {
            let error = error_text(store.create(refused).await);
            assert!(error.contains(field), "{error}");
        }
        let created = store.create(purchase("d", 1)).await.expect("another purchase");
        assert!(orders.iter().all(|order| order.id < created.id), "keys go on");
        assert_eq!(store.list(Select::all().search("note")).await.expect("a search").len(), orders.len());
        assert_eq!(store.list(Select::all().search("late")).await.expect("a search").len(), 1);
        assert_eq!(service.store::<v3::Large>().list(Select::all()).await.expect("the view").len(), 1);
        let unchecked = "INSERT INTO purchases (number, total, customer_id, note) VALUES ('x', 0, 1, '')";
        assert!(!database.try_execute(unchecked).await, "the check follows");
        store.delete_permanently(orders[0].id).await.expect("the purchase is removed");
        let lines = service.store::<v3::Line>().list(Select::all()).await.expect("the lines");
        assert_eq!(lines.len(), orders.len() - 1, "the reference follows");

        directory.revert(&service).await;
        directory.revert(&service).await;
        drop(service);
        let service = first(database).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), [], "everything is as it was");
        let service = service.migrate().await.expect("the first program starts again");
        let back = service.store::<v1::Order>().get(orders[1].id).await.expect("the order");
        assert_eq!(back, orders[1]);
        assert_eq!(service.store::<v1::Order>().list(Select::all().search("late")).await.expect("a search").len(), 1);
        assert_eq!(service.store::<v1::Large>().list(Select::all()).await.expect("the view").len(), 1);
    });
}

mod plain {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "tickets", filter(rank))]
    pub(crate) struct Ticket {
        pub(crate) id: i64,
        #[crud(unique, length(max = 40))]
        pub(crate) number: String,
        #[crud(range(min = 1))]
        pub(crate) rank: i32,
        #[crud(references(super::Customer))]
        pub(crate) customer_id: i64,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "cases", renamed_from("Ticket", table = "tickets"), filter(rank))]
    pub(crate) struct Case {
        pub(crate) id: i64,
        #[crud(unique, length(max = 40))]
        pub(crate) number: String,
        #[crud(range(min = 1))]
        pub(crate) rank: i32,
        #[crud(references(super::Customer))]
        pub(crate) customer_id: i64,
        pub(crate) note: Option<String>,
    }
}

#[test]
fn files_from_before_a_rename_build_an_empty_database() {
    on_each_sql_backend(async |database| {
        // The tables were made without migrations: the first file makes them by their former names.
        let service = database.service().await.resource::<Customer>().resource::<plain::Ticket>();
        let service = service.migrate().await.expect("the first program starts");
        service.store::<Customer>().create(NewCustomer {}).await.expect("a customer");
        let ticket = plain::NewTicket { number: "a".to_owned(), rank: 1, customer_id: 1 };
        let id = service.store::<plain::Ticket>().create(ticket).await.expect("a ticket").id;
        drop(service);
        let directory = Directory::new();
        let second =
            async |database: &Database| database.service().await.resource::<Customer>().resource::<plain::Case>();
        let service = second(database).await;
        let written = directory.write_migration(&service).await;
        compare(database.backend(), "rename_table.up", &written.up());
        compare(database.backend(), "rename_table.down", &written.down());
        directory.apply(&service).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrations_from(directory.path()).migrate().await.expect("the second program starts");
        assert_eq!(service.store::<plain::Case>().get(id).await.expect("the case").number, "a");

        let empty = database.backend().fresh();
        let service = second(&empty).await;
        assert_eq!(directory.apply(&service).await, 3);
        assert_eq!(service.migrations().diff().await.expect("a comparison"), [], "the same tables");
    });
}

#[test]
fn table_of_a_former_name_that_is_beside_the_new_one_is_not_renamed() {
    on_each_sql_backend(async |database| {
        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "purchases")]
        struct Early {
            id: i64,
        }
        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "purchases", renamed_from = "Order")]
        struct Purchase {
            id: i64,
        }
        let service = first(database).await.migrate().await.expect("the first program starts");
        fill(&service).await;
        drop(service);
        drop(database.service().await.resource::<Early>().migrate().await.expect("a table"));
        let service = database.service().await.resource::<Purchase>();
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        let unused = service.unused_tables().await.expect("the names of tables");
        assert!(unused.iter().any(|table| table.name == "orders" && table.records == 3), "{unused:?}");
    });
}
