//! Unique text becomes unique in any letter case, and back.

use crud_runtime::prelude::*;
use crud_runtime::schema::Difference;
use crud_tests::{Backend, Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::{Directory, error_text};

/// Not unique.
mod v0 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers")]
    pub(crate) struct Reader {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) email: String,
    }
}

/// Unique as it is written.
mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers", unique(branch, card))]
    pub(crate) struct Reader {
        pub(crate) id: i64,
        #[crud(tenant)]
        pub(crate) library_id: i64,
        #[crud(unique(global), length(max = 100))]
        pub(crate) email: String,
        #[crud(length(max = 50))]
        pub(crate) branch: Option<String>,
        #[crud(length(max = 50))]
        pub(crate) card: Option<String>,
        #[crud(length(max = 50))]
        pub(crate) handle: Option<String>,
    }
}

/// Unique in any letter case.
mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers", soft_delete, unique(branch, card, case_insensitive(card)))]
    pub(crate) struct Reader {
        pub(crate) id: i64,
        #[crud(tenant)]
        pub(crate) library_id: i64,
        #[crud(unique(global, case_insensitive), length(max = 100))]
        pub(crate) email: String,
        #[crud(length(max = 50))]
        pub(crate) branch: Option<String>,
        #[crud(length(max = 50))]
        pub(crate) card: Option<String>,
        #[crud(unique(active, case_insensitive), length(max = 50))]
        pub(crate) handle: Option<String>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

/// With another name of a column in two constraints.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers", soft_delete, unique(branch, number, case_insensitive(number)))]
    pub(crate) struct Reader {
        pub(crate) id: i64,
        #[crud(tenant)]
        pub(crate) library_id: i64,
        #[crud(unique(global, case_insensitive), length(max = 100), column(renamed_from = "email"))]
        pub(crate) address: String,
        #[crud(length(max = 50))]
        pub(crate) branch: Option<String>,
        #[crud(length(max = 50), column(renamed_from = "card"))]
        pub(crate) number: Option<String>,
        #[crud(unique(active, case_insensitive), length(max = 50))]
        pub(crate) handle: Option<String>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

async fn insert(database: &Database, email: &str, card: &str) -> bool {
    let values = format!("(1, '{email}', 'north', '{card}')");
    database.try_execute(&format!("INSERT INTO readers (library_id, email, branch, card) VALUES {values}")).await
}

/// Writes the migration that a service needs, and applies it.
async fn migrate(directory: &Directory, service: &Service) {
    directory.write_migration(service).await;
    directory.apply(service).await;
}

/// The differences that are not leftovers which do no harm.
async fn needed(service: &Service) -> Vec<Difference> {
    let differences = service.migrations().diff().await.expect("a comparison");
    differences.into_iter().filter(|difference| !difference.is_unused()).collect()
}

#[test]
fn plain_unique_becomes_case_insensitive_and_back() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let plain = database.service().await.resource::<v1::Reader>();
        migrate(&directory, &plain).await;
        assert!(insert(database, "ann@x.org", "a").await);

        let folded = database.service().await.resource::<v2::Reader>();
        let error = error_text(database.service().await.resource::<v2::Reader>().migrate().await);
        for line in [
            "table `readers`, column `email`: must be UNIQUE in any letter case",
            "table `readers`, columns `library_id`, `branch`, `card`: must be UNIQUE together, `card` in any letter case",
            "table `readers`, columns `library_id`, `handle`: must be UNIQUE together, `handle` in any letter case among \
             the records that are not deleted",
        ] {
            assert!(error.contains(line), "{line}\nis not in\n{error}");
        }
        let written = directory.write_migration(&folded).await;
        compare(database.backend(), "case.up", &written.up());
        compare(database.backend(), "case.down", &written.down());
        directory.apply(&folded).await;
        assert_eq!(needed(&folded).await, []);
        assert!(!insert(database, "ANN@x.org", "b").await, "the database refuses it");
        assert!(!insert(database, "bob@x.org", "A").await, "the database refuses it in the group");
        assert!(insert(database, "bob@x.org", "b").await);

        // The struct goes back, and only then both spellings are there.
        let again = database.service().await.resource::<v1::Reader>();
        let back = directory.write_migration(&again).await;
        compare(database.backend(), "case_back.up", &back.up());
        directory.apply(&again).await;
        assert_eq!(needed(&again).await, []);
        assert!(!insert(database, "ann@x.org", "c").await);
        directory.revert(&again).await;
        assert_eq!(needed(&folded).await, []);
        assert!(!insert(database, "ANN@x.org", "c").await, "the revert restores it");
        directory.apply(&again).await;
        assert!(insert(database, "ANN@x.org", "B").await);

        // Records that are in the way fail the migration.
        directory.write_migration(&folded).await;
        let error = error_text(folded.migrations().apply(directory.path()).await);
        assert!(error.contains("email") || error.contains("card"), "{error}");
        assert!(insert(database, "Ann@x.org", "d").await, "the constraint is as it was");
    });
}

#[test]
fn longer_text_stays_unique_in_any_case() {
    mod short {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "guests")]
        pub(super) struct Guest {
            pub(super) id: i64,
            #[crud(unique(case_insensitive), length(max = 10))]
            pub(super) email: String,
        }
    }

    mod long {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "guests")]
        pub(super) struct Guest {
            pub(super) id: i64,
            #[crud(unique(case_insensitive), length(max = 20))]
            pub(super) email: String,
        }
    }

    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let short = database.service().await.resource::<short::Guest>();
        migrate(&directory, &short).await;
        let long = database.service().await.resource::<long::Guest>();
        migrate(&directory, &long).await;
        assert_eq!(long.migrations().diff().await.expect("a comparison"), []);
        let insert =
            async |email: &str| database.try_execute(&format!("INSERT INTO guests (email) VALUES ('{email}')")).await;
        assert!(insert("ann@example.org").await);
        assert!(!insert("Ann@Example.org").await);
        database.execute("DELETE FROM guests").await;
        directory.revert(&long).await;
        assert_eq!(short.migrations().diff().await.expect("a comparison"), []);
    });
}

/// The index of before is made anew as it was: where its nulls are decides whether it serves lists by the column.
#[test]
fn revert_of_another_nullability_leaves_the_index_as_it_was() {
    mod plain {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "guests")]
        pub(super) struct Guest {
            id: i64,
            #[crud(unique, filter, length(max = 10))]
            email: String,
        }
    }

    mod any_case {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "guests")]
        pub(super) struct Guest {
            id: i64,
            #[crud(unique(case_insensitive), filter, length(max = 10))]
            email: Option<String>,
        }
    }

    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let before = database.service().await.resource::<plain::Guest>();
        migrate(&directory, &before).await;
        assert_eq!(before.migrations().diff().await.expect("a comparison"), []);
        database.execute("INSERT INTO guests (email) VALUES ('ann@x.org')").await;
        let after = database.service().await.resource::<any_case::Guest>();
        migrate(&directory, &after).await;
        directory.revert(&after).await;
        assert_eq!(before.migrations().diff().await.expect("a comparison"), [], "everything is as it was");
    });
}

#[test]
fn renamed_column_stays_unique_in_any_case() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let before = database.service().await.resource::<v2::Reader>();
        migrate(&directory, &before).await;
        assert!(insert(database, "ann@x.org", "a").await);
        let after = database.service().await.resource::<v3::Reader>();
        let written = directory.write_migration(&after).await;
        compare(database.backend(), "case_rename.up", &written.up());
        compare(database.backend(), "case_rename.down", &written.down());
        directory.apply(&after).await;
        assert_eq!(after.migrations().diff().await.expect("a comparison"), []);
        for values in ["(1, 'ANN@x.org', 'north', 'b')", "(1, 'bob@x.org', 'north', 'A')"] {
            let insert = format!("INSERT INTO readers (library_id, address, branch, number) VALUES {values}");
            assert!(!database.try_execute(&insert).await, "{insert}");
        }
        directory.revert(&after).await;
        assert_eq!(before.migrations().diff().await.expect("a comparison"), [], "everything is as it was");
        assert!(!insert(database, "ANN@x.org", "b").await);
    });
}

/// A unique index of another program counts for what it compares.
#[test]
fn index_of_another_program_is_told_apart_by_case() {
    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers")]
    struct Plain {
        id: i64,
        #[crud(unique, length(max = 100))]
        email: String,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers")]
    struct Folded {
        id: i64,
        #[crud(unique(case_insensitive), length(max = 100))]
        email: String,
    }

    on_each_sql_backend(async |database| {
        drop(database.service().await.resource::<v0::Reader>().migrate().await.expect("the table"));
        let folded = match database.backend() {
            Backend::Postgres => "CREATE UNIQUE INDEX emails ON readers (lower(email))",
            Backend::MySql => {
                "ALTER TABLE readers ADD COLUMN small varchar(100) AS (lower(email)) VIRTUAL, ADD UNIQUE INDEX emails (small)"
            }
            _ => "CREATE UNIQUE INDEX emails ON readers (email COLLATE NOCASE)",
        };
        database.execute(folded).await;
        drop(database.service().await.resource::<Folded>().migrate().await.expect("it is unique in any case"));
        let error = error_text(database.service().await.resource::<Plain>().migrate().await);
        assert!(error.contains("column `email`: must be UNIQUE") && !error.contains("letter case"), "{error}");
        let drop_index =
            if database.backend() == Backend::MySql { "DROP INDEX emails ON readers" } else { "DROP INDEX emails" };
        database.execute(drop_index).await;
        database.execute("CREATE UNIQUE INDEX emails ON readers (email)").await;
        drop(database.service().await.resource::<Plain>().migrate().await.expect("it is unique"));
        let error = error_text(database.service().await.resource::<Folded>().migrate().await);
        assert!(error.contains("column `email`: must be UNIQUE in any letter case"), "{error}");
    });
}

/// A table that SQLite rebuilds keeps its unique indexes.
#[test]
fn rebuilt_table_keeps_its_unique_indexes() {
    mod before {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "guests", soft_delete)]
        pub(super) struct Guest {
            pub(super) id: i64,
            #[crud(unique(case_insensitive), length(max = 100))]
            pub(super) email: String,
            #[crud(unique(active), length(max = 100))]
            pub(super) handle: String,
            pub(super) note: String,
            pub(super) deleted_at: Option<DateTime<Utc>>,
        }
    }

    mod after {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "guests", soft_delete)]
        pub(super) struct Guest {
            pub(super) id: i64,
            #[crud(unique(case_insensitive), length(max = 100))]
            pub(super) email: String,
            #[crud(unique(active), length(max = 100))]
            pub(super) handle: String,
            pub(super) note: Option<String>,
            pub(super) deleted_at: Option<DateTime<Utc>>,
        }
    }

    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let first = database.service().await.resource::<before::Guest>();
        migrate(&directory, &first).await;
        let second = database.service().await.resource::<after::Guest>();
        migrate(&directory, &second).await;
        assert_eq!(second.migrations().diff().await.expect("a comparison"), []);
        let insert = async |email: &str, handle: &str| {
            let values = format!("('{email}', '{handle}')");
            database.try_execute(&format!("INSERT INTO guests (email, handle) VALUES {values}")).await
        };
        assert!(insert("ann@x.org", "ann").await);
        assert!(!insert("ANN@x.org", "eve").await);
        assert!(!insert("eve@x.org", "ann").await);
        // The column is required before.
        database.execute("DELETE FROM guests").await;
        directory.revert(&second).await;
        assert_eq!(first.migrations().diff().await.expect("a comparison"), []);
    });
}

/// MySQL's generated column keeps its source from being dropped: the proposal drops both.
#[test]
fn removed_field_takes_its_generated_column_along() {
    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers", soft_delete)]
    struct WithoutHandle {
        id: i64,
        #[crud(length(max = 100))]
        email: String,
        deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "readers", soft_delete)]
    struct WithHandle {
        id: i64,
        #[crud(length(max = 100))]
        email: String,
        #[crud(unique(active, case_insensitive), length(max = 50))]
        handle: Option<String>,
        deleted_at: Option<DateTime<Utc>>,
    }

    on_each_sql_backend(async |database| {
        if database.backend() != Backend::MySql {
            return;
        }
        let directory = Directory::new();
        let before = database.service().await.resource::<WithHandle>();
        migrate(&directory, &before).await;
        let after = database.service().await.resource::<WithoutHandle>();
        let accepted = |line: &str| match line.strip_prefix("-- ") {
            Some(statement) if statement.contains("DROP ") => statement.to_owned(),
            _ => line.to_owned(),
        };
        directory.write_migration(&after).await.review(accepted);
        directory.apply(&after).await;
        assert_eq!(after.migrations().diff().await.expect("a comparison"), []);
    });
}
