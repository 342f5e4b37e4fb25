//! `crud config`.

use std::fs;

use crate::support::{Work, command, crud, said};

#[test]
fn it_shows_what_is_in_force_and_where_from() {
    let (_work, project) = Work::with_project();
    let shown = said(command(&project).args(["config", "--show"]).env("MAX_LIMIT", "50")).done();
    let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    let line = |key: &str| lines.iter().find(|line| line[0] == key).unwrap_or_else(|| panic!("{key} in {shown}"));
    assert_eq!(line("database_url")[1..3], ["sqlite://demo.db", "crud.toml"]);
    assert_eq!(line("bind")[1..3], ["0.0.0.0:8000", "crud.toml"]);
    assert_eq!(line("max_limit")[1..3], ["50", "environment"]);
    assert!(shown.contains("20, or the struct's"), "{shown}");
    assert_eq!(line("request_timeout")[1..3], ["30s", "default"]);
    assert_eq!(line("metrics")[1..4], ["-", "not", "set"]);
    assert!(shown.ends_with("unless its source sets another, such as by `Service::limits`.\n"), "{shown}");
    assert_eq!(lines.len(), crud_config::KEYS.len() + 2);
}

#[test]
fn variables_of_the_file_are_between_crud_toml_and_the_environment() {
    let (_work, project) = Work::with_project();
    fs::write(project.join(".env"), "MAX_LIMIT=40\nBIND='127.0.0.1:9000'\n").expect("the file");
    let shown = said(command(&project).args(["config", "--show"]).env("MAX_LIMIT", "50")).done();
    let line = |key: &str| shown.lines().find(|line| line.starts_with(key)).expect("the key").to_owned();
    assert!(line("bind ").contains("127.0.0.1:9000") && line("bind ").contains(".env"), "{shown}");
    assert!(line("max_limit ").contains("50") && line("max_limit ").contains("environment"), "{shown}");
    let said = crud(&project, &["config", "--set", "bind", "127.0.0.1:80"]).done();
    assert_eq!(said, "bind is now 127.0.0.1:80.\nBIND in .env overrides it.\n");
    fs::write(project.join(".env"), "MAX_LIMIT 40\n").expect("the file");
    assert!(
        crud(&project, &["config", "--show"]).refused().starts_with("`.env` cannot be used, at its first variable")
    );
}

#[test]
fn tables_of_plugins_are_named_and_left_to_the_program() {
    let (_work, project) = Work::with_project();
    let file = project.join("crud.toml");
    let before = fs::read_to_string(&file).expect("the file");
    fs::write(&file, before + "\n[board]\nplaces = 12\n").expect("the file");
    let shown = crud(&project, &["config", "--show"]).done();
    assert!(shown.ends_with("\n[board] is for a plugin, which knows its keys: `crud check` checks them.\n"), "{shown}");
    crud(&project, &["config", "--set", "max_limit", "50"]).done();
    let written = fs::read_to_string(&file).expect("the file");
    assert!(written.contains("max_limit = 50") && written.ends_with("\n[board]\nplaces = 12\n"), "{written}");
}

#[test]
fn it_removes_a_key() {
    let (_work, project) = Work::with_project();
    let file = project.join("crud.toml");
    let before = fs::read_to_string(&file).expect("the file");
    crud(&project, &["config", "--set", "max_limit", "50"]).done();
    let said = crud(&project, &["config", "--unset", "max_limit"]).done();
    assert_eq!(said, "max_limit is no longer in crud.toml: the value is now 100, or the struct's.\n");
    assert_eq!(fs::read_to_string(&file).expect("the file"), before);
    let said = crud(&project, &["config", "--unset", "max_limit"]).done();
    assert_eq!(said, "max_limit is not in crud.toml.\n");
    let said = crud(&project, &["config", "--unset", "database_url"]).done();
    assert_eq!(said, "database_url is no longer in crud.toml: the service does not start without it.\n");
    assert!(crud(&project, &["config", "--unset", "max_limt"]).refused().ends_with("did you mean `max_limit`?"));
}

#[test]
fn a_key_whose_feature_the_project_lacks_is_refused() {
    let (_work, project) = Work::with_project();
    let before = fs::read_to_string(project.join("crud.toml")).expect("the file");
    let set = |key: &str, value: &str| crud(&project, &["config", "--set", key, value]);
    assert_eq!(
        set("metrics", "127.0.0.1:9000").refused(),
        "`metrics` needs crud-runtime's feature `metrics`: `crud add metrics` adds it"
    );
    assert_eq!(
        set("database_url", "mariadb://localhost/shop").refused(),
        "`database_url` needs crud-runtime's feature `mysql`: `crud add mysql` adds it"
    );
    assert!(set("compression", "true").refused().contains("`crud add compression`"));
    assert_eq!(fs::read_to_string(project.join("crud.toml")).expect("the file"), before);
    set("compression", "false").done();
    crud(&project, &["add", "metrics"]).done();
    set("metrics", "127.0.0.1:9100").done();
}

#[test]
fn it_sets_a_key_and_keeps_the_comments() {
    let (_work, project) = Work::with_project();
    let file = project.join("crud.toml");
    let text = fs::read_to_string(&file).expect("the file").replace("8000\"", "8000\" # the default");
    fs::write(&file, &text).expect("the file");
    assert_eq!(crud(&project, &["config", "--set", "bind", "127.0.0.1:80"]).done(), "bind is now 127.0.0.1:80.\n");
    assert_eq!(crud(&project, &["config", "--set", "max_limit", "50"]).done(), "max_limit is now 50.\n");
    let origins = "http://localhost:5173";
    assert_eq!(
        crud(&project, &["config", "--set", "cors_origins", origins]).done(),
        format!("cors_origins is now {origins}.\n")
    );
    crud(&project, &["config", "--set", "cors_credentials", "true"]).done();
    let expected = text.replace("0.0.0.0:8000", "127.0.0.1:80")
        + "max_limit = 50\ncors_origins = \"http://localhost:5173\"\ncors_credentials = true\n";
    assert_eq!(fs::read_to_string(&file).expect("the file"), expected);
    let said = said(command(&project).args(["config", "--set", "max_limit", "60"]).env("MAX_LIMIT", "70")).done();
    assert_eq!(said, "max_limit is now 60.\nThe environment variable MAX_LIMIT overrides it.\n");
}

#[test]
fn it_resets_the_file() {
    let (_work, project) = Work::with_project();
    let file = project.join("crud.toml");
    let before = fs::read_to_string(&file).expect("the file");
    fs::write(&file, "no [ TOML").expect("the file");
    assert_eq!(crud(&project, &["config", "--reset"]).done(), "crud.toml is reset to its first contents.\n");
    assert_eq!(fs::read_to_string(&file).expect("the file"), before);
    fs::remove_file(&file).expect("the file");
    crud(&project, &["config", "--reset"]).done();
    assert_eq!(fs::read_to_string(&file).expect("the file"), before);
}

#[test]
fn unknown_keys_and_bad_values_are_refused() {
    let (_work, project) = Work::with_project();
    let file = project.join("crud.toml");
    let before = fs::read_to_string(&file).expect("the file");
    let set = |key: &str, value: &str| crud(&project, &["config", "--set", key, value]).refused();
    assert_eq!(set("bnid", "x"), "there is no key `bnid`: did you mean `bind`?");
    assert!(set("colour", "x").contains("expected `database_url`, `bind`, `default_limit`, `max_limit`"));
    assert_eq!(set("bind", "8000"), "`bind` must be an address such as `0.0.0.0:8000`, not `8000`");
    assert_eq!(set("max_limit", "-5"), "`max_limit` must be an integer from 1 to 4294967295, not `-5`");
    let known = "`sqlite:`, `postgres:`, `postgresql:`, `mysql:`, `mariadb:`, `mongodb:` or `mongodb+srv:`";
    let refused = format!("`database_url` must begin with {known}, not `oracle:`");
    assert_eq!(set("database_url", "oracle://me:secret@x"), refused);
    assert_eq!(fs::read_to_string(&file).expect("the file"), before);
    crud(&project, &["config", "--set", "max_limit", "10"]).done();
    assert!(set("default_limit", "20").starts_with("`default_limit` is 20, which is more than `max_limit`, 10"));
    assert!(crud(&project, &["config", "--set", "bind"]).misused().contains("--set"));
    assert!(crud(&project, &["config", "--show", "--reset"]).misused().contains("cannot be used with"));
    assert!(crud(&project, &["config"]).misused().contains("--show"));
}

#[test]
fn an_error_in_the_file_is_reported() {
    let (_work, project) = Work::with_project();
    let write = |text: &str| fs::write(project.join("crud.toml"), text).expect("the file");
    write("bind = 'x'\n");
    assert!(crud(&project, &["config", "--show"]).refused().starts_with("`bind` in `crud.toml` must be an address"));
    write("database_url = 'sqlite://a?password=secret\n");
    for arguments in [&["config", "--show"][..], &["config", "--set", "max_limit", "5"]] {
        let said = crud(&project, arguments).refused();
        assert!(said.contains("`crud.toml` is not valid TOML, line 1") && !said.contains("secret"), "{said}");
    }
}

#[test]
fn secrets_are_masked() {
    let (_work, project) = Work::with_project();
    let url = "sqlite://a.db?key=secret";
    let said = crud(&project, &["config", "--set", "database_url", url]).done();
    assert_eq!(said, "database_url is now sqlite://a.db?key=***.\n");
    assert!(!crud(&project, &["config", "--show"]).done().contains("secret"));
    assert!(fs::read_to_string(project.join("crud.toml")).expect("the file").contains(url));
}

#[test]
fn each_key_is_on_the_page_of_the_configuration() {
    let page = include_str!("../../../docs/src/reference/configuration.md");
    let (table, _) = page.split_once("\n## ").expect("the table of keys");
    let names = crud_config::KEYS.iter().map(|key| key.name);
    let missing: Vec<&str> = names.filter(|name| !table.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [""; 0]);
}
