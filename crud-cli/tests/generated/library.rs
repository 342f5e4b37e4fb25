//! A project of four resources.

use serde_json::{Value, json};

use crate::project::{Project, run};
use crate::server::Server;

const NAME: &str = "generated_library";

/// Arguments of `generate`: the model, its fields, and more options.
const MODELS: [(&str, &str, &[&str]); 4] = [
    (
        "Author",
        "name:str!,born:date?,alive:bool=true",
        &["--filter", "--sort", "name", "--soft-delete", "--batch", "--audit"],
    ),
    (
        "Book",
        "title:str,pages:int,isbn:str?!,price:decimal=12.50,weight:float?,kind:enum(novel|short_story)=novel,\
         language:enum(DE|EN|fr)?,author:ref(Author)?,type:str?,extra:json?,cover:bytes?,shelf_mark:uuid?,\
         created_at:datetime,updated_at:datetime",
        &["--filter", "title,pages,author,kind", "--sort", "title,pages,created_at", "--soft-delete"],
    ),
    ("Person", "name:text,a:bool,b:bool,c:bool,d:bool,person_number:int!,boss:ref(Person)?", &["--filter"]),
    (
        "Loan",
        "book:ref(Book),person:ref(Person),editor:ref(Author)?,due:datetime,state:enum(on_loan|in_loan|no_loan)",
        &[],
    ),
];

#[test]
fn a_generated_project_keeps_what_is_promised() {
    let project = Project::generate(NAME, &[], &MODELS);
    if !project.is_compiled() {
        return;
    }
    it_passes_its_tests(&project);
    a_change_that_breaks_clients_fails_its_tests(&project);
    it_answers_the_command(&project);
    it_serves_as_configured(&project);
    it_imports_files(&project);
    it_moves_its_records(&project);
    it_does_not_start_with_a_rule_that_nothing_checks(&project);
    it_tells_what_contradicts_the_database(&project);
}

fn it_passes_its_tests(project: &Project) {
    let said = project.cargo(&["test"]).done();
    for test in ["author::an_author", "book::a_book", "person::a_person", "loan::a_loan"] {
        let passed = format!("test resources::{test}_is_created_read_updated_and_deleted ... ok");
        assert!(said.contains(&passed), "{passed}\n{said}");
    }
    assert!(said.contains("test result: ok. 9 passed; 0 failed"), "{said}");
}

fn a_change_that_breaks_clients_fails_its_tests(project: &Project) {
    let tests = ["test", "clients_of_the_locked_interface_still_work"];
    project.crud(&["api", "lock"]).done();
    project.cargo(&tests).done();
    project.edit("src/resources/author.rs", "pub born:", "pub born_on:");
    let said = project.cargo(&tests);
    let sentence = "clients of the interface in api.lock.json break; if you mean that, run `crud api lock`\n- ";
    let removed =
        "the field `born` is removed\n    if the field has a new name, `rename = \"born\"` on `born_on` keeps the one";
    assert!(!said.good && said.out.contains(sentence) && said.out.contains(removed), "{}", said.out);
    project.edit("src/resources/author.rs", "pub born_on:", "#[crud(rename = \"born\")]\n    pub born_on:");
    project.cargo(&tests).done();
    project.edit("src/resources/author.rs", "#[crud(rename = \"born\")]\n    pub born_on:", "pub born:");
    std::fs::remove_file(project.root.join("api.lock.json")).expect("the lock file");
}

fn it_answers_the_command(project: &Project) {
    let document: Value = serde_json::from_str(&project.crud(&["openapi"]).done()).expect("JSON");
    assert_eq!(document["info"], json!({ "title": "Generated Library API", "version": "0.1.0" }));
    for path in ["/authors", "/books", "/people", "/loans"] {
        assert!(document["paths"][path]["post"].is_object(), "{path}");
    }
    let said = project.crud(&["check"]).done();
    assert!(said.starts_with("The service would start, and would first create what the database lacks:\n"), "{said}");
    assert!(said.contains("CREATE TABLE `books`"), "{said}");
    // To ask has not created the database.
    assert!(!project.root.join(format!("{NAME}.db")).exists());
}

fn it_serves_as_configured(project: &Project) {
    project.crud(&["config", "--set", "bind", "127.0.0.1:0"]).done();
    project.crud(&["config", "--set", "max_limit", "5"]).done();
    project.crud(&["config", "--set", "default_limit", "2"]).done();
    let server = Server::start(project, &[]);
    let open = "WARN the service is open to everyone: it has no authentication, and it states no access rule";
    let listens = "INFO listening on ADDRESS";
    let logged = server.logged();
    assert_eq!((logged.len(), &logged[1..]), (3, &[open.to_owned(), listens.to_owned()][..]), "{logged:?}");
    assert!(logged[0].starts_with("INFO creates tables tables=\"authors, books, "), "{logged:?}");
    let (status, book) = server.post("/books", &json!({ "title": "Middlemarch", "pages": 880 }));
    assert_eq!(status, 201, "{book}");
    assert_eq!((&book["id"], &book["title"], &book["kind"]), (&json!(1), &json!("Middlemarch"), &json!("novel")));
    let (status, list) = server.get("/books?pages__gt=500&sort=-title");
    assert_eq!((status, &list["limit"], &list["total"]), (200, &json!(2), &json!(1)), "{list}");
    assert_eq!(server.get("/books?limit=6").0, 422, "the file's limit is in force");
    drop(server);
    let server = Server::start(project, &[("MAX_LIMIT", "50")]);
    assert_eq!(server.get("/books?limit=6").0, 200, "the environment overrides the file");
    assert_eq!(server.logged(), [open, listens], "the tables are there");
    assert_eq!(server.get("/books/1").1["title"], "Middlemarch", "the file's database is used again");
}

fn it_imports_files(project: &Project) {
    let write = |text: &str| std::fs::write(project.root.join("books.csv"), text).expect("a file");
    write("title,pages\nEmma,474\n,12\nIt,x\n");
    let said = project.crud(&["import", "books", "books.csv"]).refused();
    assert!(said.contains("line 3: title: is required\nline 4: pages: must be an integer"), "{said}");
    let said = project.crud(&["import", "books", "books.csv", "--partial"]).refused();
    assert!(said.contains("2 records are refused"), "{said}");
    write("title,pages\nPersuasion,249\nLady Susan,100\n");
    let dry = project.crud(&["import", "books", "books.csv", "--dry-run"]).done();
    let keys = "Keys are new: references in other files still have the old ones. `crud move` keeps keys.\n";
    assert_eq!(dry, format!("{keys}would be created: 2, updated: 0, skipped: 0, refused: 0\n"));
    assert_eq!(
        project.crud(&["import", "books", "books.csv"]).done(),
        format!("{keys}created: 2, updated: 0, skipped: 0, refused: 0\n")
    );
    assert!(project.crud(&["backup", "copy.db"]).done().contains("copy.db is a copy of the database."));
    let said = project.crud(&["backup", "copy.db"]).refused();
    let expected = "cannot copy the database: cannot create ";
    assert!(
        said.contains(expected) && said.contains("it exists, and a copy replaces no file: name another one"),
        "{said}"
    );
    let said = project.crud(&["import", "bookes", "books.csv"]).refused();
    assert!(said.contains("there is no resource `bookes`: expected"), "{said}");
    let server = Server::start(project, &[]);
    assert_eq!(server.get("/books").1["total"], 4, "with the one that was there");
}

fn it_moves_its_records(project: &Project) {
    let (from, to) = (format!("sqlite://{NAME}.db"), "sqlite://moved.db");
    let said = project.crud(&["move", "--from", &from, "--to", to]).done();
    assert!(said.contains("\nbooks ") && said.contains("Moved: "), "{said}");
    let said = project.crud(&["move", "--from", &from, "--to", to]).refused();
    assert!(said.contains("the target is not empty") && said.contains("table `books`: 4 records"), "{said}");
    let said = project.crud(&["move", "--from", &from, "--to", "postgres://localhost/books"]).refused();
    assert!(said.contains("PostgreSQL needs crud-runtime's feature `postgres`"), "{said}");
    let server = Server::start(project, &[("DATABASE_URL", to)]);
    assert_eq!(server.get("/books").1["total"], 4, "all of them");
}

fn it_does_not_start_with_a_rule_that_nothing_checks(project: &Project) {
    let (unruled, ruled) = ("#[crud(\n    filter(title", "#[crud(access(delete(role(\"admin\"))),\n    filter(title");
    project.edit("src/resources/book.rs", unruled, ruled);
    for command in [&["check"][..], &["openapi"], &["routes"]] {
        let said = project.crud(command).refused();
        assert!(said.contains("Book states") && said.contains("has no authentication"), "{command:?}: {said}");
    }
    assert!(run(&mut project.program()).refused().contains("has no authentication"), "it does not serve either");
    project.crud(&["config", "--set", "auth", "false"]).done();
    let server = Server::start(project, &[]);
    assert_eq!(server.get("/books").0, 200);
    drop(server);
    project.crud(&["config", "--set", "auth", "true"]).done();
    project.edit("src/resources/book.rs", ruled, unruled);
}

fn it_tells_what_contradicts_the_database(project: &Project) {
    let said = project.crud(&["check"]).done();
    assert_eq!(said, "The service would start: the database lacks nothing.\n");
    project.edit("src/resources/book.rs", "pub pages: i64", "pub pages: f64");
    let said = project.crud(&["check"]).refused();
    assert!(said.contains("table `books`, column `pages`"), "{said}");
    assert!(said.contains("`crud migrate diff` writes the statements, `crud migrate apply` applies them"), "{said}");
    assert!(project.crud(&["openapi"]).good, "the document needs no database");
    project.edit("crud.toml", "max_limit = 5", "max_limits = 5");
    let said = project.crud(&["check"]).refused();
    assert!(said.contains("unknown key `max_limits`: did you mean `max_limit`?"), "{said}");
}
