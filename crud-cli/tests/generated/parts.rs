//! A project that gets its parts later, and its secrets from `.env`.

use std::fs;

use serde_json::json;

use crate::project::{Project, run};
use crate::server::Server;

const NAME: &str = "generated_parts";
const VARIABLES: [(&str, &str); 2] = [("BIND", "127.0.0.1:0"), ("METRICS", "127.0.0.1:0")];

#[test]
fn a_project_with_added_parts_keeps_what_is_promised() {
    let project = Project::generate(NAME, &[], &[("Book", "title:string,pages:i32=1,weight:f32?", &[])]);
    project.crud(&["add", "auth", "admin", "jobs", "metrics", "migrations"]).done();
    assert_eq!(project.cargo(&["fmt", "--", "--check"]).done(), "", "it is formatted");
    if !project.is_compiled() {
        return;
    }
    let said = project.cargo(&["test"]).done();
    for test in ["book::a_book_is_created_read_updated_and_deleted", "it_knows_who_asks"] {
        assert!(said.contains(&format!("{test} ... ok")), "{test}\n{said}");
    }
    it_reads_secrets_from_a_file(&project);
    it_lacks_what_is_destroyed(&project);
}

fn it_reads_secrets_from_a_file(project: &Project) {
    let said = project.crud(&["jobs", "list"]).done();
    assert_eq!(said, "There are no jobs yet: a start of the service, or a migration, creates their table.\n");
    let said = run(project.program().envs(VARIABLES)).refused();
    assert!(said.contains("set JWT_SECRET_KEY to what `openssl rand -base64 48` prints"), "{said}");
    let file = "JWT_SECRET_KEY='a secret of at least $32 bytes, in quotes'\nADMIN_PASSWORD='correct horse'\n";
    fs::write(project.root.join(".env"), file).expect("the file");
    let server = Server::start(project, &VARIABLES);
    assert!(!server.said.iter().any(|line| line.contains("with the password")), "{:?}", server.said);
    it_enqueues_the_job_of_its_example(server);
    // The job has no failure that would keep it.
    let said = project.crud(&["jobs", "list", "--state", "dead"]).done();
    assert_eq!(said, "There are no such jobs.\n");
    // A variable of the environment overrides the file, and an empty one hides it.
    let said = run(project.program().envs(VARIABLES).env("JWT_SECRET_KEY", "")).refused();
    assert!(said.contains("authentication has no key"), "{said}");
    fs::write(project.root.join(".env"), "JWT_SECRET_KEY a secret\n").expect("the file");
    let said = run(project.program().envs(VARIABLES)).refused();
    assert!(said.contains("`.env` cannot be used, at its first variable") && !said.contains("a secret"), "{said}");
    fs::remove_file(project.root.join(".env")).expect("the file");
}

fn it_enqueues_the_job_of_its_example(mut server: Server) {
    let (status, tokens) = server.post("/auth/login", &json!({ "username": "admin", "password": "correct horse" }));
    assert_eq!(status, 200, "{tokens}");
    assert_eq!(server.post("/greet", &json!({ "name": "Ada" })).0, 401);
    server.token = tokens["access_token"].as_str().map(str::to_owned);
    assert_eq!(server.post("/greet", &json!({ "names": "Ada" })).0, 422);
    assert_eq!(server.post("/greet", &json!({ "name": "Ada" })), (202, json!(true)));
}

fn it_lacks_what_is_destroyed(project: &Project) {
    project.crud(&["destroy", "Book", "--yes"]).done();
    assert_eq!(project.cargo(&["fmt", "--", "--check"]).done(), "", "it is formatted");
    assert!(!project.crud(&["routes"]).done().contains("/books"));
    project.cargo(&["test"]).done();
}
