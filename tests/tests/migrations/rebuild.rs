//! Rebuilds of SQLite tables, with their indexes, triggers, views and references.

use std::time::Duration;

use crud_runtime::prelude::*;
use crud_runtime::sqlx::{Row, SqlitePool};
use crud_tests::{Api, Backend, long, on_each_sql_backend_and_pool, on_sqlite_and_pool, within};
use serde_json::json;

use crate::support::{Directory, error_text};

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "folders", filter(name))]
struct Folder {
    id: i64,
    name: Option<String>,
    #[crud(references(Folder, on_delete(cascade)))]
    parent_id: Option<i64>,
}

const SCHEMA: [&str; 8] = [
    "CREATE TABLE [folders](id INTEGER PRIMARY KEY AUTOINCREMENT, \"name\" VARCHAR(80) NOT NULL, \
     parent_id INTEGER REFERENCES folders (id) ON DELETE CASCADE, made DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, \
     legacy TEXT NOT NULL, size INTEGER, UNIQUE (legacy)) -- by hand",
    "CREATE TABLE log (name TEXT)",
    "CREATE INDEX by_size ON folders (size DESC) WHERE size > 1",
    "CREATE TRIGGER logged AFTER INSERT ON folders BEGIN INSERT INTO log VALUES (new.name); END",
    "CREATE VIEW roots AS SELECT * FROM folders WHERE parent_id IS NULL",
    "INSERT INTO folders (name, parent_id, legacy, size) VALUES ('root', NULL, 'a', 7), ('leaf', 1, 'b', 8)",
    "INSERT INTO folders (name, legacy) VALUES ('gone', 'c')",
    "DELETE FROM folders WHERE name = 'gone'",
];

async fn schema(url: &str) -> Vec<String> {
    let pool = SqlitePool::connect(url).await.expect("the database");
    let sql = "SELECT sql FROM sqlite_schema WHERE name NOT LIKE '%sql%' AND name <> '_crud_migrations' AND sql IS NOT NULL ORDER BY name";
    let rows = crud_runtime::sqlx::query(sql).fetch_all(&pool).await.expect("the schema");
    pool.close().await;
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
fn rebuild_keeps_everything_attached_to_a_table() {
    on_sqlite_and_pool(async |database| {
        // The first service creates the file.
        drop(database.service().await);
        for statement in SCHEMA {
            database.execute(statement).await;
        }
        let before = schema(database.url()).await;
        let directory = Directory::new();
        let service = database.service().await.resource::<Folder>();
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the program starts");
        let after = schema(database.url()).await;
        for kept in ["CREATE INDEX by_size", "CREATE TRIGGER logged", "CREATE VIEW roots"] {
            assert!(after.iter().any(|sql| sql.starts_with(kept)), "{kept} in {after:#?}");
        }
        let table = after.iter().find(|sql| sql.contains("\"folders\" (")).expect("the table");
        for kept in ["`made` DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP", "`legacy` TEXT,", "UNIQUE (`legacy`)"] {
            assert!(table.contains(kept), "{kept} in {table}");
        }
        let store = service.store::<Folder>();
        assert_eq!(store.list(Select::all()).await.expect("the folders").len(), 2, "the leaf was deleted by a cascade");
        let new = store.create(NewFolder { name: None, parent_id: Some(2) }).await.expect("a folder without a name");
        assert_eq!(new.id, 4, "a key was assigned twice");
        assert!(database.try_execute("INSERT INTO log SELECT name FROM roots").await, "the view is broken");
        database.execute("DELETE FROM folders WHERE id = 1").await;
        assert_eq!(store.list(Select::all()).await.expect("the folders").len(), 0, "the reference does not cascade");

        directory.revert(&service).await;
        assert_eq!(
            schema(database.url()).await,
            before.iter().map(|sql| sql.replace("[folders](", "\"folders\" (")).collect::<Vec<_>>()
        );
    });
}

mod contacts {
    pub(super) mod old {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "contacts", filter(phone), sort(phone))]
        pub(in super::super) struct Contact {
            id: i64,
            phone: String,
        }
    }

    pub(super) mod new {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "contacts", filter(telephone))]
        pub(in super::super) struct Contact {
            id: i64,
            #[crud(column(renamed_from = "phone"), length(max = 40))]
            pub(in super::super) telephone: String,
        }
    }
}

#[test]
fn program_beside_a_renamed_column_fails_and_answers_no_name_as_a_value() {
    on_each_sql_backend_and_pool(async |database| {
        let old = async || database.service().await.resource::<contacts::old::Contact>();
        let new = async || database.service().await.resource::<contacts::new::Contact>();
        let directory = Directory::new();
        directory.write_migration(&old().await).await;
        directory.apply(&old().await).await;
        let api =
            Api::start(database, old().await.migrations_from(directory.path()).migrate().await.expect("tables")).await;
        let id = api.post("/contacts", &json!({ "phone": "+49 1" })).await.created()["id"].clone();
        directory.write_migration(&new().await).await;
        directory.apply(&new().await).await;
        for path in [format!("/contacts/{id}"), "/contacts?phone=phone".to_owned(), "/contacts?sort=phone".to_owned()] {
            let answer = api.get(&path).await;
            assert!(answer.status() >= 500, "{path}: {answer}");
        }
        let answer = api.patch(format!("/contacts/{id}"), &json!({ "phone": "+49 2" })).await;
        assert!(answer.status() >= 500, "{answer}");
        let contacts = new().await.store::<contacts::new::Contact>().list(Select::all()).await.expect("contacts");
        assert_eq!(contacts.iter().map(|one| &*one.telephone).collect::<Vec<_>>(), ["+49 1"]);
        api.stop().await;
    });
}

#[tokio::test]
async fn unknown_name_in_double_quotes_is_an_error_on_a_connection_that_the_service_opens() {
    let database = Backend::Sqlite.fresh();
    let service = database.service().await.resource::<contacts::old::Contact>();
    let app = service.migrate().await.expect("the tables").app();
    let read = async |sql| app.transaction(async |tx| tx.sql(sql).fetch::<(String,)>().await).await.is_ok();
    assert!(read("SELECT \"phone\" FROM \"contacts\"").await);
    for sql in ["SELECT \"unknown\" FROM contacts", "SELECT phone FROM contacts WHERE phone = \"unknown\""] {
        assert!(!read(sql).await, "{sql}");
    }
}

mod notes {
    pub(super) mod old {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "notes")]
        pub(in super::super) struct Note {
            id: i64,
            text: String,
        }
    }

    pub(super) mod new {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "notes")]
        pub(in super::super) struct Note {
            id: i64,
            text: String,
            pinned: Option<bool>,
        }
    }
}

#[test]
fn views_and_triggers_that_no_struct_has_follow_a_renamed_column_and_back() {
    on_sqlite_and_pool(async |database| {
        let old = async || database.service().await.resource::<contacts::old::Contact>().resource::<notes::old::Note>();
        let new = async || database.service().await.resource::<contacts::new::Contact>().resource::<notes::new::Note>();
        let directory = Directory::new();
        directory.write_migration(&old().await).await;
        directory.apply(&old().await).await;
        for statement in [
            "CREATE VIEW numbers AS SELECT phone AS number FROM contacts WHERE phone <> ''",
            "CREATE TRIGGER noted AFTER INSERT ON notes BEGIN UPDATE contacts SET phone = new.text; END",
            "INSERT INTO contacts (phone) VALUES ('+49 1')",
        ] {
            database.execute(statement).await;
        }
        directory.write_migration(&new().await).await;
        directory.apply(&new().await).await;
        assert_eq!(database.texts("SELECT number FROM numbers").await, ["+49 1"]);
        database.execute("INSERT INTO notes (text) VALUES ('+49 2')").await;
        assert_eq!(database.texts("SELECT number FROM numbers").await, ["+49 2"]);

        directory.revert(&new().await).await;
        database.execute("INSERT INTO notes (text) VALUES ('+49 3')").await;
        assert_eq!(database.texts("SELECT number FROM numbers").await, ["+49 3"]);
    });
}

#[test]
fn view_that_cannot_be_read_is_named_where_sqlite_drops_no_column_for_it() {
    on_sqlite_and_pool(async |database| {
        let old = async || database.service().await.resource::<contacts::old::Contact>().resource::<notes::old::Note>();
        let new = async || database.service().await.resource::<contacts::new::Contact>().resource::<notes::new::Note>();
        let directory = Directory::new();
        directory.write_migration(&old().await).await;
        directory.apply(&old().await).await;
        directory.write_migration(&new().await).await;
        directory.apply(&new().await).await;
        database.execute("CREATE VIEW broken AS SELECT heading FROM notes").await;
        let error = error_text(directory.try_revert(&new().await).await);
        assert!(
            error.contains("drop or repair `broken` (no such column: heading), and apply the file again"),
            "{error}"
        );
        database.execute("DROP VIEW broken").await;
        directory.revert(&new().await).await;
    });
}

#[test]
fn rebuild_refuses_a_table_with_columns_that_its_author_did_not_have() {
    on_sqlite_and_pool(async |database| {
        let old = async || database.service().await.resource::<contacts::old::Contact>();
        let new = async || database.service().await.resource::<contacts::new::Contact>();
        let directory = Directory::new();
        directory.write_migration(&old().await).await;
        directory.apply(&old().await).await;
        directory.write_migration(&new().await).await;
        // A column of a branch that was merged meanwhile.
        database.execute("ALTER TABLE contacts ADD COLUMN loyalty INTEGER").await;
        database.execute("INSERT INTO contacts (phone, loyalty) VALUES ('+49 1', 7)").await;
        let error = error_text(new().await.migrations().apply(directory.path()).await);
        assert!(error.contains("columns that this file does not know"), "{error}");
        assert!(
            database
                .try_execute("SELECT CASE WHEN loyalty = 7 THEN 1 ELSE abs(-9223372036854775808) END FROM contacts")
                .await
        );
        assert!(database.try_execute("SELECT phone FROM contacts").await, "the column is renamed all the same");
    });
}

#[test]
fn tables_that_were_made_with_names_in_double_quotes_do_not_differ() {
    on_sqlite_and_pool(async |database| {
        let service = crud_tests::kitchen::kitchen(database.service().await);
        for statement in service.plan().await.expect("the statements") {
            // Indexes of words have their names in triggers too.
            database.execute(&statement.replace('`', "\"")).await;
        }
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        assert_eq!(service.plan().await.expect("the statements"), [] as [&str; 0]);
        service.migrate().await.map(drop).expect("the program starts");
    });
}

#[tokio::test]
async fn million_records_are_rebuilt_within_the_seconds_that_the_file_states() {
    mod wide {
        use super::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "pages")]
        pub(super) struct Page {
            pub(super) id: i64,
            #[crud(length(max = 100))]
            pub(super) name: String,
        }
    }

    mod narrow {
        use super::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "pages")]
        pub(super) struct Page {
            pub(super) id: i64,
            #[crud(length(max = 60))]
            pub(super) name: String,
        }
    }

    if !long("migrations") {
        return;
    }
    let database = Backend::Sqlite.fresh();
    let service = database.service().await.resource::<wide::Page>();
    service.migrate().await.map(drop).expect("a table");
    database
        .execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) \
             INSERT INTO pages (name) SELECT 'page ' || i FROM n",
        )
        .await;
    let directory = Directory::new();
    let service = database.service().await.resource::<narrow::Page>();
    let up = directory.write_migration(&service).await.up();
    let remark = "1000000 here, while other writers of the database wait, three seconds for a million.";
    assert!(up.contains(remark), "{up}");
    within(Duration::from_secs(3), "a million records are rebuilt", directory.apply(&service)).await;
}
