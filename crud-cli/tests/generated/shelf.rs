//! A project for a server: its tests need none, and its database follows its structs by migrations.

use std::fs;

use serde_json::json;

use crate::project::Project;
use crate::server::Server;

const NAME: &str = "generated_shelf";

#[test]
fn a_generated_project_for_a_server_changes_by_migrations() {
    let project = Project::generate(NAME, &["--database", "postgres"], &[("Book", "title:str,isbn:str?", &[])]);
    if !project.is_compiled() {
        return;
    }
    it_passes_its_tests(&project);
    // Where there is a server is not known here; the commands are the same.
    project.crud(&["config", "--set", "database_url", &format!("sqlite://{NAME}.db")]).done();
    project.crud(&["config", "--set", "bind", "127.0.0.1:0"]).done();
    its_first_migration_makes_the_tables(&project);
    a_change_is_written_read_and_applied(&project);
    project.edit("tests/resources/book.rs", "\"isbn\": \"text\"", "\"pages\": 2");
    it_passes_its_tests(&project);
    its_tests_verify_its_migrations(&project);
    what_is_wrong_is_told(&project);
}

fn it_passes_its_tests(project: &Project) {
    let said = project.cargo(&["test"]).done();
    assert!(said.contains("test result: ok. 6 passed; 0 failed"), "{said}");
}

fn its_tests_verify_its_migrations(project: &Project) {
    let tests = ["test", "its_migrations_make"];
    let database = [("DATABASE_URL", format!("sqlite://{NAME}.db"))];
    project.cargo_with(&tests, &database).done();
    let up = project.root.join("migrations").join(migrations(project).pop().expect("a file"));
    let text = fs::read_to_string(&up).expect("the file");
    fs::write(&up, "SELECT 1;\n").expect("the file");
    assert!(!project.cargo_with(&tests, &database).good, "a migration makes no column");
    fs::write(&up, text).expect("the file");
}

fn its_first_migration_makes_the_tables(project: &Project) {
    assert_eq!(project.crud(&["migrate", "status"]).done(), "There are no migrations.\n");
    let said = project.crud(&["migrate", "diff"]).done();
    let files = migrations(project);
    assert_eq!(files.len(), 2);
    assert!(files[1].ends_with("_create_books.up.sql"), "{files:?}");
    assert_eq!(
        said,
        format!(
            "Written: migrations/{}\nWritten: migrations/{}\nWritten: migrations/crud.sum\n\
             Review them before you apply them: comments mark what only you can decide.\n\
             After an edit: `crud migrate hash`.\n",
            files[1], files[0]
        )
    );
    assert!(!project.root.join(format!("{NAME}.db")).exists(), "to compare has not created the database");
    let behind = format!("the database is behind: `{}` has not been applied", files[1]);
    for arguments in [&["migrate", "diff"][..], &["check"]] {
        let said = project.crud(arguments).refused();
        assert!(said.starts_with(&format!("Error: {behind}\n")), "{said}");
    }
    let said = crate::project::run(&mut project.program()).refused();
    assert_eq!(said, format!("Error: {behind}\n"), "it does not serve before that");
    assert_eq!(project.crud(&["migrate", "apply"]).done(), format!("Applied: {}\n", files[1]));
    assert_eq!(project.crud(&["migrate", "apply"]).done(), "Nothing to apply: the database has every migration.\n");
    assert_eq!(project.crud(&["migrate", "diff"]).done(), "Nothing to write: the database matches the structs.\n");
    let server = Server::start(project, &[]);
    assert_eq!(server.post("/books", &json!({ "title": "Middlemarch", "isbn": "978" })).0, 201);
}

fn a_change_is_written_read_and_applied(project: &Project) {
    project.edit("src/resources/book.rs", "pub isbn: Option<String>", "#[crud(default = 1)]\n    pub pages: i64");
    project.crud(&["migrate", "diff"]).done();
    let up = migrations(project).pop().expect("a file");
    let text = fs::read_to_string(project.root.join("migrations").join(&up)).expect("the file");
    assert!(text.contains("\nALTER TABLE `books` ADD COLUMN `pages` INTEGER NOT NULL DEFAULT 1;\n"), "{text}");
    assert!(text.contains("\n-- ALTER TABLE `books` DROP COLUMN `isbn`;\n"), "{text}");
    let said = project.crud(&["migrate", "status"]).done();
    assert!(said.starts_with("applied       ") && said.ends_with(&format!("\npending       {up}\n")), "{said}");
    project.crud(&["migrate", "apply"]).done();
    let said = project.crud(&["check"]).done();
    let fits = "The database differs from the structs:\n  fits: table `books`, column `isbn`: is in no field\n";
    assert_eq!(said, format!("The service would start: the database lacks nothing.\n{fits}"));
    let said = project.crud(&["check", "--indexes"]).done();
    assert!(said.starts_with("Unused indexes: SQLite does not count the use of indexes."), "{said}");
    let start = "2026-01-31T12:00:00Z  INFO crud_runtime::http: listening on http://127.0.0.1:80\n";
    fs::write(project.root.join("service.log"), start).expect("a log");
    let said = project.crud(&["check", "--indexes", "service.log"]).done();
    assert_eq!(said, "Slow lists: none in the log.\nUnused indexes: none since 2026-01-31T12:00:00Z.\n");
    let server = Server::start(project, &[]);
    assert_eq!(server.get("/books/1").1, json!({ "id": 1, "title": "Middlemarch", "pages": 1 }));
    drop(server);
    let said = project.crud(&["migrate", "revert"]).refused();
    assert!(said.contains("this would drop the column `pages` of `books` with 1 value"), "{said}");
    let reverted = project.crud(&["migrate", "revert", "--yes"]);
    assert!(reverted.err.contains("This drops the column `pages` of `books` with 1 value.\n"), "{}", reverted.err);
    assert_eq!(reverted.done(), format!("Applied: {}\n", up.replace(".up.", ".down.")));
    assert!(project.crud(&["check"]).refused().contains("has not been applied"));
    project.crud(&["migrate", "apply"]).done();
}

fn what_is_wrong_is_told(project: &Project) {
    let up = migrations(project).pop().expect("a file");
    let path = project.root.join("migrations").join(&up);
    let text = fs::read_to_string(&path).expect("the file");
    fs::write(&path, "SELECT 1;\n").expect("the file");
    let said = project.crud(&["migrate", "status"]).refused();
    assert!(said.starts_with(&format!("Error: `{up}` has been changed after it was applied: ")), "{said}");
    fs::write(&path, text).expect("the file");
    project.crud(&["migrate", "status"]).done();
    assert!(!project.crud(&["migrate", "sideways"]).good);
}

/// The names of the files, in order: `….down.sql` before `….up.sql`.
fn migrations(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.root.join("migrations")).expect("the directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    let mut names: Vec<String> = names.filter(|name| name != "crud.sum").collect();
    names.sort();
    names
}
