//! The journal of a file that another program uses too.

use crud_runtime::Service;
use crud_runtime::prelude::*;
use crud_tests::{Api, Database, on_sqlite};
use serde_json::json;

use crate::existing::create;

/// A note of the other program.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort)]
struct Note {
    id: i64,
    text: String,
}

/// The journal mode of the file.
async fn mode(database: &Database) -> String {
    database.texts("SELECT journal_mode FROM pragma_journal_mode").await.concat()
}

async fn api(database: &Database, parameters: &str) -> Api {
    let url = format!("{}{parameters}", database.url());
    let service = Service::connect(&url).await.expect("it opens").resource::<Note>();
    Api::start(database, service.migrate().await.expect("the table fits")).await
}

#[test]
fn journal_mode_keep_leaves_the_file_as_it_is() {
    on_sqlite(async |database| {
        create(database);
        database.execute("PRAGMA journal_mode = DELETE").await;
        database.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)").await;
        let api = api(database, "?journal_mode=keep").await;
        assert_eq!(mode(database).await, "delete");
        for number in 0..20 {
            database.execute(&format!("INSERT INTO notes (text) VALUES ('theirs {number}')")).await;
            api.post("/notes", &json!({ "text": format!("ours {number}") })).await.created();
        }
        let list = api.get("/notes?text__startswith=theirs").await.ok();
        assert_eq!(list.as_array().map_or(0, Vec::len), 20, "{list}");
        assert_eq!(database.texts("SELECT count(*) || '' FROM notes").await, ["40"]);
        assert_eq!(mode(database).await, "delete");
    });
}

#[test]
fn without_it_the_file_gets_a_write_ahead_log() {
    on_sqlite(async |database| {
        create(database);
        database.execute("PRAGMA journal_mode = DELETE").await;
        api(database, "").await;
        assert_eq!(mode(database).await, "wal");
    });
}
