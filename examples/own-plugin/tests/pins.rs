//! The plugin in a service, and in a program with its settings and its command.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crud_runtime::auth::{Auth, Principal};
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::on_each_sql_backend;
use own_plugin::Pins;
use serde_json::json;

/// A book of its owner.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Book {
    id: i64,
    title: String,
    #[crud(owner)]
    owner: String,
}

fn auth() -> Auth {
    Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("a long secret")
}

async fn with_books(service: Service) -> Test {
    let service = service.auth(auth()).plugin(Pins { days: 90 }).expect("one plugin").resource::<Book>();
    service.test().await.expect("the tables")
}

#[test]
fn records_that_the_caller_sees_are_pinned() {
    on_each_sql_backend(async |database| {
        let test = with_books(database.service().await).await;
        let [ann, bob] = ["ann", "bob"].map(|name| test.as_principal(Principal::new(name)));
        for title in ["Emma", "Middlemarch"] {
            ann.post("/books", json!({ "title": title })).await.expect(201);
        }
        for id in [1, 2, 1] {
            ann.post(format!("/books/{id}/pin"), json!({})).await.expect(204);
        }
        bob.post("/books/1/pin", json!({})).await.problem("not_found");
        let pinned = ann.get("/pins").await.expect(200).json();
        let titles: Vec<_> = pinned.as_array().expect("pins").iter().map(|pin| &pin["record"]["title"]).collect();
        assert_eq!(titles, ["Middlemarch", "Emma"]);
        ann.delete("/books/2").await.expect(200);
        assert_eq!(ann.get("/pins").await.expect(200).json()[0]["record"]["title"], "Emma");
        assert_eq!(bob.get("/pins").await.expect(200).json(), json!([]));
        test.get("/pins").await.problem("authentication_failed");
    });
}

#[test]
fn old_pins_are_removed_at_night() {
    on_each_sql_backend(async |database| {
        let test = with_books(database.service().await).await;
        let ann = test.as_principal(Principal::new("ann"));
        ann.post("/books", json!({ "title": "Emma" })).await.expect(201);
        ann.post("/books/1/pin", json!({})).await.expect(204);
        let now = test.clock().now();
        test.clock().set(now + TimeDelta::days(89));
        test.run_jobs().await.expect("the schedule");
        assert_eq!(ann.get("/pins").await.expect(200).json().as_array().map(Vec::len), Some(1));
        test.clock().set(now + TimeDelta::days(92));
        test.run_jobs().await.expect("the schedule");
        assert_eq!(ann.get("/pins").await.expect(200).json(), json!([]));
    });
}

#[test]
fn service_without_users_does_not_start() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.plugin(Pins { days: 90 }).expect("one plugin");
        let error = service.without_auth().test().await.expect_err("no users").to_string();
        assert!(error.contains("pins are of users"), "{error}");
    });
}

/// Runs the program in a directory.
fn run(directory: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-plugin"));
    command.args(arguments).current_dir(directory).env_remove("DATABASE_URL").envs(variables.iter().copied());
    command.output().expect("the program runs")
}

/// A directory with `crud.toml`.
fn configured(table: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let text = format!("database_url = 'sqlite://pins.db'\n{table}");
    fs::write(directory.path().join("crud.toml"), text).expect("the file");
    directory
}

fn failure(table: &str, variables: &[(&str, &str)]) -> String {
    let output = run(configured(table).path(), &["check"], variables);
    assert!(!output.status.success(), "{table}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn settings_are_checked_with_the_nearest_name() {
    let checked = run(configured("[pins]\ndays = 7").path(), &["check"], &[]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    for (table, variables, expected) in [
        ("[pins]\ndyas = 7", &[][..], "`[pins]` in `crud.toml` has the unknown key `dyas`: did you mean `days`?"),
        (
            "[pin]\ndays = 7",
            &[],
            "`crud.toml` has the table `[pin]`, which is no plugin of the service: did you mean `pins`?",
        ),
        ("[pins]\ndays = '7'", &[], "`days` of `[pins]` in `crud.toml` must be an integer from 0"),
        ("[pins]\ndays = 7", &[("PINS_DAYS", "many")], "the variable `PINS_DAYS` must be an integer from 0"),
    ] {
        let failure = failure(table, variables);
        assert!(failure.contains(expected), "{failure}");
    }
}

#[test]
fn commands_of_the_plugin_are_in_the_help_and_run() {
    let directory = configured("");
    let help = String::from_utf8(run(directory.path(), &["--help"], &[]).stdout).expect("UTF-8");
    assert!(help.ends_with("\nCommands of plugins:\n  pins count  Prints the number of pins\n"), "{help}");
    let output = |arguments: &[&str]| run(directory.path(), arguments, &[]);
    let failure = |arguments: &[&str]| String::from_utf8(output(arguments).stderr).expect("UTF-8");
    assert!(failure(&["pins", "cuont"]).contains("unrecognized command 'cuont' of `pins`: did you mean `count`?"));
    assert!(failure(&["penguins"]).contains("unrecognized subcommand 'penguins'"));
    assert!(failure(&["pins", "count"]).contains("lacks a table"));
    for step in ["diff", "apply"] {
        assert!(output(&["migrate", step]).status.success(), "{step}");
    }
    let counted = output(&["pins", "count"]);
    assert_eq!(String::from_utf8(counted.stdout).expect("UTF-8"), "0 pins\n");
}
