//! Columns of which several properties change in one migration.

use crud_runtime::prelude::*;
use crud_runtime::schema::Difference;
use crud_tests::{Database, on_each_sql_backend};

use crate::support::Directory;

mod v1 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "parts")]
    pub(crate) struct Part {
        pub(crate) id: i64,
        #[crud(length(max = 20))]
        pub(crate) note: String,
        pub(crate) size: Option<i32>,
        #[crud(length(max = 20), unique, filter)]
        pub(crate) code: String,
        #[crud(length(max = 20))]
        pub(crate) colour: String,
    }
}

/// A wider text that is optional, a wider number that is required, a text that is not unique any more, and one with a filter.
mod v2 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "parts")]
    pub(crate) struct Part {
        pub(crate) id: i64,
        pub(crate) note: Option<String>,
        #[crud(column(backfill = 7))]
        pub(crate) size: i64,
        #[crud(filter)]
        pub(crate) code: String,
        #[crud(filter)]
        pub(crate) colour: String,
    }
}

mod rates {
    pub(super) mod old {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "rates")]
        pub(in super::super) struct Rate {
            pub(in super::super) id: i64,
            pub(in super::super) percent: Option<f64>,
        }
    }

    pub(super) mod new {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "rates")]
        pub(in super::super) struct Rate {
            pub(in super::super) id: i64,
            #[crud(decimal(12, 2), column(backfill(Decimal::new(150, 2))))]
            pub(in super::super) percent: Decimal,
        }
    }
}

/// The differences that a migration has to mend.
async fn needed(service: &Service) -> Vec<Difference> {
    let found = service.migrations().diff().await.expect("a comparison");
    found.into_iter().filter(|difference| !difference.is_unused()).collect()
}

#[test]
fn column_gets_another_type_and_becomes_optional_or_required_at_once() {
    on_each_sql_backend(async |database: &Database| {
        let first = async || database.service().await.resource::<v1::Part>();
        let second = async || database.service().await.resource::<v2::Part>();
        let directory = Directory::new();
        directory.write_migration(&first().await).await;
        directory.apply(&first().await).await;
        database.execute("INSERT INTO parts (note, size, code, colour) VALUES ('a', NULL, 'x', 'red')").await;
        directory.write_migration(&second().await).await;
        directory.apply(&second().await).await;
        assert_eq!(needed(&second().await).await, []);
        assert_eq!(second().await.store::<v2::Part>().get(1).await.expect("a part").size, 7);
        let wide = "INSERT INTO parts (note, size, code, colour) VALUES (NULL, 3000000000, 'y', 'red')";
        assert!(database.try_execute(wide).await);
        database.execute("DELETE FROM parts WHERE id > 1").await;

        directory.revert(&second().await).await;
        assert_eq!(needed(&first().await).await, []);
        assert!(!database.try_execute("INSERT INTO parts (note, code, colour) VALUES (NULL, 'z', 'red')").await);
    });
}

#[test]
fn column_gets_a_converted_type_and_becomes_required_at_once() {
    on_each_sql_backend(async |database: &Database| {
        let first = async || database.service().await.resource::<rates::old::Rate>();
        let second = async || database.service().await.resource::<rates::new::Rate>();
        let directory = Directory::new();
        directory.write_migration(&first().await).await;
        directory.apply(&first().await).await;
        database.execute("INSERT INTO rates (percent) VALUES (12.25), (NULL)").await;
        directory.write_migration(&second().await).await.take_conversions();
        directory.apply(&second().await).await;
        assert_eq!(needed(&second().await).await, []);
        let rates = second().await.store::<rates::new::Rate>();
        let percent = async |id| rates.get(id).await.expect("a rate").percent.to_string();
        assert_eq!((percent(1).await, percent(2).await), ("12.25".to_owned(), "1.50".to_owned()));
        assert!(!database.try_execute("UPDATE rates SET percent = NULL").await, "the column allows null");

        directory.revert(&second().await).await;
        assert_eq!(needed(&first().await).await, []);
        let rates = first().await.store::<rates::old::Rate>();
        assert_eq!(rates.get(1).await.expect("a rate").percent, Some(12.25));
        assert!(database.try_execute("UPDATE rates SET percent = NULL").await);
    });
}

mod bins {
    pub(super) mod old {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "bins", filter(label), sort(label), index(label, shelf))]
        pub(in super::super) struct Bin {
            pub(in super::super) id: i64,
            #[crud(length(max = 20))]
            pub(in super::super) label: String,
            #[crud(length(max = 20))]
            pub(in super::super) shelf: Option<String>,
            #[crud(length(max = 20), unique(case_insensitive))]
            pub(in super::super) owner: String,
            pub(in super::super) size: i32,
        }
    }

    /// Longer texts, of which one is not unique any more.
    pub(super) mod new {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "bins", filter(label), sort(label), index(label, shelf))]
        pub(in super::super) struct Bin {
            pub(in super::super) id: i64,
            pub(in super::super) label: String,
            #[crud(length(max = 500))]
            pub(in super::super) shelf: Option<String>,
            #[crud(length(max = 500))]
            pub(in super::super) owner: String,
            pub(in super::super) size: i32,
        }
    }
}

#[test]
fn column_of_several_indexes_gets_a_longer_type() {
    on_each_sql_backend(async |database: &Database| {
        let first = async || database.service().await.resource::<bins::old::Bin>();
        let second = async || database.service().await.resource::<bins::new::Bin>();
        let directory = Directory::new();
        directory.write_migration(&first().await).await;
        directory.apply(&first().await).await;
        database.execute("INSERT INTO bins (label, shelf, owner, size) VALUES ('a', 'b', 'Ada', 1)").await;
        directory.write_migration(&second().await).await;
        directory.apply(&second().await).await;
        assert_eq!(needed(&second().await).await, []);
        let insert = async |owner: &str| {
            let long = "x".repeat(400);
            let values = format!("'{long}', '{long}', '{owner}', 2");
            database.try_execute(&format!("INSERT INTO bins (label, shelf, owner, size) VALUES ({values})")).await
        };
        assert!(insert(&"y".repeat(400)).await, "the columns take longer texts");
        assert!(!insert("ADA").await, "it is unique until that is dropped");
        database.execute("DELETE FROM bins WHERE id > 1").await;

        directory.revert(&second().await).await;
        assert_eq!(needed(&first().await).await, []);
        assert!(!insert("Bob").await, "the columns are as short as before");
    });
}
