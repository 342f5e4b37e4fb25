//! Database users with few rights: what a service needs is what its requests use.

use crud_runtime::prelude::*;
use crud_tests::library::{self, ONE_BOOK, Shelf, resources};
use crud_tests::{Api, Database, start_lines};
use sqlx::PgPool;

use crate::postgres::support::{execute, on_postgres, role_of, texts, url_of_role};

/// A service as a user with these rights, on tables that another one has made.
async fn start(database: &Database, pool: &PgPool, rights: &str) -> (Api, String) {
    drop(resources(database.service().await).migrate().await.expect("the tables"));
    execute(pool, ONE_BOOK).await;
    let role = role_of(pool, rights).await;
    let service = resources(Service::connect(&url_of_role(database, &role)).await.expect("a service of the role"));
    (Api::start(database, service.migrate().await.expect("nothing is missing")).await, role)
}

#[test]
fn user_that_may_only_read_serves_reads_and_refuses_changes() {
    on_postgres(async |database, pool| {
        let (api, _) = start(database, pool, "SELECT").await;
        library::check_reads(api).await;
    });
}

#[test]
fn user_that_may_change_records_alone_needs_nothing_else() {
    on_postgres(async |database, pool| {
        let (api, _) = start(database, pool, "SELECT, INSERT, UPDATE, DELETE").await;
        library::check_changes(api).await;
    });
}

#[test]
fn missing_right_of_one_table_or_column_is_403_there_alone() {
    on_postgres(async |database, pool| {
        let (api, role) = start(database, pool, "SELECT, INSERT, UPDATE").await;
        execute(pool, &format!("REVOKE SELECT ON shelves FROM \"{role}\"; REVOKE UPDATE ON books FROM \"{role}\""))
            .await;
        execute(pool, &format!("GRANT UPDATE (title) ON books TO \"{role}\"")).await;
        library::check_rights_of_books(api).await;
    });
}

#[test]
fn start_that_lacks_a_table_says_so_to_a_user_without_create() {
    on_postgres(async |database, pool| {
        let role = role_of(pool, "SELECT").await;
        let service = Service::connect(&url_of_role(database, &role)).await.expect("a service of the role");
        let error = service.resource::<Shelf>().migrate().await.expect_err("the table is missing");
        let error = format!("{error:?}");
        assert!(error.contains("permission denied for schema public"), "{error}");
    });
}

/// The statements that the error of a start names.
fn grants(error: &str) -> String {
    let (_, statements) = error.split_once("let their owner run").unwrap_or_else(|| panic!("{error}"));
    statements.to_owned()
}

/// A start refuses tables that its user cannot read, and names the statements that mend that.
#[test]
fn start_names_the_rights_to_read_that_lack() {
    on_postgres(async |database, pool| {
        drop(resources(database.service().await).migrate().await.expect("the tables"));
        let role = role_of(pool, "SELECT").await;
        let start = async |checks: bool| {
            let service =
                resources(Service::connect(&url_of_role(database, &role)).await.expect("a service of the role"));
            let started = if checks { service.check_schema().await } else { service.migrate().await };
            started.map(drop).map_err(|error| format!("{error:?}"))
        };
        assert_eq!(start(false).await, Ok(()));
        execute(
            pool,
            &format!("REVOKE SELECT ON shelves, books FROM \"{role}\"; GRANT SELECT (id) ON books TO \"{role}\""),
        )
        .await;
        for checks in [false, true] {
            let error = start(checks).await.expect_err("two tables cannot be read");
            assert!(
                error.contains(&format!("the database's user `{role}` may not read tables of the service")),
                "{error}"
            );
            assert!(error.contains(&format!("GRANT SELECT ON \"public\".\"shelves\" TO \"{role}\"")), "{error}");
            let of_columns = "GRANT SELECT (\"title\", \"shelf_id\", \"deleted_at\") ON \"public\".\"books\"";
            assert!(error.contains(of_columns), "{error}");
        }
        execute(pool, &grants(&start(false).await.expect_err("they still cannot"))).await;
        assert_eq!(start(false).await, Ok(()));
        // Without the schema, every table seems to be missing.
        execute(pool, &format!("REVOKE USAGE ON SCHEMA public FROM \"{role}\", PUBLIC")).await;
        let error = start(false).await.expect_err("the schema is closed");
        assert!(error.contains(&format!("GRANT USAGE ON SCHEMA \"public\" TO \"{role}\"")), "{error}");
        assert!(!error.contains("missing") && !error.contains("migrate"), "{error}");
        execute(pool, &grants(&error)).await;
        assert_eq!(start(true).await, Ok(()));
        execute(pool, "GRANT USAGE ON SCHEMA public TO PUBLIC").await;
    });
}

/// A service whose resources can be changed says at its start that the database takes no changes.
#[test]
fn start_on_a_database_that_takes_no_changes_says_so() {
    on_postgres(async |database, pool| {
        let program = env!("CARGO_BIN_EXE_renamed");
        let takes_none = |line: &String| line.starts_with("WARN the database takes no changes");
        assert!(!start_lines(program, &[], database).await.iter().any(takes_none));
        let name = texts(pool, "SELECT current_database()").await.remove(0);
        execute(pool, &format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = on")).await;
        let lines = start_lines(program, &[], database).await;
        let line = lines.iter().find(|line| takes_none(line)).unwrap_or_else(|| panic!("{lines:?}"));
        assert!(
            line.contains("`default_transaction_read_only` is on for the server, the database or the user"),
            "{line}"
        );
    });
}
