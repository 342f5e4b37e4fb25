//! Locks: requests do not wait behind a change of a table that waits for another transaction.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database, on_each_sql_server};
use serde_json::json;

use crate::support::Directory;

mod v1 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(max_length = 100)]
        pub(crate) text: String,
    }
}

/// One more column.
mod v2 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(max_length = 100)]
        pub(crate) text: String,
        pub(crate) note: Option<String>,
    }
}

/// One more index.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(max_length = 100, filter)]
        pub(crate) text: String,
    }
}

/// A running service of the first version.
async fn serve_first(database: &Database) -> Api {
    let service = database.service().await.resource::<v1::Mark>();
    Api::start(database, service.migrate().await.expect("the first version starts")).await
}

/// Creates more records than requests would be let through by chance.
async fn create_twenty(api: &Api) {
    for number in 0..20 {
        api.post("/marks", &json!({ "text": format!("{number}") })).await.created();
    }
}

#[test]
fn requests_go_on_while_a_migration_waits_for_a_reader() {
    on_each_sql_server(async |database| {
        let api = serve_first(database).await;
        let mut reader = database.begin_transaction().await;
        reader.execute("SELECT * FROM marks").await;
        let directory = Directory::new();
        let second = database.service().await.resource::<v2::Mark>();
        directory.write_migration(&second).await;
        let path = directory.path();
        let applied = tokio::spawn(async move { second.apply_migrations(path).await });
        database.wait_until_blocked().await;
        create_twenty(&api).await;
        assert!(!applied.is_finished(), "the reader is still there");
        reader.commit().await;
        let names = applied.await.expect("no panic").expect("the migration is applied after the reader");
        assert_eq!(names.len(), 2, "{names:?}");
        api.stop().await;
    });
}

#[test]
fn requests_go_on_while_a_start_waits_for_a_writer() {
    on_each_sql_server(async |database| {
        let api = serve_first(database).await;
        let mut writer = database.begin_transaction().await;
        writer.execute("INSERT INTO marks (text) VALUES ('of another program')").await;
        let third = database.service().await.resource::<v3::Mark>();
        let started = tokio::spawn(async move { third.migrate().await.map(drop) });
        database.wait_until_blocked().await;
        create_twenty(&api).await;
        assert!(!started.is_finished(), "the writer is still there");
        writer.commit().await;
        started.await.expect("no panic").expect("the index is created after the writer");
        api.stop().await;
    });
}
