//! Databases that another program made.
//!
//! | Promise | Modules |
//! |---|---|
//! | A database's tables, views, keys and types are described as they are | `descriptions` |
//! | Resources for them answer what SQL answers, in every order and filter, also in the order of a language | `served` |
//! | They are what the `crud` command wrote | `mysql`, `postgres`, `sqlite` |
//! | A file of SQLite stays in its journal mode where the URL says so | `journal` |

mod descriptions;
mod journal;
mod served;

/// Resources as the `crud` command wrote them.
#[path = "../../../existing/mysql/mod.rs"]
#[rustfmt::skip]
#[allow(unreachable_pub)] // In a project, they are.
mod mysql;
/// Resources as the `crud` command wrote them.
#[path = "../../../existing/postgres/mod.rs"]
#[rustfmt::skip]
#[allow(unreachable_pub)] // In a project, they are.
mod postgres;
/// Resources as the `crud` command wrote them.
#[path = "../../../existing/sqlite/mod.rs"]
#[rustfmt::skip]
#[allow(unreachable_pub)] // In a project, they are.
mod sqlite;

use std::fs;

use crud_tests::{Backend, Database};

/// Makes the file of a database that no service has opened; a server has its database already.
fn create(database: &Database) {
    if database.backend() == Backend::Sqlite {
        let file = database.url().trim_start_matches("sqlite://");
        fs::write(file, "").expect("the file");
    }
}
