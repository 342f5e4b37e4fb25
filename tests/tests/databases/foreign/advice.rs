//! Migrations of a service beside another program's tables: advice in comments, and nothing that takes something away.

use crud_runtime::prelude::*;
use crud_tests::{Backend, on_each_sql_backend};

use crate::foreign::support::{books, catalogue};

#[derive(Debug, Clone, Resource)]
#[crud(table("customer", unmanaged), filter, sort)]
struct Customer {
    id: i32,
    name: String,
}

/// It lacks columns of the table, its reference forbids the delete that the table cascades, and its lists want indexes.
#[derive(Debug, Clone, Resource)]
#[crud(table("invoice", unmanaged), filter(reference, memo), sort(reference))]
struct Invoice {
    id: i32,
    #[crud(references(Customer))]
    customer_id: Option<i32>,
    reference: Option<String>,
    memo: Option<String>,
}

#[test]
fn diff_is_advice_in_comments_and_names_what_it_locks() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let before = catalogue(database).await;
        let service = database.service().await.resource::<Customer>().resource::<Invoice>();
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        let written = service.migrations().write(&directory).await.expect("a migration").expect("advice");
        let baseline = std::fs::read_to_string(written.baseline.expect("the tables as they are")).expect("the file");
        assert!(baseline.contains("ON DELETE CASCADE"), "{baseline}");
        assert!(baseline.contains("ON UPDATE CASCADE"), "{baseline}");
        let ups = written.changes.iter().map(|change| std::fs::read_to_string(&change.up).expect("the file"));
        let up = ups.collect::<Vec<_>>().join("\n");
        assert!(up.lines().all(|line| line.is_empty() || line.starts_with("--")), "{up}");
        assert!(up.contains("CREATE INDEX") && up.contains("-- Locks: "), "{up}");
        for taking in ["DROP NOT NULL", "COLLATE", "ON DELETE RESTRICT", "DROP CONSTRAINT", "TYPE "] {
            assert!(!up.contains(taking) || taking == "COLLATE" && !up.contains("ALTER COLUMN"), "{taking}: {up}");
        }
        if database.backend() == Backend::Postgres {
            assert!(up.contains("CREATE INDEX CONCURRENTLY"), "{up}");
        }
        service.migrations().apply(&directory).await.expect("comments apply");
        let after = catalogue(database).await;
        let others: Vec<_> = after.into_iter().filter(|line| !line.contains("_crud_migrations")).collect();
        assert_eq!(others, before);
        assert!(
            service.migrations().unwritten(&directory).await.expect("a comparison").is_none(),
            "advice is given once"
        );
    });
}

#[test]
fn diff_of_a_service_that_checks_its_tables_is_advice_too() {
    /// A customer, by a struct that does not say whose the table is.
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "customer", filter, sort)]
    struct Client {
        id: i32,
        name: String,
    }
    on_each_sql_backend(async |database| {
        books(database).await;
        let before = catalogue(database).await;
        let service = database.service().await.resource::<Client>().check_schema().await.expect("a table to be read");
        let statements = service.plan().await.expect("a plan");
        assert!(statements.is_empty(), "{statements:?}");
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        let written = service.migrations().write(&directory).await.expect("a migration").expect("advice");
        let ups = written.changes.iter().map(|change| std::fs::read_to_string(&change.up).expect("the file"));
        let up = ups.collect::<Vec<_>>().join("\n");
        assert!(up.contains("CREATE INDEX"), "{up}");
        assert!(up.lines().all(|line| line.is_empty() || line.starts_with("--")), "{up}");
        assert_eq!(catalogue(database).await, before);
    });
}

#[test]
fn baseline_of_tables_of_another_program_builds_an_empty_database() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let service = database.service().await.resource::<Customer>().resource::<Invoice>();
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        service.migrations().write(&directory).await.expect("a migration").expect("advice");
        let expected = catalogue(database).await;
        let empty = database.backend().fresh();
        let rebuilt = empty.service().await.resource::<Customer>().resource::<Invoice>();
        rebuilt.migrations().apply(&directory).await.expect("it applies");
        let built = catalogue(&empty).await;
        let built: Vec<_> = built.into_iter().filter(|line| !line.contains("_crud_migrations")).collect();
        if database.backend() == Backend::Sqlite {
            let plain = |lines: Vec<String>| {
                lines.into_iter().map(|line| line.replace("IF NOT EXISTS ", "")).collect::<Vec<_>>()
            };
            assert_eq!(plain(built), plain(expected));
        } else {
            assert_eq!(built, expected);
        }
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("film", unmanaged), filter(title))]
struct Film {
    id: i32,
    title: String,
}

#[test]
fn baseline_has_types_sequences_and_partitions_and_says_what_it_leaves_out() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return; // it alone has them
        }
        database
            .execute(
                "CREATE TYPE rating AS ENUM ('G', 'it''s R'); CREATE DOMAIN year AS integer CHECK (VALUE > 1900);
                 CREATE SEQUENCE films INCREMENT 2 START 7;
                 CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
                 CREATE TABLE film (id integer DEFAULT nextval('films') NOT NULL, title text NOT NULL, rated rating DEFAULT 'G',
                   made year, tags rating[]) PARTITION BY RANGE (id);
                 CREATE TABLE film_1 PARTITION OF film FOR VALUES FROM (1) TO (1000);
                 ALTER TABLE film_1 ADD PRIMARY KEY (id);
                 CREATE TRIGGER touched BEFORE UPDATE ON film FOR EACH ROW EXECUTE FUNCTION touched()",
            )
            .await;
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        let service = database.service().await.resource::<Film>();
        let written = service.migrations().write(&directory).await.expect("a migration").expect("advice");
        let baseline = std::fs::read_to_string(written.baseline.expect("the tables as they are")).expect("the file");
        assert!(baseline.contains("the trigger `touched`"), "{baseline}");
        assert!(baseline.contains("constraints and indexes of the partition `film_1`"), "{baseline}");
        let empty = Backend::Postgres.fresh();
        let rebuilt = empty.service().await.resource::<Film>();
        rebuilt.migrations().apply(&directory).await.expect("it applies");
        empty.execute("INSERT INTO film (title, rated, made, tags) VALUES ('a', 'it''s R', 1999, '{G}')").await;
        assert_eq!(empty.texts("SELECT id::text FROM film_1").await, ["7"]);
    });
}
