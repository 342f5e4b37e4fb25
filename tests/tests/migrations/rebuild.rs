//! Rebuilds of SQLite tables, with their indexes, triggers, views and references.

use crud_runtime::prelude::*;
use crud_runtime::sqlx::{Row, SqlitePool};
use crud_tests::Backend;

use crate::support::Directory;

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "folders", filter(name))]
struct Folder {
    id: i64,
    name: Option<String>,
    #[crud(references = Folder, on_delete = cascade)]
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
    let sql = "SELECT sql FROM sqlite_schema WHERE name NOT LIKE '%sql%' AND sql IS NOT NULL ORDER BY name";
    let rows = crud_runtime::sqlx::query(sql).fetch_all(&pool).await.expect("the schema");
    pool.close().await;
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn rebuild_keeps_everything_attached_to_a_table() {
    let database = Backend::Sqlite.fresh();
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
    for kept in ["\"made\" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP", "\"legacy\" TEXT,", "UNIQUE (\"legacy\")"] {
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
}
