//! Views, indexes and histories of other programs stay.

use crud_runtime::prelude::*;
use crud_tests::{Backend, Database, on_each_sql_backend};

use crate::foreign::support::{books, catalogue, other_program, refusal};

/// A view under the name of another program's.
#[derive(Debug, Clone, Resource)]
#[crud(table = "open_invoice", view("SELECT id, total FROM invoice", reads()))]
struct OpenInvoice {
    id: i32,
    total: i32,
}

#[test]
fn view_of_another_program_is_not_replaced() {
    on_each_sql_backend(async |database| {
        books(database).await;
        database.execute("CREATE VIEW open_invoice AS SELECT id, total, memo FROM invoice WHERE paid_on IS NULL").await;
        if database.backend() == Backend::Postgres {
            database
                .execute("COMMENT ON VIEW open_invoice IS 'for the accountant'; GRANT SELECT ON open_invoice TO PUBLIC")
                .await;
        }
        let before = catalogue(database).await;
        let error = refusal(database.service().await.resource::<OpenInvoice>()).await;
        assert!(error.contains("view `open_invoice`: is there, and no service has made it"), "{error}");
        assert_eq!(catalogue(database).await, before);
        // One that a service has made is replaced.
        database.execute("DROP VIEW open_invoice").await;
        drop(database.service().await.resource::<OpenInvoice>().migrate().await.expect("the view"));
        let changed =
            database.service().await.resource::<changed::OpenInvoice>().migrate().await.expect("the new view");
        assert_eq!(changed.store::<changed::OpenInvoice>().count(Select::all()).await.expect("a count"), 2);
    });
}

mod changed {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "open_invoice", view("SELECT id, total FROM invoice WHERE paid_on IS NULL", reads()))]
    pub(super) struct OpenInvoice {
        pub(super) id: i32,
        pub(super) total: i32,
    }
}

mod one {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "articles", prefix = "/articles", search(title))]
    pub(super) struct Article {
        pub(super) id: i64,
        #[crud(length(max = 40))]
        pub(super) title: String,
        #[crud(length(max = 40))]
        pub(super) body: String,
    }
}

mod other {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "articles", prefix = "/articles", search(title, body))]
    pub(super) struct Article {
        pub(super) id: i64,
        #[crud(length(max = 40))]
        pub(super) title: String,
        #[crud(length(max = 40))]
        pub(super) body: String,
    }
}

#[test]
fn services_that_search_one_table_by_other_columns_leave_each_other_s_index() {
    on_each_sql_backend(async |database| {
        let one = async || database.service().await.resource::<one::Article>();
        let other = async || database.service().await.resource::<other::Article>();
        let first = one().await.migrate().await.expect("the table and an index");
        let new = one::NewArticle::new("desk", "lamp");
        first.store::<one::Article>().create(new).await.expect("an article");
        let second = other().await.migrate().await.expect("another index");
        let before = catalogue(database).await;
        drop(one().await.migrate().await.expect("nothing is missing"));
        assert_eq!(one().await.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!(other().await.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!(catalogue(database).await, before);
        let by_title = first.store::<one::Article>().list(Select::all().search("lamp")).await.expect("a list");
        let by_both = second.store::<other::Article>().list(Select::all().search("lamp")).await.expect("a list");
        assert_eq!((by_title.len(), by_both.len()), (0, 1));
    });
}

#[test]
fn migration_drops_no_index_of_words_that_its_directory_has_not_made() {
    on_each_sql_backend(async |database| {
        drop(database.service().await.resource::<one::Article>().migrate().await.expect("the table and an index"));
        let other = database.service().await.resource::<other::Article>();
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        for _ in 0..2 {
            // The second one finds the index of the first program still there.
            let Some(written) = other.migrations().write(&directory).await.expect("a migration") else { continue };
            let ups = written.changes.iter().map(|change| std::fs::read_to_string(&change.up).expect("the file"));
            let up = ups.collect::<Vec<_>>().join("\n");
            assert!(up.contains("Once no other program searches by it, drop it"), "{up}");
            other.migrations().apply(&directory).await.expect("it applies");
        }
        let one = database.service().await.resource::<one::Article>();
        assert_eq!(one.plan().await.expect("a plan"), Vec::<String>::new(), "its index is there");
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "notes")]
struct Note {
    id: i64,
    text: String,
}

/// The table of applied migrations as sqlx makes it.
async fn history_of_sqlx(database: &Database) {
    let (bytes, time) = match database.backend() {
        Backend::Postgres => ("BYTEA", "TIMESTAMPTZ"),
        _ => ("BLOB", "TIMESTAMP"),
    };
    let table = format!(
        "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on {time} NOT NULL \
         DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum {bytes} NOT NULL, execution_time BIGINT NOT NULL)"
    );
    other_program(database, &table).await;
}

#[test]
fn history_of_another_program_stays_and_our_former_one_is_read() {
    on_each_sql_backend(async |database| {
        history_of_sqlx(database).await;
        database
            .execute("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (1, 'theirs', true, 'x', 1)")
            .await;
        let service = async || database.service().await.resource::<Note>();
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        service().await.migrations().write(&directory).await.expect("a migration").expect("a change");
        service().await.migrations().apply(&directory).await.expect("it applies");
        assert_eq!(database.texts("SELECT description FROM _sqlx_migrations").await, ["theirs"]);
        assert_eq!(service().await.migrations().status(&directory).await.expect("a status").pending().count(), 0);
        // A database whose history an earlier program has written.
        database.execute("DROP TABLE _sqlx_migrations; ALTER TABLE _crud_migrations RENAME TO _sqlx_migrations").await;
        assert_eq!(service().await.migrations().status(&directory).await.expect("a status").pending().count(), 0);
        assert!(database.try_execute("SELECT * FROM _sqlx_migrations").await, "a look changes nothing");
        assert!(service().await.migrations().apply(&directory).await.expect("nothing is pending").is_empty());
        service().await.migrations().revert(&directory).await.expect("it reverts").expect("a file");
        let kept = database.texts("SELECT description FROM _sqlx_migrations").await;
        assert_eq!(kept.len(), 1, "programs of that version start as before");
        let cast = if database.backend() == Backend::MySql { "CHAR" } else { "TEXT" };
        let left = format!("SELECT CAST(COUNT(*) AS {cast}) FROM _crud_migrations");
        assert_eq!(database.texts(&left).await, ["0"]);
    });
}
