//! Database users with few rights: what a service needs is what its requests use.

use std::sync::atomic::{AtomicUsize, Ordering};

use crud_runtime::prelude::*;
use crud_tests::library::{self, ONE_BOOK, Shelf, resources};
use crud_tests::{Api, Database};
use sqlx::MySqlPool;

use crate::mysql::support::{execute, on_mysql, texts};

/// A user with these rights on the tables of the database alone; the URL of the database for it.
async fn user(database: &Database, pool: &MySqlPool, rights: &[String]) -> (String, String) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let name = texts(pool, "SELECT DATABASE()").await.remove(0);
    let user = format!("u{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    // A user of a host that is named comes before those of every host.
    for host in ["%", "localhost"] {
        execute(pool, &format!("CREATE USER '{user}'@'{host}' IDENTIFIED BY 'poor'")).await;
        for right in rights {
            execute(pool, &format!("GRANT {right} TO '{user}'@'{host}'")).await;
        }
    }
    let (_, rest) = database.url().split_once('@').unwrap();
    assert!(rest.contains(&name));
    (user.clone(), format!("mysql://{user}:poor@{rest}"))
}

/// A service as a user with these rights, on tables that another one has made.
async fn start(database: &Database, pool: &MySqlPool, rights: &str) -> (Api, String) {
    drop(resources(database.service().await).migrate().await.expect("the tables"));
    execute(pool, ONE_BOOK).await;
    let tables = ["shelves", "books", "audit_logs"].map(|table| format!("{rights} ON {table}"));
    let (user, url) = user(database, pool, &tables).await;
    let service = resources(Service::connect(&url).await.expect("a service of the user"));
    (Api::start(database, service.migrate().await.expect("nothing is missing")).await, user)
}

#[test]
fn user_that_may_only_read_serves_reads_and_refuses_changes() {
    on_mysql(async |database, pool| {
        let (api, _) = start(database, pool, "SELECT").await;
        library::check_reads(api).await;
    });
}

#[test]
fn user_that_may_change_records_alone_needs_nothing_else() {
    on_mysql(async |database, pool| {
        let (api, _) = start(database, pool, "SELECT, INSERT, UPDATE, DELETE").await;
        library::check_changes(api).await;
    });
}

#[test]
fn missing_right_of_one_table_or_column_is_403_there_alone() {
    on_mysql(async |database, pool| {
        drop(resources(database.service().await).migrate().await.expect("the tables"));
        execute(pool, ONE_BOOK).await;
        let rights =
            ["SELECT ON books", "UPDATE (title) ON books", "SELECT, INSERT ON audit_logs", "SELECT ON shelves"];
        let (user, url) = user(database, pool, &rights.map(str::to_owned)).await;
        let service = resources(Service::connect(&url).await.expect("a service of the user"));
        let api = Api::start(database, service).await;
        api.get("/shelves").await.ok();
        // A start refuses a column that the user cannot read: to such a user, the catalogue does not show it.
        for host in ["%", "localhost"] {
            execute(pool, &format!("REVOKE SELECT ON shelves FROM '{user}'@'{host}'")).await;
            execute(pool, &format!("GRANT SELECT (id) ON shelves TO '{user}'@'{host}'")).await;
        }
        library::check_rights_of_books(api).await;
    });
}

#[test]
fn method_for_session_variables_is_refused_with_the_reason() {
    on_mysql(async |database, _| {
        let service = database.service().await.resource::<Shelf>();
        let service = service.access(|access| access.session_variables(|_| crud_runtime::SessionVariables::new()));
        let error = service.migrate().await.expect_err("it is refused").to_string();
        assert!(error.contains("a variable of MySQL or MariaDB (`@name`) stays on its connection"), "{error}");
    });
}

/// A start refuses tables that its user cannot read, and names the statements that mend that. The catalogue shows such a table
/// as missing.
#[test]
fn start_names_the_rights_to_read_that_lack() {
    on_mysql(async |database, pool| {
        drop(resources(database.service().await).migrate().await.expect("the tables"));
        let rights = ["SELECT ON books", "SELECT ON audit_logs"];
        let (user, url) = user(database, pool, &rights.map(str::to_owned)).await;
        let start = async |checks: bool| {
            let service = resources(Service::connect(&url).await.expect("a service of the user"));
            let started = if checks { service.check_schema().await } else { service.migrate().await };
            started.map(drop).map_err(|error| format!("{error:?}"))
        };
        for checks in [false, true] {
            let error = start(checks).await.expect_err("a table cannot be read");
            assert!(error.contains(&format!("the database's user `{user}@")), "{error}");
            assert!(error.contains(&format!("GRANT SELECT ON `shelves` TO '{user}'@'")), "{error}");
            assert!(!error.contains("missing") && !error.contains("books"), "{error}");
        }
        let error = start(false).await.expect_err("it still cannot");
        let (_, grants) = error.split_once("let their owner run").expect("statements");
        execute(pool, grants).await;
        assert_eq!(start(false).await, Ok(()));
    });
}
