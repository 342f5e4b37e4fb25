//! Descriptions of databases, which the `crud` command writes resources for. In `tests/existing`, `*.json` has what is expected of
//! each `*.sql`; `CRUD_TEST_UPDATE=1` writes them anew.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use crud_runtime::adapter::{AdapterError, MySqlAdapter, PostgresAdapter, SqliteAdapter};
use crud_tests::{Backend, Database, on_each_sql_backend, on_sqlite};
use serde_json::{Value, json};

use crate::existing::create;

/// The description of a database as JSON.
async fn described(database: &Database, schema: Option<&str>, tables: &[&str]) -> Result<Value, AdapterError> {
    let tables: Vec<String> = tables.iter().map(|&table| table.to_owned()).collect();
    let url = database.url();
    let catalogue = match database.backend() {
        Backend::Postgres => PostgresAdapter::describe(url, schema, &tables).await?,
        Backend::MySql => MySqlAdapter::describe(url, schema, &tables).await?,
        _ => SqliteAdapter::describe(url, schema, &tables).await?,
    };
    Ok(serde_json::to_value(catalogue).expect("JSON"))
}

/// A file of this suite.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("existing").join(name)
}

/// The statements of the guide, for the user of another team's database.
fn statements_of_the_guide() -> Vec<&'static str> {
    const GUIDE: &str = include_str!("../../../../docs/src/guide/existing-database.md");
    let blocks = GUIDE.split("\n```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    blocks.flat_map(|block| block.split(";\n")).map(str::trim).filter(|statement| !statement.is_empty()).collect()
}

/// The URL of a database for one of its roles.
fn url_of(database: &Database, role: &str) -> String {
    let separator = if database.url().contains('?') { '&' } else { '?' };
    format!("{}{separator}options=-c%20role%3D{role}", database.url())
}

/// Makes the tables of the back end.
pub(crate) async fn make(database: &Database) {
    create(database);
    run(database, &format!("{}.sql", database.backend().name())).await;
}

/// Runs the statements of a file.
pub(crate) async fn run(database: &Database, name: &str) {
    let sql = fs::read_to_string(file(name)).expect("the statements");
    for statement in sql.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
        database.execute(statement).await;
    }
}

#[test]
fn tables_and_views_are_described_as_they_are() {
    on_each_sql_backend(async |database| {
        make(database).await;
        let found = described(database, None, &[]).await.expect("a description");
        let text = serde_json::to_string_pretty(&found).expect("JSON") + "\n";
        let golden = file(&format!("{}.json", database.backend().name()));
        if env::var_os("CRUD_TEST_UPDATE").is_some() {
            fs::write(&golden, &text).expect("the file");
        }
        let expected = fs::read_to_string(&golden).expect("the file, which CRUD_TEST_UPDATE=1 writes");
        assert_eq!(text, expected, "{} differs", golden.display());
    });
}

#[test]
fn one_table_is_described_by_its_name() {
    on_each_sql_backend(async |database| {
        make(database).await;
        let table = if database.backend() == Backend::Sqlite { "Book" } else { "book" };
        let found = described(database, None, &[table]).await.expect("a description");
        let names: Vec<_> = found["tables"].as_array().expect("tables").iter().map(|table| &table["name"]).collect();
        assert_eq!(names, [table]);
        assert_eq!(found["left_out"], json!([]));
    });
}

#[test]
fn a_schema_of_its_name_is_described() {
    on_each_sql_backend(async |database| {
        make(database).await;
        let error = described(database, Some("nowhere"), &[]).await;
        match database.backend() {
            Backend::Postgres => {
                assert!(error.is_err(), "there is no such schema");
                let found = described(database, Some("archive"), &[]).await.expect("a description");
                assert_eq!(found["schema"], "archive");
                let kept = &found["tables"][0]["columns"][2]["ty"];
                assert_eq!((&kept["declared"], &kept["labels"][1]), (&json!("mood"), &json!("PG-13")));
            }
            Backend::Sqlite => assert!(error.is_err(), "a file has no schema"),
            _ => assert_eq!(error.expect("a description")["tables"], json!([]), "the user sees none"),
        }
    });
}

#[test]
fn the_journal_of_a_file_stays_as_it_is() {
    on_sqlite(async |database| {
        make(database).await;
        database.execute("PRAGMA journal_mode = DELETE").await;
        described(database, None, &[]).await.expect("a description");
        assert_eq!(database.texts("SELECT journal_mode FROM pragma_journal_mode").await, ["delete"]);
    });
}

/// Runs a project's program; whether it succeeds, and its output or its error.
fn program(database: &Database, arguments: &[&str]) -> (bool, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_mover"));
    let directory = tempfile::tempdir().expect("a directory");
    program.args(arguments).env("DATABASE_URL", database.url()).current_dir(directory.path());
    let Output { status, stdout, stderr } = program.output().expect("the program runs");
    let text = if status.success() { stdout } else { stderr };
    (status.success(), String::from_utf8(text).expect("UTF-8"))
}

#[test]
fn the_program_prints_what_the_command_reads() {
    on_sqlite(async |database| {
        let (done, said) = program(database, &["describe"]);
        assert!(!done && said.contains("the database is a file that does not exist"), "{said}");
        make(database).await;
        let (done, said) = program(database, &["describe", "--table", "Book", "--table", "Author"]);
        assert!(done, "{said}");
        let found: Value = serde_json::from_str(&said).expect("JSON in one line");
        assert_eq!(found, described(database, None, &["Book", "Author"]).await.expect("a description"));
        let (done, said) = program(database, &["describe", "--schema", "sales"]);
        assert!(!done && said.contains("a file of SQLite has no schema `sales`"), "{said}");
        assert_eq!(database.texts("SELECT journal_mode FROM pragma_journal_mode").await, ["delete"]);
    });
}

#[test]
fn a_table_that_the_user_may_not_read_is_left_out() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        make(database).await;
        for statement in [
            "DROP ROLE IF EXISTS crud_poor",
            "CREATE ROLE crud_poor LOGIN",
            "GRANT USAGE ON SCHEMA public TO crud_poor",
            "GRANT SELECT ON publishers, book TO crud_poor",
            "GRANT UPDATE ON book TO crud_poor",
        ] {
            database.execute(statement).await;
        }
        let url = url_of(database, "crud_poor");
        let catalogue = PostgresAdapter::describe(&url, None, &[]).await.expect("a description");
        let found = serde_json::to_value(catalogue).expect("JSON");
        let tables: Vec<_> = found["tables"].as_array().expect("tables").iter().collect();
        let writable: Vec<_> = tables.iter().map(|table| (&table["name"], &table["writable"])).collect();
        assert_eq!(writable, [(&json!("book"), &json!(true)), (&json!("publishers"), &json!(false))]);
        let left_out = found["left_out"].as_array().expect("tables");
        assert!(left_out.contains(&json!({ "table": "author", "reason": "the user may not read it" })), "{left_out:?}");
        for statement in ["DROP OWNED BY crud_poor", "DROP ROLE crud_poor"] {
            database.execute(statement).await;
        }
    });
}

#[test]
fn the_user_of_the_guide_reads_and_writes_every_table() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        make(database).await;
        let drop = ["DROP SCHEMA IF EXISTS crud", "DROP OWNED BY shop_api", "DROP ROLE shop_api"];
        for statement in statements_of_the_guide() {
            database.execute(statement).await;
        }
        let catalogue = PostgresAdapter::describe(&url_of(database, "shop_api"), None, &[]).await;
        let found = serde_json::to_value(catalogue.expect("a description")).expect("JSON");
        for table in found["tables"].as_array().expect("tables") {
            assert_eq!(table["writable"], table["kind"] == "table", "{table}");
        }
        assert!(
            found["left_out"].as_array().expect("tables").iter().all(|one| one["reason"] != "the user may not read it")
        );
        for statement in drop {
            database.execute(statement).await;
        }
    });
}
