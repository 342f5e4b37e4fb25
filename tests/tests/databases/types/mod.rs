//! Types as they are: tables that other programs made are read and written in their own types and spellings.
//!
//! | Promise | Module |
//! |---|---|
//! | Enums, domains and other types of PostgreSQL are read, written, filtered and sorted | `postgres` |
//! | Types of MySQL and MariaDB are | `mysql` |
//! | Values of SQLite are read, written and compared in the spelling that is there | `sqlite` |
//! | Lists of numbers, dates and the like are kept everywhere | `lists` |
//! | Times of changes without a zone or fractions, and a deletion without a time | `managed` |
//! | A value that cannot be read is null, and takes no other down | `unreadable` |
#![allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]

mod lists;
mod managed;
mod mysql;
mod postgres;
mod sqlite;
mod unreadable;

use crud_runtime::Result;
use crud_runtime::prelude::*;
use crud_tests::Database;
use serde_json::Value as Json;

/// A resource of the service's own, whose pages follow one another by cursors.
#[derive(Debug, Clone, Resource)]
#[crud(pagination(cursor))]
struct Own {
    id: i64,
    name: String,
}

/// Runs the statements of another program in a database that has the service's own tables.
async fn prepare(database: &Database, sql: &str) {
    drop(database.service().await.resource::<Own>().migrate().await.expect("the service's own tables"));
    database.execute(sql).await;
}

/// The text of a start's error.
fn error_text<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("expected an error"),
        Err(error) => error.to_string(),
    }
}

/// The values of a field in the records of a page.
fn fields(page: &Json, name: &str) -> Vec<Json> {
    page["data"].as_array().expect("records").iter().map(|record| record[name].clone()).collect()
}
