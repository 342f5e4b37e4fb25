//! A project of four resources as `crud` generates it: it is formatted, passes clippy's pedantic lints and its own
//! tests, and serves.
//!
//! Slow: it compiles the project, without the network, with the versions of this workspace and into its target
//! directory, where most of what the project needs is compiled already.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

const NAME: &str = "generated_library";

/// What is generated: the model, its fields, and more options.
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

/// Where the project stands: always in the same place, so that what is compiled of it is replaced.
const DIRECTORY: &str = env!("CARGO_TARGET_TMPDIR");

struct Project {
    root: PathBuf,
}

impl Project {
    fn generate() -> Self {
        let project = Self { root: Path::new(DIRECTORY).join(NAME) };
        if project.root.exists() {
            fs::remove_dir_all(&project.root).expect("the last run's project goes");
        }
        run(Command::new(env!("CARGO_BIN_EXE_crud")).args(["init", "--name", NAME]), Path::new(DIRECTORY)).done();
        // Those of this workspace, which stand above, are not the users'.
        for settings in ["rustfmt.toml", "clippy.toml"] {
            fs::write(project.root.join(settings), "").expect("settings of its own");
        }
        for (model, fields, options) in MODELS {
            let arguments = [&["generate", "--model", model, "--fields", fields], options].concat();
            project.crud(&arguments).done();
        }
        // Its versions are then those that are at hand.
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
        fs::copy(lock, project.root.join("Cargo.lock")).expect("the lock file");
        project
    }

    fn crud(&self, arguments: &[&str]) -> Said {
        run(Command::new(env!("CARGO_BIN_EXE_crud")).args(arguments), &self.root)
    }

    fn cargo(&self, arguments: &[&str]) -> Said {
        run(Command::new("cargo").args(arguments), &self.root)
    }

    /// Changes a file.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.root.join(file);
        let text = fs::read_to_string(&path).expect("the file");
        assert!(text.contains(from), "{from} in {text}");
        fs::write(path, text.replace(from, to)).expect("the file");
    }
}

/// The target directory that this test is compiled in.
fn target() -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_crud")).parent().expect("the profile's directory");
    profile.parent().expect("the target directory").to_owned()
}

fn environment(command: &mut Command) -> &mut Command {
    for variable in ["DATABASE_URL", "BIND", "DEFAULT_LIMIT", "MAX_LIMIT", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command.env("CARGO_TARGET_DIR", target()).env("CARGO_NET_OFFLINE", "true")
}

struct Said {
    good: bool,
    out: String,
    err: String,
}

fn run(command: &mut Command, directory: &Path) -> Said {
    let output = environment(command).current_dir(directory).stdin(Stdio::null()).output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { good: output.status.success(), out: text(output.stdout), err: text(output.stderr) }
}

impl Said {
    #[track_caller]
    fn done(self) -> String {
        assert!(self.good, "{}{}", self.out, self.err);
        self.out
    }

    #[track_caller]
    fn refused(self) -> String {
        assert!(!self.good, "{}{}", self.out, self.err);
        self.err
    }
}

/// The project's program, serving.
struct Server {
    program: Child,
    url: String,
}

impl Server {
    /// Starts it where it finds `crud.toml`, with this environment.
    fn start(project: &Project, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(target().join("debug").join(NAME));
        environment(&mut command).envs(variables.iter().copied()).current_dir(&project.root).stdout(Stdio::piped());
        let mut program = command.spawn().expect("the program starts");
        let mut log = BufReader::new(program.stdout.take().expect("its log")).lines().map_while(Result::ok);
        let url = log.find_map(|line| Some(line.split_once("listening on ")?.1.to_owned())).expect("it listens");
        std::thread::spawn(move || log.for_each(drop));
        Self { program, url }
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = agent().post(self.url.clone() + path).send_json(body);
        answer(request)
    }

    fn get(&self, path: &str) -> (u16, Value) {
        answer(agent().get(self.url.clone() + path).call())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.program.kill().expect("the program is there");
        self.program.wait().expect("it ends");
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

fn answer(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> (u16, Value) {
    let mut response = response.expect("an answer");
    (response.status().as_u16(), response.body_mut().read_json().expect("JSON"))
}

#[test]
fn a_generated_project_keeps_what_is_promised() {
    let project = Project::generate();
    it_is_well_kept(&project);
    it_passes_its_tests(&project);
    it_answers_the_command(&project);
    it_serves_as_configured(&project);
    it_tells_what_contradicts_the_database(&project);
}

fn it_is_well_kept(project: &Project) {
    assert_eq!(project.cargo(&["fmt", "--", "--check"]).done(), "");
    project.cargo(&["clippy", "--all-targets", "--", "-D", "warnings", "-W", "clippy::pedantic"]).done();
}

fn it_passes_its_tests(project: &Project) {
    let said = project.cargo(&["test"]).done();
    for test in ["author::an_author", "book::a_book", "person::a_person", "loan::a_loan"] {
        let passed = format!("test resources::{test}_is_created_read_updated_and_deleted ... ok");
        assert!(said.contains(&passed), "{passed}\n{said}");
    }
    assert!(said.contains("test result: ok. 7 passed; 0 failed"), "{said}");
}

fn it_answers_the_command(project: &Project) {
    let document: Value = serde_json::from_str(&project.crud(&["openapi"]).done()).expect("JSON");
    assert_eq!(document["info"], json!({ "title": "Generated Library API", "version": "0.1.0" }));
    for path in ["/authors", "/books", "/people", "/loans"] {
        assert!(document["paths"][path]["post"].is_object(), "{path}");
    }
    let said = project.crud(&["check"]).done();
    assert!(said.starts_with("The service would start, and first create what the database lacks:\n"), "{said}");
    assert!(said.contains("CREATE TABLE \"books\""), "{said}");
    // To ask has not created the database.
    assert!(!project.root.join(format!("{NAME}.db")).exists());
}

fn it_serves_as_configured(project: &Project) {
    project.crud(&["config", "--set", "bind", "127.0.0.1:0"]).done();
    project.crud(&["config", "--set", "max_limit", "5"]).done();
    project.crud(&["config", "--set", "default_limit", "2"]).done();
    let server = Server::start(project, &[]);
    let (status, book) = server.post("/books", &json!({ "title": "Middlemarch", "pages": 880 }));
    assert_eq!(status, 201, "{book}");
    assert_eq!((&book["id"], &book["title"], &book["kind"]), (&json!(1), &json!("Middlemarch"), &json!("novel")));
    let (status, list) = server.get("/books?pages__gt=500&sort=-title");
    assert_eq!((status, &list["limit"], &list["total"]), (200, &json!(2), &json!(1)), "{list}");
    assert_eq!(server.get("/books?limit=6").0, 422, "the file's limit is in force");
    drop(server);
    let server = Server::start(project, &[("MAX_LIMIT", "50")]);
    assert_eq!(server.get("/books?limit=6").0, 200, "the environment goes before the file");
    assert_eq!(server.get("/books/1").1["title"], "Middlemarch", "the file's database is used again");
}

fn it_tells_what_contradicts_the_database(project: &Project) {
    let said = project.crud(&["check"]).done();
    assert_eq!(said, "The service would start: the database has all that it needs.\n");
    project.edit("src/resources/book.rs", "pub pages: i64", "pub pages: f64");
    let said = project.crud(&["check"]).refused();
    assert!(said.contains("table `books`, column `pages`"), "{said}");
    assert!(project.crud(&["openapi"]).good, "the document needs no database");
    project.edit("crud.toml", "max_limit = 5", "max_limits = 5");
    let said = project.crud(&["check"]).refused();
    assert!(said.contains("unknown key `max_limits`: did you mean `max_limit`?"), "{said}");
}
