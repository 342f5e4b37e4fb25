//! A program whose configuration says that the tables are another's: `check_schema = true`.

use std::path::Path;
use std::process::{Command, Output};

use crud_tests::{Backend, Database, on_each_sql_backend, on_sqlite};

use crate::foreign::support::{catalogue, other_program};

/// Runs the program of shelves and books in a directory; whether it succeeds, and its output or its error.
fn program(database: &Database, directory: &Path, checks: bool, arguments: &[&str]) -> (bool, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_shelves"));
    std::fs::write(directory.join("crud.toml"), format!("check_schema = {checks}\n")).expect("the file");
    program.args(arguments).env("DATABASE_URL", database.url()).current_dir(directory);
    let Output { status, stdout, stderr } = program.output().expect("the program runs");
    let text = if status.success() { stdout } else { stderr };
    (status.success(), String::from_utf8(text).expect("UTF-8"))
}

/// The tables of another program, without a foreign key, a unique constraint and an index.
const fn tables(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => {
            "CREATE TABLE shelves (id INTEGER PRIMARY KEY, room TEXT NOT NULL);
             CREATE TABLE books (id INTEGER PRIMARY KEY, shelf_id INTEGER NOT NULL, isbn TEXT NOT NULL, \
             price INTEGER NOT NULL, stock INTEGER NOT NULL, pages INTEGER NOT NULL)"
        }
        Backend::Postgres => {
            "CREATE TABLE shelves (id bigserial PRIMARY KEY, room text NOT NULL);
             CREATE TABLE books (id bigserial PRIMARY KEY, shelf_id bigint NOT NULL, isbn text NOT NULL, \
             price bigint NOT NULL, stock bigint NOT NULL, pages bigint NOT NULL)"
        }
        _ => {
            "CREATE TABLE shelves (id BIGINT AUTO_INCREMENT PRIMARY KEY, room TEXT NOT NULL);
             CREATE TABLE books (id BIGINT AUTO_INCREMENT PRIMARY KEY, shelf_id BIGINT NOT NULL, isbn VARCHAR(20) NOT NULL, \
             price BIGINT NOT NULL, stock BIGINT NOT NULL, pages BIGINT NOT NULL)"
        }
    }
}

#[test]
fn tables_of_another_program_are_checked_and_stay() {
    on_each_sql_backend(async |database| {
        let directory = tempfile::tempdir().expect("a directory");
        other_program(database, tables(database.backend())).await;
        let before = catalogue(database).await;
        let (done, said) = program(database, directory.path(), false, &["check"]);
        assert!(!done && said.contains("must be UNIQUE"), "as the program's own: {said}");
        let (done, said) = program(database, directory.path(), true, &["check"]);
        assert!(done && said.contains("The service would start: the database lacks nothing."), "{said}");
        assert!(said.contains("must be UNIQUE"), "what only costs is noted: {said}");
        let (done, said) = program(database, directory.path(), true, &["migrate", "diff"]);
        assert!(done, "{said}");
        let files = std::fs::read_dir(directory.path().join("migrations")).expect("the migrations");
        let ups = files.filter_map(|file| {
            let path = file.expect("a file").path();
            let name = path.file_name()?.to_string_lossy().into_owned();
            (name.ends_with(".up.sql") && !name.contains("baseline"))
                .then(|| std::fs::read_to_string(&path).expect("text"))
        });
        let up = ups.collect::<Vec<_>>().join("\n");
        assert!(up.contains("CREATE INDEX") && up.contains("-- Locks: "), "{up}");
        assert!(up.lines().all(|line| line.is_empty() || line.starts_with("--")), "{up}");
        assert_eq!(catalogue(database).await, before);
    });
}

#[test]
fn a_missing_table_is_refused_and_none_is_created() {
    on_each_sql_backend(async |database| {
        let directory = tempfile::tempdir().expect("a directory");
        other_program(database, tables(database.backend())).await;
        database.execute("DROP TABLE shelves").await;
        let before = catalogue(database).await;
        for command in [&["check"][..], &[]] {
            let (done, said) = program(database, directory.path(), true, command);
            assert!(!done && said.contains("`shelves`") && said.contains("is missing"), "{said}");
        }
        assert_eq!(catalogue(database).await, before);
    });
}

#[test]
fn a_missing_file_is_not_created() {
    on_sqlite(async |database| {
        let directory = tempfile::tempdir().expect("a directory");
        let (done, said) = program(database, directory.path(), true, &[]);
        assert!(!done && said.contains("with `check_schema` a start creates nothing"), "{said}");
        assert!(!Path::new(database.url().trim_start_matches("sqlite://")).exists());
    });
}
