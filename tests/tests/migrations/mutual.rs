//! Tables that refer to each other, of which the first is created before the second is there.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::support::Directory;

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "teams")]
struct Team {
    id: i64,
    #[crud(references = Member, on_delete = set_null)]
    captain_id: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "members")]
struct Member {
    id: i64,
    #[crud(references = Team)]
    team_id: i64,
}

async fn service(database: &Database) -> Service {
    database.service().await.resource::<Team>().resource::<Member>()
}

/// Both references are the database's own.
async fn refer_to_each_other(database: &Database) {
    assert_eq!(service(database).await.diff().await.expect("a comparison"), []);
    database.execute("INSERT INTO teams (id) VALUES (1)").await;
    database.execute("INSERT INTO members (id, team_id) VALUES (7, 1)").await;
    database.execute("UPDATE teams SET captain_id = 7").await;
    for refused in ["UPDATE teams SET captain_id = 8", "UPDATE members SET team_id = 2", "DELETE FROM teams"] {
        assert!(!database.try_execute(refused).await, "{refused}");
    }
}

#[test]
fn start_creates_tables_that_refer_to_each_other() {
    on_each_sql_backend(async |database| {
        drop(service(database).await.migrate().await.expect("both tables"));
        refer_to_each_other(database).await;
    });
}

#[test]
fn migration_creates_and_drops_tables_that_refer_to_each_other() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&service(database).await).await;
        directory.apply(&service(database).await).await;
        refer_to_each_other(database).await;
        // Neither table can be dropped while its records are referred to.
        database.execute("UPDATE teams SET captain_id = NULL; DELETE FROM members; DELETE FROM teams").await;
        directory.revert(&service(database).await).await;
        assert!(!database.try_execute("SELECT id FROM teams").await, "the table is there");
        directory.apply(&service(database).await).await;
        refer_to_each_other(database).await;
    });
}
