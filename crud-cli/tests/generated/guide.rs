//! The shell commands of the guide to databases that are there, one after the other.

use rusqlite::Connection;
use serde_json::json;

use crate::project::Project;
use crate::server::Server;

const GUIDE: &str = include_str!("../../../docs/src/guide/existing-database.md");

/// The file of the guide's program of another team.
const FILE: &str = "/var/lib/shop/shop.db";

#[test]
fn commands_for_the_database_of_another_team_lead_to_its_records() {
    follow("PostgreSQL of another team", "api");
}

#[test]
fn commands_for_the_file_of_another_program_lead_to_its_records() {
    follow("A SQLite file of another program", "reader");
}

/// The lines of the shell in a section of the guide.
fn commands(section: &str) -> Vec<&'static str> {
    let begin = format!("\n## {section}\n");
    let (_, text) = GUIDE.split_once(begin.as_str()).expect("the section");
    let text = text.split("\n## ").next().unwrap_or_default();
    let blocks = text.split("\n```sh\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default());
    blocks.flat_map(str::lines).collect()
}

/// The words of a line; quotes hold one together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| {
        let is_quoted = index % 2 == 1;
        if is_quoted { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
    });
    words.collect()
}

/// The tables of the other program, with an order.
fn make(file: &str) {
    let connection = Connection::open(file).expect("a file");
    let tables = "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                  CREATE TABLE \"order\" (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id),
                  placed_at TIMESTAMP NOT NULL);
                  INSERT INTO customer (name) VALUES ('Ann');
                  INSERT INTO \"order\" (customer_id, placed_at) VALUES (1, 1600000000), (1, 1780000000)";
    connection.execute_batch(tables).expect("its tables");
}

/// Carries the commands of a section out. Where there is a server is not known here: a file is in its place, whose commands
/// are the same.
fn follow(section: &str, name: &'static str) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("shop.db").to_str().expect("a name in UTF-8").to_owned();
    make(&file);
    let url = format!("sqlite://{file}");
    let mut lines = commands(section).into_iter();
    let init = words(lines.next().expect("a command"));
    assert_eq!(init[..4], ["crud", "init", "--name", name]);
    let options: Vec<&str> = init[4..].iter().map(String::as_str).collect();
    let project = Project::generate(name, &options, &[]);
    if !project.is_compiled() {
        return;
    }
    project.crud(&["config", "--set", "bind", "127.0.0.1:0"]).done();
    let (mut environment, mut server) = (Vec::new(), None);
    for line in lines {
        let words = words(line);
        match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["cd", directory] => assert_eq!(*directory, name),
            ["export", "DATABASE_URL=", _] => environment.push(("DATABASE_URL", url.as_str())),
            ["crud", "config", "--set", "database_url", given] => {
                assert!(given.contains(FILE), "{given}");
                project.crud(&["config", "--set", "database_url", &given.replace(FILE, &file)]).done();
            }
            ["crud", arguments @ ..] => drop(project.crud_with(arguments, &environment).done()),
            ["cargo", "run"] => {
                assert_eq!(project.cargo(&["fmt", "--", "--check"]).done(), "", "it is formatted");
                project.cargo(&["build"]).done();
                server = Some(Server::start(&project, &environment));
            }
            ["curl", address] => {
                let (_, path) = address.split_once('/').expect("a path");
                let (status, found) = server.as_ref().expect("it serves").get(&format!("/{path}"));
                assert_eq!((status, &found["data"][0]["customer"]["name"]), (200, &json!("Ann")), "{found}");
                assert_eq!(found["data"].as_array().map(Vec::len), Some(1), "{found}");
            }
            other => panic!("this test does not know {other:?}"),
        }
    }
    let (status, found) = server.expect("it serves").get("/orders?sort=id");
    assert_eq!((status, &found["data"][1]["id"]), (200, &json!(2)), "{found}");
    let mode = Connection::open(&file).expect("the file").query_row("PRAGMA journal_mode", [], |row| row.get(0));
    let mode: String = mode.expect("the journal mode");
    assert_eq!(mode == "delete", section.starts_with("A SQLite file"), "{mode}");
}
