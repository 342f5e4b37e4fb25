//! Tables that refer to each other, of which the first is created before the second is there.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::support::Directory;

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "teams")]
struct Team {
    id: i64,
    #[crud(references(Member, on_delete(set_null)))]
    captain_id: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "members", search(name))]
struct Member {
    id: i64,
    #[crud(references(Team))]
    team_id: i64,
    name: Option<String>,
}

/// One column more.
mod next {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "teams")]
    pub(super) struct Team {
        id: i64,
        #[crud(references(super::Member, on_delete(set_null)))]
        captain_id: Option<i64>,
        motto: Option<String>,
    }
}

async fn service(database: &Database) -> Service {
    database.service().await.resource::<Team>().resource::<Member>()
}

/// Both references are the database's own.
async fn refer_to_each_other(database: &Database) {
    assert_eq!(service(database).await.migrations().diff().await.expect("a comparison"), []);
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
fn first_file_applies_where_a_service_has_created_the_tables() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&service(database).await).await;
        drop(service(database).await.migrate().await.expect("both tables"));
        directory.apply(&service(database).await).await;
        refer_to_each_other(database).await;
    });
}

#[test]
fn baseline_creates_the_tables_where_they_are_missing_and_again() {
    on_each_sql_backend(async |database| {
        drop(service(database).await.migrate().await.expect("both tables"));
        let next = async |database: &Database| database.service().await.resource::<next::Team>().resource::<Member>();
        let directory = Directory::new();
        directory.write_migration(&next(database).await).await;
        directory.apply(&next(database).await).await;
        assert_eq!(next(database).await.migrations().diff().await.expect("a comparison"), []);

        let empty = database.backend().fresh();
        directory.apply(&next(&empty).await).await;
        assert_eq!(next(&empty).await.migrations().diff().await.expect("a comparison"), []);
        // As a database whose tables were created without the files.
        empty.execute("ALTER TABLE teams DROP COLUMN motto").await;
        empty.execute("DELETE FROM _crud_migrations").await;
        directory.apply(&next(&empty).await).await;
        assert_eq!(next(&empty).await.migrations().diff().await.expect("a comparison"), []);
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
