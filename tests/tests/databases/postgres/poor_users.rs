//! Database users with few rights: what a service needs is what its requests use.

use crud_runtime::prelude::*;
use crud_tests::library::{self, ONE_BOOK, Shelf, resources};
use crud_tests::{Api, Database};
use sqlx::PgPool;

use crate::postgres::support::{execute, on_postgres, role_of, url_of_role};

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
