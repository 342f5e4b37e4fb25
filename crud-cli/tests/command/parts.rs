//! `crud add`.

use std::fs;
use std::path::Path;

use crate::support::{Work, assert_formatted, crud, files};

fn read(project: &Path, file: &str) -> String {
    fs::read_to_string(project.join(file)).expect("the file")
}

/// Asserts that the files of the projects `late` and `with` are the same, but for the names of their directories.
#[track_caller]
fn assert_same(work: &Work, is_compared: impl Fn(&str) -> bool) {
    let (late, with) = (files(&work.path("late/demo")), files(&work.path("with/demo")));
    assert_eq!(late.keys().collect::<Vec<_>>(), with.keys().collect::<Vec<_>>());
    for (file, text) in with.iter().filter(|(file, _)| is_compared(file)) {
        assert_eq!(late[file].replace("/late/", "/with/"), *text, "{file}");
    }
}

#[test]
fn authentication_is_added_to_a_project_as_init_makes_it() {
    let work = Work::new();
    work.crud(&["init", "--name", "demo", "--path", "with", "--auth"]).done();
    work.crud(&["init", "--name", "demo", "--path", "late"]).done();
    let project = work.path("late/demo");
    let said = crud(&project, &["add", "auth", "admin"]).done();
    for file in ["Cargo.toml", "README.md", ".env.example", "Dockerfile", "src/main.rs", "tests/api.rs"] {
        assert!(said.contains(&format!("Changed: {file}\n")), "{file}: {said}");
    }
    // Equal settings stand at other places of the manifests.
    for manifest in [read(&project, "Cargo.toml"), read(&work.path("with/demo"), "Cargo.toml")] {
        assert!(manifest.contains("\n[profile.dev.package.argon2]\nopt-level = 3\ndebug = false\n"), "{manifest}");
    }
    assert_same(&work, |file| file != "Cargo.toml");
    assert_eq!(crud(&project, &["add", "auth", "admin"]).done(), "Nothing to change: the project has these parts.\n");
    assert_formatted(&project);
}

#[test]
fn admin_page_is_added_to_a_project_without_logins() {
    let (_work, project) = Work::with_project();
    crud(&project, &["add", "admin"]).done();
    let main = read(&project, "src/main.rs");
    assert!(main.contains("config::run(service)") && main.contains("crud_admin::Admin::new()"), "{main}");
    assert!(read(&project, "Cargo.toml").contains("\ncrud-admin = { "), "its crate is a dependency");
    assert_eq!(crud(&project, &["add", "admin"]).done(), "Nothing to change: the project has these parts.\n");
    assert_formatted(&project);
    crud(&project, &["add", "auth"]).done();
    assert!(
        read(&project, "src/main.rs").contains("        .access(|access| access.users_role(\"admin\"))\n"),
        "it manages users"
    );
}

#[test]
fn events_are_added_beside_files() {
    let (_work, project) = Work::with_project();
    crud(&project, &["add", "events", "files"]).done();
    let main = read(&project, "src/main.rs");
    assert!(main.contains("crud_events::Events::new().every_audited_resource()"), "{main}");
    assert!(read(&project, "Cargo.toml").contains("\ncrud-events = { "), "its crate is a dependency");
    assert_formatted(&project);
}

#[test]
fn files_are_added_alone_and_beside_the_admin_page() {
    let (_work, project) = Work::with_project();
    crud(&project, &["add", "files"]).done();
    let main = read(&project, "src/main.rs");
    assert!(main.contains("config::run(service)") && main.contains("crud_files::Files::local(\"files\")"), "{main}");
    assert!(read(&project, "Cargo.toml").contains("\ncrud-files = { "), "its crate is a dependency");
    assert!(read(&project, ".gitignore").contains("\n/files\n"), "files are no sources");
    assert_formatted(&project);
    crud(&project, &["add", "admin", "auth"]).done();
    let main = read(&project, "src/main.rs");
    let both = "        .plugin(crud_admin::Admin::new())?\n        .plugin(crud_files::Files::local(\"files\"))\n";
    assert!(main.contains(both), "{main}");
    assert_eq!(crud(&project, &["add", "files"]).done(), "Nothing to change: the project has these parts.\n");
    assert_formatted(&project);
}

#[test]
fn agents_are_added_alone_and_beside_the_admin_page() {
    let (_work, project) = Work::with_project();
    crud(&project, &["add", "mcp"]).done();
    let main = read(&project, "src/main.rs");
    assert!(main.contains("config::run(service)") && main.contains("crud_mcp::Mcp::new()"), "{main}");
    assert!(read(&project, "Cargo.toml").contains("\ncrud-mcp = { "), "its crate is a dependency");
    assert_formatted(&project);
    crud(&project, &["add", "admin", "auth"]).done();
    let main = read(&project, "src/main.rs");
    let both = "        .plugin(crud_admin::Admin::new())?\n        .plugin(crud_mcp::Mcp::new())\n";
    assert!(main.contains(both), "{main}");
    assert_eq!(crud(&project, &["add", "mcp"]).done(), "Nothing to change: the project has these parts.\n");
    assert_formatted(&project);
}

#[test]
fn resources_and_edits_stay() {
    let (_work, project) = Work::with_project();
    crud(&project, &["generate", "--model", "Book", "--fields", "title"]).done();
    let tests = read(&project, "tests/api.rs") + "\n#[test]\nfn mine() {}\n";
    fs::write(project.join("tests/api.rs"), tests).expect("the file");
    crud(&project, &["add", "auth", "jobs", "metrics"]).done();
    let tests = read(&project, "tests/api.rs");
    for part in [
        "    mod book;\n",
        "fn log_in(&mut self) {",
        "fn it_has_nothing_for_strangers()",
        "fn mine() {}",
        ".env(\"METRICS\", \"127.0.0.1:0\")",
    ] {
        assert!(tests.contains(part), "{part}: {tests}");
    }
    let main = read(&project, "src/main.rs");
    assert!(main.contains("mod jobs;\nmod resources;\n") && main.contains("run_with_auth("), "{main}");
    let registry = read(&project, "src/resources/mod.rs");
    assert!(
        registry.contains("        .job::<crate::jobs::Greeting>()\n        .resource::<book::Book>()\n"),
        "{registry}"
    );
    assert!(registry.contains("\n        .route(\"/greet\", crate::jobs::route())\n"), "{registry}");
    assert!(read(&project, "src/jobs.rs").contains("    post(greet).access(Access::Authenticated)\n"));
    assert!(read(&project, "crud.toml").ends_with("metrics = \"127.0.0.1:9000\"\n"));
    let manifest = read(&project, "Cargo.toml");
    assert!(manifest.contains("features = [\"config\", \"migrations\", \"jobs\", \"metrics\"] }"), "{manifest}");
    assert!(manifest.contains("\nserde = { version = \"1\", features = [\"derive\"] }\n"), "{manifest}");
    assert_formatted(&project);
    let before = files(&project);
    crud(&project, &["add", "metrics", "jobs", "auth"]).done();
    assert_eq!(files(&project), before);
}

#[test]
fn the_route_of_jobs_states_its_access_once_there_is_authentication() {
    let (_work, project) = Work::with_project();
    crud(&project, &["add", "jobs"]).done();
    let before = read(&project, "src/jobs.rs");
    assert!(before.contains("    post(greet)\n") && !before.contains("access"), "{before}");
    crud(&project, &["add", "auth"]).done();
    let (_other_work, other) = Work::with_project();
    crud(&other, &["add", "jobs", "auth"]).done();
    assert_eq!(read(&project, "src/jobs.rs"), read(&other, "src/jobs.rs"));
    assert_formatted(&project);
}

#[test]
fn a_change_whose_place_is_edited_is_printed() {
    let (_work, project) = Work::with_project();
    let main =
        read(&project, "src/main.rs").replace("crud_runtime::config::run(resources::add).await", "start().await");
    fs::write(project.join("src/main.rs"), main).expect("the file");
    let said = crud(&project, &["add", "auth"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("\nYou have edited the lines of src/main.rs that this changes:\n"), "{said:?}");
    assert!(
        said.out.contains("\n+    crud_runtime::config::run_with_auth(resources::add, Auth::builder()).await\n"),
        "{said:?}"
    );
    assert_eq!(
        said.err,
        "error: `src/main.rs` has lines that were edited, and are not changed: make the changes above yourself\n"
    );
    assert!(read(&project, "src/main.rs").contains("start().await"));
}

#[test]
fn a_project_changes_its_database() {
    let work = Work::new();
    work.crud(&["init", "--name", "demo", "--path", "with", "--database", "postgres"]).done();
    work.crud(&["init", "--name", "demo", "--path", "late"]).done();
    let project = work.path("late/demo");
    crud(&project, &["add", "postgres"]).done();
    assert_same(&work, |_| true);
    crud(&project, &["add", "mysql"]).done();
    let manifest = read(&project, "Cargo.toml");
    assert!(manifest.contains("features = [\"config\", \"migrations\", \"mysql\"] }"), "{manifest}");
    assert!(read(&project, "crud.toml").contains("database_url = \"mysql://localhost:3306/demo\""));
}

#[test]
fn an_image_and_tests_without_a_socket_are_added() {
    let (_work, project) = Work::with_project();
    let (image, ignored) = (read(&project, "Dockerfile"), read(&project, ".dockerignore"));
    fs::remove_file(project.join("Dockerfile")).expect("the file");
    fs::remove_file(project.join(".dockerignore")).expect("the file");
    let before = files(&project);
    let diff = crud(&project, &["add", "docker", "--dry-run"]).done();
    assert!(diff.contains("+++ b/Dockerfile\n"), "{diff}");
    assert_eq!(files(&project), before);
    let said = crud(&project, &["add", "docker"]).done();
    assert_eq!(said, "Written: .dockerignore\nWritten: Dockerfile\n");
    assert_eq!((read(&project, "Dockerfile"), read(&project, ".dockerignore")), (image, ignored));
    crud(&project, &["add", "testing"]).done();
    let manifest = read(&project, "Cargo.toml");
    let (_, tests) = manifest.split_once("[dev-dependencies]").expect("the section");
    assert!(tests.contains("crud-runtime = { path = ") && tests.contains("features = [\"testing\"] }"), "{manifest}");
}

#[test]
fn unknown_parts_are_refused() {
    let (_work, project) = Work::with_project();
    assert!(crud(&project, &["add", "metrix"]).misused().contains("'metrics'"));
    crud(&project, &["add"]).misused();
    let help = crud(&project, &["add", "--help"]).done();
    assert!(help.contains("\n  jobs             durable jobs and schedules"), "{help}");
}
