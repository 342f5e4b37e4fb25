//! Tables that another program has made: `CRUD_TEST_TABLES=others` runs the tests of the kitchen sink and of the shop on
//! them. The scripts in `others/` make the tables, the service uses them by `check_schema`, and `migrate` makes those of the
//! service itself.

use std::env;
use std::fs::File;

use crud_runtime::prelude::*;

use crate::backend::{Backend, Database, no_sql};
use crate::case::{package, suite};

/// Environment variable: the maker of the tables, `others`; the service, where it is not set.
const TABLES: &str = "CRUD_TEST_TABLES";

const SQLITE: &str = include_str!("others/sqlite.sql");
const POSTGRES: &str = include_str!("others/postgres.sql");
const MYSQL: &str = include_str!("others/mysql.sql");

/// Cases of `conformance` that expect what only the service's own tables have, by the beginnings of their names.
const OWN_TABLES_ALONE: [(&str, &[Backend], &str); 12] = [
    ("sorting::text_sorts_by_code_point", SERVERS, ORDER),
    ("operators::ordering_operators_do_not_match_null", SERVERS, ORDER),
    ("patterns::like_is_case_sensitive_and_ilike_is_not", SERVERS, ORDER),
    ("search::records_with_each_word_are_found", PATTERNS, PARTS_OF_WORDS),
    ("exports::an_export_has_every_record_of_the_list_in_its_order", PATTERNS, PARTS_OF_WORDS),
    ("filters::text_equality_is_exact", ON_MYSQL, EQUAL),
    ("operators::eq_and_ne_do_not_match_null", ON_MYSQL, EQUAL),
    ("operators::in_and_nin_do_not_match_null", ON_MYSQL, EQUAL),
    ("conditions::text_is_found_literally", ON_MYSQL, EQUAL),
    ("keys::text_key_is_unique", ON_MYSQL, EQUAL),
    ("uniques::unique_values_are_compared_exactly", ON_MYSQL, EQUAL),
    ("upserts::texts_of_other_letter_case_are_of_other_records", ON_MYSQL, EQUAL),
];

const SERVERS: &[Backend] = &[Backend::Postgres, Backend::MySql];
const PATTERNS: &[Backend] = &[Backend::Sqlite, Backend::MySql];
const ON_MYSQL: &[Backend] = &[Backend::MySql];

const ORDER: &str = "where texts are in the order of another collation: `a` stands beside `A`";
const PARTS_OF_WORDS: &str = "where a search without an index of words finds parts of them too";
const EQUAL: &str = "where texts that differ in case or accents alone are equal by another collation";

/// Whether the tables of the kitchen sink and the shop are those of another program.
///
/// # Panics
/// When `CRUD_TEST_TABLES` is neither unset nor `others`.
pub(crate) fn are_chosen() -> bool {
    match env::var(TABLES) {
        Ok(tables) if tables == "others" => true,
        Ok(tables) => panic!("{TABLES} is `{tables}`: expected `others`"),
        Err(_) => false,
    }
}

/// The setting of the environment that chooses these tables, before a command that runs a case alone.
pub(crate) fn setting() -> String {
    if are_chosen() { format!("{TABLES}=others ") } else { String::new() }
}

/// Reason why a test does not run on another program's tables in this back end.
pub(crate) fn unsuitable(test: &str, backend: Backend) -> Option<&'static str> {
    if !backend.speaks_sql() {
        return Some("which has no tables of other programs");
    }
    let is_known = package() == "crud-tests" && suite() == "conformance";
    let mut cases = OWN_TABLES_ALONE.iter().filter(|_| is_known);
    let found = cases.find(|(name, backends, _)| test.starts_with(name) && backends.contains(&backend));
    found.map(|(_, _, reason)| *reason)
}

/// One of the script's tables, with a resource that needs the service's own ones: the audit log, and the secret of cursors.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table("clampeds", unmanaged), prefix = "/clampeds", sort, pagination(cursor), audit)]
struct Audited {
    id: i64,
    name: String,
}

impl Database {
    /// Makes the tables as another program does, and those of the service itself by `migrate`.
    ///
    /// # Panics
    /// When the database rejects them.
    pub(crate) async fn make_tables_of_others(&self) {
        let script = match self.backend() {
            Backend::Sqlite => {
                File::create(self.file()).expect("a file for the database");
                SQLITE
            }
            Backend::Postgres => POSTGRES,
            Backend::MySql => MYSQL,
            Backend::MongoDb | Backend::Memory => no_sql(),
        };
        self.execute(script).await;
        let service = self.service().await.resource::<Audited>().migrate().await;
        drop(service.expect("the tables of the service itself"));
    }
}
